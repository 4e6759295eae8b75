//! The search for all cubes that imply a goal.
//!
//! Both searches find the same: every cube of at most so many literals that implies the goal, that is
//! possible together with what the goal gives, and no part of which implies it too. They differ in cost.

mod candidates;
mod cubes;
mod implicants;

pub use candidates::Candidates;
pub use cubes::Cubes;
pub use implicants::Implicants;

use crate::cube::Cube;
use crate::entail::Stopped;
use crate::prover::Prover;
use crate::question::Goal;

pub trait Search {
    /// In no particular order.
    fn search(&mut self, prover: &mut Prover<'_>, goal: &Goal) -> Result<Vec<Cube>, Stopped>;
}
