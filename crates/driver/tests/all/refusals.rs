//! Marks that a model does not know are refused by every engine, and a verdict shows the reason that
//! matters, once.

use std::path::Path;

use wattle_driver::check::{Check, check};
use wattle_driver::engines::{ENGINES, Settings};
use wattle_driver::fix::{Fix, fix};
use wattle_driver::{Input, Watch, load, models};
use wattle_engine::{Property, Task};
use wattle_program::text::print;
use wattle_report::text::{self, Detail, Options};
use wattle_report::{CheckReport, CheckVerdict, FixVerdict};

use super::request;

fn settings() -> Settings {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Settings { smt: vec![root.join("third_party/z3/lib/libz3.so")], ..Settings::default() }
}

fn checked(input: &Input, request: Check) -> CheckReport {
    check(&Check { settings: settings(), ..request }, input, &Watch::default()).unwrap().report
}

fn reason(report: &CheckReport) -> String {
    let CheckVerdict::Unknown { reason } = &report.verdict else { panic!("{:?}", report.verdict) };
    reason.to_string()
}

/// Message passing whose marks are those of some architecture, in a form that all engines take.
fn marked(tag: &str) -> Input {
    let text = "shared x, y; thread p { x = 1; release y = 1; }
                thread q { local r, s; acquire r = y; s = x; } finally !(q.r == 1 && q.s == 0);";
    let printed = print(&load(&Input::text("a.wtl", "wtl", text)).unwrap().parsed.program);
    let tag = format!("tagged {tag}");
    Input::text("a.wir", "wir", &printed.replace("tagged rel", &tag).replace("tagged acq", &tag))
}

#[test]
fn every_engine_asks_the_model_which_marks_it_refuses() {
    for tag in ["L", "A", "Q", "Acq", "AcqRel", "SC", "NA"] {
        let loaded = load(&marked(tag)).unwrap();
        for model in ["tso", "pso"] {
            let expected = format!("accesses marked {tag} have no meaning under {model}");
            let memory = models::resolve(model, false).unwrap();
            let task = Task {
                program: &loaded.parsed.program,
                memory: &memory,
                property: Property::Stated,
                hints: None,
            };
            for engine in ENGINES {
                let refused = (engine.build)(&settings()).accepts(&task).unwrap_err();
                assert_eq!(refused.to_string(), expected, "{}", engine.name);
            }
            // All say the same, and the verdict says it once.
            assert_eq!(reason(&checked(&marked(tag), request(model))), format!("unsupported: {expected}"));
        }
    }
}

#[test]
fn every_engine_takes_the_marks_of_the_language() {
    let loaded = load(&marked("rel")).unwrap();
    let takers = |model: &str| -> Vec<&str> {
        let memory = models::resolve(model, false).unwrap();
        let task = Task {
            program: &loaded.parsed.program,
            memory: &memory,
            property: Property::Stated,
            hints: None,
        };
        let takes = ENGINES.iter().filter(|engine| (engine.build)(&settings()).accepts(&task).is_ok());
        takes.map(|engine| engine.name).collect()
    };
    for model in ["sc", "tso", "pso"] {
        assert_eq!(takers(model), ["explore", "extrapolate", "refine", "bmc", "enumerate"], "{model}");
    }
    assert_eq!(takers("rmo"), ["bmc", "enumerate"]);
}

fn own_model(name: &str, text: &str) -> Check {
    let path = std::env::temp_dir().join(format!("wattle-{}-{name}.cat", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let model = models::resolve(&path.display().to_string(), false).unwrap();
    std::fs::remove_file(&path).unwrap();
    Check { model, ..request("sc") }
}

/// Nothing keeps a read-modify-write from reading what it writes, so values come out of thin air. With a
/// range there are few of them, and without one that is the reason, not how integers are computed.
#[test]
fn thin_air_is_the_reason_where_a_model_allows_it() {
    let model = "\"nothing within an instruction\"\nacyclic po-loc | rf | co | fr\nempty rmw & (fre ; coe)\n";
    let text = |ty: &str| {
        let text =
            format!("shared x{ty}; thread p[2] {{ local r{ty}; r = fetch_add(x, 1); }} finally x == 2;");
        Input::text("a.wtl", "wtl", &text)
    };
    let ranged = checked(&text(": 0..3"), own_model("ranged", model));
    assert_eq!(ranged.verdict.word(), "bounded", "{:?}", ranged.verdict);
    let unranged = reason(&checked(&text(""), own_model("unranged", model)));
    assert_eq!(unranged, "the model allows values out of thin air, which are not enumerated");
    let only = Check { engine: Some("bmc".into()), ..own_model("bmc", model) };
    let by_bmc = reason(&checked(&text(""), only));
    let expected = "values out of thin air, which the model does not forbid, in integers without a range";
    assert_eq!(by_bmc, format!("unsupported: {expected}"));
}

/// An engine that knows no such model says nothing about the program.
#[test]
fn what_would_be_refused_anyway_does_not_hide_the_reason() {
    let text = "shared x, y; thread p { atomic { x = 1; y = 1; } } forbid x == 1 && y == 0;";
    let input = Input::text("a.wtl", "wtl", text);
    let report = checked(&input, request("power"));
    let expected = "unsupported: a property of all states that speaks of memory, under axioms";
    assert_eq!(reason(&report), expected);
    let request = Fix { settings: settings(), ..Fix::new(models::resolve("power", false).unwrap()) };
    let FixVerdict::Unknown { reason } = fix(&request, &input, &Watch::default()).unwrap().verdict else {
        panic!("not unknown")
    };
    assert_eq!(reason.to_string(), expected);
}

#[test]
fn long_reasons_are_broken_into_lines() {
    let text = "shared x, y; thread p { x = 1; y = 1; } forbid x == 1 && y == 0;";
    let input = Input::text("a.wtl", "wtl", text);
    let report = checked(&input, request("power"));
    let options = Options { timing: false, width: 60, ..Options::default() };
    let shown = text::check(&report, &options).result;
    let head: Vec<&str> = shown.lines().take(3).collect();
    assert_eq!(head[0], "a.wtl: unknown under power");
    assert!(head.iter().all(|line| line.chars().count() <= 60), "{shown}");
    assert!(head[1].starts_with("  unsupported: a property of all states"), "{shown}");
    let quiet = text::check(&report, &Options { detail: Detail::Quiet, ..options }).result;
    assert_eq!(quiet.lines().count(), 1);
}
