//! Satisfiability of linear integers and booleans, by Z3.
//!
//! Z3 is loaded when it is first needed and never linked ([`Library`]). One long-lived [`Solver`]
//! answers small questions under assumptions, with cores and models, and explains straight lines by
//! interpolants. What engines ask for is said by the traits [`Decide`], [`Models`] and [`Interpolate`].

mod api;
mod capability;
mod context;
mod difference;
mod elf;
mod library;
mod linear;
mod print;
mod read;
mod sexp;
mod solver;
mod spacer;
mod straight_line;
mod symbols;
mod translate;
mod watch;

pub use capability::{Decide, Decision, Interpolate, Lit, Models, Stop, Unsupported};
pub use context::Limits;
pub use library::{Library, NotFound};
pub use solver::{Counters, Solver, Undecided};
pub use straight_line::{Interpolation, Step, StraightLine};
