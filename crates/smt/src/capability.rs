//! What a solver can do, one small trait a capability.
//!
//! Predicate abstraction asks for decisions and models, refinement for interpolants, and neither cares
//! who answers. Z3 is the only implementation that ships; the tests have a second one that tries all
//! values of a small domain.

use std::fmt;

use wattle_logic::Term;

use crate::{Interpolation, StraightLine};

/// An activation literal: assume it, and its term must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(pub(crate) u32);

/// Whether assumptions can hold at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    Sat,
    Unsat,
    Stopped(Stop),
}

/// Why there is no answer. Never a reason to conclude anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Whoever was asked whether to go on said no.
    Asked,
    Memory,
    /// The solver's own words.
    GaveUp(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Asked => f.write_str("the solver was told to stop"),
            Stop::Memory => f.write_str("the solver reached its limit of memory"),
            Stop::GaveUp(words) => write!(f, "the solver gave up: {words}"),
        }
    }
}

/// A term that is outside linear integer arithmetic with booleans, and what of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "beyond linear integers: {}", self.0)
    }
}

impl std::error::Error for Unsupported {}

/// Decisions under assumptions.
pub trait Decide {
    /// The literal that activates a boolean term; the same one for an equal term.
    fn literal(&mut self, term: &Term) -> Result<Lit, Unsupported>;

    /// Can all these hold at once?
    fn check(&mut self, assumptions: &[Lit]) -> Decision;

    /// After *unsat*: some of the assumptions that cannot hold at once already, sorted.
    fn core(&self) -> Vec<Lit>;
}

/// What the last *sat* looks like. A variable that the question did not mention has some value too.
pub trait Models {
    /// The value of a boolean term; `None` without a model or for a term that is unsupported.
    fn holds(&mut self, term: &Term) -> Option<bool>;

    /// The value of an integer term; `None` also if it does not fit.
    fn integer(&mut self, term: &Term) -> Option<i64>;
}

/// Why a straight line is infeasible, place by place.
pub trait Interpolate {
    /// Interpolants are checked before they are returned.
    fn interpolants(&mut self, line: &StraightLine) -> Interpolation;
}
