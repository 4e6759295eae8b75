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
//!   be real yields more ([`prove`]), under both memories. So a failed extrapolation is no end.
//! * Cubes are found where a state asks for them (`abstraction::lazy`), of any size. The paper's own
//!   searches, with a limit of size, are there to be compared with.
//! * A violation is solved for inputs and replayed on the machine. Overflow of a buffer is looked at last
//!   and leads to a larger one.

mod attempt;
mod certificate;
mod cubes;
mod dump;
mod enlarge;
mod figures;
mod lean;
mod learnt;
mod method;
mod options;
mod prove;
mod relevance;
mod replay;
mod rules;
mod symmetry;

use std::borrow::Cow;

use wattle_abstraction::{System, atoms};
use wattle_engine::{
    Answer, Contradiction, Engine, Estimate, Halt, Property, Reason, Run, Spent, Statistics, Task,
    Unsupported, Work, grows,
};
use wattle_logic::{Kind, Term};
use wattle_memory::Machine;
use wattle_memory::reduction::{self, Reduction};
use wattle_program::text::print_term;
use wattle_program::{Program, passes};
use wattle_smt::{Decide, Library, Limits, Solver};

pub use dump::Dump;
pub use figures::Figures;
pub use options::{Extrapolate, Method, SearchBy};
pub use rules::{Rules, extrapolate};
pub use wattle_memory::reduction::Room;

use attempt::Approach;
use method::Extrapolation;
use options::PAPERS_CUBE_SIZE;

/// What a question to the solver costs, on average.
const QUESTION: Work = Work::microseconds(100);

/// Where no number is given, buffers grow up to this.
const MOST_PENDING: u32 = 4;

impl Engine for Extrapolate {
    fn name(&self) -> &'static str {
        "extrapolate"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        let reduction = reduction(task)?;
        task.shape()?;
        let flat = flat(task.program)?;
        System::new(&flat)?;
        if let Some(reduction) = reduction {
            reduction.reduce_within(task.program, &self.room(1))?;
        }
        self.library().map(|_| ())
    }

    fn estimate(&self, task: &Task<'_>) -> Estimate {
        let loops = task.program.processes.iter().any(|process| !process.cfg.is_loop_free());
        if loops && grows(task.program) { Estimate::MadeFor } else { Estimate::Open }
    }

    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let mut statistics = Statistics::default();
        let program = self.remembering(task.program);
        let task = &Task { program: &program, ..*task };
        let extrapolation = Extrapolation::new(self, task, run).map_err(Halt::Unknown);
        let verdict = extrapolation.and_then(|extrapolation| extrapolation.verdict(&mut statistics));
        Answer::of(verdict, statistics)
    }
}

/// `None`: sequential consistency.
fn reduction(task: &Task<'_>) -> Result<Option<&'static dyn Reduction>, Unsupported> {
    if task.property != Property::Stated {
        return Err(Unsupported::new("deadlock"));
    }
    task.has_meaning()?;
    match task.memory.machine {
        Some(Machine::Sc { .. }) => Ok(None),
        machine => match machine.and_then(reduction::of) {
            None => Err(Unsupported::new("a memory model that is none of sc, tso and pso")),
            some => Ok(some),
        },
    }
}

fn flat(program: &Program) -> Result<Program, Unsupported> {
    passes::instantiate(program).map_err(|error| Unsupported::new(error.to_string()))
}

/// Are the given predicates such that something can be made of them?
fn given(program: &Program, system: &System, solver: &mut Solver) -> Result<(), Unsupported> {
    for predicate in &program.predicates {
        let mut elsewhere = false;
        predicate.walk(&mut |term| {
            elsewhere |= matches!(term.kind(), Kind::Content { .. }) && system.cells_of(term).is_empty();
        });
        // Where threads stand is known anyway.
        if system.cells_of(predicate).is_empty() && !elsewhere {
            continue;
        }
        let why = match solver.literal(predicate) {
            _ if elsewhere => "it speaks of a location that is not there".to_string(),
            Err(why) => why.to_string(),
            Ok(_) => continue,
        };
        let predicate = print_term(program, predicate);
        let what = format!("the given predicate `{predicate}`: {why} (--ignore-predicates does without)");
        return Err(Unsupported::new(what));
    }
    Ok(())
}

/// Is there an initial state? Without one everything holds.
fn starts(system: &System, solver: &mut Solver) -> Result<(), Reason> {
    let unsupported = |why: wattle_smt::Unsupported| Reason::Unsupported(Unsupported::new(why.to_string()));
    let init = solver.literal(&system.init).map_err(unsupported)?;
    match solver.check(&[init]) {
        wattle_smt::Decision::Unsat => Err(Reason::NoInitialState),
        _ => Ok(()),
    }
}

impl Extrapolate {
    /// What was asked for, or so much for each.
    fn room(&self, each: u32) -> Room {
        self.buffer.clone().unwrap_or(Room::all(each))
    }

    fn library(&self) -> Result<Library, Unsupported> {
        Library::find(&self.smt).map_err(|error| Unsupported::new(error.to_string()))
    }

    /// The solver beside which others are made.
    fn solver(&self, run: &Run) -> Result<Solver, Reason> {
        let library = self.library().map_err(Reason::Unsupported)?;
        let limits = Limits { memory: run.budget().memory };
        let mut solver = Solver::new(&library, limits).map_err(|stop| Reason::Solver(stop.to_string()))?;
        let counted = run.clone();
        solver.counted_by(move || counted.poll(QUESTION, Spent::default()).is_err());
        let run = run.clone();
        let spent = |run: &Run| Spent { memory: run.resident().unwrap_or(0), states: 0 };
        solver.stop_when(move || run.poll(Work::NONE, spent(&run)).is_err());
        Ok(solver)
    }

    fn is_given(&self, program: &Program) -> bool {
        !program.predicates.is_empty() && !self.ignore_given
    }

    /// With the locals that given predicates speak of, dead or not.
    fn remembering<'p>(&self, program: &'p Program) -> Cow<'p, Program> {
        match self.is_given(program) {
            true => Cow::Owned(passes::remember_given(program)),
            false => Cow::Borrowed(program),
        }
    }

    /// The predicates to begin with: those that the text gives, or else its comparisons.
    fn start(&self, program: &Program, system: &System) -> Vec<Term> {
        if self.is_given(program) { program.predicates.clone() } else { of_the_text(system) }
    }

    /// How cubes over some predicates are found.
    fn approach(&self) -> Approach {
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

/// The comparisons in guards, assertions and properties.
fn of_the_text(system: &System) -> Vec<Term> {
    let checks = system.transitions.iter().flat_map(|transition| {
        let checks = transition.checks.iter().map(|check| &check.holds);
        [&transition.guard].into_iter().chain(checks)
    });
    let properties = system.properties.iter().map(|(_, formula)| formula);
    checks.chain(properties).flat_map(atoms).collect()
}
