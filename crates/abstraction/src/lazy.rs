//! Implicants found on the way.
//!
//! A search for all cubes that imply a goal looks at every combination of literals, and most of them never
//! occur. This one looks only at the states that the checker meets. It asks the solver whether the state,
//! as far as the goal's cone goes, implies the goal. If so, the solver's core, made minimal, is a prime
//! implicant, which answers all later states that contain it; if not, the state answers all later ones
//! that say less. (The solver's model would answer more, but making it costs more than asking.) Where
//! a state does not imply the goal but a part of it might, a model of the goal inside the state is tried:
//! if that valuation implies the goal, its prime implicant says which predicate to split on.
//!
//! So the boolean program is the one with *all* cubes, of whatever size (as far as it is looked at), for
//! some calls a prime implicant instead of 2^i (n over i) calls for each size i. What was found is the
//! certificate's list of triples. The only thing given up is some splitting (one model is tried, not
//! all, and after some vain tries for one goal none), which can only make a state less precise.

use std::collections::{HashMap, HashSet};

use wattle_logic::Term;

use crate::cube::{Cube, Set};
use crate::elsewhere::Elsewhere;
use crate::entail::{Entail, Entailed, Stopped, by_cubes};
use crate::prover::{Prover, Shown};
use crate::question::Goal;

/// What was found out about goals, by their terms. It stays true when predicates are added.
#[derive(Clone, Debug, Default)]
pub struct Known(HashMap<(Term, Term), Answers>);

#[derive(Clone, Debug, Default)]
struct Answers {
    implicants: HashSet<Cube>,
    failures: HashSet<Cube>,
}

impl Known {
    /// For other numbers of the predicates: `None` for those that are no more.
    #[must_use]
    pub fn renumbered(&self, numbers: &[Option<usize>]) -> Known {
        let cube = |cube: &Cube| -> Option<Cube> {
            let literal = |(predicate, value): (usize, bool)| Some((numbers[predicate]?, value));
            cube.literals().map(literal).collect()
        };
        // A failure that says less is still one.
        let part = |cube: &Cube| -> Cube {
            cube.literals().filter_map(|(predicate, value)| Some((numbers[predicate]?, value))).collect()
        };
        let answers = |answers: &Answers| Answers {
            implicants: answers.implicants.iter().filter_map(cube).collect(),
            failures: answers.failures.iter().map(part).collect(),
        };
        Known(self.0.iter().map(|(goal, known)| (goal.clone(), answers(known))).collect())
    }
}

#[derive(Debug)]
pub struct Lazy<'a> {
    pub prover: Prover<'a>,
    /// Asked before the prover is.
    elsewhere: Option<&'a dyn Elsewhere>,
    /// By goal: prime implicants.
    pub implicants: Vec<Vec<Cube>>,
    /// By goal: states that do not imply it, those used last in front.
    failures: Vec<Vec<Cube>>,
    /// Nothing was found to split on.
    settled: HashSet<(usize, Cube)>,
    /// By goal and by what a state leaves open: how often nothing was found to split on.
    vain: HashMap<(usize, Set), u32>,
    /// After so many vain tries no more are made.
    pub patience: u32,
}

impl<'a> Lazy<'a> {
    pub fn new(prover: Prover<'a>) -> Lazy<'a> {
        Lazy {
            prover,
            elsewhere: None,
            implicants: vec![],
            failures: vec![],
            settled: HashSet::new(),
            vain: HashMap::new(),
            patience: 4,
        }
    }

    #[must_use]
    pub fn asking(self, elsewhere: Option<&'a dyn Elsewhere>) -> Lazy<'a> {
        Lazy { elsewhere, ..self }
    }

    /// Does the state imply the goal?
    fn show(&mut self, goal: &Goal, state: &Cube) -> Result<Shown, Stopped> {
        if let Some(elsewhere) = self.elsewhere
            && let Some(shown) = elsewhere.show(self.prover.predicates(), goal, state)?
        {
            return Ok(shown);
        }
        self.prover.show_here(goal, state)
    }

    /// Begin with what is known of goals.
    pub fn remember(&mut self, goals: &[Goal], known: &Known) {
        for (number, goal) in goals.iter().enumerate().skip(self.implicants.len()) {
            let (mut implicants, mut failures) = (vec![], vec![]);
            if let Some(answers) = known.0.get(&(goal.given.clone(), goal.target.clone())) {
                let inside = |cube: &&Cube| cube.known().without(&goal.cone).is_empty();
                implicants.extend(answers.implicants.iter().filter(inside));
                failures.extend(&answers.failures);
                implicants.sort();
                failures.sort();
            }
            debug_assert_eq!(self.implicants.len(), number);
            self.implicants.push(implicants);
            self.failures.push(failures);
        }
    }

    /// What is known of these goals now.
    pub fn tell(&self, goals: &[Goal], known: &mut Known) {
        for (number, goal) in goals.iter().enumerate().take(self.implicants.len()) {
            let (implicants, failures) = (&self.implicants[number], &self.failures[number]);
            if !implicants.is_empty() || !failures.is_empty() {
                let answers = known.0.entry((goal.given.clone(), goal.target.clone())).or_default();
                answers.implicants.extend(implicants);
                answers.failures.extend(failures);
            }
        }
    }

    fn fails(&mut self, number: usize, state: &Cube) -> bool {
        let failures = &mut self.failures[number];
        let found = failures.iter().position(|failure| failure.implies(state));
        if let Some(found) = found.filter(|found| *found > 0) {
            failures.swap(found, found / 2);
        }
        found.is_some()
    }
}

impl Entail for Lazy<'_> {
    fn entails(&mut self, number: usize, goal: &Goal, state: &Cube, open: &Set) -> Result<Entailed, Stopped> {
        if self.implicants.len() <= number {
            self.implicants.resize(number + 1, vec![]);
            self.failures.resize(number + 1, vec![]);
        }
        let state = state.within(&goal.cone);
        let known = by_cubes(&self.implicants[number], &state, open);
        if known == Entailed::Yes {
            return Ok(known);
        }
        if !self.fails(number, &state) {
            match self.show(goal, &state)? {
                Shown::Implied(cube) => {
                    self.implicants[number].push(cube);
                    return Ok(Entailed::Yes);
                }
                Shown::Not(failure) => self.failures[number].push(failure),
            }
        }
        if known != Entailed::No || goal.target.is_false() || self.settled.contains(&(number, state)) {
            return Ok(known);
        }
        let unknown = goal.cone.without(&state.known()).intersection(open);
        let vain = self.vain.entry((number, unknown)).or_insert(0);
        if *vain >= self.patience {
            return Ok(Entailed::No);
        }
        *vain += 1;
        if !unknown.is_empty()
            && let Some(example) = self.prover.example(goal, &state, &unknown)?
            && !self.fails(number, &example)
        {
            match self.show(goal, &example)? {
                Shown::Implied(cube) => {
                    self.implicants[number].push(cube);
                    return Ok(by_cubes(&[cube], &state, open));
                }
                Shown::Not(failure) => self.failures[number].push(failure),
            }
        }
        self.settled.insert((number, state));
        Ok(Entailed::No)
    }
}
