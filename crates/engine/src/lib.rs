//! The contract of every engine, as plain data.
//!
//! An [`Engine`] maps a [`Task`] to an [`Answer`] within the budget of a [`Run`]. Who believes the answer is
//! another crate's business: `judge` replays and re-checks it, and neither knows an engine.

mod axioms;
pub mod certificate;
mod contract;
mod contradiction;
mod coverage;
mod estimate;
mod hints;
pub mod one_location;
mod reason;
mod run;
mod verdict;

pub use axioms::{axioms, no_violation, steps_are_events};
pub use certificate::Certificate;
pub use contract::{
    Census, Engine, Executions, Outcome, OutcomeSet, Outcomes, Property, Tally, Task, Unsupported,
};
pub use contradiction::{Contradiction, Halt, Statement};
pub use coverage::{Coverage, edges, reached_cuts};
pub use estimate::{Estimate, grows, piles_up};
pub use hints::Hints;
pub use reason::Reason;
pub use run::{Budget, Progress, Run, Spent, Work};
pub use verdict::{
    Answer, Bound, Counterexample, Figure, Path, Schedule, Statistics, Suspicion, Verdict, Violation,
};
