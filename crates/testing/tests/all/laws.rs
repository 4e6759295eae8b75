//! The laws, asked of the naive search (are the reference machines right?) and of the explicit-state
//! engine (is the fast one?). One range of seeds a law.

use std::ops::Range;

use wattle_engine::Engine;
use wattle_engine_explore::Explore;
use wattle_generate::{Flavour, Profile};
use wattle_testing::laws::{self, Asked, BruteForce, Law, Naive, Record};

const STATES: u64 = 1500;
const NAIVE: Naive = Naive { states: STATES };

/// Store buffers of every flavour.
fn buffers(seed: u64) -> Profile {
    let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Sc, Flavour::Pso];
    Profile::small(flavours[(seed % 4) as usize])
}

fn remote(_: u64) -> Profile {
    Profile::small(Flavour::Rma)
}

/// The law holds; almost all programs gave answers to compare, and enough of them were not trivial.
fn holds(law: Law<'_>, profile: &dyn Fn(u64) -> Profile, seeds: Range<u64>) {
    let count = seeds.end - seeds.start;
    let record: Record = match laws::test(law, profile, seeds) {
        Ok(record) => record,
        Err(failure) => panic!("{failure}"),
    };
    assert_eq!(record.programs, count);
    assert!(record.compared * 100 >= count * 85, "too few comparable: {record:?}");
    assert!(record.telling * 100 >= count * 50, "too many trivial: {record:?}");
}

fn explore(reduction: bool) -> Explore {
    Explore { reduction, threads: 1, max_capacity: Some(6), ..Explore::default() }
}

fn asked(engine: &Explore) -> Asked<'_, Explore> {
    Asked { engine, states: STATES }
}

#[test]
fn weaker_memory_allows_more() {
    holds(&|program, _| laws::weaker_allows_more(&NAIVE, program), &buffers, 10_000..10_600);
}

#[test]
fn weaker_memory_allows_more_for_explore() {
    let engine = explore(true);
    holds(&|program, _| laws::weaker_allows_more(&asked(&engine), program), &buffers, 11_000..11_400);
}

#[test]
fn less_order_of_remote_operations_allows_more() {
    holds(&|program, _| laws::weaker_allows_more(&NAIVE, program), &remote, 12_000..12_600);
}

#[test]
fn less_order_of_remote_operations_allows_more_for_explore() {
    let engine = explore(true);
    holds(&|program, _| laws::weaker_allows_more(&asked(&engine), program), &remote, 13_000..13_400);
}

#[test]
fn a_fence_restricts() {
    holds(&|program, seed| laws::fence_restricts(&NAIVE, program, seed), &buffers, 20_000..20_600);
}

#[test]
fn a_fence_restricts_for_explore() {
    let engine = explore(true);
    holds(&|program, seed| laws::fence_restricts(&asked(&engine), program, seed), &buffers, 21_000..21_400);
}

#[test]
fn all_flushes_make_sc() {
    holds(&|program, _| laws::flushed_is_sc(&NAIVE, program), &remote, 30_000..30_800);
}

#[test]
fn all_flushes_make_sc_for_explore() {
    let engine = explore(true);
    holds(&|program, _| laws::flushed_is_sc(&asked(&engine), program), &remote, 31_000..31_400);
}

#[test]
fn a_larger_capacity_keeps_what_is_safe() {
    let engine = |max_capacity: usize| -> Box<dyn Engine> {
        Box::new(Explore {
            reduction: true,
            threads: 1,
            max_capacity: Some(max_capacity),
            ..Explore::default()
        })
    };
    // Programs that buffer nothing, or are unsafe from the start, obey this law trivially.
    let law = |program: &_, _| laws::capacity_is_monotone(&engine, program, STATES);
    let record =
        laws::test(&law, &Profile::varied, 40_000..40_500).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(record.compared > 400 && record.telling > 100, "{record:?}");
}

#[test]
fn forgetting_dead_locals_is_invisible() {
    holds(&|program, _| laws::forgetting_is_invisible(&NAIVE, program), &Profile::varied, 50_000..50_400);
}

#[test]
fn forgetting_dead_locals_is_invisible_for_explore() {
    let engine = explore(true);
    holds(
        &|program, _| laws::forgetting_is_invisible(&asked(&engine), program),
        &Profile::varied,
        51_000..51_300,
    );
}

/// Straight programs and branches, without loops.
fn loop_free(seed: u64) -> Profile {
    Profile { litmus: 800, loops: 0, unsupported: 0, array: 60, statements: (3, 6), ..buffers(seed) }
}

#[test]
fn machines_and_axioms_are_twins() {
    let axioms = BruteForce { candidates: 3_000 };
    let law: Law<'_> = &|program, _| laws::twins_agree(&NAIVE, &axioms, program);
    let record = match laws::test(law, &loop_free, 70_000..70_400) {
        Ok(record) => record,
        Err(failure) => panic!("{failure}"),
    };
    assert!(record.compared >= 200 && record.telling >= 100, "too few: {record:?}");
}
