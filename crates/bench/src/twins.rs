//! `twins`: on every litmus test, a machine and its axioms give the same final states, and a weaker
//! model gives all those of a stronger one.
//!
//! sc, tso and pso come as a machine and as text. Tests with instructions that have no reading on a
//! store-buffer machine are counted by what they have. The chain sc, tso, pso, rmo is by the axioms.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use wattle_driver::{Input, load};
use wattle_engine::{OutcomeSet, Outcomes, Property, Run, Task};
use wattle_engine_enumerate::Enumerate;
use wattle_engine_explore::Explore;
use wattle_generate::{Flavour, Profile};
use wattle_memory::{MemoryModel, find, has_twins};
use wattle_program::{Op, Program};
use wattle_testing::laws::{self, Asked, Law, Naive};

use crate::closing::close;

const CHAIN: [&str; 4] = ["sc", "tso", "pso", "rmo"];

/// What was compared, and what was not and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    pub tests: usize,
    /// Pairs of machine and axioms.
    pub twins: usize,
    /// Neighbours of the chain.
    pub neighbours: usize,
    pub without: BTreeMap<String, usize>,
    pub wrong: Vec<String>,
}

/// Arguments: folders, or `--random COUNT [SEED]`. Without any, our own corpus and, where they are, the
/// tables' tests.
pub fn run(arguments: &[String]) -> Result<bool, String> {
    if let [first, rest @ ..] = arguments
        && first == "--random"
    {
        let number = |at: usize, usual: u64| {
            rest.get(at).map_or(Ok(usual), |text| text.parse().map_err(|_| format!("{text}: not a number")))
        };
        return random(number(0, 10_000)?, number(1, 1_000_000)?);
    }
    let folders: Vec<PathBuf> = match arguments {
        [] => vec![crate::tables::root().join("corpus/litmus"), crate::tables::data()],
        folders => folders.iter().map(PathBuf::from).collect(),
    };
    let mut compared = Compared::default();
    for folder in &folders {
        if folder.is_dir() {
            compare_all(folder, &mut compared)?;
        } else {
            println!("{}: not there", folder.display());
        }
    }
    compared.wrong.iter().for_each(|line| println!("{line}"));
    for (reason, count) in &compared.without {
        println!("{count} without a twin: {reason}");
    }
    let Compared { tests, twins, neighbours, wrong, .. } = &compared;
    println!("{tests} tests: {twins} pairs of machine and axioms, {neighbours} of stronger and weaker");
    println!("{} passed, {} failed", twins + neighbours - wrong.len(), wrong.len());
    Ok(wrong.is_empty())
}

/// Random programs without loops, by the naive search on the machines and by enumeration.
fn random(count: u64, seed: u64) -> Result<bool, String> {
    let engine = Enumerate::default();
    let (machine, axioms) = (Naive { states: 20_000 }, Asked { engine: &engine, states: u64::MAX });
    let profile = |seed: u64| {
        let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Sc, Flavour::Pso];
        let small = Profile::small(flavours[(seed % 4) as usize]);
        Profile { litmus: 700, loops: 0, unsupported: 0, ..small }
    };
    let law: Law<'_> = &|program, _| laws::twins_agree(&machine, &axioms, program);
    Ok(close(laws::test(law, &profile, seed..seed + count), count, seed))
}

pub fn compare_all(folder: &Path, compared: &mut Compared) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            compare_all(&path, compared)?;
        } else if path.extension().is_some_and(|extension| extension == "litmus") {
            let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
            compare_one(&path.display().to_string(), &text, compared);
        }
    }
    Ok(())
}

pub fn compare_one(name: &str, text: &str, compared: &mut Compared) {
    let Ok(loaded) = load(&Input::text(name, "litmus", text)) else {
        *compared.without.entry("not read (a construct that is not supported)".into()).or_default() += 1;
        return;
    };
    compared.tests += 1;
    let program = &loaded.parsed.program;
    let mut stronger: Option<(&str, OutcomeSet)> = None;
    for model in CHAIN {
        let Some(memory) = find(model) else { continue };
        let task = Task { program, memory, property: Property::Stated, hints: None };
        let axioms = match memory.refuses(program) {
            Some(refused) => Err(refused.what),
            None => Enumerate::default().outcomes(&task, &Run::default()).map_err(|why| why.to_string()),
        };
        let axioms = match axioms {
            Ok(axioms) => axioms,
            Err(why) => {
                *compared.without.entry(why).or_default() += 1;
                continue;
            }
        };
        compare_twins(name, &task, memory, &axioms, compared);
        if let Some((strong, few)) = &stronger {
            compared.neighbours += 1;
            if let Some(lost) = few.difference(&axioms).next() {
                compared.wrong.push(format!("{name}: {lost:?} under {strong}, but not under {model}"));
            }
        }
        stronger = Some((model, axioms));
    }
}

fn compare_twins(
    name: &str,
    task: &Task<'_>,
    memory: &MemoryModel,
    axioms: &OutcomeSet,
    compared: &mut Compared,
) {
    if memory.machine.is_none() {
        return;
    }
    if !has_twins(task.program) {
        *compared.without.entry(without(task.program)).or_default() += 1;
        return;
    }
    match Explore::default().outcomes(task, &Run::default()) {
        Ok(machine) => {
            compared.twins += 1;
            if let Some(odd) = machine.symmetric_difference(axioms).next() {
                let by = if axioms.contains(odd) { "the axioms" } else { "the machine" };
                compared.wrong.push(format!("{name}: {odd:?} under {} only by {by}", memory.name));
            }
        }
        Err(why) => *compared.without.entry(why.to_string()).or_default() += 1,
    }
}

fn without(program: &Program) -> String {
    let edges = program.processes.iter().flat_map(|process| &process.cfg.edges);
    let exclusive = |op: &Op| matches!(op, Op::LoadExclusive { .. } | Op::StoreConditional { .. });
    match edges.flat_map(|edge| &edge.ops).any(exclusive) {
        true => "exclusive accesses have no reading on a store-buffer machine".into(),
        false => "a step with several accesses".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_and_axioms_agree_on_the_litmus_tests_of_the_corpus() {
        let mut compared = Compared::default();
        compare_all(&crate::tables::root().join("corpus/litmus"), &mut compared).unwrap();
        assert_eq!(compared.wrong, Vec::<String>::new());
        assert!(compared.twins > 100, "{compared:?}");
    }
}
