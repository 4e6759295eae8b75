//! Checkers of certificates, one file a form. They import no engine.

pub mod abstraction;
mod executions;
pub mod refutation;
mod state_space;

use wattle_memory::operational::initial_states;

use crate::{Reason, Task, Unsupported};

pub use abstraction::abstraction;
pub use executions::{Survey, executions, survey};
pub use refutation::refutation;
pub use state_space::{Certified, Closure, explore_all, state_space};

/// Is there an initial state? Of a program without one anything can be proved.
pub fn starts(task: &Task<'_>) -> Result<(), Reason> {
    if task.program.init.is_none() {
        return Ok(());
    }
    let shape = task.shape().map_err(Reason::Unsupported)?;
    match initial_states(task.program, &shape) {
        Ok(states) if states.is_empty() => Err(nothing_to_start_from()),
        Ok(_) => Ok(()),
        Err(why) => Err(Reason::Unsupported(Unsupported::new(why))),
    }
}

fn nothing_to_start_from() -> Reason {
    Reason::GaveUp(format!("{WRONG}: {}", Reason::NoInitialState))
}

const WRONG: &str = "the certificate is wrong";

/// Does this answer of a checker contradict the certificate, rather than run out of budget?
pub fn is_contradiction(reason: &Reason) -> bool {
    matches!(reason, Reason::GaveUp(text) if text.starts_with(WRONG))
}
