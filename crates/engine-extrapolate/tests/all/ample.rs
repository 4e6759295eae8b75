//! Local steps that go first lose no violation: random programs, run on values with and without.

use std::collections::BTreeSet;

use wattle_abstraction::System;
use wattle_abstraction::system::starts_fixed;
use wattle_generate::{Flavour, Profile};
use wattle_memory::reduction::{Capacity, Pso, Reduction, Tso};
use wattle_program::{Program, passes};
use wattle_testing::with_sections;

use crate::concrete::Concrete;

/// What goes wrong: a property, or a check of a transition.
type Wrong = BTreeSet<(Option<usize>, usize)>;

fn wrong(concrete: &Concrete) -> Option<Wrong> {
    let mut wrong = Wrong::new();
    for state in &concrete.reachable_within(600)? {
        wrong.extend(concrete.violated(state).into_iter().map(|property| (None, property)));
        for number in concrete.enabled(state) {
            wrong.extend(concrete.failed(number, state).into_iter().map(|check| (Some(number), check)));
        }
    }
    Some(wrong)
}

/// Of each seed one form: as it is, with buffers, with sections, with dead locals forgotten.
fn program(seed: u64) -> Option<Program> {
    let flavour = [Flavour::Sc, Flavour::Tso, Flavour::Pso][(seed % 3) as usize];
    let profile = Profile {
        loops: 100,
        litmus: 0,
        unsupported: 0,
        any_init: 0,
        statements: (4, 7),
        ..Profile::small(flavour)
    };
    let mut program = wattle_generate::program(seed, &profile);
    if (seed / 3).is_multiple_of(2) {
        program = with_sections(&program, seed);
    }
    if (seed / 6).is_multiple_of(2) {
        program = passes::forget_dead(&program);
    }
    match flavour {
        Flavour::Tso => Some(Tso.reduce(&program, &Capacity::all(1)).ok()?.program),
        Flavour::Pso => Some(Pso.reduce(&program, &Capacity::all(1)).ok()?.program),
        _ => passes::instantiate(&program).ok(),
    }
}

#[test]
fn steps_that_go_first_lose_nothing() {
    let (mut compared, mut telling, mut used) = (0, 0, 0);
    // Seeds 698 and 1525 fail if a section may go first.
    for seed in 0..1_600 {
        let Some(program) = program(seed).filter(|program| starts_fixed(program) && program.init.is_none())
        else {
            continue;
        };
        let Ok(system) = System::new(&program) else { continue };
        if system.transitions.iter().any(|transition| !transition.choices.is_empty()) {
            continue;
        }
        let any = system.first.iter().flatten().any(Option::is_some);
        let mut plain = system.clone();
        plain.first.iter_mut().flatten().for_each(|steps| *steps = None);
        let (first, plain) = (wrong(&Concrete::of(system)), wrong(&Concrete::of(plain)));
        let (Some(first), Some(plain)) = (first, plain) else { continue };
        assert_eq!(first, plain, "seed {seed}");
        compared += 1;
        telling += u32::from(any && !plain.is_empty());
        used += u32::from(any);
    }
    assert!(compared > 400 && used > 160 && telling > 100, "{compared} {used} {telling}");
}
