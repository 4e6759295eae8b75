//! Transformers that come from elsewhere than the solver.
//!
//! A boolean program need not be built by asking. If somebody knows cubes that imply a goal, from another program or
//! by a rule, the checker can do with these: a cube that is left out makes a state less precise, never wrong.

use std::fmt;

use crate::cube::{Cube, Set};
use crate::entail::{Entail, Entailed, Stopped, by_cubes};
use crate::predicates::Predicates;
use crate::question::{Goal, Questions};

/// Somebody who knows cubes that imply goals.
pub trait Transformers: fmt::Debug {
    /// From now on questions are over these predicates.
    fn prepare(&self, predicates: &Predicates) -> Result<(), Stopped>;

    /// Cubes that imply a goal.
    fn cubes(&self, predicates: &Predicates, goal: &Goal) -> Vec<Cube>;

    /// Cubes with this predicate whose literals contradict each other.
    fn contradictions(&self, predicates: &Predicates, predicate: usize) -> Vec<Cube>;
}

/// Answers by what is told, each goal asked once.
#[derive(Debug)]
pub struct Told<'a> {
    from: &'a dyn Transformers,
    predicates: &'a Predicates,
    /// By predicate: the goal that its literals contradict others.
    contradictions: Vec<usize>,
    /// By goal.
    pub cubes: Vec<Option<Vec<Cube>>>,
}

impl<'a> Told<'a> {
    pub fn new(from: &'a dyn Transformers, predicates: &'a Predicates, questions: &Questions) -> Told<'a> {
        Told { from, predicates, contradictions: questions.contradictions.clone(), cubes: vec![] }
    }

    pub fn cubes_of(&mut self, number: usize, goal: &Goal) -> &[Cube] {
        if self.cubes.len() <= number {
            self.cubes.resize(number + 1, None);
        }
        let (from, predicates) = (self.from, self.predicates);
        let contradiction = self.contradictions.iter().position(|own| *own == number);
        self.cubes[number].get_or_insert_with(|| match contradiction {
            Some(predicate) => from.contradictions(predicates, predicate),
            None => from.cubes(predicates, goal),
        })
    }
}

impl Entail for Told<'_> {
    fn entails(&mut self, number: usize, goal: &Goal, state: &Cube, open: &Set) -> Result<Entailed, Stopped> {
        Ok(by_cubes(self.cubes_of(number, goal), state, open))
    }
}
