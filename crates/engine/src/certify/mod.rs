//! Checkers of certificates, one file a form. They import no engine.

pub mod abstraction;
mod executions;
pub mod refutation;
mod state_space;

use crate::Reason;

pub use abstraction::abstraction;
pub use executions::{Survey, executions, survey};
pub use refutation::refutation;
pub use state_space::{Certified, Closure, explore_all, state_space};

const WRONG: &str = "the certificate is wrong";

/// Does this answer of a checker contradict the certificate, rather than run out of budget?
pub fn is_contradiction(reason: &Reason) -> bool {
    matches!(reason, Reason::GaveUp(text) if text.starts_with(WRONG))
}
