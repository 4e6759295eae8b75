//! Satisfiability with orders: CaDiCaL, circuits over it, and a theory of relations between events.

mod clauses;
mod theory;

pub use clauses::{Clauses, Lit};
pub use theory::{Definition, Description, Graph, Pair, RelationId, Test};
