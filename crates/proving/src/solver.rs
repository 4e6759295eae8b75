//! A solver that keeps to the budget of a run.

use std::path::PathBuf;

use wattle_abstraction::Stopped;
use wattle_engine::{Reason, Run, Spent, Unsupported, Work};
use wattle_smt::{Library, Limits, Solver};

/// What a question to the solver costs, on average.
const QUESTION: Work = Work::microseconds(100);

/// The SMT library, if it is in one of these places.
pub fn library(places: &[PathBuf]) -> Result<Library, Unsupported> {
    Library::find(places).map_err(|error| Unsupported::new(error.to_string()))
}

/// Why work was stopped.
pub fn why_stopped(run: &Run, stopped: Stopped) -> Reason {
    let spent = Spent { memory: run.resident().unwrap_or(0), states: 0 };
    match stopped {
        // Where the budget is no longer spent, it was memory, which has been given back since.
        Stopped::Asked => run.poll(Work::NONE, spent).err().unwrap_or(Reason::Memory),
        Stopped::Solver(why) => Reason::Solver(why),
    }
}

/// The solver beside which others are made. It counts its questions as work, and stops when the run does.
pub fn solver(places: &[PathBuf], run: &Run) -> Result<Solver, Reason> {
    let library = library(places).map_err(Reason::Unsupported)?;
    let limits = Limits { memory: run.budget().memory };
    let solver = Solver::new(&library, limits).map_err(|stop| Reason::Solver(stop.to_string()))?;
    let mut solver = solver.with_differences();
    let counted = run.clone();
    solver.counted_by(move || counted.poll(QUESTION, Spent::default()).is_err());
    let run = run.clone();
    let spent = |run: &Run| Spent { memory: run.resident().unwrap_or(0), states: 0 };
    solver.stop_when(move || run.poll(Work::NONE, spent(&run)).is_err());
    Ok(solver)
}
