//! A translated program is as strong as it was written, or the report says that it is not.
//!
//! Each shape leaves one pair of accesses of its first thread to chance: with nothing between them the
//! bad outcome is allowed where the model lets such a pair change places, with a full fence it is
//! forbidden. What stands between them in a translation must do what it promised and no more.

use wattle_driver::check::{Check, check};
use wattle_driver::engines::Settings;
use wattle_driver::outcomes::{Outcomes, outcomes};
use wattle_driver::port::port;
use wattle_driver::{Input, Watch, compare::Compare, models};
use wattle_engine::Budget;
use wattle_program::{Fence, Orders};
use wattle_report::text::{Detail, Options, Table};
use wattle_report::{CheckReport, json, text};

use super::request;

const MODELS: [&str; 11] =
    ["sc", "tso", "pso", "rmo", "alpha", "arm", "aarch64", "riscv", "power", "power-2012", "rc11"];

fn checked(text: &str, model: &str) -> CheckReport {
    let input = Input::text("a.wtl", "wtl", text);
    check(&request(model), &input, &Watch::default()).unwrap().report
}

/// `safe`, `unsafe`, and what that rests on.
fn verdict(text: &str, model: &str) -> String {
    let report = checked(text, model);
    let rests = report.rests().map(|rests| format!(" {}", rests.word())).unwrap_or_default();
    format!("{}{rests}", report.verdict.word())
}

/// What is left to chance, the statements before and after it (`#` is where a fence goes), the other
/// thread, and what must not happen.
type Shape = (&'static str, Orders, &'static str, &'static str, &'static str);

const SHAPES: [Shape; 7] = [
    ("SB", Orders::WR, "x = 1; # r = y;", "y = 1; fence; r = x;", "p.r == 0 && q.r == 0"),
    ("MP reader", Orders::RR, "r = y; # s = x;", "x = 1; fence; y = 1;", "p.r == 1 && p.s == 0"),
    ("MP writer", Orders::WW, "x = 1; # y = 1;", "r = y; fence; s = x;", "q.r == 1 && q.s == 0"),
    ("2+2W", Orders::WW, "x = 1; # y = 2;", "y = 1; fence; x = 2;", "x == 1 && y == 1"),
    ("LB", Orders::RW, "r = x; # y = 1;", "r = y; fence; x = 1;", "p.r == 1 && q.r == 1"),
    ("S reader", Orders::RW, "r = y; # x = 1;", "x = 2; fence; y = 1;", "p.r == 1 && x == 2"),
    ("S writer", Orders::WW, "x = 2; # y = 1;", "r = y; fence; x = 1;", "q.r == 1 && x == 2"),
];

fn program((_, _, first, second, bad): &Shape, between: &str) -> String {
    let first = first.replace('#', between);
    let locals = "local r; local s;";
    format!("shared x, y; thread p {{ {locals} {first} }} thread q {{ {locals} {second} }} finally !({bad});")
}

/// Every fence that the language has, with the pairs that it promises.
fn fences() -> Vec<(String, Orders)> {
    let by_pairs = (1..=Orders::ALL.0).map(|orders| {
        let orders = Orders(orders);
        (if orders == Orders::ALL { "fence;".into() } else { format!("fence {orders};") }, orders)
    });
    let by_name = [("lwsync", Orders::LIGHT), ("acquire", Orders::READS), ("release", Orders::WRITES)];
    by_pairs.chain(by_name.map(|(name, orders)| (format!("fence {name};"), orders))).collect()
}

#[test]
fn a_translated_fence_is_neither_stronger_nor_weaker_than_noted() {
    let (mut told, mut noted) = (0, 0);
    for shape in &SHAPES {
        for model in MODELS {
            let word = |between: &str| checked(&program(shape, between), model).verdict.word();
            let (nothing, full) = (word(""), word("fence;"));
            assert_eq!(full, "safe", "{} under {model}", shape.0);
            for (fence, promised) in fences() {
                let report = checked(&program(shape, &fence), model);
                let changes = &report.translated.changes;
                noted += changes.len();
                let expected = match promised.contains(shape.1) {
                    true if changes.iter().any(|change| change.weaker) => continue,
                    true => "safe",
                    false if changes.iter().any(|change| change.stronger) => continue,
                    false => nothing,
                };
                assert_eq!(report.verdict.word(), expected, "{} with {fence} under {model}", shape.0);
                told += usize::from(nothing != full);
            }
        }
    }
    assert!(told > 300 && noted > 100, "{told} {noted}");
}

/// The marks of single accesses: `release` on the second access of the pair, `acquire` on the first.
#[test]
fn a_translated_mark_is_neither_stronger_nor_weaker_than_noted() {
    for shape in &SHAPES {
        for model in MODELS {
            let text = program(shape, "");
            let nothing = checked(&text, model).verdict.word();
            let mut accesses: Vec<&str> = shape.2.split(['#', ';']).map(str::trim).collect();
            accesses.retain(|access| !access.is_empty());
            let [first, second] = accesses[..] else { panic!("{accesses:?}") };
            for (mark, access) in [("acquire", first), ("release", second)] {
                let reads = access.starts_with(['r', 's']);
                if reads != (mark == "acquire") {
                    continue;
                }
                // The same as an update that leaves the value as it is, or that nobody reads.
                let update = match access.split_once(" = ").unwrap() {
                    (local, place) if reads => format!("{local} = fetch_add({place}, 0, acquire)"),
                    (place, value) => format!("exchange({place}, {value}, release)"),
                };
                let relaxed = update.replace(", acquire)", ", relaxed)").replace(", release)", ", relaxed)");
                for (by, without) in [(format!("{mark} {access}"), access.to_owned()), (update, relaxed)] {
                    let report = checked(&text.replacen(access, &by, 1), model);
                    let without = checked(&text.replacen(access, &without, 1), model);
                    let weaker = report.translated.changes.iter().any(|change| change.weaker);
                    let found = report.verdict.word();
                    assert!(weaker || found == "safe", "{} with {by} under {model}: {found}", shape.0);
                    // What has no order is as nothing, unless the machine locks it.
                    let locks = !without.translated.changes.is_empty();
                    assert!(locks || without.verdict.word() == nothing, "{} {by} under {model}", shape.0);
                }
            }
        }
    }
}

/// Expected by the manuals: a store barrier leaves store-load and load-load pairs alone, and C11's
/// release fences do not order two stores that nobody reads.
#[test]
fn store_barriers_on_every_model() {
    let sb = "shared x, y; thread p { local r; x = 1; fence ww; r = y; }
              thread q { local r; y = 1; fence ww; r = x; } finally p.r == 1 || q.r == 1;";
    let mp = "shared x, y; thread p { x = 1; fence; y = 1; }
              thread q { local r; local s; r = y; fence ww; s = x; } finally !(q.r == 1 && q.s == 0);";
    let two = "shared x, y; thread p { x = 1; fence ww; y = 2; }
               thread q { y = 1; fence ww; x = 2; } finally !(x == 1 && y == 1);";
    for model in MODELS {
        let expected = match model {
            "sc" => ["safe", "safe", "safe"],
            "tso" | "pso" => ["unsafe", "safe", "safe"],
            "rc11" => ["unsafe weaker", "unsafe weaker", "unsafe weaker"],
            _ => ["unsafe", "unsafe", "safe"],
        };
        assert_eq!([sb, mp, two].map(|text| verdict(text, model)), expected, "{model}");
    }
}

/// Nothing of these machines orders two loads and no more.
#[test]
fn load_barriers_on_every_model() {
    let text = |fence: &str| {
        format!(
            "shared x, y; thread p {{ local r; x = 1; fence {fence}; r = y; }}
             thread q {{ local r; y = 1; fence {fence}; r = x; }} finally p.r == 1 || q.r == 1;"
        )
    };
    for (fence, model, expected) in [
        ("rr", "arm", "safe stronger"),
        ("rw", "arm", "safe stronger"),
        ("rr", "alpha", "safe stronger"),
        ("lwsync", "alpha", "safe stronger"),
        ("lwsync", "arm", "safe stronger"),
        ("lwsync", "aarch64", "unsafe"),
        ("lwsync", "power", "unsafe"),
        ("lwsync", "rc11", "unsafe weaker"),
        ("wr", "power", "safe stronger"),
        ("wr", "riscv", "safe"),
    ] {
        assert_eq!(verdict(&text(fence), model), expected, "{fence} under {model}");
    }
}

/// A fence forbids executions and allows none: wherever it stands, and whichever it is.
#[test]
fn a_fence_added_never_breaks_safety() {
    let more = [
        ("x = 1; #", "r = x; # y = 1;", "r = y; # s = x;", "q.r == 1 && t.r == 1 && t.s == 0"),
        ("x = 1; # y = 1;", "r = y; # z = 1;", "r = z; # s = x;", "q.r == 1 && t.r == 1 && t.s == 0"),
    ];
    let body = |text: &str| format!("local r; local s; {text}");
    let mut programs: Vec<String> = (SHAPES.iter())
        .map(|(_, _, first, second, bad)| {
            let second = second.replace("fence;", "#");
            let (first, second) = (body(first), body(&second));
            format!("shared x, y; thread p {{ {first} }} thread q {{ {second} }} finally !({bad});")
        })
        .collect();
    programs.extend(more.map(|(p, q, t, bad)| {
        let [p, q, t] = [p, q, t].map(body);
        format!("shared x, y, z; thread p {{ {p} }} thread q {{ {q} }} thread t {{ {t} }} finally !({bad});")
    }));
    let mut fences = fences();
    fences.retain(|(_, orders)| {
        orders.0.count_ones() != 2 || *orders == Orders::READS || *orders == Orders::WRITES
    });
    let mut kept = 0;
    for program in &programs {
        let places = program.matches('#').count();
        for model in MODELS {
            for (fence, _) in &fences {
                // No fence, one at each place, all.
                let at = |place: Option<usize>| {
                    let mut number = 0;
                    let parts = program.split('#').map(|part| {
                        let here = place.is_none_or(|place| place == number) && number < places;
                        number += 1;
                        format!("{part}{}", if here { fence } else { "" })
                    });
                    parts.collect::<String>()
                };
                let safe = |text: String| checked(&text, model).verdict.word() == "safe";
                let (none, all) = (safe(program.replace('#', "")), safe(at(None)));
                let some: Vec<bool> = (0..places).map(|place| safe(at(Some(place)))).collect();
                for one in some {
                    assert!(!none || one, "{fence} breaks {program} under {model}");
                    assert!(!one || all, "more of {fence} break {program} under {model}");
                    kept += usize::from(none || one);
                }
            }
        }
    }
    assert!(kept > 100, "{kept}");
}

/// What the translation made of it stands wherever a verdict stands.
#[test]
fn every_report_says_what_its_verdict_rests_on() {
    let quiet = Options { detail: Detail::Quiet, timing: false, ..Options::default() };
    let report = checked(&program(&SHAPES[0], "fence rr;"), "arm");
    let line = text::check(&report, &quiet).result;
    assert!(line.starts_with("a.wtl: safe under arm, translated stronger than written"), "{line}");
    let object = json::check(&report, false);
    assert_eq!(object["rests_on"], "stronger");
    assert_eq!(object["translated"][0]["written"], "`fence rr`");
    assert_eq!(object["translated"][0]["became"], "`dmb`");

    // Power's lightweight fence is more on ARM, and less in C11.
    let test = "PPC 2+2W+lwsyncs\n{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }\n P0 | P1 ;\n li r1,2 | li r1,2 ;\n \
                stw r1,0(r2) | stw r1,0(r2) ;\n lwsync | lwsync ;\n li r3,1 | li r3,1 ;\n \
                stw r3,0(r4) | stw r3,0(r4) ;\nexists (x=2 /\\ y=2)\n";
    let input = Input::text("2+2W.litmus", "litmus", test);
    let listed = |model: &str| {
        let request = Outcomes {
            model: Some(models::resolve(model, false).unwrap()),
            engine: None,
            settings: Settings::default(),
            budget: Budget::default(),
            atomic_copy: false,
        };
        outcomes(&request, &input, &Watch::default()).unwrap()
    };
    let reports = ["power", "arm", "aarch64", "rc11"].map(listed);
    let row = Table::new(["power", "arm", "aarch64", "rc11"], ["2+2W+lwsyncs"]).row(&reports, &quiet);
    let cells: Vec<&str> = row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells, ["2+2W+lwsyncs", "Never 3", "Never 3 stronger", "Never 3", "Sometimes 4 weaker"]);
    let quietly = text::outcomes(&reports[3], &quiet).result;
    assert!(quietly.ends_with("Warning 2+2W+lwsyncs was translated weaker than written\n"), "{quietly}");
    assert_eq!(json::outcomes(&reports[1], false)["rests_on"], "stronger");

    let compare = |from: &str, to: &str| {
        let named = [from, to].map(|name| models::resolve(name, false).unwrap());
        let request = Compare { models: named.to_vec(), check: request(from) };
        port(&request, &input, &Watch::default()).unwrap()
    };
    let ported = compare("power", "rc11");
    let line = text::port(&ported, &quiet).result;
    assert!(line.contains("1 outcome is new under rc11, translated weaker than written"), "{line}");
    assert_eq!(json::port(&ported, false)["rests_on"], "weaker");
    let line = text::port(&compare("power", "arm"), &quiet).result;
    assert!(line.contains("than under power, translated stronger than written"), "{line}");
}

/// An instruction barrier that no fence of a model stands for makes the program weaker.
#[test]
fn a_barrier_that_is_dropped_is_noted() {
    let test = "PPC MP+lwsync+ctrlisync\n{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }\n P0 | P1 ;\n \
                li r1,1 | lwz r1,0(r2) ;\n stw r1,0(r2) | cmpw r1,r1 ;\n lwsync | beq LC00 ;\n \
                li r3,1 | LC00: ;\n stw r3,0(r4) | isync ;\n  | lwz r3,0(r4) ;\nexists (1:r1=1 /\\ 1:r3=0)\n";
    let input = Input::text("mp.litmus", "litmus", test);
    for (model, expected) in
        [("power", None), ("tso", None), ("rmo", Some("weaker")), ("alpha", Some("weaker"))]
    {
        let request = Check { engine: Some("enumerate".into()), ..request(model) };
        let report = check(&request, &input, &Watch::default()).unwrap().report;
        assert_eq!(report.rests().map(|rests| rests.word()), expected, "{model}");
    }
}

#[test]
fn lwsync_is_said_with_one_word_or_three() {
    assert_eq!(Fence::lwsync().orders, Orders::LIGHT);
    for model in MODELS {
        for shape in &SHAPES {
            let [one, three] = ["fence lwsync;", "fence rr rw ww;"].map(|fence| program(shape, fence));
            assert_eq!(verdict(&one, model), verdict(&three, model), "{} under {model}", shape.0);
        }
    }
}
