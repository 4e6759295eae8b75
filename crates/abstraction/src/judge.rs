//! Who answers questions about cubes.

use crate::cube::{Cube, Set};
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
    /// `open`: the predicates that it makes sense to split on.
    fn judge(&mut self, number: usize, goal: &Goal, state: &Cube, open: &Set) -> Result<Judgement, Stopped>;
}

/// By a list of cubes that imply the goal.
pub fn by_cubes(cubes: &[Cube], state: &Cube, open: &Set) -> Judgement {
    let mut on = None;
    for cube in cubes {
        if state.implies(cube) {
            return Judgement::Yes;
        }
        if on.is_none() && state.meets(cube) {
            let unknown = cube.known().without(&state.known());
            on = unknown.iter().next().filter(|_| unknown.without(open).is_empty());
        }
    }
    on.map_or(Judgement::No, Judgement::Depends)
}
