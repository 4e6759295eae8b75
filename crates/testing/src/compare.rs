//! An engine against the naive search, on one program.
//!
//! The naive search runs once for each memory model, with the same bound on pending operations as
//! the engine, and without stopping at a violation; so one run gives verdict, outcomes, the number
//! of states, the edges taken, and whether the bound cut anything off. If it did, a second run tries
//! to see the whole, because an engine may go beyond its bound where it knows that this ends. Every
//! engine's answers are then judged by what its verdict claims:
//!
//! * *unsafe* must replay, and the naive search must know a violation;
//! * *safe* must be closed within the capacity that the certificate names, without a violation, and
//!   without reduction its number of states must be the naive one;
//! * *safe up to* needs a cut and no violation at that bound;
//! * *unknown* must have a reason that the naive search shares, or be the budget's fault: then the
//!   two are incomparable, which is counted and never passed over.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use wattle_engine::{
    Answer, Bound, Budget, Certificate, Coverage, Engine, Halt, OutcomeSet, Outcomes, Property, Reason, Run,
    Task, Verdict, Work, edges,
};
use wattle_judge::certify::{Closure, certify, explore_all};
use wattle_judge::confirm;
use wattle_memory::MemoryModel;
use wattle_program::{Mode, Op, Program};

/// An engine under test, and what may be expected of it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub name: &'a str,
    pub engine: &'a dyn Engine,
    pub outcomes: Option<&'a dyn Outcomes>,
    /// It visits every state, so its figure `states` is that of the naive search.
    pub exact: bool,
    /// Its certificates name every edge that no execution takes.
    pub lists_unreached: bool,
}

impl std::fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// How far the comparison goes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Pending operations a thread; the subjects' own bound must be the same.
    pub capacity: usize,
    /// States that the naive search may store.
    pub states: u64,
    /// What an engine may do.
    pub work: Work,
    /// Ask for deadlocks too.
    pub deadlock: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { capacity: 4, states: 2000, work: Work::milliseconds(100), deadlock: true }
    }
}

impl Limits {
    fn run(&self) -> Run {
        Run::new(Budget { states: Some(self.states), ..Budget::default() })
    }

    fn search(&self, task: &Task<'_>, capacity: usize) -> Result<Closure, Reason> {
        explore_all(task, Some(capacity), false, &self.run())
    }

    fn naive(&self, task: &Task<'_>) -> Naive {
        let bounded = self.search(task, self.capacity);
        let cut = bounded.as_ref().is_ok_and(|bounded| bounded.cut);
        let whole = cut.then(|| self.search(task, WHOLE)).and_then(Result::ok).filter(|whole| !whole.cut);
        Naive { bounded, whole }
    }

    pub fn engine(&self) -> Run {
        // Twice the naive states: an engine may visit some again at each capacity.
        let states = Some(2 * self.states);
        Run::new(Budget { work: Some(self.work), states, ..Budget::default() })
    }
}

/// More pending operations than any small program without loops has.
const WHOLE: usize = 12;

/// What the naive search finds.
struct Naive {
    /// Within the bound.
    bounded: Result<Closure, Reason>,
    /// If the bound cut something off, and the rest is small enough to see.
    whole: Option<Closure>,
}

impl Naive {
    /// The most that is known.
    fn best(&self) -> Result<&Closure, &Reason> {
        self.whole.as_ref().map_or(self.bounded.as_ref(), Ok)
    }
}

/// Everything that was found out about a program.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The naive search's findings, for each memory model.
    pub naive: Vec<Result<Closure, Reason>>,
    /// Answers compared.
    pub compared: u64,
    /// Answers that a budget made worthless, on either side.
    pub incomparable: u64,
    pub times: Times,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    pub naive: Duration,
    pub check: Duration,
    pub outcomes: Duration,
    pub judge: Duration,
}

/// Who said what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    pub model: wattle_program::Name,
    pub subject: String,
    pub what: String,
}

/// Was the answer worth comparing?
type Judgement = Result<bool, String>;

pub fn compare(
    program: &Program,
    models: &[&'static MemoryModel],
    subjects: &[Subject<'_>],
    limits: &Limits,
) -> Result<Comparison, Disagreement> {
    let mut result = Comparison::default();
    for memory in models {
        let mut properties = vec![Property::Stated];
        properties.extend(limits.deadlock.then_some(Property::NoDeadlock));
        for property in properties {
            let task = Task { program, memory, property, hints: None };
            let start = Instant::now();
            let naive = limits.naive(&task);
            result.times.naive += start.elapsed();
            for subject in subjects {
                let disagree = |what: String| Disagreement {
                    model: memory.name.clone(),
                    subject: subject.name.to_owned(),
                    what: format!("{property:?}: {what}"),
                };
                let mut count = |compared: bool| match compared {
                    true => result.compared += 1,
                    false => result.incomparable += 1,
                };
                let start = Instant::now();
                let answer = subject.engine.check(&task, &limits.engine());
                result.times.check += start.elapsed();
                let start = Instant::now();
                let judged = answer.map_err(|contradiction| contradiction.to_string());
                let judged = judged.and_then(|answer| judge(&task, &naive, &answer, subject, limits));
                count(judged.map_err(disagree)?);
                result.times.judge += start.elapsed();
                if property == Property::Stated
                    && let Some(outcomes) = subject.outcomes
                {
                    let start = Instant::now();
                    let found = outcomes.outcomes(&task, &limits.engine());
                    result.times.outcomes += start.elapsed();
                    count(judge_outcomes(program, &naive, &found).map_err(disagree)?);
                }
            }
            if property == Property::Stated {
                result.naive.push(naive.whole.map_or(naive.bounded, Ok));
            }
        }
    }
    Ok(result)
}

/// Is this the fault of a budget?
pub fn is_budget(reason: &Reason) -> bool {
    matches!(reason, Reason::Work | Reason::States | Reason::Memory | Reason::Timeout)
}

fn judge(
    task: &Task<'_>,
    naive: &Naive,
    answer: &Answer,
    subject: &Subject<'_>,
    limits: &Limits,
) -> Judgement {
    if let Verdict::Unsafe { counterexample } = &answer.verdict {
        confirm::confirm(task, counterexample).map_err(|error| format!("not confirmed: {error}"))?;
    }
    let best = match naive.best() {
        Ok(best) => best,
        Err(reason) => return judge_without(reason, &answer.verdict),
    };
    match (&answer.verdict, &best.violation) {
        (Verdict::Unsafe { .. }, Some(_)) => Ok(true),
        // It was replayed, and lies beyond what the naive search has seen.
        (Verdict::Unsafe { .. }, None) if best.cut => Ok(true),
        (Verdict::Unsafe { counterexample }, None) => {
            Err(format!("unsafe ({:?}), but the naive search finds nothing", counterexample.violated))
        }
        (Verdict::Unknown { reason }, _) if is_budget(reason) => Ok(false),
        (Verdict::Unknown { reason: Reason::Vacuous { bound } }, _) => {
            judge_bounded(task, *bound, None, limits)
        }
        (Verdict::Unknown { reason }, _) => Err(format!("unknown ({reason}), but the naive search knows")),
        (Verdict::SafeUpTo { bound }, _) => judge_bounded(task, *bound, answer.coverage.as_ref(), limits),
        (Verdict::Safe { .. }, Some(found)) => {
            Err(format!("safe, but the naive search finds {:?}", found.violated))
        }
        (Verdict::Safe { certificate }, None) => judge_safe(task, best, certificate, answer, subject, limits),
    }
}

/// The bound may be smaller than the engine's limit, where its budget ran out.
fn judge_bounded(task: &Task<'_>, bound: Bound, coverage: Option<&Coverage>, limits: &Limits) -> Judgement {
    let Bound::Capacity(capacity) = bound else {
        return Err(format!("bounded by {bound}, which is no bound of a machine"));
    };
    if capacity > limits.capacity {
        return Err(format!("bounded by {capacity}, beyond the limit of {}", limits.capacity));
    }
    match limits.search(task, capacity) {
        Err(reason) if is_budget(&reason) => Ok(false),
        Err(reason) => Err(format!("safe up to {capacity}, but the naive search gives up: {reason}")),
        Ok(Closure { violation: Some(found), .. }) => {
            Err(format!("safe up to {capacity}, but the naive search finds {:?}", found.violated))
        }
        // An engine may stop at a full buffer before it sees that the step is not enabled anyway.
        Ok(naive) if !naive.cut && decides_after_storing(task.program) => Ok(true),
        Ok(naive) if !naive.cut => {
            Err(format!("safe up to {capacity}, but the naive search closes with {}", naive.most_pending))
        }
        Ok(naive) => unreached_edges(task.program, &naive, coverage, false).map(|()| true),
    }
}

/// Is there a step that may turn out not to be enabled after it has stored something?
fn decides_after_storing(program: &Program) -> bool {
    program.processes.iter().flat_map(|process| &process.cfg.edges).any(|edge| {
        let stores = |op: &Op| {
            matches!(op, Op::Store { .. } | Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. })
        };
        let rest = edge.ops.iter().skip_while(|op| !stores(op)).skip(1);
        // Whatever sets a cell may leave its range, and a fence may wait.
        edge.mode != Mode::Locked
            && rest.into_iter().any(|op| !matches!(op, Op::Assert { .. } | Op::Forget { .. }))
    })
}

fn judge_safe(
    task: &Task<'_>,
    naive: &Closure,
    certificate: &Certificate,
    answer: &Answer,
    subject: &Subject<'_>,
    limits: &Limits,
) -> Judgement {
    let Certificate::StateSpace { capacity } = certificate else {
        return Err("a certificate that is no state space".into());
    };
    if subject.exact && !naive.cut {
        if *capacity < naive.most_pending {
            let most = naive.most_pending;
            return Err(format!("safe with capacity {capacity}, but a thread has {most} pending"));
        }
        let states = answer.statistics.counted("states");
        if states != Some(naive.states) {
            return Err(format!(
                "{states:?} states in the statistics, the naive search has {}",
                naive.states
            ));
        }
    } else if naive.cut || *capacity < naive.most_pending {
        // An engine may go beyond its bound where it knows that this ends; and a reduced search does
        // not count stores that change nothing. Both are for the checker of certificates to judge.
        let no_solver = || Err("no solver is needed".into());
        match certify(task, certificate, answer.coverage.as_ref(), no_solver, &limits.run()) {
            Err(Halt::Contradiction(contradiction)) => return Err(contradiction.to_string()),
            Err(Halt::Unknown(_)) => return Ok(false),
            Ok(_) => {}
        }
    }
    let coverage = answer.coverage.as_ref();
    unreached_edges(task.program, naive, coverage, subject.lists_unreached && !naive.cut)?;
    Ok(true)
}

/// Edges called unreached are never taken; if `all`, those are all that are never taken.
fn unreached_edges(
    program: &Program,
    naive: &Closure,
    coverage: Option<&Coverage>,
    all: bool,
) -> Result<(), String> {
    let Some(Coverage { unreached: listed, .. }) = coverage else { return Ok(()) };
    if let Some(edge) = listed.iter().find(|edge| naive.taken.contains(edge)) {
        return Err(format!("{edge:?} is called unreached and is taken"));
    }
    let listed: BTreeSet<_> = listed.iter().copied().collect();
    let missing = edges(program).find(|edge| !naive.taken.contains(edge) && !listed.contains(edge));
    match missing {
        Some(edge) if all => Err(format!("{edge:?} is never taken and not called unreached")),
        _ => Ok(()),
    }
}

/// The naive search has no findings: then at least nobody may claim safety against its reason.
fn judge_without(reason: &Reason, verdict: &Verdict) -> Judgement {
    match verdict {
        _ if is_budget(reason) => Ok(false),
        Verdict::Unsafe { .. } | Verdict::Unknown { .. } => Ok(true),
        _ => Err(format!("{}, but the naive search gives up: {reason}", word(verdict))),
    }
}

fn judge_outcomes(program: &Program, naive: &Naive, found: &Result<OutcomeSet, Halt>) -> Judgement {
    let cut = naive.bounded.as_ref().is_ok_and(|bounded| bounded.cut);
    match (naive.best(), found) {
        (Err(reason), _) if is_budget(reason) => Ok(false),
        (Err(_), Err(_)) => Ok(true),
        (Err(reason), Ok(_)) => Err(format!("outcomes, but the naive search gives up: {reason}")),
        (_, Err(Halt::Unknown(reason))) if is_budget(reason) => Ok(false),
        // What an engine's bound cuts off, it need not list.
        (Ok(_), Err(Halt::Unknown(Reason::TooLarge(_) | Reason::OnlyUpTo(_))))
            if cut || decides_after_storing(program) =>
        {
            Ok(true)
        }
        (Ok(_), Err(reason)) => Err(format!("no outcomes ({reason}), but the naive search has them")),
        (Ok(naive), Ok(found)) => {
            if let Some(missing) = naive.outcomes.difference(found).next() {
                return Err(format!("the outcome {missing:?} is missing"));
            }
            match found.difference(&naive.outcomes).next() {
                Some(extra) if !naive.cut => Err(format!("the outcome {extra:?} does not exist")),
                _ => Ok(true),
            }
        }
    }
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Safe { .. } => "safe",
        Verdict::SafeUpTo { .. } => "safe up to a bound",
        Verdict::Unsafe { .. } => "unsafe",
        Verdict::Unknown { .. } => "unknown",
    }
}
