//! A straight-line program, and what shows that it cannot be run to its end.
//!
//! A straight line is a sequence of steps over some cells, from an initial condition to a bad one. When no
//! values of the cells can go along it, there are *interpolants* `I_0 … I_n`, conditions over the cells
//! alone, such that what holds at the beginning implies `I_0`, step `i` leads from `I_i` into `I_(i+1)`,
//! and `I_n` excludes what is bad. They say which facts, at which place, rule the line out; abstraction
//! takes its next predicates from them.
//!
//! Nobody's word is taken for it: [`StraightLine::check`] asks the solver for each of the `n + 2` implications.

use std::collections::HashMap;

use wattle_logic::Term;

use crate::{Decide, Decision, Stop, Unsupported};

/// Where the guard holds, all updates at once; other cells keep their values. A leaf that is no cell is
/// an input: any value will do, another one in each step.
#[derive(Clone, Debug)]
pub struct Step {
    pub guard: Term,
    /// The number of a cell, and its new value in terms of the old ones. At most one a cell.
    pub updates: Vec<(usize, Term)>,
}

#[derive(Clone, Debug)]
pub struct StraightLine {
    /// Leaves of terms, each different.
    pub cells: Vec<Term>,
    pub init: Term,
    pub steps: Vec<Step>,
    pub bad: Term,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// One condition more than there are steps.
    Interpolants(Vec<Term>),
    /// Some values go all the way.
    Feasible,
    Unsupported(Unsupported),
    Stopped(Stop),
}

impl StraightLine {
    /// `Ok`: these are interpolants of the line. `Err` names the implication that does not hold or
    /// that could not be decided.
    pub fn check(&self, interpolants: &[Term], solver: &mut impl Decide) -> Result<(), String> {
        if interpolants.len() != self.steps.len() + 1 {
            return Err(format!("{} interpolants for {} steps", interpolants.len(), self.steps.len()));
        }
        let mut follows = |left: &[&Term], right: Term, place: &str| {
            let mut assumed = Vec::new();
            for term in left.iter().copied().chain([&right.negated()]) {
                assumed.push(solver.literal(term).map_err(|what| format!("{place}: {what}"))?);
            }
            match solver.check(&assumed) {
                Decision::Unsat => Ok(()),
                Decision::Sat => Err(format!("{place} does not hold")),
                Decision::Stopped(why) => Err(format!("{place}: {why}")),
            }
        };
        follows(&[&self.init], interpolants[0].clone(), "the beginning")?;
        for (place, step) in self.steps.iter().enumerate() {
            let after = self.before(step, &interpolants[place + 1]);
            follows(&[&interpolants[place], &step.guard], after, &format!("step {place}"))?;
        }
        follows(&[&interpolants[self.steps.len()], &self.bad], Term::bool(false), "the end")
    }

    /// What must hold before the updates of a step for a condition to hold after them.
    pub fn before(&self, step: &Step, after: &Term) -> Term {
        let values: HashMap<&Term, &Term> =
            step.updates.iter().filter_map(|(cell, value)| Some((self.cells.get(*cell)?, value))).collect();
        after.map(&mut |term| values.get(&term).map_or(term.clone(), |value| (*value).clone()))
    }

    /// `Err`: what is wrong with the straight line itself.
    pub(crate) fn validate(&self) -> Result<(), Unsupported> {
        let wrong = |what: &str| Err(Unsupported(what.to_owned()));
        let distinct: std::collections::BTreeSet<&Term> = self.cells.iter().collect();
        if distinct.len() != self.cells.len() {
            return wrong("a cell that is listed twice");
        }
        if self.cells.iter().any(|cell| cell.as_value().is_some()) {
            return wrong("a constant as a cell");
        }
        for step in &self.steps {
            let mut updated: Vec<usize> = step.updates.iter().map(|(cell, _)| *cell).collect();
            updated.sort_unstable();
            if updated.windows(2).any(|pair| pair[0] == pair[1]) {
                return wrong("two updates of one cell");
            }
            for (cell, value) in &step.updates {
                match self.cells.get(*cell) {
                    Some(cell) if cell.sort() == value.sort() => {}
                    Some(_) => return wrong("an update of another sort"),
                    None => return wrong("an update of a cell that is not listed"),
                }
            }
        }
        Ok(())
    }
}
