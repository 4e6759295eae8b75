//! Engines that lie, panic or refuse, and what the portfolio makes of them.

use super::*;
use crate::fix::{Fix, fix};
use crate::{Goal, Input, Watch, load, models, prepare};
use wattle_engine::{Bound, Certificate, Estimate, Property, Schedule, Violation};
use wattle_logic::{Sort, Term};
use wattle_report::{FixReport, FixVerdict, Proof};

/// Answers as it was told to, after so much work.
struct Stub {
    name: &'static str,
    verdict: Stubbed,
    work: Work,
}

#[derive(Clone, Copy)]
enum Stubbed {
    Safe,
    /// A violation without a single move, which does not replay.
    Lie,
    Bounded,
    Unknown,
    Panic,
    Contradiction,
    Refuse,
}

impl Engine for Stub {
    fn name(&self) -> &'static str {
        self.name
    }
    fn accepts(&self, _: &Task<'_>) -> Result<(), Unsupported> {
        match self.verdict {
            Stubbed::Refuse => Err(Unsupported::new("too hard")),
            _ => Ok(()),
        }
    }
    fn estimate(&self, _: &Task<'_>) -> Estimate {
        Estimate::Open
    }
    fn check(&self, _: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let step = Work::milliseconds(10);
        let mut worked = Work::NONE;
        while worked < self.work {
            worked = worked + step;
            if let Err(reason) = run.poll(step, wattle_engine::Spent::default()) {
                return Ok(Answer::new(Verdict::Unknown { reason }, Statistics::default()));
            }
        }
        let verdict = match self.verdict {
            Stubbed::Safe => Verdict::Safe { certificate: Certificate::StateSpace { capacity: 1 } },
            Stubbed::Lie => {
                let violated = Violation::Property { property: 0 };
                let counterexample = Box::new(Counterexample::scheduled(violated, Schedule::default()));
                Verdict::Unsafe { counterexample }
            }
            Stubbed::Bounded => Verdict::SafeUpTo { bound: Bound::Unwinding(3) },
            Stubbed::Unknown => Verdict::Unknown { reason: Reason::Overflow },
            Stubbed::Panic => panic!("on purpose"),
            Stubbed::Contradiction => {
                return Err(Contradiction::within(self.name, "one thing", "another thing"));
            }
            Stubbed::Refuse => unreachable!("it refuses"),
        };
        Ok(Answer::new(verdict, Statistics::default()).covering(Coverage { unreached: vec![], ends: true }))
    }
}

fn stub(name: &'static str, verdict: Stubbed, milliseconds: u64) -> Box<dyn Engine> {
    Box::new(Stub { name, verdict, work: Work::milliseconds(milliseconds) })
}

/// Leaves a predicate that says who it is, and asks for those of others.
struct Leaves(Stub);

impl Engine for Leaves {
    fn name(&self) -> &'static str {
        self.0.name
    }
    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        self.0.accepts(task)
    }
    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let left = Term::local(self.0.name.len() as u32, Sort::Bool);
        let brought = task.hints.map_or(0, |hints| hints.more.len());
        let answer = self.0.check(task, run)?;
        // One that works ahead has nothing of those before it, so nobody has.
        assert_eq!(brought, 1);
        Ok(Answer { hints: Hints { lean: vec![], more: vec![left] }, ..answer })
    }
}

#[test]
fn hints_go_to_every_engine_and_come_back_from_every_engine() {
    let leaves = |name, verdict| -> Box<dyn Engine> {
        Box::new(Leaves(Stub { name, verdict, work: Work::milliseconds(0) }))
    };
    let engines = [leaves("one", Stubbed::Unknown), leaves("other", Stubbed::Safe)];
    let loaded = load(&Input::text("a.wtl", "wtl", TEXT)).unwrap();
    let memory = models::resolve("tso", false).unwrap();
    let prepared = prepare(&loaded, &memory, Goal::Verdict).unwrap();
    let hints = Hints { lean: vec![], more: vec![Term::local(9, Sort::Bool)] };
    let task = Task { hints: Some(&hints), ..prepared.task(Property::Stated) };
    for threads in [1, 2] {
        let portfolio = Portfolio::new(&engines, &task, Purpose::Repair, threads).unwrap();
        let answer = portfolio.check(&task, &Run::default()).unwrap();
        assert!(matches!(answer.verdict, Verdict::Safe { .. }));
        assert_eq!(answer.hints.more, [Term::local(3, Sort::Bool), Term::local(5, Sort::Bool)]);
    }
}

const TEXT: &str = "shared x = 0; thread p { x = 1; } finally x == 1;";

fn solved(engines: &[Box<dyn Engine>], threads: usize) -> Solved {
    let loaded = load(&Input::text("a.wtl", "wtl", TEXT)).unwrap();
    let memory = models::resolve("tso", false).unwrap();
    let prepared = prepare(&loaded, &memory, Goal::Verdict).unwrap();
    solve(&prepared.task(Property::Stated), engines, threads, &Run::default())
}

#[test]
fn a_counterexample_that_does_not_replay_is_never_a_verdict() {
    for threads in [1, 4] {
        let solved = solved(&[stub("liar", Stubbed::Lie, 0), stub("safe", Stubbed::Safe, 0)], threads);
        let Err(Internal::Contradiction(why)) = solved.verdict else { panic!("{:?}", solved.verdict) };
        assert_eq!(why.claim.who, "engine liar");
        assert_eq!(why.denial.who, "replay");
    }
}

#[test]
fn a_contradiction_inside_an_engine_is_not_passed_over() {
    let engines = [stub("torn", Stubbed::Contradiction, 0), stub("safe", Stubbed::Safe, 0)];
    let solved = solved(&engines, 1);
    assert!(matches!(solved.verdict, Err(Internal::Contradiction(why)) if why.claim.words == "one thing"));
}

#[test]
fn a_panic_is_an_internal_error_of_this_file_only() {
    let solved = solved(&[stub("panics", Stubbed::Panic, 0)], 1);
    assert!(matches!(solved.verdict, Err(Internal::Panic(what)) if what.contains("on purpose")));
}

#[test]
fn what_all_refuse_is_unknown_with_the_reasons() {
    let solved = solved(&[stub("refuses", Stubbed::Refuse, 0)], 1);
    let Ok(Verdict::Unknown { reason }) = solved.verdict else { panic!("not unknown") };
    assert_eq!(reason.to_string(), "unsupported: too hard");
}

/// The first in the order wins, however long it takes and however many work beside it.
#[test]
fn the_order_decides_and_not_the_clock() {
    for threads in [1, 2, 4] {
        let engines = [
            stub("gives up", Stubbed::Unknown, 100),
            stub("slow", Stubbed::Safe, 5_000),
            stub("fast", Stubbed::Safe, 0),
        ];
        assert_eq!(solved(&engines, threads).engine, Some("slow"), "{threads}");
    }
}

#[test]
fn a_later_engine_improves_a_bounded_answer_if_it_does_not_take_long() {
    for threads in [1, 4] {
        let engines = |work| [stub("bounded", Stubbed::Bounded, 10), stub("later", Stubbed::Safe, work)];
        assert_eq!(solved(&engines(1_000), threads).engine, Some("later"));
        // What it found ahead of its turn is not what it would have found in it.
        assert_eq!(solved(&engines(50_000), threads).engine, Some("bounded"));
    }
}

/// Answers up to a bound, and beyond it as it was told to.
struct Further(Stubbed);

impl Engine for Further {
    fn name(&self) -> &'static str {
        "further"
    }
    fn accepts(&self, _: &Task<'_>) -> Result<(), Unsupported> {
        Ok(())
    }
    fn beyond(&self, bound: &Bound) -> Option<Box<dyn Engine>> {
        assert_eq!(*bound, Bound::Unwinding(3));
        Some(stub("further", self.0, 0))
    }
    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        stub("further", Stubbed::Bounded, 10).check(task, run)
    }
}

#[test]
fn what_is_left_of_the_time_goes_beyond_a_bound_and_never_loses_it() {
    let loaded = load(&Input::text("a.wtl", "wtl", TEXT)).unwrap();
    let memory = models::resolve("tso", false).unwrap();
    let prepared = prepare(&loaded, &memory, Goal::Verdict).unwrap();
    let beyond = |verdict, seconds| {
        let engines: [Box<dyn Engine>; 2] = [Box::new(Further(verdict)), stub("other", Stubbed::Unknown, 10)];
        let time = Some(std::time::Duration::from_secs(seconds));
        let run = Run::new(wattle_engine::Budget { time, ..wattle_engine::Budget::default() });
        solve(&prepared.task(Property::Stated), &engines, 1, &run).verdict.unwrap()
    };
    let three = |verdict| matches!(verdict, Verdict::SafeUpTo { bound: Bound::Unwinding(3) });
    assert!(matches!(beyond(Stubbed::Safe, 60), Verdict::Safe { .. }));
    assert!(three(beyond(Stubbed::Unknown, 60)), "it did not get further");
    assert!(three(beyond(Stubbed::Safe, 1)), "there is no time");
}

/// Two that say the opposite: seen where the later one has finished before the earlier.
#[test]
fn engines_that_work_ahead_and_disagree_are_a_contradiction() {
    let loaded = load(&Input::text("a.wtl", "wtl", TEXT)).unwrap();
    let memory = models::resolve("tso", false).unwrap();
    let prepared = prepare(&loaded, &memory, Goal::Verdict).unwrap();
    let task = prepared.task(Property::Stated);
    let engines = [stub("safe", Stubbed::Safe, 0), stub("liar", Stubbed::Lie, 0)];
    let willing: Vec<&dyn Engine> = engines.iter().map(|engine| &**engine).collect();
    let (turns, run) = (turns(&willing, &task, Purpose::Verdict), Run::default());
    let disagreement = Beside::with(&turns, &task, &run, 2, |beside| {
        let ours = ask(willing[0], &task, &run).unwrap();
        beside.wait_for(1);
        beside.agrees(0, &ours).unwrap_err()
    });
    let Internal::Contradiction(why) = disagreement else { panic!("{disagreement:?}") };
    assert_eq!((why.claim.who.as_str(), why.denial.who.as_str()), ("engine safe", "engine liar"));
}

fn fixed(text: &str, model: &str, engine: Option<&str>) -> FixReport {
    let model = models::resolve(model, false).unwrap();
    let request = Fix { engine: engine.map(ToOwned::to_owned), ..Fix::new(model) };
    fix(&request, &Input::text("a.wtl", "wtl", text), &Watch::default()).unwrap()
}

/// The assertion comes after more rounds than are looked at.
#[test]
fn a_vacuous_bounded_program_is_unknown_to_fix_too() {
    let text = "shared x = 0, y = 0; thread p { local n = 0; while (n < 9) { x = 1; y = 1; n = n + 1; } assert n == 9; }";
    let report = fixed(text, "power", Some("enumerate"));
    let vacuous = matches!(&report.verdict, FixVerdict::Unknown { reason: Reason::Vacuous { .. } });
    assert!(vacuous, "{:?}", report.verdict);
}

/// Bounded, not vacuous: the text says what was chosen, and nothing is called minimal.
#[test]
fn a_repair_up_to_a_bound_says_so() {
    let text = "shared x = 0, y = 0;\nthread p {\n  while (true) {\n    x = 1;\n    y = 1;\n    await y == 0;\n  }\n}\n\
                thread q {\n  local r = 0;\n  await y == 1;\n  r = x;\n  assert r == 1;\n}\n";
    let report = fixed(text, "power", Some("enumerate"));
    let FixVerdict::Repaired { proof, minimal, sets, edited, .. } = report.verdict else {
        panic!("{:?}", report.verdict)
    };
    assert_eq!((proof, minimal), (Proof::Bounded, false));
    let kinds: Vec<&str> = sets[0].iter().map(|one| one.kind.as_str()).collect();
    assert_eq!(kinds, ["lwsync", "lwsync"]);
    let edited = edited.unwrap();
    let edited = edited.into_values().next().unwrap();
    assert!(edited.contains("    fence lwsync;\n    y = 1;"), "{edited}");
    assert!(edited.contains("  fence lwsync;\n  r = x;"), "{edited}");
}
