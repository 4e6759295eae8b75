//! Satisfiability of linear integers and booleans, by Z3.
//!
//! Z3 is loaded when it is first needed and never linked ([`Library`]). On top of it stand one
//! long-lived [`Solver`] with assumptions, cores and models.
//! What engines ask for is said by the traits [`Decide`] and [`Models`].

mod api;
mod capability;
mod context;
mod elf;
mod library;
mod solver;
mod translate;
mod watch;

pub use capability::{Decide, Lit, Models, Outcome, Stop, Unsupported};
pub use context::Limits;
pub use library::{Library, NotFound};
pub use solver::{Counters, Solver, Undecided};
