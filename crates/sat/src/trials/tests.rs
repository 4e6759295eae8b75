//! As many trials as a test has time for.

use super::{assignments, refutation, script};

#[test]
fn the_solver_finds_the_assignments_that_there_are() {
    let mut constrained = 0;
    for seed in 0..5_000 {
        constrained += usize::from(assignments(seed, false).unwrap().constrained);
    }
    assert!(constrained > 1000, "{constrained}");
}

#[test]
fn proofs_hold() {
    for seed in 100_000..103_000 {
        assignments(seed, true).unwrap();
    }
}

#[test]
fn proofs_of_larger_instances_hold() {
    let refuted = (0..30).filter(|seed| refutation(*seed).unwrap()).count();
    assert!(refuted > 4, "{refuted}");
}

#[test]
fn backtracking_forgets_what_it_should() {
    let (mut propagated, mut conflicts) = (0, 0);
    for seed in 0..20_000 {
        let followed = script(seed).unwrap();
        propagated += followed.propagated;
        conflicts += followed.conflicts;
    }
    assert!(propagated > 1000 && conflicts > 1000, "{propagated} {conflicts}");
}
