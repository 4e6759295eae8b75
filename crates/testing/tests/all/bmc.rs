//! Bounded model checking contradicts neither the conformance suite nor the explicit-state engine.

use wattle_engine::{Budget, Engine, Run, Task, Verdict, Work};
use wattle_engine_bmc::{Bmc, Formulated};
use wattle_engine_explore::Explore;
use wattle_generate::{Flavour, Profile};
use wattle_judge::confirm;
use wattle_memory::find;
use wattle_testing::agree::{Effort, engines_agree};
use wattle_testing::conformance::{self, Expected};
use wattle_testing::laws::{self, Law};

#[test]
fn no_case_of_the_conformance_suite_is_contradicted() {
    for formulated in [Formulated::Order, Formulated::Clocks] {
        let engine = Bmc { unwind: Some(2), formulated, ..Bmc::default() };
        let mut definite = 0;
        for case in conformance::cases() {
            for (model, expected) in &case.expected {
                let memory = find(model).unwrap();
                let task = Task { program: &case.program, memory, property: case.property };
                if engine.accepts(&task).is_err() {
                    continue;
                }
                let run = Run::new(Budget { work: Some(Work::milliseconds(1_000)), ..Budget::default() });
                match (engine.check(&task, &run).unwrap().verdict, expected) {
                    (Verdict::Unsafe { counterexample }, Expected::Unsafe | Expected::Bounded) => {
                        confirm::confirm(&task, &counterexample).unwrap();
                        definite += 1;
                    }
                    (Verdict::Safe { .. }, Expected::Safe) => definite += 1,
                    (Verdict::Unknown { .. } | Verdict::SafeUpTo { .. }, _) => {}
                    (verdict, _) => {
                        panic!("{} under {model}: {verdict:?}, because {}", case.name, case.because)
                    }
                }
            }
        }
        assert!(definite > 100, "only {definite} definite answers");
    }
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
