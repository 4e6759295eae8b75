//! Independent replay: every *unsafe* verdict is re-enacted here before it is reported.
//!
//! A counterexample is held against each form that its memory model has. A schedule is run on the
//! reference machine ([`schedule`]); what it shows is then judged by the axioms. An execution graph is
//! rebuilt from the paths of its threads and judged by the axioms ([`graph`]); if the model has a
//! machine too, a schedule of the same paths must exist there ([`search`]). Axioms are evaluated by
//! `wattle_memory::axiomatic`, which walks the text of the model. No engine code takes part.

mod graph;
mod linearise;
mod schedule;
mod search;
mod stuck;

use wattle_engine::{Contradiction, Counterexample, Halt, Reason, Schedule, Task, Unsupported};
use wattle_memory::operational::State;

pub use graph::observed;
pub use schedule::replay;
pub use stuck::is_deadlock;

/// What a confirmation found out on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// The states that the machine goes through, the first included; of a graph, only the last.
    pub states: Vec<State>,
    /// A schedule for a counterexample that came as a graph only.
    pub schedule: Option<Schedule>,
}

/// Hold a counterexample against every form that its memory model has. A program with any number of copies
/// is judged with as many as the counterexample says.
///
/// `Err`: a refused step contradicts the engine that found the counterexample; a limit that the replay meets leaves
/// it unknown.
pub fn confirm(task: &Task<'_>, counterexample: &Counterexample) -> Result<Replay, Halt> {
    let program = counterexample.instance.of(task.program);
    let program = program.map_err(|error| rejected(error.to_string()))?;
    let task = &Task { program: &program, ..*task };
    match (&counterexample.schedule, &counterexample.execution) {
        (Some(schedule), execution) if task.memory.machine.is_some() => {
            let replayed = replay(task, counterexample)?;
            graph::judge_schedule(task, schedule, &replayed.states)?;
            match execution {
                Some(execution) if observed(task, counterexample).as_ref() != Some(execution) => {
                    reject("the event graph is not that of the schedule")
                }
                _ => Ok(replayed),
            }
        }
        (_, Some(execution)) if task.memory.axioms.is_some() => {
            let end = graph::confirm(task, counterexample, execution)?;
            let found = search::schedule(task, counterexample)?;
            Ok(if found.schedule.is_some() { found } else { Replay { states: vec![end], schedule: None } })
        }
        (None, _) if task.memory.axioms.is_none() => reject("the counterexample has no schedule"),
        _ => reject("the counterexample has no form that its memory model can judge"),
    }
}

/// The contradiction between a counterexample and its replay. Callers that know the engine add its name.
fn rejected(why: impl Into<String>) -> Halt {
    Contradiction::new("counterexample", "the property is violated", "replay", why).into()
}

fn reject<T>(why: impl Into<String>) -> Result<T, Halt> {
    Err(rejected(why))
}

/// The replay met something that it does not handle, which says nothing about the counterexample.
fn unsupported(what: impl Into<String>) -> Halt {
    Reason::Unsupported(Unsupported::new(what)).into()
}
