//! Whether what an abstract state says entails a goal: the one question that the checker asks.

use crate::cube::{Cube, Set};
use crate::question::Goal;

/// Whether a three-valued state entails a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entailed {
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

pub trait Entail {
    /// Does the state entail the goal with this number? `open`: the predicates that it makes sense to split on.
    fn entails(&mut self, number: usize, goal: &Goal, state: &Cube, open: &Set) -> Result<Entailed, Stopped>;
}

/// By a list of cubes that imply the goal.
pub fn by_cubes(cubes: &[Cube], state: &Cube, open: &Set) -> Entailed {
    let mut on = None;
    for cube in cubes {
        if state.implies(cube) {
            return Entailed::Yes;
        }
        if on.is_none() && state.meets(cube) {
            let unknown = cube.known().without(&state.known());
            on = unknown.iter().next().filter(|_| unknown.without(open).is_empty());
        }
    }
    on.map_or(Entailed::No, Entailed::Depends)
}
