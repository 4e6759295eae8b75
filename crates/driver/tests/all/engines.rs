//! What every engine has to say of the same program, asked for by name.

use wattle_driver::check::{Check, check};
use wattle_driver::engines::{ENGINES, Settings};
use wattle_driver::{Input, Watch, models};
use wattle_engine::Reason;
use wattle_report::{CheckReport, CheckVerdict, Effect};

use super::smt;

fn checked(text: &str, model: &str, engine: &str, certify: bool) -> CheckReport {
    let request = Check {
        engine: Some(engine.into()),
        settings: Settings { smt: smt(), ..Settings::default() },
        certify,
        ..Check::new(models::resolve(model, false).unwrap())
    };
    check(&request, &Input::text("a.wtl", "wtl", text), &Watch::default()).unwrap().report
}

/// Every engine, under the models that it works on.
fn everywhere() -> impl Iterator<Item = (&'static str, &'static str)> {
    ENGINES.iter().flat_map(|engine| {
        let models: &[&str] = match engine.name {
            "explore" | "extrapolate" | "refine" => &["sc", "tso", "pso"],
            // It is for another kind of program.
            "backward" => &[],
            _ => &["sc", "tso", "pso", "power", "aarch64"],
        };
        models.iter().map(|model| (engine.name, *model))
    })
}

#[test]
fn no_initial_state_is_unknown_to_every_engine() {
    let texts = [
        "shared x = 1; init x == 2; thread p { assert false; } finally x == 7;",
        "shared x = 1; init x == 2; thread p { x = 3; }",
        "shared x: 0..3 = *; init x > 1 && x < 2; thread p { local r; r = x; assert r == 1; } finally x == 7;",
        "shared x: 0..3 = *; init x > 1 && x < 2; thread p { while (true) { x = 1; } } forbid p@end;",
    ];
    for text in texts {
        for (engine, model) in everywhere() {
            for certify in [false, true] {
                let verdict = checked(text, model, engine, certify).verdict;
                let unknown = matches!(verdict, CheckVerdict::Unknown { reason: Reason::NoInitialState });
                assert!(unknown, "{engine} under {model}: {verdict:?}\n{text}");
            }
        }
    }
}

/// An `init` that some state satisfies takes nothing away.
#[test]
fn an_initial_state_is_enough() {
    let text = "shared x: 0..3 = *; init x > 1 && x < 3; thread p { local r; r = x; assert r == 2; }";
    for (engine, model) in everywhere() {
        let report = checked(text, model, engine, true);
        assert!(
            matches!(report.verdict, CheckVerdict::Safe { .. }),
            "{engine} {model}: {:?}",
            report.verdict
        );
        assert!(report.certified && report.diagnostics.is_empty(), "{engine} {model}: {:?}", report.notes);
    }
}

#[test]
fn an_assertion_that_is_reached_counts_for_every_engine() {
    let texts = [
        ("shared x; thread p { local r; atomic { r = x; assert r == 1; assume r == 5; } }", "unsafe"),
        ("shared x; thread p { local r; atomic { r = x; assert r == 0; assume r == 5; } }", "safe"),
        ("shared x; thread p { local r; atomic { x = 1; assert false; assume r == 5; } }", "unsafe"),
        ("shared x; thread p { local r: 0..1; atomic { assert x == 1; r = 2; } }", "unsafe"),
        ("shared x; thread p { local r; atomic { assume r == 5; assert false; } }", "safe"),
    ];
    for (text, expected) in texts {
        for (engine, model) in everywhere() {
            let verdict = checked(text, model, engine, false).verdict;
            assert_eq!(verdict.word(), expected, "{engine} under {model}: {verdict:?}\n{text}");
        }
    }
}

/// A fault is a violation, by whichever engine and under whatever form of model: before its step has done anything, and in the
/// middle of it.
#[test]
fn faults_are_violations() {
    let cases = [
        ("shared a[2], i; thread p { local r; r = i; a[r] = 1; } thread q { i = 2; }", "index out of bounds"),
        ("shared x; thread p { local r; r = x; x = 10 / (1 - r); } thread q { x = 1; }", "division by zero"),
        (
            "shared x; thread p { local r; atomic { r = x; x = 10 / r; } } thread q { x = 2; }",
            "division by zero",
        ),
    ];
    for (text, fault) in cases {
        for (engine, model) in
            everywhere().filter(|(engine, _)| ["explore", "bmc", "enumerate"].contains(engine))
        {
            let verdict = checked(text, model, engine, false).verdict;
            let CheckVerdict::Unsafe { story } = &verdict else {
                panic!("{engine} under {model}: {verdict:?}\n{text}");
            };
            assert_eq!(story.violated.text, fault, "{engine} under {model}\n{text}");
            let last = story.moves.iter().rfind(|one| one.thread == 0).map(|one| &one.effects);
            let shown = Effect::Fault { what: fault.into() };
            assert!(
                last.is_some_and(|effects| effects.contains(&shown)),
                "{engine} under {model}: {last:?}\n{text}"
            );
        }
    }
}
