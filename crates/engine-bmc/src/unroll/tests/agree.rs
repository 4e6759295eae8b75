//! The whole engine against `enumerate`, on programs with control flow: whatever one proves the other
//! does not refute, and counterexamples are confirmed.

use wattle_engine::{Engine, Property, Run, Task, Verdict};
use wattle_engine_enumerate::Enumerate;
use wattle_generate::Profile;
use wattle_judge::confirm;
use wattle_memory::find;

use crate::Bmc;

fn agree(seed: u64, model: &str) -> Option<bool> {
    let profile = Profile { loops: 150, any_init: 40, ..Profile::varied(seed) };
    let program = wattle_generate::program(seed, &profile);
    let task =
        Task { program: &program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
    let run = || {
        Run::new(wattle_engine::Budget {
            work: Some(wattle_engine::Work::milliseconds(5_000)),
            ..Default::default()
        })
    };
    let bmc = Bmc { unwind: Some(2), ..Bmc::default() };
    let enumerate = Enumerate::default();
    if bmc.accepts(&task).is_err() || enumerate.accepts(&task).is_err() {
        return None;
    }
    let ours = bmc.check(&task, &run()).unwrap().verdict;
    let theirs = enumerate.check(&task, &run()).unwrap().verdict;
    let shown =
        || format!("seed {seed} {model}\n{ours:?}\n{theirs:?}\n{}", wattle_program::text::print(&program));
    match (&ours, &theirs) {
        (Verdict::Unsafe { counterexample }, _) => {
            let confirmed = confirm::confirm(&task, counterexample);
            assert!(confirmed.is_ok(), "{:?}\n{}", confirmed.err(), shown());
            assert!(!matches!(theirs, Verdict::Safe { .. }), "{}", shown());
        }
        (Verdict::Safe { .. } | Verdict::SafeUpTo { .. }, Verdict::Unsafe { .. }) => panic!("{}", shown()),
        _ => {}
    }
    match ours {
        Verdict::Unsafe { .. } => Some(false),
        Verdict::Safe { .. } => Some(true),
        _ => None,
    }
}

#[test]
fn with_enumerate() {
    let (mut safe, mut refuted) = (0, 0);
    for seed in 0..500 {
        let model = ["sc", "tso", "pso", "rmo", "power", "arm"][seed as usize % 6];
        match agree(seed, model) {
            Some(true) => safe += 1,
            Some(false) => refuted += 1,
            None => {}
        }
    }
    assert!(safe > 60 && refuted > 60, "{safe} {refuted}");
}
