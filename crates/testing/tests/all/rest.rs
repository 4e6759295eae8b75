//! The abstract rest against the machines, on random programs; and what it can and cannot tell.

use std::collections::BTreeSet;

use wattle_engine::{Budget, OutcomeSet, Property, Run, Task};
use wattle_generate::{Flavour, Profile};
use wattle_judge::certify::explore_all;
use wattle_memory::reduction::{self, Capacity, Contents, Keeps, Move, Rest};
use wattle_memory::{Machine, find};
use wattle_program::{Op, Program};
use wattle_testing::rest::{Simulated, simulates};

const MACHINES: [(&str, Machine); 2] = [("tso", Machine::Tso), ("pso", Machine::Pso)];

fn rests() -> impl Iterator<Item = Rest> {
    let both = [Contents::Havoc, Contents::Set].into_iter();
    both.flat_map(|contents| [Keeps::Oldest, Keeps::Newest].map(|keeps| Rest { contents, keeps }))
}

fn with(each: u32, rest: Rest) -> Capacity {
    Capacity { rest: Some(rest), ..Capacity::all(each) }
}

/// Programs of many stores. Loops too: the machine may then have too many states, but often has not.
fn profile(seed: u64) -> Profile {
    let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Pso, Flavour::Sc];
    let small = Profile::small(flavours[(seed / 4 % 4) as usize]);
    Profile { threads: (1, 2), statements: (4, 10), loops: 60, pointers: 80, array: 300, litmus: 200, ..small }
}

#[test]
fn what_the_machine_does_the_abstraction_does() {
    let (mut all, mut rest, mut refused, mut not_run) = (0, 0, 0, 0);
    for seed in 0..150 {
        let program = wattle_generate::program(seed, &profile(seed));
        for (model, machine) in MACHINES {
            for kept in rests() {
                for each in 0..=3 {
                    match simulates(&program, machine, &with(each, kept), 400) {
                        Err(what) => panic!("seed {seed}, {model}, {each} slots, {kept:?}: {what}"),
                        Ok(Simulated::All { rest: used, .. }) => {
                            all += 1;
                            rest += u32::from(used);
                        }
                        Ok(Simulated::Refused(_)) => refused += 1,
                        Ok(Simulated::NotRun) => not_run += 1,
                        Ok(Simulated::TooLarge) => {}
                    }
                }
            }
        }
    }
    let counts = (all, rest, refused, not_run);
    eprintln!("{counts:?}");
    assert!(all > 1000, "{counts:?}");
}
