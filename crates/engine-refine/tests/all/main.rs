//! The engine as a whole: what it can tell and what it cannot, and random programs.

#![allow(clippy::unwrap_used)]

mod agreement;
mod figures;
mod limits;

use wattle_engine::{Answer, Engine, Property, Reason, Run, Task, Verdict};
use wattle_engine_refine::Refine;
use wattle_memory::find;
use wattle_program::{Program, passes};
use wattle_smt::Library;

const MODELS: [&str; 2] = ["tso", "pso"];

/// The engine with its own options and a solver. A test that cannot run must fail.
fn refine(options: Refine) -> Refine {
    Refine { smt: Library::beside(&std::env::current_exe().unwrap()), ..options }
}

fn parse(text: &str) -> Program {
    wattle_frontend_wtl::FRONTEND.read("test.wtl", text).unwrap().program
}

/// What the engine says of a program, as the driver asks it.
fn answer(text: &str, model: &str, engine: &Refine) -> Answer {
    let program = passes::forget_dead(&parse(text));
    let task =
        Task { program: &program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
    engine.accepts(&task).unwrap();
    engine.check(&task, &Run::default()).unwrap()
}

/// The verdict in a word. *unknown* is said because the engine came to an end of its own, not because of a limit.
fn word(answer: &Answer) -> &'static str {
    match &answer.verdict {
        Verdict::Safe { .. } => "safe",
        Verdict::SafeUpTo { .. } => "bounded",
        Verdict::Unsafe { .. } => "unsafe",
        Verdict::Unknown { reason: Reason::Undecided(_) } => "unknown",
        Verdict::Unknown { reason } => panic!("{reason}"),
    }
}
