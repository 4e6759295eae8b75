//! Proofs under sequential consistency, extrapolated to store buffers.
//!
//! Predicate abstraction as Dan, Meshman, Vechev and Yahav (2013) carry it over to TSO and PSO. First the
//! program is proved under sequential consistency. Then its buffers are written into it
//! (`wattle_memory::reduction`), and the predicates of that proof are carried over to buffered values by
//! rules ([`Rules`]); with them, the reduced program is proved. The file `method.rs` is this loop.
//!
//! What differs from the paper:
//!
//! * Predicates need not be given. Guards and properties are taken first, and a trace that turns out not to
//!   be real yields more (`proving/src/prove.rs`), under both memories. So a failed extrapolation is no end.
//! * Cubes are found where a state asks for them (`abstraction::lazy`), of any size. The paper's own
//!   searches, with a limit of size, are there to be compared with.
//! * A violation is solved for inputs and replayed on the machine. Overflow of a buffer is looked at last
//!   and leads to a larger one.

mod cubes;
mod dump;
mod ebp;
mod method;
mod names;
mod options;
mod remote;
mod renamed;
mod rules;

use wattle_abstraction::System;
use wattle_engine::{Answer, Contradiction, Engine, Estimate, Run, Task, Unsupported};
use wattle_program::Program;
use wattle_proving::{Approach, Asking, estimate, is_given, library, reduction, sequential};

pub use dump::Dump;
pub use options::{Extrapolate, Method, SearchBy};
pub use rules::{Rules, extrapolate};
pub use wattle_memory::reduction::Room;

use method::Extrapolation;
use options::PAPERS_CUBE_SIZE;

/// Where no number is given, buffers grow up to this.
const MOST_PENDING: u32 = 4;

impl Engine for Extrapolate {
    fn name(&self) -> &'static str {
        "extrapolate"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        let reduction = reduction(task)?;
        let remote = reduction.is_some_and(|reduction| reduction.discipline().is_remote());
        match (self.method, remote) {
            (Method::Auto | Method::Pe, _) | (Method::Ebp, true) => {}
            (Method::Ebp, false) => return Err(Unsupported::new("method ebp without remote operations")),
            (Method::Trad | Method::Ce | Method::CeDrop, false) => {}
            (..) => {
                return Err(Unsupported::new("a method for store buffers (--method) with remote operations"));
            }
        }
        task.shape()?;
        System::new(&sequential(task.program, reduction)?)?;
        if let Some(reduction) = reduction {
            System::new(&reduction.reduce_within(task.program, &self.room(1))?.program)?;
        }
        library(&self.smt).map(|_| ())
    }

    fn estimate(&self, task: &Task<'_>) -> Estimate {
        estimate(task)
    }

    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let asking = Asking { engine: self.name(), smt: &self.smt, ignore_given: self.ignore_given };
        asking.check(task, run, |subject, hints, statistics| {
            Extrapolation { engine: self, subject }.verdict(hints, statistics)
        })
    }
}

impl Extrapolate {
    /// What was asked for, or so much for each.
    fn room(&self, each: u32) -> Room {
        self.buffer.clone().unwrap_or(Room::all(each))
    }

    fn is_given(&self, program: &Program) -> bool {
        is_given(program, self.ignore_given)
    }

    /// How cubes over some predicates are found.
    fn approach(&self) -> Approach<'static> {
        match (self.search, self.cube_size) {
            (SearchBy::Implicants, None) => Approach::Lazy,
            (SearchBy::Implicants, Some(limit)) => Approach::Implicants(limit),
            (SearchBy::Cubes, limit) => Approach::Cubes(limit.unwrap_or(PAPERS_CUBE_SIZE)),
        }
    }

    /// Why the largest buffers that may be tried do not suffice.
    fn more_may_be_pending(&self) -> String {
        let room = self.room(MOST_PENDING);
        match (room.of.is_empty(), room.each) {
            (true, 1) => "a buffer may hold more than one store; with one, nothing is violated".into(),
            (true, each) => {
                format!("a buffer may hold more than {each} stores; with {each}, nothing is violated")
            }
            (false, _) => {
                "a buffer may hold more than it has room for; with that, nothing is violated".into()
            }
        }
    }
}
