//! The same outcomes as the naive list of executions, for each of the six models.

use std::collections::BTreeSet;
use std::path::PathBuf;

use wattle_engine::{Engine, Outcomes, Run, Task};
use wattle_engine_enumerate::Enumerate;
use wattle_memory::find;
use wattle_program::Program;

use super::*;
use crate::testing::outcomes::{outcomes, parse};

const MODELS: [&str; 6] = ["sc", "tso", "pso", "rmo", "alpha", "power-2012"];

fn corpus(folder: &str) -> Vec<(String, String)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
    let mut open = vec![root];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => open.push(path),
                Some("litmus" | "wtl") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// What all executions say; `None` if the list is refused.
fn expected(program: &Program, memory: &MemoryModel) -> Option<BTreeSet<Vec<i64>>> {
    let task = Task { program, memory, property: Default::default() };
    let engine = Enumerate::default();
    engine.accepts(&task).ok()?;
    let set = engine.outcomes(&task, &Run::default()).ok()?;
    Some(set.iter().map(|outcome| outcome.iter().map(|value| value.code().unwrap()).collect()).collect())
}

/// How many (program, model) were compared; panics where they differ.
fn compare(files: &[(String, String)], formulation: Clocks) -> [usize; 6] {
    let mut compared = [0; 6];
    let mut wrong = Vec::new();
    for (name, text) in files {
        let Some(program) = parse(name, text) else { continue };
        for (number, model) in MODELS.iter().enumerate() {
            let memory = find(model).unwrap();
            let Some(expected) = expected(&program, memory) else { continue };
            match outcomes(&program, memory, &formulation, true) {
                Ok(found) if found == expected => compared[number] += 1,
                Ok(found) => wrong.push(format!("{name} {model}: {found:?} instead of {expected:?}")),
                Err(what) => wrong.push(format!("{name} {model}: {what}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    compared
}

#[test]
fn litmus_tests() {
    let compared = compare(&corpus("litmus"), Clocks::default());
    println!("{compared:?}");
}
