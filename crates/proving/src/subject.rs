//! One task, and what is made of it once.

use std::path::PathBuf;

use wattle_abstraction::System;
use wattle_engine::{Property, Reason, Run, Task, Unsupported};
use wattle_logic::Term;
use wattle_memory::Machine;
use wattle_memory::reduction::{self, Reduction};
use wattle_program::{Program, Shape, passes};
use wattle_smt::{Decide, Decision, Solver};

use crate::{solver, symmetry, text};

/// What an engine works on.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Who asks, for error messages.
    pub engine: &'static str,
    pub task: &'a Task<'a>,
    pub run: &'a Run,
    /// `None`: under sequential consistency there are no buffers.
    pub reduction: Option<&'static dyn Reduction>,
    pub shape: Shape,
    /// The program, flat, and its transitions.
    pub program: Program,
    pub sc: System,
    /// Does a proof begin with the predicates that the text gives?
    pub given: bool,
    /// Others are made beside it.
    pub solver: Solver,
}

impl<'a> Subject<'a> {
    /// `smt`: where the SMT library may be. `given`: the task's program is as [`crate::remembering`] leaves it.
    pub fn new(
        engine: &'static str,
        task: &'a Task<'a>,
        run: &'a Run,
        smt: &[PathBuf],
        given: bool,
    ) -> Result<Subject<'a>, Reason> {
        let unsupported = Reason::Unsupported;
        let reduction = reduction(task).map_err(unsupported)?;
        let program = sequential(task.program, reduction).map_err(unsupported)?;
        let sc = System::new(&program).map_err(unsupported)?;
        let mut solver = solver::solver(smt, run)?;
        if given {
            text::make_sense(&program, &sc, &mut solver).map_err(unsupported)?;
        }
        if program.init.is_some() {
            starts(&sc, &mut sc.solver(&solver).map_err(Reason::Solver)?)?;
        }
        let shape = task.shape().map_err(unsupported)?;
        Ok(Subject { engine, task, run, reduction, shape, program, sc, given, solver })
    }

    /// The images of a predicate under exchanges of copies: what refinement finds for one, others need too.
    pub fn images(&self, predicate: &Term) -> Vec<Term> {
        symmetry::images(self.task.program, &self.shape, predicate)
    }
}

/// `None`: sequential consistency. `Err`: the task is none for store buffers.
pub fn reduction(task: &Task<'_>) -> Result<Option<&'static dyn Reduction>, Unsupported> {
    if task.property != Property::Stated {
        return Err(Unsupported::new("deadlock"));
    }
    task.has_meaning()?;
    match task.memory.machine {
        Some(machine @ Machine::Sc { .. }) => Ok(reduction::of_program(machine, task.program)),
        machine => match machine.and_then(reduction::of) {
            None => Err(Unsupported::new("a memory model that is none of sc, tso, pso and rma")),
            some => Ok(some),
        },
    }
}

/// The program under sequential consistency, one process for each thread.
pub fn sequential(
    program: &Program,
    reduction: Option<&'static dyn Reduction>,
) -> Result<Program, Unsupported> {
    reduction.map_or_else(|| flat(program), |reduction| reduction.sequential(program))
}

/// One process for each thread.
pub fn flat(program: &Program) -> Result<Program, Unsupported> {
    passes::instantiate(program)
}

/// Is there an initial state? Without one everything holds.
fn starts(system: &System, solver: &mut Solver) -> Result<(), Reason> {
    let unsupported = |why: wattle_smt::Unsupported| Reason::Unsupported(Unsupported::new(why.to_string()));
    let init = solver.literal(&system.init).map_err(unsupported)?;
    match solver.check(&[init]) {
        Decision::Unsat => Err(Reason::NoInitialState),
        _ => Ok(()),
    }
}
