//! Backward reachability modulo weak memory, for any number of processes.
//!
//! The method of Conchon, Declerck and Zaïdi (*Parameterized Model Checking Modulo Explicit Weak Memory Models*, 2017): from the bad
//! states, go back over transitions until nothing new is found; if no initial state is met on the way, the program is safe for any
//! number of processes. Sets of states are cubes (literals over some distinct processes), and under tso a cube also has the events
//! that happened later: reads that no write has satisfied yet, and the order of events.
//!
//! * `system`, `extract`: the program as a parameterised system.
//! * `literal`, `knowledge`, `sum`: literals and their decision procedures.
//! * `cube`, `embed`: cubes with their events; when one includes another.
//! * `start`, `pre`, `init`: the bad cubes, pre-images, the test for initial states.
//! * `search`: the loop. `oracle`: guesses that make it end. `ways`: who guesses, and when. `trace`: from its end to an execution that the reference machine can replay.
//!
//! What differs from the paper:
//!
//! * Events that can order nothing new are not kept, so that there is no limit of events (`cube` has the argument).
//! * No solver is asked: literals are of the kinds that `knowledge` decides, and linear sums, which are eliminated (`sum`). A program with others is refused by name.
//! * A fence counts whether or not its transition reads (`pre`).
//! * Universal guards over-approximate as in the paper. A trace that does not replay leads to other ways of searching (`ways`); if none of them
//!   decides, the answer is *unknown*. Without such guards a trace that does not replay is a contradiction.

#![warn(unreachable_pub)]

mod cube;
mod embed;
mod extract;
mod init;
mod knowledge;
mod literal;
mod options;
mod oracle;
mod order;
mod overtaking;
mod pre;
mod proof;
mod search;
mod start;
mod sum;
mod system;
#[cfg(test)]
mod tests;
mod trace;
mod ways;

use wattle_engine::{
    Answer, Contradiction, Engine, Estimate, Property, Reason, Run, Statistics, Task, Unsupported, grows,
};
use wattle_memory::Machine;
use wattle_program::{Process, Replicas};

pub use options::{Backward, Order};

use search::Figures;
use system::System;

impl Engine for Backward {
    fn name(&self) -> &'static str {
        "backward"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        system(task).map(|_| ())
    }

    fn estimate(&self, task: &Task<'_>) -> Estimate {
        let processes = &task.program.processes;
        let any = |process: &Process| process.replicas == Replicas::Any;
        let loops = |process: &Process| !process.cfg.is_loop_free();
        if processes.iter().any(any) {
            Estimate::MadeFor
        } else if processes.iter().any(loops) && grows(task.program) {
            Estimate::Soon
        } else {
            Estimate::Open
        }
    }

    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let mut figures = Figures::default();
        let result = match system(task) {
            Ok(system) => ways::decide(self, task, &system, run, &mut figures),
            Err(unsupported) => Err(Reason::Unsupported(unsupported).into()),
        };
        let mut statistics = Statistics::default();
        figures.write(&mut statistics);
        Answer::of(result.map(|verdict| (verdict, None)), statistics)
    }
}

/// The program as this engine sees it.
fn system(task: &Task<'_>) -> Result<System, Unsupported> {
    task.has_meaning()?;
    if task.property != Property::Stated {
        return Err(Unsupported::new("deadlock"));
    }
    let buffers = match task.memory.machine {
        Some(Machine::Sc { .. }) => false,
        Some(Machine::Tso) => true,
        _ => return Err(Unsupported::new("a memory model other than sc and tso")),
    };
    extract::extract(task.program, buffers)
}
