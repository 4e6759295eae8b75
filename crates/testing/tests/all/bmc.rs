//! Bounded model checking contradicts neither the conformance suite nor the explicit-state engine.

use wattle_engine_bmc::{Bmc, Formulated};
use wattle_engine_explore::Explore;
use wattle_generate::{Flavour, Profile};
use wattle_testing::agree::{Effort, engines_agree};
use wattle_testing::conformance;
use wattle_testing::laws::{self, Law};

/// The formulation by clocks; that by the order theory is the default, which the test in `driver` asks.
#[test]
fn clocks_conform() {
    let engine = Bmc { unwind: Some(2), formulated: Formulated::Clocks, proof: true, ..Bmc::default() };
    let score = conformance::run(&engine, &[]);
    assert!(score.wrong.is_empty(), "{}", score.wrong.join("\n"));
    assert!(score.right > 100, "only {} definite answers:\n{}", score.right, score.open.join("\n"));
}

#[test]
fn random_programs_with_loops_and_branches_agree_with_the_explicit_state_engine() {
    let (explore, bmc) = (Explore::default(), Bmc { unwind: Some(2), ..Bmc::default() });
    let profile = |seed: u64| {
        let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Sc];
        let small = Profile::small(flavours[(seed % 3) as usize]);
        Profile { loops: 150, litmus: 0, unsupported: 0, ..small }
    };
    let law: Law<'_> =
        &|program, _| engines_agree(&explore, &bmc, &["sc", "tso", "pso"], Effort::default(), program);
    let record =
        laws::test(law, &profile, 9_000_000..9_000_400).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(record.compared > 150 && record.telling > 60, "{record:?}");
}
