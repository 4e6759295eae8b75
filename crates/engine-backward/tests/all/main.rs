//! Engine `backward` on systems as text.

#![allow(clippy::unwrap_used)]

mod classics;
mod lies;
mod random;

use wattle_engine::{Answer, Budget, Engine, Property, Run, Task, Verdict, Work};
use wattle_engine_backward::Backward;
use wattle_memory::find;
use wattle_program::Program;

fn program(text: &str) -> Program {
    let read = wattle_frontend_cub::FRONTEND.read("test.cub", text);
    read.unwrap_or_else(|problems| panic!("{problems:#?}\n{text}")).program
}

fn answer(program: &Program, model: &str) -> Answer {
    let task = Task { program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
    let run = Run::new(Budget { work: Some(Work::milliseconds(20_000)), ..Budget::default() });
    Backward::default().check(&task, &run).unwrap()
}

fn word(answer: &Answer) -> &'static str {
    match answer.verdict {
        Verdict::Safe { .. } => "safe",
        Verdict::Unsafe { .. } => "unsafe",
        _ => "unknown",
    }
}
