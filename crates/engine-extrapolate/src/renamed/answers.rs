//! What was asked of the program under sequential consistency, and the answers.

use std::collections::HashMap;

use wattle_abstraction::{Cube, Goal, Predicates, Prover, Set, Shown, Stopped, System};
use wattle_logic::Term;

use crate::names::anonymous;

/// Questions about the program: choices without their names.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub system: &'a System,
    predicates: Predicates,
    prover: Prover<'a>,
    numbers: HashMap<(Term, Term), usize>,
    questions: Vec<Question>,
    /// How often the solver was asked.
    pub asked: u64,
}

#[derive(Debug)]
struct Question {
    goal: Goal,
    implicants: Vec<Cube>,
    /// Those used last are in front.
    failures: Vec<Cube>,
}

impl<'a> Asked<'a> {
    /// `prover`: of this system, with no predicates.
    pub(crate) fn new(system: &'a System, prover: Prover<'a>) -> Asked<'a> {
        let predicates = Predicates::default();
        Asked { system, predicates, prover, numbers: HashMap::new(), questions: vec![], asked: 0 }
    }

    /// The literal that a formula is; a new predicate if there is none such. `None`: it is no predicate, or there is no room.
    pub(super) fn literal(&mut self, formula: &Term) -> Result<Option<(usize, bool)>, Stopped> {
        if let known @ Some(_) = self.predicates.literal_of(formula) {
            return Ok(known);
        }
        if self.predicates.add(self.system, formula) != Some(true) {
            return Ok(None);
        }
        self.prover.extend(&self.predicates)?;
        Ok(self.predicates.literal_of(formula))
    }

    /// The number of a question.
    pub(super) fn question(&mut self, given: &Term, target: &Term) -> usize {
        let mut both = anonymous(&[target, given]);
        let given = both.pop().unwrap_or_else(|| given.clone());
        let target = both.pop().unwrap_or_else(|| target.clone());
        let questions = &mut self.questions;
        *self.numbers.entry((given.clone(), target.clone())).or_insert_with(|| {
            let goal = Goal { given, target, cone: Set::default() };
            questions.push(Question { goal, implicants: vec![], failures: vec![] });
            questions.len() - 1
        })
    }

    /// The part of a cube that implies the target of a question. `None`: it does not.
    pub(super) fn implied_by(&mut self, number: usize, cube: &Cube) -> Result<Option<Cube>, Stopped> {
        let question = &mut self.questions[number];
        if let Some(known) = question.implicants.iter().find(|implicant| cube.implies(implicant)) {
            return Ok(Some(*known));
        }
        if let Some(found) = question.failures.iter().position(|failure| failure.implies(cube)) {
            question.failures.swap(found, found / 2);
            return Ok(None);
        }
        self.asked += 1;
        match self.prover.show_here(&question.goal, cube)? {
            Shown::Implied(part) => {
                question.implicants.push(part);
                Ok(Some(part))
            }
            Shown::Not(failure) => {
                question.failures.push(failure);
                Ok(None)
            }
        }
    }
}
