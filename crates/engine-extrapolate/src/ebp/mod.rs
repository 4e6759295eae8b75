//! Boolean program extrapolation, the paper's `B̄ = EBP(P̄, V̄, B)` (Baumann and others, section 4.3): transformers of the
//! reduced program without a question to the solver.
//!
//! **Idea.** A valid implication stays valid if a variable is replaced by something else of the same range. `B`, the
//! boolean program of `P` with copies done at once, is full of valid implications: *these literals imply that after this
//! statement the predicate holds*. In `P̄` the same statements happen with other names: a delivery writes an element of
//! `XSet` where the statement of `P` wrote `X`. So a goal of `P̄` is said with the names of `P` ([`Names`]), the cubes of
//! `B` for that goal are taken, and said with the names of `P̄` again. Of sets that is right for *all* elements, since the implication
//! holds for whichever stands for the variable.
//!
//! The rules of the paper are cases of this, with the formula taken apart first ([`implied`]):
//!
//! | statement of `P̄` | of a predicate p | here |
//! |---|---|---|
//! | `XSet = {X}` | `p[XSet/X] = p` | the goal is p of X, which is a predicate |
//! | `addToSet(XSet, X)` | `p[XSet/X] = choose(p[XSet/X] ∧ p, ¬p[XSet/X] ∧ ¬p)` | the goal is a conjunction, p of the elements and p of X |
//! | `Y = randomElem(XSet)` | `p = choose(φ_t[XSet/X], φ_f[XSet/X])` | the goal is that of `Y = X`, with an element for X |
//! | the same, of p over `Y` and a set | `*` | the goal names two places of one variable, or has no predicates to be answered by |
//! | `Y = a`, of a predicate over `XSet` and `Y` | (no rule) | the transformer of p over X and Y, with an element for X |
//!
//! **Differs from the paper.** A predicate over a set is two here, *all are so* and *all are not so*, so that a negative literal over
//! `X` becomes the second of them. Flags have few values, and what they imply is tried out. Contradictions of two literals in
//! `V` are carried over where no set is concerned: all elements of an empty set are so and not so.
//!
//! **Soundness** rests on valid implications being closed under renaming, and on goals being taken apart in one direction only
//! (what implies a part of a disjunction implies the whole). Nothing depends on whether all cubes are found. `--certify` asks the
//! solver about every entry that was used.

mod implied;
mod sc;

use std::cell::RefCell;

use wattle_abstraction::boolean::text;
use wattle_abstraction::{
    Cube, Goal, Predicates, Questions, Reach, Scope, Stopped, System, Told, Transformers,
};
use wattle_engine::{Figure, Statistics};
use wattle_logic::Term;
use wattle_memory::reduction::Reduced;
use wattle_proving::{Lifting, Subject};

use crate::names::{Lowered, Names};
use implied::{Implied, MOST_NAMES};
use sc::ScProgram;

/// The boolean program of a reduced program, from that of the program under sequential consistency.
#[derive(Debug)]
pub(crate) struct Extrapolated<'a> {
    subject: &'a Subject<'a>,
    system: &'a System,
    names: Names,
    /// The largest cube of `B`.
    limit: usize,
    /// The boolean program `B`, over what the predicates come to with the names of `P`.
    sc: RefCell<ScProgram>,
}

impl<'a> Extrapolated<'a> {
    pub(crate) fn new(
        subject: &'a Subject<'a>,
        system: &'a System,
        reduced: &Reduced,
        limit: usize,
    ) -> Option<Extrapolated<'a>> {
        let variables = subject.program.variables.len() as u32;
        let names = Names::new(&Lifting::new(reduced)?, &subject.sc, system, (variables, 0));
        Some(Extrapolated { subject, system, names, limit, sc: RefCell::default() })
    }

    fn lowered(&self, predicate: &Term) -> Vec<Lowered> {
        let mut all = self.names.lower(predicate, &vec![], &vec![], MOST_NAMES);
        all.retain(|lowered| lowered.flags.is_empty());
        all
    }

    /// The figures of the paper's table: sizes in lines, and what it cost to build `B`.
    pub(crate) fn record(&self, predicates: &Predicates, statistics: &mut Statistics) {
        let sc = self.sc.borrow();
        statistics.count("sc cubes asked", sc.calls);
        statistics.count("sc lines", sc.lines);
        statistics.set("sc building", Figure::Seconds(sc.seconds));
        let questions = Questions::new(self.system, predicates, scope());
        let told = RefCell::new(Told::new(self, predicates, &questions));
        let cubes = |goal: usize| told.borrow_mut().cubes_of(goal, &questions.goals[goal]).to_vec();
        let lines = text(self.system, &questions, &|number| format!("b{number}"), &cubes).lines().count();
        statistics.count("lines", lines as u64);
        // The two forms of a predicate over sets are one of the paper's.
        let of_sets = predicates.of_sets();
        let positive = |number: &usize| {
            let opposite = predicates.literal_of(&predicates.terms()[*number].negated());
            !of_sets.contains(*number) || opposite.is_none_or(|(other, _)| other >= *number)
        };
        let extrapolated = (0..predicates.len()).filter(positive).count();
        statistics.count("extrapolated predicates", extrapolated as u64);
    }
}

/// Both boolean programs know what guards tell. Cubes over predicates that share a cell with the goal are enough for most proofs, and a tenth of the
/// work of all.
fn scope() -> Scope {
    Scope { tells: true, ..Scope::all(Reach::Touching) }
}

impl Transformers for Extrapolated<'_> {
    /// Predicates that refinement has found belong to `P` too: its boolean program is built anew.
    fn prepare(&self, predicates: &Predicates) -> Result<(), Stopped> {
        let lowered: Vec<Term> = predicates
            .terms()
            .iter()
            .flat_map(|predicate| self.lowered(predicate))
            .map(|lowered| lowered.term)
            .collect();
        let of_sc = Predicates::new(&self.subject.sc, &lowered)
            .ok_or_else(|| Stopped::Solver("more predicates than there is room for".into()))?;
        let mut sc = self.sc.borrow_mut();
        if sc.predicates != of_sc.terms() {
            *sc = ScProgram::build(self.subject, &of_sc, self.limit)?;
        }
        Ok(())
    }

    fn cubes(&self, predicates: &Predicates, goal: &Goal) -> Vec<Cube> {
        let sc = self.sc.borrow();
        let implied = Implied::new(&self.names, self.system, predicates, &sc, goal);
        // Initial states are known without literals.
        let asked = |cube: &Cube| cube.known().without(&goal.cone).is_empty();
        implied.by(&goal.target).into_iter().filter(asked).collect()
    }

    fn contradictions(&self, predicates: &Predicates, predicate: usize) -> Vec<Cube> {
        if predicates.of_sets().contains(predicate) {
            return vec![];
        }
        let sc = self.sc.borrow();
        let back = |lowered: Lowered| -> Vec<Cube> {
            sc.contradictions.iter().filter_map(|cube| lowered.raised(predicates, cube)).collect()
        };
        let all = self.lowered(&predicates.terms()[predicate]).into_iter().flat_map(back);
        all.filter(|cube| cube.value(predicate).is_some()).collect()
    }
}
