//! The engine against brute force: `memory::candidates` lists every candidate, `memory::axiomatic`
//! judges each by walking the text of the model. Outcomes, numbers of executions, flags and undefined
//! behaviour must be the same, also under models that imply no coherence and under odd axioms.

use std::ops::ControlFlow;

use wattle_engine::{Census, Executions, Halt, Property, Reason, Run, Tally, Task};
use wattle_engine_enumerate::Enumerate;
use wattle_memory::candidates::{Incomplete, Limits, for_each};
use wattle_memory::operational::View;
use wattle_memory::{CATALOGUE, MemoryModel, axiomatic};
use wattle_program::{Program, Shape};

use crate::{model, random};

/// `None`: too many candidates.
fn naive(program: &Program, memory: &MemoryModel, most: u64) -> Option<Census> {
    let shape = Shape::new(program).unwrap();
    let axioms = memory.axioms.as_ref().unwrap();
    let mut census = Census::default();
    let limits = Limits { unwind: 2, prefixes: false, most };
    let listed = for_each(program, &shape, limits, &mut |candidate| {
        if !candidate.has_ended() {
            return ControlFlow::Continue(());
        }
        let judged = axiomatic::evaluate(&axioms.tree, candidate.execution).unwrap();
        if judged.is_consistent() {
            let state = candidate.final_state();
            let view = View { program, shape: &shape, state: &state };
            let outcome = program.observed.iter().map(|term| term.evaluate(&view).unwrap()).collect();
            let tally = census.outcomes.entry(outcome).or_insert(Tally { executions: 0, holds: true });
            tally.executions += 1;
            census.flags.extend(judged.flags().cloned());
            census.undefined |= judged.undefined().next().is_some();
        }
        ControlFlow::Continue(())
    });
    match listed {
        Ok(_) => Some(census),
        Err(Incomplete::TooMany) => None,
        Err(why) => panic!("{why:?}"),
    }
}

/// Beside the catalogue: models without coherence, with one half of it, with axioms that are not
/// monotone, with recursion that is not, and none at all.
fn odd_models() -> Vec<MemoryModel> {
    vec![
        model("nothing", "\"nothing\"\n"),
        model("half", "acyclic po-loc | rf as half\nempty rmw & (fre ; coe) as atomic"),
        model("ordered", "let eco = (rf | co | fr)+\nirreflexive po-loc ; eco as ordered"),
        model("hidden", "let com = rf | co | fr\nlet c = (po & loc) | com\nacyclic c+ as hidden"),
        model(
            "split",
            "irreflexive po-loc ; rf as a\nirreflexive po-loc ; co as b\nirreflexive po-loc ; fr as c",
        ),
        model("negated", "~empty rfe as some\nacyclic po-loc | rf | co | fr as coherent"),
        model(
            "flags",
            "flag ~empty fre as late\nundefined_unless empty coe as racy\nacyclic po | rf | co | fr as sc",
        ),
        model("shrinking", "let lonely = po \\ (rfe ; po)\nacyclic lonely | rf | co | fr as shrinking"),
        model("last", "empty [FW] ; po-loc ; [W] as last\nacyclic po-loc | rf | co | fr as coherent"),
        model(
            "odd-recursion",
            "let rec r = (po | rf) \\ (s ; s)\nand s = co | (r & loc)\nacyclic r | s as odd",
        ),
        model(
            "nested",
            "let rec a = rf | a ; b and b = po-loc | fr ; a\nirreflexive a ; b as x\nempty a & b^-1 as y",
        ),
        model(
            "domains",
            "let S = domain(rfe) | range(coe)\nempty [S] ; po ; [S & W] as z\nacyclic po-loc|rf|co|fr as u",
        ),
        model(
            "tags",
            "let t = [X] ; po ; [X] | [A | SYNC] ; po\nacyclic t | rfe | co | fr | addr | data | ctrl as t",
        ),
    ]
}

fn compare(seeds: std::ops::Range<u64>, size: u32, most: u64, models: &[MemoryModel]) -> [u64; 4] {
    let engine = Enumerate::default();
    let [mut compared, mut skipped, mut thin, mut executions] = [0; 4];
    for seed in seeds {
        let program = random::program(seed, size);
        for memory in models {
            if memory.refuses(&program).is_some() {
                continue;
            }
            let task = Task { program: &program, memory, property: Property::Stated, hints: None };
            let counted = engine.executions(&task, &Run::default());
            match counted {
                Ok(census) => {
                    let Some(expected) = naive(&program, memory, most) else {
                        skipped += 1;
                        continue;
                    };
                    assert_eq!(
                        census,
                        expected,
                        "seed {seed} size {size} under {}:\n{}",
                        memory.name,
                        wattle_program::text::print(&program)
                    );
                    compared += 1;
                    executions += census.executions();
                }
                Err(Halt::Unknown(Reason::Undecided(why)))
                    if why.contains("thin air") || why.contains("settle") =>
                {
                    thin += 1
                }
                Err(why) => panic!("seed {seed} under {}: {why}", memory.name),
            }
        }
    }
    [compared, skipped, thin, executions]
}

#[test]
fn the_catalogue_agrees_with_brute_force() {
    let models: Vec<MemoryModel> = CATALOGUE.iter().filter(|model| model.axioms.is_some()).cloned().collect();
    let [compared, skipped, thin, executions] = compare(0..260, 5, 1_500, &models);
    assert!(compared > 500, "{compared} compared, {skipped} skipped, {thin} thin air, {executions}");
    assert!(thin * 20 < compared, "{compared} compared, {skipped} skipped, {thin} thin air");
    assert!(executions > 3 * compared, "{executions} executions in {compared}: trivial programs");
}

#[test]
fn odd_models_agree_with_brute_force() {
    let [compared, skipped, thin, executions] = compare(10_000..10_100, 4, 1_000, &odd_models());
    assert!(compared > 600, "{compared} compared, {skipped} skipped, {thin} thin air, {executions}");
    assert!(executions > 3 * compared, "{executions} executions in {compared}: trivial programs");
}
