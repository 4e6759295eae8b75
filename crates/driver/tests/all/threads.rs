//! Threads that are created, under every model and by every engine that answers.

use wattle_driver::check::{Check, check};
use wattle_driver::engines::Settings;
use wattle_driver::outcomes::{Outcomes, outcomes};
use wattle_driver::{Input, Watch, models};
use wattle_engine::{Budget, Property};
use wattle_report::text::Options;
use wattle_report::{OutcomesVerdict, text};

use super::request;

const MODELS: [&str; 11] =
    ["sc", "tso", "pso", "rmo", "alpha", "arm", "aarch64", "riscv", "power", "power-2012", "rc11"];

/// A process with a local `r` that does these steps (`;` between them) one after another; edges of its own, between
/// points with these numbers, may follow.
fn process(name: &str, steps: &str, more: &[&str]) -> String {
    let steps: Vec<&str> = steps.split(';').map(str::trim).filter(|step| !step.is_empty()).collect();
    let mut text = format!("process {name}\n  local r : int init 0\n  entry 0\n");
    (0..steps.len()).for_each(|point| text += &format!("  point {point}\n"));
    text += &format!("  point {} end\n", steps.len());
    let edges = steps.iter().enumerate();
    edges.for_each(|(at, step)| text += &format!("  edge {at} -> {} do {step}\n", at + 1));
    more.iter().for_each(|edge| text += &format!("  edge {edge}\n"));
    text
}

fn program(processes: &[String], property: &str) -> Input {
    let text = format!(
        "wir 1\nprogram \"t\"\nvocabulary generic\nvariable x : int init 0\nvariable y : int init 0\n{}{property}\n",
        processes.concat()
    );
    Input::text("t.wir", "wir", &text)
}

fn answer(input: &Input, request: &Check) -> String {
    let report = check(request, input, &Watch::default()).unwrap().report;
    match report.verdict.word() {
        word @ ("safe" | "unsafe") => word.to_owned(),
        word => format!("{word}: {:?}", report.verdict),
    }
}

/// The answer of the portfolio and of each engine that has one.
fn all_answer(input: &Input, model: &str, expected: &str) {
    assert_eq!(answer(input, &request(model)), expected, "{model}");
    let mut answers = 0;
    for engine in ["explore", "enumerate", "bmc"] {
        let answer = answer(input, &Check { engine: Some(engine.into()), ..request(model) });
        if !answer.starts_with("unknown") {
            assert_eq!(answer, expected, "{engine}, {model}");
            answers += 1;
        }
    }
    assert!(answers >= 2, "{model}");
}

fn outcome_states(input: &Input, model: &str) -> usize {
    let request = Outcomes {
        model: Some(models::resolve(model, false).unwrap()),
        engine: None,
        settings: Settings::default(),
        budget: Budget::default(),
        atomic_copy: false,
    };
    match outcomes(&request, input, &Watch::default()).unwrap().verdict {
        OutcomesVerdict::Listed(listing) => listing.states.len(),
        other => panic!("{model}: {other:?}"),
    }
}

/// What was written before the creation is seen by the thread, what the thread wrote is seen behind the join.
#[test]
fn creation_and_join_order_what_is_before_and_after_them() {
    let main = |join: &str| process("main", &format!("store &x = 1; spawn t[0]; {join} load r from &y"), &[]);
    let thread = process("t", "load r from &x; store &y = 2", &[]);
    let both = program(&[main("join t[0];"), thread.clone()], "finally main[0].r == 2 && t[0].r == 1");
    let without_join = program(&[main(""), thread], "finally main[0].r == 2");
    for model in MODELS {
        all_answer(&both, model, "safe");
        all_answer(&without_join, model, "unsafe");
    }
}

/// In C11 creation is release and acquire, which does not forbid store buffering; on hardware it is a full fence.
#[test]
fn creation_is_a_full_fence_on_hardware_and_none_in_c11() {
    let make = |main: &str, thread: &str| {
        let steps = [
            ("main", format!("spawn t[0]; store &x = 1; {main} load r from &y")),
            ("t", format!("store &y = 1; {thread} load r from &x")),
            ("u", "assign r = 1".to_owned()),
            ("v", "assign r = 1".to_owned()),
        ];
        let processes = steps.map(|(name, steps)| process(name, &steps, &[]));
        program(&processes, "finally !(main[0].r == 0 && t[0].r == 0)")
    };
    let (plain, creating) = (make("", ""), make("spawn u[0];", "spawn v[0];"));
    for model in MODELS {
        assert_eq!(answer(&plain, &request(model)), if model == "sc" { "safe" } else { "unsafe" }, "{model}");
        let expected = if model == "rc11" { "unsafe" } else { "safe" };
        assert_eq!(answer(&creating, &request(model)), expected, "{model}");
    }
}

/// `main` chooses whether it starts `t`, and `t` whether it starts `u`, which stores.
fn perhaps(property: &str) -> Input {
    let creator = |name: &str, other: &str| {
        let steps = format!("havoc r from 0 to 1; assume r == 1; spawn {other}[0]");
        process(name, &steps, &["1 -> 3 do assume r == 0"])
    };
    let processes = [creator("main", "t"), creator("t", "u"), process("u", "store &x = 1", &[])];
    program(&processes, property)
}

#[test]
fn a_thread_that_is_never_started_has_ended_and_does_nothing() {
    let holds = perhaps("finally (mem(&x) == 1) == (main[0].r == 1 && t[0].r == 1)");
    let (zero, one) = (perhaps("finally mem(&x) == 0"), perhaps("finally mem(&x) == 1"));
    for model in MODELS {
        all_answer(&holds, model, "safe");
        all_answer(&zero, model, "unsafe");
        all_answer(&one, model, "unsafe");
        // (main.r, t.r, x): (0,0,0), (1,0,0), (1,1,1).
        assert_eq!(outcome_states(&perhaps(""), model), 3, "{model}");
    }
}

#[test]
fn a_thread_that_is_never_started_is_not_stuck_and_who_joins_it_is() {
    let waits =
        |input: &Input, model| answer(input, &Check { property: Property::NoDeadlock, ..request(model) });
    let join = |spawn: &str| {
        let steps = format!("havoc r from 0 to 1; assume r == 1; {spawn} join t[0]");
        program(
            &[process("main", &steps, &["1 -> 4 do assume r == 0"]), process("t", "store &x = 1", &[])],
            "finally true",
        )
    };
    let joins_what_it_starts = join("spawn t[0];");
    // Somebody else would have to start it: nobody does.
    let joins_what_it_perhaps_started = program(
        &[
            process(
                "main",
                "havoc r from 0 to 1; assume r == 1; spawn t[0]; join t[0]",
                &["1 -> 3 do assume r == 0"],
            ),
            process("t", "store &x = 1", &[]),
        ],
        "finally true",
    );
    for model in ["sc", "tso", "pso"] {
        assert_eq!(waits(&perhaps("finally true"), model), "safe", "{model}");
        assert_eq!(waits(&joins_what_it_starts, model), "safe", "{model}");
        assert_eq!(waits(&joins_what_it_perhaps_started, model), "unsafe", "{model}");
    }
}

/// Copies that are created in a loop, by a number that is computed; all but one of them.
#[test]
fn the_copy_may_be_computed() {
    let main = "process main
  local i : int init 0
  entry 0
  point 0
  point 1
  point 2
  point 3 end
  edge 0 -> 1 when i < 2 do spawn t[i]
  edge 1 -> 0 do assign i = i + 1
  edge 0 -> 2 when i == 2
  edge 2 -> 3 do join t[i - 1]
";
    let thread = process("t copies 3", "load r from &x; store &y[me] = 1", &[]);
    let text = |property: &str| {
        let text = format!(
            "wir 1\nprogram \"t\"\nvocabulary generic\nvariable x : int init 0\nvariable y[3] : int init 0\n{main}{thread}{property}\n"
        );
        Input::text("t.wir", "wir", &text)
    };
    for model in ["sc", "tso", "pso", "aarch64", "rc11"] {
        let all = text("finally mem(&y[0]) == 1 && mem(&y[1]) == 1 && mem(&y[2]) == 0");
        assert_eq!(answer(&all, &request(model)), "safe", "{model}");
        assert_eq!(answer(&text("finally mem(&y[1]) == 0"), &request(model)), "unsafe", "{model}");
    }
}

#[test]
fn what_has_no_reading_is_refused_by_name() {
    let circle = program(
        &[
            process("main", "havoc r from 0 to 1; assume r == 1; spawn t[0]", &["1 -> 3 do assume r == 0"]),
            process("t", "spawn u[0]", &[]),
            process("u", "spawn t[0]", &[]),
        ],
        "finally true",
    );
    let middle = program(
        &[
            process("main", "store &x = 1", &["0 -> 1 do store &x = 1 ; spawn t[0]"]),
            process("t", "store &x = 1", &[]),
        ],
        "finally true",
    );
    let main = process("main", "store &y = 1; spawn t[0]", &[]);
    let plain = program(&[main, process("t", "store &x = 1", &[])], "finally true");
    let cases = [
        (circle, "sc", "in a circle"),
        (middle, "tso", "in the middle of a step"),
        (plain, "rma", "the creation of threads"),
    ];
    for (input, model, what) in cases {
        let answer = answer(&input, &request(model));
        assert!(answer.starts_with("unknown") && answer.contains(what), "{answer}");
    }
}

/// Threads that are created first of all are as if they had always been there, under every model.
#[test]
fn who_is_created_first_of_all_starts_at_once() {
    let others = [
        process("t", "store &x = 1; load r from &y", &[]),
        process("u", "store &y = 1; load r from &x", &[]),
    ];
    let with = |main: &str| {
        let main = process("main", main, &[]);
        program(&[&[main], &others[..]].concat(), "finally true")
    };
    let (created, there) = (with("spawn t[0]; spawn u[0]; load r from &x"), with("load r from &x"));
    for model in MODELS {
        let states = outcome_states(&created, model);
        assert_eq!(states, outcome_states(&there, model), "{model}");
        assert!(states > 4, "{model}: {states}");
    }
}

/// The hidden locations are not for the reader; who starts and who ends is.
#[test]
fn a_story_tells_who_starts_whom() {
    let main = process("main", "store &y = 1; spawn t[0]; join t[0]; load r from &x", &[]);
    let processes = [main, process("t", "store &x = 1", &[])];
    let input = program(&processes, "finally main[0].r == 0");
    for model in ["tso", "aarch64", "rc11"] {
        let checked = check(&request(model), &input, &Watch::default()).unwrap();
        let shown = text::check(&checked.report, &Options::default());
        let shown = format!("{shown:?}");
        assert!(shown.contains("starts t") && shown.contains("sees that t has ended"), "{model}: {shown}");
        assert!(!shown.contains("t started") && !shown.contains("t ended ="), "{model}: {shown}");
    }
}
