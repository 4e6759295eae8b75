//! The contract of every engine, and the two judges that trust none of them.
//!
//! An [`Engine`] maps a [`Task`] to an [`Answer`] within the budget of a [`Run`]. Before anybody
//! sees the answer, [`confirm`] replays an *unsafe* verdict on the reference machine, and
//! [`certify`] re-checks the certificate of a *safe* one when asked.

mod axioms;
pub mod certify;
pub mod confirm;
mod contract;
mod run;
mod tidy;
mod verdict;

pub use axioms::{axioms, steps_are_events};
pub use contract::{
    Census, Engine, Executions, Outcome, OutcomeSet, Outcomes, Property, Tally, Task, Unsupported,
};
pub use run::{Budget, Progress, Run, Spent, Work};
pub use tidy::tidy;
pub use verdict::{
    Answer, Bound, Certificate, Counterexample, Figure, Path, Reason, Schedule, Statistics, Verdict,
    Violation,
};
