//! Every engine of the list passes the conformance suite: whoever adds one to `ENGINES` is tested here.
//!
//! The suite limits memory, and Z3's limit is one of the process, so these questions have a process of their own.

#![allow(clippy::unwrap_used)]

use wattle_driver::engines::{ENGINES, Settings};
use wattle_testing::conformance;

/// Where Z3 is, for engines that use it.
fn smt() -> Vec<std::path::PathBuf> {
    wattle_smt::Library::beside(&std::env::current_exe().unwrap())
}

/// How many questions of the suite each engine of the list must accept, and how many answer exactly as
/// expected. Fewer fails; whoever makes an engine answer more raises its numbers.
const LEAST: [(&str, usize, usize); 6] = [
    ("explore", 246, 248),
    ("extrapolate", 201, 191),
    ("refine", 195, 194),
    // The suite has no parameterised systems.
    ("backward", 0, 0),
    ("bmc", 210, 153),
    ("enumerate", 186, 156),
];

#[test]
fn every_engine_conforms() {
    let rows: Vec<&str> = LEAST.iter().map(|(name, ..)| *name).collect();
    let engines: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
    assert_eq!(rows, engines, "every engine of the list needs a row here");
    let mut settings = Settings { smt: smt(), ..Settings::default() };
    // A refutation that is not written down cannot be certified.
    settings.bmc.proof = true;
    let mut faults = Vec::new();
    for (engine, (name, accepted, right)) in ENGINES.iter().zip(LEAST) {
        let score = conformance::run(&*(engine.build)(&settings), &settings.smt);
        faults.extend(score.wrong.iter().map(|fault| format!("{name}: {fault}")));
        if score.accepted < accepted || score.right < right {
            faults.push(format!(
                "{name}: accepts {} of {} questions and answers {} as expected, not {accepted} and {right}; open:\n{}",
                score.accepted,
                score.asked(),
                score.right,
                score.open.join("\n")
            ));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Every engine that lists outcomes lists all of them.
#[test]
fn outcomes_are_complete() {
    let mut tested = Vec::new();
    for constructor in &ENGINES {
        let engine = (constructor.build)(&Settings::default());
        if let Some(lists) = engine.lists() {
            let wrong = conformance::run_outcomes(lists);
            assert!(wrong.is_empty(), "{}: {}", constructor.name, wrong.join("\n"));
            tested.push(constructor.name);
        }
    }
    assert_eq!(tested, ["explore", "enumerate"]);
}
