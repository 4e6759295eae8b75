//! Sorts, values and terms: what programs compute with and what properties speak about.
//!
//! A [`Term`] is an immutable tree with shared nodes. It is **never simplified on construction**:
//! which locals occur in a term as written is the dependency that weak memory models order by, so
//! `r ^ r` must stay what it is. Engines call [`simplify`](Term::simplify) on their own copies.
//!
//! Leaves carry plain numbers. What they number (variables, locals, points) is the business of the
//! `program` crate, which also knows their names.

mod evaluate;
mod simplify;
mod sort;
mod term;
mod transform;

pub use evaluate::{Environment, Fault, apply_binary, apply_unary};
pub use sort::{Sort, Value};
pub use term::{Binary, Kind, Quantifier, Symbol, Term, Unary};
