//! A proof by predicate abstraction, as plain data.
//!
//! Two layers. The first is a list of Hoare triples, each of which a solver can check by itself: *these literals
//! block this edge*, *after this edge this predicate is true*. The second is a set of abstract states which
//! contains the initial one and which, by the triples alone, no edge leaves. Together they are an inductive
//! invariant, whoever made it, and how. Literals are listed one by one: no type of an abstraction occurs here.

use wattle_logic::Term;
use wattle_memory::reduction::{Capacity, Discipline};
use wattle_program::{EdgeId, Point};

/// A conjunction: predicates by number, each with the value that it has. In ascending order.
pub type Literals = Vec<(u32, bool)>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractProof {
    /// `None`: under sequential consistency, as the program is.
    pub reduction: Option<(Discipline, Capacity)>,
    pub predicates: Vec<Term>,
    pub triples: Vec<Triple>,
    /// A point for each thread, and what is known of the predicates.
    pub states: Vec<(Vec<Point>, Literals)>,
}

/// The literals of the cube make the claim true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triple {
    pub cube: Literals,
    pub claim: Claim,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No state satisfies the cube.
    Contradiction,
    /// In every initial state the predicate has this value. (The cube is empty.)
    Initially { predicate: usize, value: bool },
    /// The step cannot be taken.
    Blocked { step: Step },
    /// If the step is taken, the predicate has this value afterwards.
    Sets { step: Step, predicate: usize, value: bool },
    /// This check of the step holds.
    Checks { step: Step, check: usize },
    /// The property holds, if of the places that it names (`At`, `Ended`) just these are true. They are
    /// listed in the order in which the formula first names them.
    Holds { property: usize, places: Vec<bool> },
}

/// An edge of the flat, reduced program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    pub thread: u32,
    pub edge: EdgeId,
}
