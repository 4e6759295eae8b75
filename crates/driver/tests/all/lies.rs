//! Wattle contradicts itself: whoever lies, every command that can meet the lie ends with exit code 101.
//!
//! The liar is a real engine whose true answer is changed in one thing. What to change is set by thread, because
//! engines are built from settings alone.

use std::cell::Cell;
use std::sync::Arc;

use wattle_driver::check::{Check, check};
use wattle_driver::engines::{Constructor, ENGINES, Registry, Settings};
use wattle_driver::fix::{Fix, fix};
use wattle_driver::outcomes::{Outcomes as Listing, outcomes};
use wattle_driver::test::{Status, Test, test};
use wattle_driver::{Input, Watch, compare, models};
use wattle_engine::certificate::abstraction::Claim;
use wattle_engine::certificate::refutation::Inference;
use wattle_engine::{
    Answer, Certificate, Contradiction, Counterexample, Engine, Estimate, Halt, Outcomes, Run, Schedule,
    Statistics, Task, Unsupported, Verdict, Violation,
};
use wattle_program::{EdgeId, ProcessId};
use wattle_report::{Accept, Exit};

use super::{request, smt};

type Lie = fn(&mut Answer);

thread_local! {
    /// Whose answer is changed, and how.
    static LIE: Cell<(&'static str, Lie)> = const { Cell::new(("explore", |_| {})) };
}

struct Liar {
    honest: Box<dyn Engine>,
    lie: Lie,
}

impl Engine for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }
    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        self.honest.accepts(task)
    }
    /// It has the first turn.
    fn estimate(&self, _: &Task<'_>) -> Estimate {
        Estimate::Finite
    }
    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let mut answer = self.honest.check(task, run)?;
        (self.lie)(&mut answer);
        Ok(answer)
    }
    fn lists(&self) -> Option<&dyn Outcomes> {
        Some(&Torn)
    }
}

/// Cannot list anything without contradicting itself.
struct Torn;

fn torn() -> Halt {
    Contradiction::within("liar", "there is an outcome", "there is none").into()
}

impl Outcomes for Torn {
    fn outcomes(&self, _: &Task<'_>, _: &Run) -> Result<wattle_engine::OutcomeSet, Halt> {
        Err(torn())
    }
}

/// The liar first: what it says must not be passed over by an honest one.
static LIARS: [Constructor; 2] = [
    Constructor {
        name: "liar",
        summary: "answers with one thing changed",
        answers: |_, _| true,
        build: |settings| {
            let (name, lie) = LIE.get();
            let engine = ENGINES.iter().find(|engine| engine.name == name).expect("an engine of the list");
            Box::new(Liar { honest: (engine.build)(settings), lie })
        },
    },
    Constructor {
        name: "explore",
        summary: "an honest engine",
        answers: |_, _| true,
        build: |settings| Box::new(settings.explore.clone()),
    },
];

fn settings(engine: &'static str, lie: Lie) -> Settings {
    LIE.set((engine, lie));
    let mut settings = Settings { engines: Registry(&LIARS), smt: smt(), ..Settings::default() };
    settings.bmc.proof = true;
    settings
}

fn input(text: &str) -> Input {
    Input::text("a.wtl", "wtl", text)
}

/// What `check --certify` of a text makes of a lie.
fn certified(engine: &'static str, text: &str, model: &str, lie: Lie) -> (Exit, String) {
    let request = Check { certify: true, settings: settings(engine, lie), ..request(model) };
    let report = check(&request, &input(text), &Watch::default()).unwrap().report;
    (Exit::of_check(&report, Accept::default()), format!("{:?} {:?}", report.verdict, report.notes))
}

/// A branch that is never taken, and an end.
const SAFE: &str = "shared x = 0, y = 0; thread p { local r; x = 1; r = y; if (r == 2) { x = 5; } }\n\
                    thread q { y = 1; assert y <= 1; } always x <= 1;";
const SAFE_BY_AXIOMS: &str = "shared x = 0, y = 0; thread p { local r; x = 1; r = y; if (r == 2) { x = 5; } }\n\
                              thread q { y = 1; assert y <= 1; } finally x <= 1;";
/// A message is passed: that needs the order of the stores, and of the loads.
const PASSED: &str = "shared x = 0, y = 0; thread p { local t; x = 1; y = 1; t = x; if (t == 2) { x = 5; } }\n\
                      thread q { local r, s; r = y; s = x; assert !(r == 1 && s == 0); } finally x <= 1;";
const UNSAFE: &str = "shared x = 0, y = 0; thread p { local r = 9; x = 1; r = y; } thread q { local r = 9; y = 1; r = x; }\n\
                      finally !(p.r == 0 && q.r == 0);";

fn certificate(answer: &mut Answer) -> &mut Certificate {
    match &mut answer.verdict {
        Verdict::Safe { certificate } => certificate,
        other => panic!("not safe: {other:?}"),
    }
}

fn covers_less(answer: &mut Answer) {
    answer.coverage.as_mut().unwrap().unreached.insert(0, (ProcessId(0), EdgeId(0)));
}

fn covers_more(answer: &mut Answer) {
    let unreached = &mut answer.coverage.as_mut().unwrap().unreached;
    assert!(!unreached.is_empty(), "a branch is never taken");
    unreached.clear();
}

fn never_ends(answer: &mut Answer) {
    answer.coverage.as_mut().unwrap().ends = false;
}

macro_rules! abstraction {
    ($answer:expr, $proof:ident => $change:expr) => {
        match certificate($answer) {
            Certificate::Abstraction($proof) => {
                let $proof = Arc::make_mut($proof);
                $change;
            }
            other => panic!("{other:?}"),
        }
    };
}

macro_rules! refutation {
    ($answer:expr, $proof:ident => $change:expr) => {
        match certificate($answer) {
            Certificate::Refutation(Some($proof)) => {
                let $proof = Arc::make_mut($proof);
                $change;
            }
            other => panic!("{other:?}"),
        }
    };
}

/// Each form of certificate, each field made wrong in turn.
#[test]
fn a_wrong_certificate_is_an_internal_error() {
    let lies: &[(&str, &str, &str, &str, Lie)] = &[
        ("explore", SAFE, "tso", "capacity", |answer| match certificate(answer) {
            Certificate::StateSpace { capacity } => *capacity -= 1,
            other => panic!("{other:?}"),
        }),
        ("explore", SAFE, "tso", "unreached, more", covers_less),
        ("explore", SAFE, "tso", "unreached, less", covers_more),
        ("explore", SAFE, "tso", "ends", never_ends),
        ("enumerate", SAFE_BY_AXIOMS, "tso", "executions", |answer| match certificate(answer) {
            Certificate::Executions { executions } => *executions += 1,
            other => panic!("{other:?}"),
        }),
        ("enumerate", SAFE_BY_AXIOMS, "tso", "unreached, more", covers_less),
        ("enumerate", SAFE_BY_AXIOMS, "tso", "unreached, less", covers_more),
        ("enumerate", SAFE_BY_AXIOMS, "tso", "ends", never_ends),
        (
            "extrapolate",
            SAFE,
            "tso",
            "reduction",
            |answer| abstraction!(answer, proof => proof.reduction = None),
        ),
        ("extrapolate", SAFE, "tso", "predicates", |answer| {
            abstraction!(answer, proof => proof.predicates.iter_mut().for_each(|one| *one = one.negated()));
        }),
        (
            "extrapolate",
            SAFE,
            "tso",
            "triples, none",
            |answer| abstraction!(answer, proof => proof.triples.clear()),
        ),
        ("extrapolate", SAFE, "tso", "triples, cubes", |answer| {
            abstraction!(answer, proof => proof.triples.iter_mut().for_each(|one| one.cube.clear()));
        }),
        ("extrapolate", SAFE, "tso", "triples, claims", |answer| {
            abstraction!(answer, proof => proof.triples[0].claim = Claim::Contradiction);
            abstraction!(answer, proof => proof.triples[0].cube.clear());
        }),
        (
            "extrapolate",
            SAFE,
            "tso",
            "states",
            |answer| abstraction!(answer, proof => proof.states.truncate(1)),
        ),
        ("extrapolate", SAFE, "tso", "unreached, more", covers_less),
        ("extrapolate", SAFE, "tso", "ends", never_ends),
        (
            "bmc",
            SAFE_BY_AXIOMS,
            "tso",
            "clauses",
            |answer| refutation!(answer, proof => proof.clauses.clear()),
        ),
        (
            "bmc",
            SAFE_BY_AXIOMS,
            "tso",
            "refuted",
            |answer| refutation!(answer, proof => proof.refuted.clear()),
        ),
        ("bmc", PASSED, "tso", "refuted, assumed", |answer| {
            refutation!(answer, proof => proof.refuted.iter_mut().for_each(|one| one.assumed.clear()));
        }),
        ("bmc", PASSED, "tso", "refuted, steps", |answer| {
            refutation!(answer, proof => proof.refuted[0].steps.clear());
        }),
        ("bmc", PASSED, "tso", "refuted, reasons", |answer| {
            refutation!(answer, proof => for step in &mut proof.refuted[0].steps {
                step.by = Inference::Problem;
            });
        }),
        ("bmc", PASSED, "tso", "relations", |answer| refutation!(answer, proof => proof.relations.clear())),
        ("bmc", PASSED, "tso", "graphs", |answer| refutation!(answer, proof => proof.graphs.clear())),
        ("bmc", PASSED, "tso", "unreached, more", covers_less),
        ("bmc", PASSED, "tso", "unreached, less", covers_more),
        ("bmc", PASSED, "tso", "ends", never_ends),
    ];
    for (engine, text, model, what, lie) in lies {
        let (honest, words) = certified(engine, text, model, |_| {});
        assert_eq!(honest, Exit::Good, "{engine} alone: {words}");
        let (exit, words) = certified(engine, text, model, *lie);
        assert_eq!(exit, Exit::Internal, "{engine}, {what}: {words}");
        assert!(words.contains("engine liar") && words.contains("certificate is wrong"), "{words}");
    }
}

/// A violation without a single move.
fn violated(answer: &mut Answer) {
    let violated = Violation::Property { property: 0 };
    let counterexample = Box::new(Counterexample::scheduled(violated, Schedule::default()));
    *answer = Answer::new(Verdict::Unsafe { counterexample }, Statistics::default());
}

/// A real violation whose last move is missing.
fn cut_short(answer: &mut Answer) {
    if let Verdict::Unsafe { counterexample } = &mut answer.verdict {
        if let Some(schedule) = &mut counterexample.schedule {
            schedule.actions.pop();
        }
        counterexample.paths.iter_mut().for_each(|path| path.truncate(1));
    }
}

fn safe(answer: &mut Answer) {
    let certificate = Certificate::StateSpace { capacity: 4 };
    *answer = Answer::new(Verdict::Safe { certificate }, Statistics::default());
}

#[test]
fn a_counterexample_that_does_not_replay_is_an_internal_error() {
    for (engine, text, lie) in
        [("explore", SAFE, violated as Lie), ("explore", UNSAFE, cut_short), ("enumerate", UNSAFE, cut_short)]
    {
        let (exit, words) = certified(engine, text, "tso", lie);
        assert_eq!(exit, Exit::Internal, "{engine}: {words}");
        assert!(words.contains("engine liar") && words.contains("replay"), "{words}");
        let request =
            Fix { settings: settings(engine, lie), ..Fix::new(models::resolve("tso", false).unwrap()) };
        let report = fix(&request, &input(text), &Watch::default()).unwrap();
        assert_eq!(
            Exit::of_fix(&report, Accept::default()),
            Exit::Internal,
            "{engine}: {:?}",
            report.verdict
        );
    }
}

/// The search for fences believes a proof that is none; the text, read again, says otherwise.
#[test]
fn a_repair_that_contradicts_is_an_internal_error() {
    thread_local! {
        static ASKED: Cell<u32> = const { Cell::new(0) };
    }
    // Honest about the program as it is, about sc and about the text; in between everything is safe.
    fn in_between(answer: &mut Answer) {
        let asked = ASKED.get();
        ASKED.set(asked + 1);
        if asked == 2 {
            safe(answer);
        }
    }
    ASKED.set(0);
    let settings = settings("explore", in_between);
    let request = Fix { settings, ..Fix::new(models::resolve("tso", false).unwrap()) };
    let report = fix(&request, &input(UNSAFE), &Watch::default()).unwrap();
    assert_eq!(Exit::of_fix(&report, Accept::default()), Exit::Internal, "{:?}", report.verdict);
}

#[test]
fn whoever_cannot_list_without_contradiction_is_an_internal_error() {
    let model = models::resolve("tso", false).unwrap();
    let request = Listing {
        model: Some(model.clone()),
        engine: None,
        settings: settings("explore", |_| {}),
        budget: wattle_engine::Budget::default(),
        atomic_copy: false,
    };
    let report = outcomes(&request, &input(UNSAFE), &Watch::default()).unwrap();
    assert_eq!(Exit::of_outcomes(&report, Accept::default()), Exit::Internal, "{:?}", report.verdict);
}

#[test]
fn compare_and_test_end_so_too() {
    let lying = Check { settings: settings("explore", violated), ..request("tso") };
    let compared =
        compare::Compare { check: lying.clone(), models: vec![models::resolve("tso", false).unwrap()] };
    let compared = compare::compare(&compared, &input(SAFE), &Watch::default()).unwrap();
    let compare::Compared::Verdicts(checked) = compared else { panic!("{compared:?}") };
    assert_eq!(Exit::of_check(&checked[0].report, Accept::default()), Exit::Internal);
    let expecting = format!("// wattle: tso safe, fix 0\n{SAFE}");
    let rows =
        test(&Test { check: lying, allow_missing: false }, &input(&expecting), &Watch::default()).unwrap();
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| matches!(row.status, Status::Internal(_))), "{rows:?}");
}
