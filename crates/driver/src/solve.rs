//! One task, the engines in order, and the judges: nothing leaves here that was not replayed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use std::fmt;

use wattle_engine::{
    Contradiction, Counterexample, Coverage, Engine, Halt, Reason, Run, Statistics, Task, Verdict, Work,
};
use wattle_judge::confirm::{confirm, observed};
use wattle_judge::tidy;

use crate::load::panic_text;
use crate::refusals::{all_refuse, says_more};
use crate::turns::turns;

/// What came of a task.
#[derive(Debug)]
pub(crate) struct Solved {
    pub engine: Option<&'static str>,
    pub verdict: Result<Verdict, Internal>,
    pub coverage: Option<Coverage>,
    pub statistics: Statistics,
    /// Which engine was chosen and why, and who refused.
    pub remarks: Vec<String>,
}

/// A bounded answer may be improved with so much work, or a few times what it took.
const IMPROVEMENT: Work = Work::milliseconds(2000);

/// Wattle is at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Internal {
    Contradiction(Contradiction),
    Panic(String),
}

impl From<Contradiction> for Internal {
    fn from(contradiction: Contradiction) -> Internal {
        Internal::Contradiction(contradiction)
    }
}

impl fmt::Display for Internal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Internal::Contradiction(contradiction) => contradiction.fmt(f),
            Internal::Panic(what) => f.write_str(what),
        }
    }
}

/// Engines have their turn in the order of the list, each with an equal share of the time that is
/// left, and the first in that order to answer wins. An answer up to a bound stands unless a later
/// engine does better within a few times what it took.
pub(crate) fn solve(task: &Task<'_>, engines: &[Box<dyn Engine>], run: &Run) -> Solved {
    let mut remarks = Vec::new();
    let mut refusals = Vec::new();
    let mut willing = Vec::new();
    for engine in engines {
        let name = engine.name();
        match guarded(name, || engine.accepts(task)) {
            Err(internal) => return broken(name, internal, remarks),
            Ok(Err(why)) => {
                remarks.push(format!("engine {name} refuses: {why}"));
                refusals.push((&**engine, why));
            }
            Ok(Ok(())) => willing.push(&**engine),
        }
    }
    let mut undecided: Option<Solved> = None;
    let mut bounded: Option<Solved> = None;
    let turns = turns(&willing, task.program);
    for (number, turn) in turns.iter().enumerate() {
        let engine = turn.engine;
        let name = engine.name();
        remarks.push(match number {
            0 => format!("engine {name}: the first in the list that accepts the task"),
            _ => format!("engine {name}: the next that accepts the task"),
        });
        let share = match &bounded {
            None => turn.share(run, turns.len() - number),
            Some(_) => run.at_most(IMPROVEMENT.max(run.worked() * 3)),
        };
        let answer = match guarded(name, || engine.check(task, &share)) {
            Err(internal) => return broken(name, internal, remarks),
            Ok(Err(contradiction)) => return broken(name, contradiction.into(), remarks),
            Ok(Ok(answer)) => answer,
        };
        let verdict = match answer.verdict {
            Verdict::Unsafe { counterexample } => confirmed(task, name, counterexample, run),
            verdict => Ok(verdict),
        };
        let solved = Solved {
            engine: Some(name),
            statistics: answer.statistics,
            coverage: answer.coverage,
            remarks: remarks.clone(),
            verdict,
        };
        if let Ok(Verdict::SafeUpTo { bound }) = &solved.verdict {
            remarks.push(format!("engine {name} answers up to a bound: {bound}"));
            bounded = bounded.or(Some(solved));
            continue;
        }
        let Ok(Verdict::Unknown { reason }) = &solved.verdict else { return solved };
        // The next engine may know better, unless nobody wants to know any more.
        if *reason == Reason::Interrupted {
            return solved;
        }
        remarks.push(format!("engine {name} does not know: {reason}"));
        let known = undecided.as_ref().and_then(|solved| match &solved.verdict {
            Ok(Verdict::Unknown { reason }) => Some(reason),
            _ => None,
        });
        if known.is_none_or(|known| says_more(reason, known)) {
            undecided = Some(solved);
        }
    }
    bounded.or(undecided).map(|first| Solved { remarks: remarks.clone(), ..first }).unwrap_or_else(|| {
        Solved {
            engine: None,
            verdict: Ok(Verdict::Unknown { reason: Reason::Unsupported(all_refuse(task, &refusals)) }),
            coverage: None,
            statistics: Statistics::default(),
            remarks,
        }
    })
}

fn confirmed(
    task: &Task<'_>,
    name: &'static str,
    counterexample: Box<Counterexample>,
    run: &Run,
) -> Result<Verdict, Internal> {
    match guarded(name, || confirm(task, &counterexample)) {
        Ok(Ok(replayed)) => {
            // A schedule says more than the graph that it was found for.
            let counterexample = match replayed.schedule {
                Some(schedule) => Counterexample {
                    instance: counterexample.instance.clone(),
                    ..Counterexample::scheduled(counterexample.violated.clone(), schedule)
                },
                None => *counterexample,
            };
            // Each change is replayed before it is kept.
            guarded(name, || {
                let mut tidied = tidy(task, &counterexample, run);
                // The graph of the moves, for stories and pictures.
                tidied.execution = observed(task, &tidied).or(tidied.execution);
                Verdict::Unsafe { counterexample: Box::new(tidied) }
            })
        }
        // A limit that the replay met: not a verdict, and nobody's fault.
        Ok(Err(Halt::Unknown(reason))) => Ok(Verdict::Unknown { reason }),
        Ok(Err(Halt::Contradiction(contradiction))) => Err(contradiction.claimed_by(name).into()),
        Err(internal) => Err(internal),
    }
}

fn broken(name: &'static str, internal: Internal, remarks: Vec<String>) -> Solved {
    let statistics = Statistics::default();
    Solved { engine: Some(name), verdict: Err(internal), coverage: None, statistics, remarks }
}

/// A panic in an engine must not take the other files with it.
fn guarded<T>(engine: &str, work: impl FnOnce() -> T) -> Result<T, Internal> {
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|panic| Internal::Panic(format!("engine {engine} panicked: {}", panic_text(&*panic))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, load};
    use wattle_engine::{Answer, Contradiction, Property, Schedule, Unsupported, Violation};

    /// Claims a violation without a single move.
    struct Liar;
    struct Panics;
    struct Refuses;

    impl Engine for Liar {
        fn name(&self) -> &'static str {
            "liar"
        }
        fn accepts(&self, _: &Task<'_>) -> Result<(), Unsupported> {
            Ok(())
        }
        fn check(&self, _: &Task<'_>, _: &Run) -> Result<Answer, Contradiction> {
            let violated = Violation::Property { property: 0 };
            let counterexample = Box::new(Counterexample::scheduled(violated, Schedule::default()));
            Ok(Answer::new(Verdict::Unsafe { counterexample }, Statistics::default()))
        }
    }

    impl Engine for Panics {
        fn name(&self) -> &'static str {
            "panics"
        }
        fn accepts(&self, _: &Task<'_>) -> Result<(), Unsupported> {
            Ok(())
        }
        fn check(&self, _: &Task<'_>, _: &Run) -> Result<Answer, Contradiction> {
            panic!("on purpose")
        }
    }

    impl Engine for Refuses {
        fn name(&self) -> &'static str {
            "refuses"
        }
        fn accepts(&self, _: &Task<'_>) -> Result<(), Unsupported> {
            Err(Unsupported::new("too hard"))
        }
        fn check(&self, _: &Task<'_>, _: &Run) -> Result<Answer, Contradiction> {
            unreachable!("it refuses")
        }
    }

    fn solved(engines: &[Box<dyn Engine>]) -> Solved {
        let text = "shared x = 0; thread p { x = 1; } finally x == 1;";
        let loaded = load(&Input::text("a.wtl", "wtl", text)).unwrap();
        let memory = crate::models::resolve("tso", false).unwrap();
        let task = Task { program: &loaded.parsed.program, memory: &memory, property: Property::Stated };
        solve(&task, engines, &Run::default())
    }

    #[test]
    fn a_counterexample_that_does_not_replay_is_never_a_verdict() {
        let solved = solved(&[Box::new(Liar)]);
        assert!(
            matches!(solved.verdict, Err(Internal::Contradiction(what)) if what.claim.who == "engine liar")
        );
    }

    #[test]
    fn a_panic_is_an_internal_error_of_this_file_only() {
        let solved = solved(&[Box::new(Panics)]);
        assert!(matches!(solved.verdict, Err(Internal::Panic(what)) if what.contains("on purpose")));
    }

    #[test]
    fn what_all_refuse_is_unknown_with_the_reasons() {
        let solved = solved(&[Box::new(Refuses)]);
        let Ok(Verdict::Unknown { reason }) = solved.verdict else { panic!("not unknown") };
        assert_eq!(reason.to_string(), "unsupported: too hard");
    }
}
