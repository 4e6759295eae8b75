//! Independent replay: nobody sees an *unsafe* verdict that this module has not re-enacted.
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

use std::fmt;

use wattle_memory::operational::State;

use crate::{Counterexample, Schedule, Task};

pub use graph::drain;
pub use schedule::replay;
pub use stuck::is_deadlock;

/// Why a counterexample does not hold water. Seeing one means that wattle has a bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected(pub String);

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a confirmation found out on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// The states that the machine goes through, the first included; of a graph, only the last.
    pub states: Vec<State>,
    /// A schedule for a counterexample that came as a graph only.
    pub schedule: Option<Schedule>,
}

/// Hold a counterexample against every form that its memory model has.
pub fn confirm(task: &Task<'_>, counterexample: &Counterexample) -> Result<Replay, Rejected> {
    match (&counterexample.schedule, &counterexample.execution) {
        (Some(schedule), _) if task.memory.machine.is_some() => {
            let replayed = replay(task, counterexample)?;
            graph::judge_schedule(task, schedule, &replayed.states)?;
            Ok(replayed)
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

fn reject<T>(why: impl Into<String>) -> Result<T, Rejected> {
    Err(Rejected(why.into()))
}
