//! The story of a counterexample, whichever form it has.

use wattle_engine::{Counterexample, Task};
use wattle_judge::confirm::confirm;
use wattle_memory::Machine;
use wattle_report::{Story, tell, tell_graph};
use wattle_source::Sources;

/// `task` has the program as it is to be told. `None` if the counterexample does not hold there, which
/// a confirmed one does.
pub(crate) fn story(sources: &Sources, task: &Task<'_>, counterexample: &Counterexample) -> Option<Story> {
    if counterexample.schedule.is_some() {
        let machine = task.memory.machine.unwrap_or(Machine::Sc { atomic_copy: false });
        return tell(sources, task.program, machine, counterexample);
    }
    // Run along the paths once more: locals have the values that the text gives them.
    let replayed = confirm(task, counterexample).ok()?;
    tell_graph(sources, task.program, counterexample, replayed.states.last()?)
}
