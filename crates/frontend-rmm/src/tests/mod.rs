//! Tests of the `.rmm` front end.

mod edits;
mod errors;
mod small;
mod structure;

use wattle_engine::{Property, Run, Task};
use wattle_judge::certify::explore_all;
use wattle_program::{Program, text, validate};
use wattle_source::Sources;

use wattle_frontend::Reading;

fn read(text: &str) -> Reading {
    super::FRONTEND.read("test.rmm", text)
}

/// The program of a text that must be right; it is well formed and comes back from its printed form.
fn parsed(text: &str) -> Program {
    let parsed = read(text).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    validate(&parsed.program).unwrap_or_else(|invalid| panic!("{invalid}\n{text}"));
    let printed = text::print(&parsed.program);
    let (sources, file) = Sources::single("test.wir", &printed);
    assert_eq!(text::parse(&sources, file).as_ref(), Ok(&parsed.program), "{printed}");
    parsed.program
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Safe,
    Unsafe,
    /// No violation with this many pending stores, and the state space does not close.
    Bounded(usize),
}

/// Search with capacity 1, then 2, and so on.
fn verdict(program: &Program, model: &str, most: usize) -> Verdict {
    let program = wattle_program::passes::forget_dead(program);
    validate(&program).unwrap();
    let memory = wattle_memory::find(model).unwrap();
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    for capacity in 1..=most {
        let closure = explore_all(&task, Some(capacity), true, &Run::default())
            .unwrap_or_else(|reason| panic!("{}: {reason}", program.name));
        if closure.violation.is_some() {
            return Verdict::Unsafe;
        }
        if !closure.cut {
            return Verdict::Safe;
        }
    }
    Verdict::Bounded(most)
}
