//! Satisfiability with orders: CaDiCaL, and a theory of relations between events inside its loop.

#![warn(unreachable_pub)]

mod clauses;
mod description;
pub mod proof;
mod propagator;
mod scratch;
mod solver;
pub mod synthetic;
mod theory;
pub mod trials;

pub use clauses::{Clauses, Lit};
pub use description::{Definition, Description, Graph, Pair, RelationId, Test};
pub use solver::{Satisfiability, Solver, Statistics};
