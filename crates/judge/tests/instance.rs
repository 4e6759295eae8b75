//! A program with any number of copies is judged with as many as its counterexample says.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use wattle_engine::{Counterexample, Halt, Property, Schedule, Task, Violation};
use wattle_judge::confirm::confirm;
use wattle_memory::find;
use wattle_memory::operational::Action;
use wattle_program::{EdgeId, Instance, ProcessId, Program, Replicas, ThreadId};

/// Each copy adds one; with two copies the property is violated.
const TEXT: &str = "shared x = 0; thread p[2] { atomic { x = x + 1; } } always x <= 1;";

fn program() -> Program {
    let mut program = wattle_frontend_wtl::FRONTEND.read("a.wtl", TEXT).unwrap().program;
    program.processes[0].replicas = Replicas::Any;
    program
}

fn violation(instance: Instance) -> Counterexample {
    let step = |thread| Action::Step { thread: ThreadId(thread), edge: EdgeId(0), choices: vec![] };
    let schedule = Schedule { initial: vec![], actions: vec![step(0), step(1)] };
    let violated = Violation::Property { property: 0 };
    Counterexample { instance, ..Counterexample::scheduled(violated, schedule) }
}

#[test]
fn copies_are_those_of_the_counterexample() {
    let program = program();
    let task =
        Task { program: &program, memory: find("tso").unwrap(), property: Property::Stated, hints: None };
    let copies = |copies| Instance(BTreeMap::from([(ProcessId(0), copies)]));
    for (instance, confirmed) in [(copies(2), true), (copies(3), true), (copies(1), false)] {
        let judged = confirm(&task, &violation(instance.clone()));
        match confirmed {
            true => assert!(judged.is_ok(), "{instance:?}: {judged:?}"),
            false => assert!(matches!(judged, Err(Halt::Contradiction(_))), "{instance:?}: {judged:?}"),
        }
    }
    // A counterexample that does not say how many is about no program.
    let silent = confirm(&task, &violation(Instance::default()));
    assert!(matches!(silent, Err(Halt::Contradiction(_))), "{silent:?}");
}
