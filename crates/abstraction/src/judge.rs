//! Who answers questions about cubes.

use crate::cube::Cube;
use crate::question::Goal;

/// What is known of a goal in a three-valued state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It follows.
    Yes,
    /// It does not follow, however the unknown predicates turn out.
    No,
    /// It follows in a part of the state: look at both values of this predicate by themselves.
    Depends(usize),
}

/// Work was stopped: out of time or memory, or interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The caller said so.
    Asked,
    Solver(String),
}

pub trait Judge {
    fn judge(&mut self, number: usize, goal: &Goal, state: &Cube) -> Result<Judgement, Stopped>;
}

/// By a list of cubes that imply the goal.
pub fn by_cubes(cubes: &[Cube], state: &Cube) -> Judgement {
    let mut open = None;
    for cube in cubes {
        if state.implies(cube) {
            return Judgement::Yes;
        }
        if open.is_none() && state.meets(cube) {
            open = cube.known().without(&state.known()).iter().next();
        }
    }
    open.map_or(Judgement::No, Judgement::Depends)
}
