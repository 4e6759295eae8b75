//! The reduction against the machines, on random programs and on the corpus.

use wattle_engine::{Budget, Counterexample, Engine, Property, Run, Task, Verdict};
use wattle_engine_explore::Explore;
use wattle_generate::{Flavour, Profile};
use wattle_memory::operational::Action;
use wattle_memory::reduction::{Capacity, Move, Pso, Reduced, Reduction, Tso};
use wattle_memory::{Machine, find};
use wattle_program::passes::{forget_dead, instantiate};
use wattle_program::{Program, validate};
use wattle_testing::laws;
use wattle_testing::reduction::{Effort, Followed, follow, has_barriers, reduction_is_exact};

use crate::corpus;

fn profile(seed: u64) -> Profile {
    let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Tso, Flavour::Sc];
    Profile { loops: 100, ..Profile::small(flavours[(seed / 4 % 4) as usize]) }
}

#[test]
fn random_programs_are_reduced_exactly() {
    let law = |program: &Program, seed| reduction_is_exact(Effort { states: 400 }, program, seed);
    match laws::test(&law, &profile, 0..400) {
        Ok(record) => assert!(record.compared > 300 && record.telling > 250, "{record:?}"),
        Err(failure) => panic!("{failure}"),
    }
}

/// Barriers between stores: with buffers of one and of more.
#[test]
fn barriers_under_pso_are_reduced_exactly() {
    let profile = |_| Profile { loops: 100, ..Profile::small(Flavour::Pso) };
    let (mut with_barriers, mut followed) = (0, 0);
    for seed in 0..400 {
        let program = wattle_generate::program(seed, &profile(seed));
        if !has_barriers(&program) {
            continue;
        }
        with_barriers += 1;
        for capacity in 1..=3 {
            match follow(&program, Machine::Pso, capacity, 400) {
                Ok(Followed::All { .. }) => followed += 1,
                Ok(_) => {}
                Err(what) => panic!("seed {seed}, buffers of {capacity}: {what}"),
            }
        }
    }
    assert!(with_barriers > 60 && followed > 120, "{with_barriers} {followed}");
}

/// Overflows happen, and not too often; hardly anything is refused.
#[test]
fn random_programs_overflow() {
    let (mut overflows, mut refused) = (0, 0);
    for seed in 0..200 {
        let program = wattle_generate::program(seed, &profile(seed));
        match follow(&program, Machine::Pso, 1, 200).unwrap() {
            Followed::Refused(_) => refused += 1,
            Followed::All { overflow, .. } => overflows += u32::from(overflow),
            Followed::TooLarge => {}
        }
    }
    assert!((20..100).contains(&overflows) && refused < 3, "{overflows} {refused}");
}

/// Both ways to the same verdict: the program under the model, and its reduction under sc.
#[test]
fn the_corpus_has_the_same_verdicts() {
    let (mut compared, mut overflows, mut refused, mut unsafe_too) = (0, 0, 0, 0);
    let engine = Explore::default();
    let run = || Run::new(Budget { states: Some(2000), ..Budget::default() });
    let ask = |program: &Program, model: &str| {
        let task = Task { program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
        engine.check(&task, &run()).unwrap().verdict
    };
    for (name, program) in corpus::programs() {
        if name.contains("rma") || instantiate(&program).is_err() {
            continue;
        }
        for (model, reduction) in [("tso", &Tso as &dyn Reduction), ("pso", &Pso)] {
            let Ok(reduced) = reduction.reduce(&program, &Capacity::all(2)) else {
                refused += 1;
                continue;
            };
            validate(&reduced.program).unwrap();
            let flat = forget_dead(&reduced.program);
            match (ask(&program, model), ask(&flat, "sc")) {
                (Verdict::Safe { .. }, Verdict::Safe { .. }) => compared += 1,
                (_, Verdict::Unsafe { counterexample }) if overflowed(&reduced, &counterexample) => {
                    overflows += 1
                }
                (Verdict::Unsafe { .. }, Verdict::Unsafe { .. }) => {
                    (compared, unsafe_too) = (compared + 1, unsafe_too + 1)
                }
                (one @ Verdict::Safe { .. }, other @ Verdict::Unsafe { .. })
                | (one @ Verdict::Unsafe { .. }, other @ Verdict::Safe { .. }) => {
                    panic!("{name} {model}: {one:?}, reduced {other:?}")
                }
                _ => {}
            }
        }
    }
    // The corpus grows.
    let counts = (compared, unsafe_too, overflows, refused);
    assert!(compared >= 172 && unsafe_too >= 59 && overflows >= 53 && refused <= 4, "{counts:?}");
}

fn overflowed(reduced: &Reduced, counterexample: &Counterexample) -> bool {
    let actions = counterexample.schedule.iter().flat_map(|schedule| &schedule.actions);
    actions.into_iter().any(|action| match action {
        Action::Step { thread, edge, .. } => {
            matches!(reduced.moves[thread.0 as usize][edge.0 as usize], Move::Overflow(_))
        }
        _ => false,
    })
}
