//! Questions about the reduced program, asked of the program under sequential consistency.
//!
//! **Idea.** The paper (Baumann and others, section 4.3) builds the boolean program `B` of `P` first and renames its transformers. Most of
//! `B` is never looked at. So here nothing is built: when the checker asks whether a state of `P̄` implies a goal, that very question is said with
//! the names of `P` ([`Names`]) and asked of `P`, once; whatever comes to the same question under other names has its answer from then on. The deliveries
//! of a statement at all its points, its slots, the statements between the same locations, and start, store and delivery of one
//! value are one question each.
//!
//! **When a question can be renamed.** Its target is taken apart into clauses ([`clauses`]), since *p of all elements and of X* names two places
//! of X, while its parts name one each. For a clause:
//!
//! 1. *It is an element*, on the left or denied on the right, is a witness: what is said of all elements of this set is said of it. Sets
//!    without a witness may be empty, and what is said of their elements says nothing.
//! 2. Flags have few values, and each is looked at by itself, unless the state excludes it.
//! 3. Every place that is left stands for one cell, and no two for the same.
//!
//! Where that fails, the rule does not apply, and the solver is asked about `P̄` itself; `-v` counts both.
//!
//! **Why it is right.** *Yes*: a valid implication stays valid if variables are replaced by others that keep to the same ranges, and a clause follows
//! from what it follows from with fewer literals. *No*: literals that could not be said with these names, and share a place with the question
//! by way of others, might have helped; then the rule does not apply either. So nearly nothing is lost, and a mistake of this
//! file could at most make a triple that `--certify` refuses.

mod answers;
mod clause;
mod clauses;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use wattle_abstraction::{Cube, Elsewhere, Goal, Predicates, Set, Shown, Stopped, System};
use wattle_engine::Statistics;
use wattle_logic::Term;

pub(crate) use answers::Asked;

use crate::names::Names;
use clause::{Clause, Context};

/// Who answers for the reduced program with this system.
#[derive(Debug)]
pub(crate) struct Renamed<'a, 's> {
    system: &'a System,
    names: Names,
    sc: Rc<RefCell<Asked<'s>>>,
    /// By goal.
    clauses: RefCell<HashMap<(Term, Term, Set), Renaming>>,
    counted: RefCell<Counted>,
}

/// The clauses of a goal. `None`: one of them cannot be renamed.
type Renaming = Option<Rc<[Clause]>>;

#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    renamed: u64,
    others: u64,
}

impl<'a, 's> Renamed<'a, 's> {
    pub(crate) fn new(names: Names, system: &'a System, sc: Rc<RefCell<Asked<'s>>>) -> Renamed<'a, 's> {
        Renamed { system, names, sc, clauses: RefCell::default(), counted: RefCell::default() }
    }

    pub(crate) fn record(&self, statistics: &mut Statistics) {
        let Counted { renamed, others } = *self.counted.borrow();
        statistics.count("renamed", renamed);
        statistics.count("not renamed", others);
        statistics.count("asked under sc", self.sc.borrow().asked);
    }

    fn clauses(&self, predicates: &Predicates, goal: &Goal) -> Result<Option<Rc<[Clause]>>, Stopped> {
        let key = (goal.given.clone(), goal.target.clone(), goal.cone);
        if let Some(known) = self.clauses.borrow().get(&key) {
            return Ok(known.clone());
        }
        let mut sc = self.sc.borrow_mut();
        let context = Context { names: &self.names, system: self.system, predicates, cone: goal.cone };
        let mut found = Vec::new();
        for clause in clauses::of(goal) {
            match Clause::new(&context, clause, &mut sc)? {
                Some(clause) => found.push(clause),
                None => {
                    self.clauses.borrow_mut().insert(key, None);
                    return Ok(None);
                }
            }
        }
        let found: Option<Rc<[Clause]>> = Some(found.into());
        self.clauses.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    /// `None`: the rule does not apply.
    fn answer(&self, predicates: &Predicates, goal: &Goal, cube: &Cube) -> Result<Option<Shown>, Stopped> {
        let Some(clauses) = self.clauses(predicates, goal)? else { return Ok(None) };
        let mut used = Cube::default();
        let mut sc = self.sc.borrow_mut();
        for clause in clauses.iter() {
            match clause.implied_by(cube, &mut sc)? {
                Some(part) => part.literals().for_each(|(number, value)| used.set(number, Some(value))),
                None if clause.is_exact_for(cube) => return Ok(Some(Shown::Not(*cube))),
                None => return Ok(None),
            }
        }
        Ok(Some(Shown::Implied(used)))
    }
}

impl Elsewhere for Renamed<'_, '_> {
    fn prepare(&self, _: &Predicates) -> Result<(), Stopped> {
        // Predicates that are there keep their numbers, but cones have grown.
        self.clauses.borrow_mut().clear();
        Ok(())
    }

    fn show(&self, predicates: &Predicates, goal: &Goal, cube: &Cube) -> Result<Option<Shown>, Stopped> {
        let shown = self.answer(predicates, goal, cube)?;
        let mut counted = self.counted.borrow_mut();
        match shown {
            Some(_) => counted.renamed += 1,
            None => counted.others += 1,
        }
        Ok(shown)
    }
}
