//! Limits hold: every engine and every judge looks at its budget often enough.
//!
//! Nothing here asks a clock. Engines count what they do (`Run::work`), and a run knows the most that was done between two
//! looks. How well counted work agrees with time is measured by `cargo xtask bench limits`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use wattle_driver::check::{Check, check};
use wattle_driver::engines::{ENGINES, Settings};
use wattle_driver::{Goal, Input, Loaded, Watch, load, models, prepare};
use wattle_engine::{
    Bound, Budget, Certificate, Engine, Halt, Progress, Property, Reason, Run, Task, Verdict, Work,
};
use wattle_judge::certify::certify;
use wattle_report::CheckVerdict;
use wattle_testing::heavy;

use super::smt;

/// More than this is not done without a look.
const STRETCH: Work = Work::milliseconds(100);

fn loaded(name: &str, text: &str) -> Loaded {
    load(&Input::text("heavy.wtl", "wtl", text)).unwrap_or_else(|refused| {
        panic!("{name}: {:?}", refused.diagnostics.first().map(|problem| &problem.message))
    })
}

/// Each engine on each program, with a budget that the largest ones exceed.
#[test]
fn engines_look_at_their_budget() {
    let limit = Work::milliseconds(50);
    let settings = Settings { smt: smt(), ..Settings::default() };
    let mut stopped = Vec::new();
    for (name, text) in heavy::programs(1.0) {
        let loaded = loaded(name, &text);
        for model in ["tso", "aarch64"] {
            let memory = models::resolve(model, false).unwrap();
            let Ok(prepared) = prepare(&loaded, &memory, Goal::Verdict) else {
                panic!("{name} has no translation to {model}")
            };
            let task = prepared.task(Property::Stated);
            for constructor in ENGINES {
                let engine = (constructor.build)(&settings);
                if engine.accepts(&task).is_err() {
                    continue;
                }
                let run = Run::new(Budget { work: Some(limit), ..Budget::default() });
                let answer = engine.check(&task, &run).unwrap();
                let what = format!("{name}, {model}, {}", constructor.name);
                assert!(run.longest_stretch() <= STRETCH, "{what}: {:?}", run.longest_stretch());
                assert!(run.worked() <= limit + STRETCH, "{what}: {:?}", run.worked());
                if matches!(answer.verdict, Verdict::Unknown { reason: Reason::Work }) {
                    stopped.push(constructor.name);
                }
            }
        }
    }
    // A parameterised system whose proof does not end.
    let ticket = include_str!("../../../../corpus/cub/ticket_lock.cub");
    let Ok(loaded) = load(&Input::text("ticket_lock.cub", "cub", ticket)) else { panic!("cannot be read") };
    let memory = models::resolve("tso", false).unwrap();
    let task =
        Task { program: &loaded.parsed.program, memory: &memory, property: Property::Stated, hints: None };
    let run = Run::new(Budget { work: Some(limit), ..Budget::default() });
    let answer = settings.backward.check(&task, &run).unwrap();
    assert!(run.longest_stretch() <= STRETCH, "backward: {:?}", run.longest_stretch());
    if matches!(answer.verdict, Verdict::Unknown { reason: Reason::Work }) {
        stopped.push("backward");
    }
    // The programs are large enough to mean something.
    for constructor in ENGINES {
        assert!(stopped.contains(&constructor.name), "{} was never stopped", constructor.name);
    }
}

/// The judges, on proofs that take them a while: stopped early, they say so, and nothing else.
#[test]
fn judges_look_at_their_budget() {
    let text = "
        shared flag[2], turn = 0, x: 0..9 = 0;
        thread p[2] {
          while (true) {
            flag[me] = 1; fence; turn = 1 - me; fence;
            await flag[1 - me] == 0 || turn == me;
            cs: x = (x + 1) % 10;
            flag[me] = 0;
          }
        }
        forbid p[0]@cs && p[1]@cs;";
    let long = "
        shared x = 0, y = 0;
        thread p { local r = 0; x = 1; r = y; x = 2; }
        thread q { local r = 0, s = 0; y = 1; r = x; s = x; assert r < 4; y = s; }
        thread t { local r = 0; r = x; y = r; }";
    let limit = Work::milliseconds(1);
    let mut forms = Vec::new();
    for (text, model, name) in
        [(text, "tso", "explore"), (long, "tso", "enumerate"), (long, "tso", "bmc"), (long, "aarch64", "bmc")]
    {
        let loaded = loaded(name, text);
        let memory = models::resolve(model, false).unwrap();
        let prepared = prepare(&loaded, &memory, Goal::Verdict).unwrap();
        let task = prepared.task(Property::Stated);
        let mut settings = Settings::default();
        settings.bmc.proof = true;
        let engine = ENGINES.iter().find(|engine| engine.name == name).unwrap();
        let answer = (engine.build)(&settings).check(&task, &Run::default()).unwrap();
        let Verdict::Safe { certificate } = answer.verdict else { panic!("{name}: {:?}", answer.verdict) };
        let form = match &certificate {
            Certificate::StateSpace { .. } => "state space",
            Certificate::Executions { .. } => "executions",
            Certificate::Refutation(Some(_)) => "refutation",
            other => panic!("{name}: {other:?}"),
        };
        let no_solver = || Err("no solver is needed".into());
        let judge = |run: &Run| certify(&task, &certificate, answer.coverage.as_ref(), no_solver, run);
        let whole = Run::default();
        let judged = judge(&whole);
        assert!(judged.is_ok(), "{form}: {judged:?}");
        assert!(whole.longest_stretch() <= STRETCH, "{form}: {:?}", whole.longest_stretch());
        if whole.worked() > limit {
            let short = Run::new(Budget { work: Some(limit), ..Budget::default() });
            assert_eq!(judge(&short), Err(Halt::Unknown(Reason::Work)), "{form}");
            forms.push(form);
        }
    }
    assert_eq!(forms.first(), Some(&"state space"), "{forms:?}");
    assert!(forms.contains(&"executions"), "{forms:?}");
}

/// Who interrupts a search is told how far it came.
#[test]
fn an_interruption_keeps_the_bound() {
    let text = "shared x; thread p { local i; while (true) { i = x; x = i + 1; } }
                thread q { local i; i = x; assert i != 1000000; }";
    let watch = Watch::default();
    let cancelled = watch.cancelled.clone();
    let enough = move |progress: &Progress| cancelled.store(progress.depth >= 4, Ordering::Relaxed);
    let watch = Watch { listener: Some(Arc::new(enough)), ..watch };
    let request =
        Check { engine: Some("bmc".into()), ..Check::new(models::resolve("power", false).unwrap()) };
    let report = check(&request, &Input::text("a.wtl", "wtl", text), &watch).unwrap().report;
    let CheckVerdict::Bounded { bound: Bound::Unwinding(rounds) } = report.verdict else {
        panic!("{:?}", report.verdict);
    };
    assert!((1..4).contains(&rounds), "{rounds}");
}
