//! Answers that come from elsewhere than the solver of a system.
//!
//! The same question may have been asked about another program, with other names. Whoever knows that may answer it; where it is not
//! known, the solver is asked as ever. An answer *yes* must be a valid implication, as the solver's are: the certificate lists it, and its checker
//! asks anew. An answer *no* only makes a state less precise.

use std::fmt;

use crate::cube::Cube;
use crate::entail::Stopped;
use crate::predicates::Predicates;
use crate::prover::Shown;
use crate::question::Goal;

pub trait Elsewhere: fmt::Debug {
    /// From now on questions are over these predicates.
    fn prepare(&self, predicates: &Predicates) -> Result<(), Stopped>;

    /// Does the cube imply the goal? `None`: nobody knows here.
    fn show(&self, predicates: &Predicates, goal: &Goal, cube: &Cube) -> Result<Option<Shown>, Stopped>;
}
