//! Random programs in which many steps have no result: the engines that work by axioms against the machine, and against each
//! other where there is none. Every violation is replayed, so a fault that only an engine sees is a failure too.

use wattle_engine::Engine;
use wattle_engine_bmc::Bmc;
use wattle_engine_enumerate::Enumerate;
use wattle_engine_explore::Explore;
use wattle_generate::{Flavour, Profile};
use wattle_testing::agree::{Effort, engines_agree};
use wattle_testing::laws::{self, Law};

fn agree(one: &dyn Engine, other: &dyn Engine, models: &[&str], seeds: std::ops::Range<u64>) {
    let profile = |seed: u64| {
        let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Sc];
        let small = Profile::small(flavours[(seed % 3) as usize]);
        Profile { loops: 0, litmus: 0, unsupported: 0, faults: 60, ..small }
    };
    let law: Law<'_> = &|program, _| engines_agree(one, other, models, Effort::default(), program);
    let number = seeds.end - seeds.start;
    let record = laws::test(law, &profile, seeds).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(record.compared as u64 > number / 4, "{record:?}");
}

#[test]
fn bmc_agrees_with_the_machine() {
    let (explore, bmc) = (Explore::default(), Bmc { unwind: Some(2), ..Bmc::default() });
    agree(&explore, &bmc, &["sc", "tso", "pso"], 31_000_000..31_000_300);
}

#[test]
fn enumerate_agrees_with_the_machine() {
    agree(&Explore::default(), &Enumerate::default(), &["sc", "tso", "pso"], 32_000_000..32_000_300);
}

#[test]
fn enumerate_and_bmc_agree_without_a_machine() {
    let bmc = Bmc { unwind: Some(2), ..Bmc::default() };
    agree(&Enumerate::default(), &bmc, &["power", "aarch64", "riscv", "rc11"], 33_000_000..33_000_200);
}
