//! The explicit-state engine passes the conformance suite, in every configuration.

use wattle_engine_explore::Explore;
use wattle_testing::conformance;

fn conforms(reduction: bool, threads: usize) {
    let engine = Explore { reduction, threads, ..Explore::default() };
    let mut wrong = conformance::run(&engine);
    wrong.extend(conformance::run_outcomes(&engine));
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn reduced() {
    conforms(true, 1);
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
