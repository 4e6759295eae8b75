//! Tests of the whole front end: structure, behaviour, messages, edits, robustness.
//!
//! Behaviour is judged by the reference machines, which know nothing of this language.

mod behaviour;
mod docs;
mod edits;
mod errors;
mod remote;
mod robust;
mod structure;

use wattle_engine::{Budget, Property, Run, Task};
use wattle_judge::certify::{Closure, explore_all};
use wattle_logic::Value;
use wattle_program::{Op, Program, validate};

pub fn program(text: &str) -> Program {
    match super::FRONTEND.read("dir/test.wtl", text) {
        Ok(parsed) => {
            assert_eq!(validate(&parsed.program), Ok(()));
            parsed.program
        }
        Err(errors) => panic!("{errors:#?}"),
    }
}

pub fn explore(program: &Program, model: &str) -> Closure {
    let memory = wattle_memory::find(model).unwrap();
    let task = Task { program, memory, property: Property::Stated, hints: None };
    let run = Run::new(Budget { states: Some(2_000_000), ..Budget::default() });
    explore_all(&task, None, false, &run).unwrap()
}

/// Is the program safe under each of the models? Buffers hold at most three stores, so that stores
/// in loops do not go on for ever.
pub fn verdicts(program: &Program, models: &[&str]) -> Vec<bool> {
    let safe = |model: &&str| {
        let memory = wattle_memory::find(model).unwrap();
        let task = Task { program, memory, property: Property::Stated, hints: None };
        let run = Run::new(Budget { states: Some(2_000_000), ..Budget::default() });
        explore_all(&task, Some(3), true, &run).unwrap().violation.is_none()
    };
    models.iter().map(safe).collect()
}

/// The outcomes as lists of integers (booleans and constructors by their codes).
pub fn outcomes(program: &Program, model: &str) -> Vec<Vec<i64>> {
    let closure = explore(program, model);
    closure.outcomes.iter().map(|values| values.iter().filter_map(Value::code).collect()).collect()
}

/// The edges of a process in short: `0>1 [L A]`.
pub fn edges(program: &Program, process: usize) -> Vec<String> {
    let letter = |op: &Op| match op {
        Op::Load { .. } => "load",
        Op::Store { .. } => "store",
        Op::Assign { .. } => "assign",
        Op::Havoc { .. } => "havoc",
        Op::Assume { .. } => "assume",
        Op::Assert { .. } => "assert",
        Op::Fence(_) => "fence",
        Op::Put { .. } => "put",
        Op::Get { .. } => "get",
        Op::RemoteAtomic { .. } => "remote",
        Op::Flush { .. } => "flush",
        _ => "other",
    };
    (program.processes[process].cfg.edges.iter())
        .map(|edge| {
            let ops: Vec<&str> = edge.ops.iter().map(letter).collect();
            let guard = if edge.guard.is_true() { "" } else { "if " };
            let mode = match edge.mode {
                wattle_program::Mode::Plain => "",
                wattle_program::Mode::Locked => "locked ",
                wattle_program::Mode::Buffered => "buffered ",
            };
            format!("{}>{} {guard}{mode}[{}]", edge.from.0, edge.to.0, ops.join(" "))
        })
        .collect()
}
