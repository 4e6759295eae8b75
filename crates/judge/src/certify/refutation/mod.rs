//! Proofs that a problem of clauses and orders has no solution, and their checker.
//!
//! A bounded model checker turns a program into a *problem*: clauses over numbered variables, and
//! definitions of relations between events with what must have no cycle and no pair. *Safe* means that no
//! solution violates the property. Its proof is a list of clauses, each of which is one of the problem's,
//! or says that the relations refute some literals together (a *lemma*, with its reasons), or follows from
//! earlier clauses; the last one refutes what was assumed.
//!
//! The checker is written from this description and shares no code with the solver. It covers *solving*
//! and not *encoding*: that the problem says what the program and the model mean is not its business.
//!
//! * **Lemmas.** Each fact is one of the given pairs (fixed, or with a literal whose negation is in the
//!   clause) or follows by its relation's definition from earlier facts. The facts then violate a test, or
//!   are edges that close a cycle. So no solution has all those literals true.
//! * **Steps** are checked as in LRAT (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017): with
//!   all literals of the clause false, each antecedent in turn makes one more literal true, until one of
//!   them has none left. Cost: the length of all antecedents.

mod lemma;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use wattle_engine::certificate::refutation::{Inference, Literal, Refutation, Step};
use wattle_engine::{Halt, Run, Spent, Work};

use super::wrong;
use lemma::Theory;

/// What checking a step costs.
const STEP: Work = Work::microseconds(1);

/// Checks every step of the proof. The result is the number of steps.
pub fn refutation(refutation: &Refutation, run: &Run) -> Result<u64, Halt> {
    if refutation.refuted.is_empty() {
        return Err(wrong("it refutes nothing"));
    }
    let problem: HashSet<Vec<Literal>> =
        refutation.clauses.iter().filter_map(|clause| normal(clause)).collect();
    let theory = Theory::new(refutation);
    let mut count = 0;
    for refuted in &refutation.refuted {
        let mut assignment = Assignment::default();
        for (position, step) in refuted.steps.iter().enumerate() {
            count += 1;
            if count % 1024 == 0 {
                run.poll(STEP * 1024, Spent { memory: run.resident().unwrap_or(0), states: count })?;
            }
            let holds = match &step.by {
                Inference::Problem => {
                    let mut clause = step.clause.clone();
                    clause.sort_unstable();
                    clause.dedup();
                    clause == [1] || problem.contains(&clause)
                }
                Inference::Lemma { facts, violation } => theory.refutes(&step.clause, facts, violation),
                Inference::Propagation(antecedents) => {
                    assignment.refutes(&refuted.steps[..position], &step.clause, antecedents)
                }
            };
            if !holds {
                return Err(wrong(format!("{}: step {position} does not hold", refuted.meaning)));
            }
        }
        if refuted.assumed.contains(&-1) {
            continue;
        }
        let negated = |literal: &Literal| refuted.assumed.contains(&-literal) || *literal == -1;
        if !refuted.steps.last().is_some_and(|last| last.clause.iter().all(negated)) {
            return Err(wrong(format!("{}: the last step is not about what was assumed", refuted.meaning)));
        }
    }
    Ok(count)
}

/// Sorted, each literal once, without the constant *false*; `None` if it always holds.
fn normal(clause: &[Literal]) -> Option<Vec<Literal>> {
    let mut clause = clause.to_vec();
    clause.retain(|literal| *literal != -1);
    clause.sort_unstable();
    clause.dedup();
    (!clause.contains(&1)).then_some(clause)
}

/// The literals that are true at the moment.
#[derive(Default)]
struct Assignment {
    /// By variable.
    values: Vec<Option<bool>>,
    trail: Vec<usize>,
}

impl Assignment {
    fn value(&self, literal: Literal) -> Option<bool> {
        let value = self.values.get(literal.unsigned_abs() as usize).copied().flatten();
        value.map(|value| value == (literal > 0))
    }

    fn set(&mut self, literal: Literal) {
        let variable = literal.unsigned_abs() as usize;
        if self.values.len() <= variable {
            self.values.resize(variable + 1, None);
        }
        self.values[variable] = Some(literal > 0);
        self.trail.push(variable);
    }

    /// Do the antecedents, one by one, lead from the negation of the clause to a contradiction?
    fn refutes(&mut self, earlier: &[Step], clause: &[Literal], antecedents: &[u32]) -> bool {
        let mut refuted = false;
        for literal in clause {
            match self.value(*literal) {
                // It has a literal and its negation.
                Some(true) => refuted = true,
                Some(false) => {}
                None => self.set(-literal),
            }
        }
        for antecedent in antecedents {
            let Some(step) = earlier.get(*antecedent as usize) else {
                refuted = false;
                break;
            };
            if refuted {
                continue;
            }
            let mut open: Option<Literal> = None;
            let mut idle = false;
            for literal in &step.clause {
                match self.value(*literal) {
                    Some(false) => {}
                    Some(true) => idle = true,
                    None if open.is_none() || open == Some(*literal) => open = Some(*literal),
                    None => idle = true,
                }
            }
            match open {
                _ if idle => {}
                Some(literal) => self.set(literal),
                None => refuted = true,
            }
        }
        for variable in self.trail.drain(..) {
            self.values[variable] = None;
        }
        refuted
    }
}
