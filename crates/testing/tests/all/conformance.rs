//! The explicit-state engine passes the conformance suite in every configuration, not only in the one that
//! the list of engines has (whose test is in `driver`). It answers every question.

use wattle_engine_explore::Explore;
use wattle_testing::conformance;

fn conforms(reduction: bool, threads: usize) {
    let engine = Explore { reduction, threads, ..Explore::default() };
    let mut score = conformance::run(&engine, &[]);
    score.wrong.extend(conformance::run_outcomes(&engine));
    let faults: Vec<String> = score.wrong.into_iter().chain(score.open).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn unreduced() {
    conforms(false, 1);
}

#[test]
fn reduced_with_two_threads() {
    conforms(true, 2);
}

#[test]
fn unreduced_with_two_threads() {
    conforms(false, 2);
}
