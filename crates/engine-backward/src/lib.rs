//! Backward reachability modulo weak memory, for any number of processes.
//!
//! The method of Conchon, Declerck and Zaïdi (*Parameterized Model Checking Modulo Explicit Weak Memory Models*, 2017): from the bad
//! states, go back over transitions until nothing new is found; if no initial state is met on the way, the program is safe for any
//! number of processes. Sets of states are cubes (literals over some distinct processes), and under tso a cube also has the events
//! that happened later: reads that no write has satisfied yet, and the order of events.
//!
//! * `system`, `extract`: the program as a parameterised system.
//! * `literal`, `knowledge`: literals and their decision procedure.
//! * `cube`, `embed`: cubes with their events; when one includes another.
//! * `start`, `pre`, `init`: the bad cubes, pre-images, the test for initial states.
//! * `search`: the loop. `trace`: from its end to an execution that the reference machine can replay.
//!
//! What differs from the paper:
//!
//! * Events that can order nothing new are not kept, so that there is no limit of events (`cube` has the argument).
//! * No solver is asked: literals are of the kinds that `knowledge` decides. A program with others is refused by name.
//! * A fence counts whether or not its transition reads (`pre`).
//! * Universal guards over-approximate as in the paper. A trace that does not replay leads to a second search that keeps them exactly; if that does
//!   not decide either, the answer is *unknown*. Without such guards a trace that does not replay is a contradiction.

#![warn(unreachable_pub)]

mod cube;
mod embed;
mod extract;
mod init;
mod knowledge;
mod literal;
mod options;
mod pre;
mod proof;
mod search;
mod start;
mod system;
#[cfg(test)]
mod tests;
mod trace;

use std::sync::Arc;

use wattle_engine::{
    Answer, Certificate, Contradiction, Engine, Estimate, Halt, Property, Reason, Run, Statistics, Task,
    Unsupported, Verdict,
};
use wattle_memory::Machine;
use wattle_program::{Process, Replicas};

pub use options::{Backward, Order};

use cube::Cube;
use search::{End, Figures, Search};
use system::System;
use trace::Trace;

impl Engine for Backward {
    fn name(&self) -> &'static str {
        "backward"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        system(task).map(|_| ())
    }

    fn estimate(&self, task: &Task<'_>) -> Estimate {
        let any = |process: &Process| process.replicas == Replicas::Any;
        if task.program.processes.iter().any(any) { Estimate::MadeFor } else { Estimate::Open }
    }

    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let mut figures = Figures::default();
        let result = match system(task) {
            Ok(system) => self.decide(task, &system, run, &mut figures),
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

/// In cubes with fewer processes than this, facts about all processes stay; the first way that decides wins. (Exact in the last.)
const LASTING: [usize; 3] = [0, 4, usize::MAX];

impl Backward {
    /// First with universal guards forgotten as soon as they are instantiated; if that leads to a trace that is none, with
    /// guards that stay longer and longer.
    fn decide(
        &self,
        task: &Task<'_>,
        system: &System,
        run: &Run,
        figures: &mut Figures,
    ) -> Result<Verdict, Halt> {
        let anybody = Cube { pins: vec![None], ..Cube::default() };
        if init::initial_state(system, &anybody).is_none() {
            return Err(Reason::NoInitialState.into());
        }
        let mut why = Reason::Undecided(String::new());
        for (turn, lasting) in LASTING.into_iter().enumerate() {
            let share = if turn == 0 { run.clone() } else { run.share(1, (LASTING.len() - turn) as u32) };
            let mut search = Search::new(system, self, lasting, &share);
            let end = search.backward();
            *figures = search.statistics;
            let end = match end {
                Err(Reason::Timeout | Reason::Work | Reason::States) if turn > 0 && lasting != usize::MAX => {
                    continue;
                }
                end => end?,
            };
            let (node, start) = match end {
                End::Safe => {
                    let proof = proof::proof(task.program, &search.proof());
                    return Ok(Verdict::Safe { certificate: Certificate::Cubes(proof.map(Arc::new)) });
                }
                End::Unsafe { node, start } => (node, start),
            };
            let trace = Trace::new(&search, system, node, &start);
            if let Some(counterexample) = trace.execution(&search, system, task, run)? {
                return Ok(Verdict::Unsafe { counterexample: Box::new(counterexample) });
            }
            if !trace.approximate {
                return Err(Contradiction::within(
                    self.name(),
                    "a trace leads to a violation",
                    "no execution follows it",
                )
                .into());
            }
            why = Reason::Undecided(
                "a trace that uses a condition on all processes leads to a violation, and no execution follows it".into(),
            );
        }
        Err(why.into())
    }
}
