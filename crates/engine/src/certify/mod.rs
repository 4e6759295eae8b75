//! Checkers of certificates, one file a form. They import no engine.

pub mod abstraction;
mod executions;
pub mod refutation;
mod state_space;

use wattle_memory::operational::initial_states;

use crate::{Reason, Run, Spent, Task, Unsupported, Work};

pub use abstraction::abstraction;
pub use executions::{Survey, executions, survey};
pub use refutation::refutation;
pub use state_space::{Certified, Closure, explore_all, state_space};

/// Is there an initial state? Of a program without one anything can be proved.
pub fn starts(task: &Task<'_>, run: &Run) -> Result<(), Reason> {
    if task.program.init.is_none() {
        return Ok(());
    }
    let unsupported = |why: String| Reason::Unsupported(Unsupported::new(why));
    let shape = task.shape().map_err(Reason::Unsupported)?;
    for (number, start) in initial_states(task.program, &shape).map_err(unsupported)?.enumerate() {
        if number % 512 == 0 {
            run.poll(START * 512, Spent::default())?;
        }
        if start.map_err(unsupported)?.is_some() {
            return Ok(());
        }
    }
    Err(nothing_to_start_from())
}

/// What making an initial state costs.
const START: Work = Work::nanoseconds(600);

fn nothing_to_start_from() -> Reason {
    Reason::GaveUp(format!("{WRONG}: {}", Reason::NoInitialState))
}

const WRONG: &str = "the certificate is wrong";

/// Does this answer of a checker contradict the certificate, rather than run out of budget?
pub fn is_contradiction(reason: &Reason) -> bool {
    matches!(reason, Reason::GaveUp(text) if text.starts_with(WRONG))
}
