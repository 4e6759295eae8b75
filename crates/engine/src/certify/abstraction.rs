//! A proof by predicate abstraction, in two layers.
//!
//! The first layer is a list of Hoare triples, each of which a solver can check by itself: *these literals
//! block this edge*, *after this edge this predicate is true*. The second is a set of abstract states: it
//! contains the initial one, none of its states violates anything, and by the triples alone, without a
//! solver, no edge leads out of it. The proof is about the program with its buffers written into it; that
//! reduction is trusted (and tested elsewhere).

use wattle_abstraction::Cube;
use wattle_logic::Term;
use wattle_memory::reduction::{Capacity, Discipline};
use wattle_program::Point;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractProof {
    /// `None`: under sequential consistency, as the program is.
    pub reduction: Option<(Discipline, Capacity)>,
    pub predicates: Vec<Term>,
    pub triples: Vec<Triple>,
    /// A point for each thread, and what is known of the predicates.
    pub states: Vec<(Vec<Point>, Cube)>,
}

/// The literals of the cube make the claim true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triple {
    pub cube: Cube,
    pub claim: Claim,
}

/// Transitions are numbered as in `wattle_abstraction::System`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No state satisfies the cube.
    Contradiction,
    /// In every initial state the predicate has this value. (The cube is empty.)
    Initially { predicate: usize, value: bool },
    /// The transition cannot be taken.
    Blocked { transition: usize },
    /// If the transition is taken, the predicate has this value afterwards.
    Sets { transition: usize, predicate: usize, value: bool },
    /// This check of the transition holds.
    Checks { transition: usize, check: usize },
    /// The formula holds: a property with the truth of its points filled in.
    Holds { formula: Term },
}
