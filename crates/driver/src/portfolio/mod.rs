//! One task, several engines: who is asked, in which order, with which share, and whose answer counts.
//!
//! Engines have their turn in the order of [`turns`], and the first in that order to decide wins, never the first by
//! the clock. An answer up to a bound stands unless a later engine does better within a few times what it took.
//! Shares count work, so that a busy machine does not change the answer; where all had their share and time is left,
//! those that were stopped by it are asked once more. With several threads, later engines work ahead
//! ([`beside`]); what they find is used only where it is what they would have found in their turn.
//!
//! `check`, `fix` and `outcomes` all go through here. Nothing leaves [`Portfolio::solve`] that was not replayed.

mod beside;
mod listing;
mod refusals;
mod turns;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use wattle_engine::{
    Answer, Bound, Contradiction, Counterexample, Coverage, Engine, Halt, Hints, Reason, Run, Statistics,
    Suspicion, Task, Unsupported, Verdict, Work,
};
use wattle_judge::confirm::{confirm, observed};
use wattle_judge::tidy;

use crate::load::panic_text;
use crate::reach::Reach;
use beside::Beside;
use refusals::{all_refuse, says_more};
use turns::{Turn, turns};

pub(crate) use listing::{Listed, listed};
pub(crate) use turns::Purpose;

/// A bounded answer may be improved with so much work, or a few times what it took.
const IMPROVEMENT: Work = Work::milliseconds(2000);

/// An internal error, which ends in exit code 101.
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

/// What came of a task.
#[derive(Debug)]
pub(crate) struct Solved {
    pub engine: Option<&'static str>,
    pub verdict: Result<Verdict, Internal>,
    pub coverage: Option<Coverage>,
    pub suspicion: Option<Suspicion>,
    pub statistics: Statistics,
    /// Which engine was chosen and why, and who refused.
    pub remarks: Vec<String>,
}

/// The engines that accept a task, in order.
pub(crate) struct Portfolio<'a> {
    turns: Vec<Turn<'a>>,
    purpose: Purpose,
    /// How many engines may work at the same time.
    threads: usize,
    /// The turn that comes first: an engine that did not know in a full turn is not asked first again, because programs
    /// that differ in a few fences are equally hard.
    first: AtomicUsize,
    /// Who answered last.
    last: AtomicUsize,
    /// The turns (as bits) that could not improve a bounded answer. In a search for fences they are not asked to again: programs that
    /// differ in a few fences are equally hard, and the search has many questions.
    no_better: AtomicUsize,
    refused: Vec<String>,
}

/// Ask about one task.
pub(crate) fn solve(task: &Task<'_>, engines: &[Box<dyn Engine>], threads: usize, run: &Run) -> Solved {
    let nobody = |verdict, remarks| Solved {
        engine: None,
        verdict,
        coverage: None,
        suspicion: None,
        statistics: Statistics::default(),
        remarks,
    };
    match Portfolio::new(engines, task, Purpose::Verdict, threads) {
        Ok(portfolio) => portfolio.solve(task, run),
        Err(NoEngine::Refuse { why, refused }) => {
            nobody(Ok(Verdict::Unknown { reason: Reason::Unsupported(why) }), refused)
        }
        Err(NoEngine::Internal(internal)) => nobody(Err(internal), vec![]),
    }
}

/// Why there is no portfolio.
#[derive(Debug)]
pub(crate) enum NoEngine {
    Refuse {
        why: Unsupported,
        /// What each engine says.
        refused: Vec<String>,
    },
    Internal(Internal),
}

/// How a round of turns ended.
struct Decided {
    turn: Option<usize>,
    answer: Answer,
}

impl<'a> Portfolio<'a> {
    /// Those that accept the task, or why none does.
    pub(crate) fn new(
        engines: &'a [Box<dyn Engine>],
        task: &Task<'_>,
        purpose: Purpose,
        threads: usize,
    ) -> Result<Portfolio<'a>, NoEngine> {
        let (mut willing, mut refusals): (Vec<&dyn Engine>, Vec<_>) = (vec![], vec![]);
        for engine in engines {
            match guarded(engine.name(), || engine.accepts(task)).map_err(NoEngine::Internal)? {
                Ok(()) => willing.push(&**engine),
                Err(why) => refusals.push((&**engine, why)),
            }
        }
        let refused =
            |(engine, why): &(&dyn Engine, Unsupported)| format!("engine {} refuses: {why}", engine.name());
        let refused = refusals.iter().map(refused).collect();
        if willing.is_empty() {
            return Err(NoEngine::Refuse { why: all_refuse(task, &refusals), refused });
        }
        Ok(Portfolio {
            turns: turns(&willing, task, purpose),
            purpose,
            threads: threads.max(1),
            first: AtomicUsize::new(0),
            last: AtomicUsize::new(0),
            no_better: AtomicUsize::new(0),
            refused,
        })
    }

    /// The verdict, judged.
    pub(crate) fn solve(&self, task: &Task<'_>, run: &Run) -> Solved {
        let mut remarks = self.refused.clone();
        let (engine, verdict, rest) = match self.decide(task, run, 0, &mut remarks) {
            Ok(Decided { turn, answer }) => {
                let Answer { verdict, coverage, suspicion, statistics, .. } = answer;
                (turn, Ok(verdict), (coverage, suspicion, statistics))
            }
            Err((turn, internal)) => (Some(turn), Err(internal), (None, None, Statistics::default())),
        };
        let engine = engine.and_then(|turn| self.turns.get(turn)).map(|turn| turn.engine.name());
        let (coverage, suspicion, statistics) = rest;
        Solved { engine, verdict, coverage, suspicion, statistics, remarks }
    }

    /// Let the engines have their turns, from this one on.
    fn decide(
        &self,
        task: &Task<'_>,
        run: &Run,
        from: usize,
        remarks: &mut Vec<String>,
    ) -> Result<Decided, (usize, Internal)> {
        let mut round = Round::new(self, task, run);
        let decided = Beside::with(&self.turns[from..], task, run, self.threads, |beside| {
            for number in from..self.turns.len() {
                let why = self.turns[number].reason(number == from);
                remarks.push(format!("engine {}: {why}", self.name_of(number)));
                if let Some(bound) = round.bound()
                    && (self.is_no_better(number) || !self.turns[number].engine.improves(&bound))
                {
                    continue;
                }
                let improves = round.bounded.is_some();
                let share = round.share(number, self.turns.len() - number);
                let answer = beside.answer(number - from, &share).map_err(|internal| (number, internal))?;
                if let Some(decided) = round.take(number, answer, &share, remarks)? {
                    beside.agrees(number - from, &decided.answer).map_err(|internal| (number, internal))?;
                    return Ok(decided);
                }
                if improves {
                    self.no_better.fetch_or(1 << number.min(BITS), Ordering::Relaxed);
                }
            }
            // All had their share of the work. What is left of the time is for those who would have gone on.
            let again = std::mem::take(&mut round.stopped);
            let time = run.left().time.is_some_and(|left| left > MUCH_TIME) && run.budget().work.is_none();
            let again = if time && round.bounded.is_none() { again } else { vec![] };
            for (position, number) in again.iter().copied().enumerate() {
                remarks.push(format!("engine {}: again, with the time that is left", self.name_of(number)));
                let share = run.share(1, (again.len() - position) as u32);
                let turn = &self.turns[number];
                let answer = ask(turn.engine, task, &share).map_err(|internal| (number, internal))?;
                if let Some(decided) = round.take(number, answer, &share, remarks)? {
                    return Ok(decided);
                }
            }
            self.improve(task, run, &mut round, remarks)?;
            Ok(round.best())
        });
        decided.map(|mut decided| {
            decided.answer.hints = round.hints;
            decided
        })
    }

    /// All have answered, one of them up to a bound that it set itself so that others have their turn: now it has the rest of the time.
    fn improve(
        &self,
        task: &Task<'_>,
        run: &Run,
        round: &mut Round<'_>,
        remarks: &mut Vec<String>,
    ) -> Result<(), (usize, Internal)> {
        let time = run.left().time.is_some_and(|left| left > MUCH_TIME) && run.budget().work.is_none();
        let number = round.bounded.as_ref().and_then(|bounded| bounded.turn);
        let (Some(number), Some(bound)) = (number, round.bound()) else { return Ok(()) };
        let Some(engine) = self.turns[number].engine.beyond(&bound) else { return Ok(()) };
        if !time || self.purpose != Purpose::Verdict {
            return Ok(());
        }
        remarks.push(format!("engine {}: on, with the time that is left", self.name_of(number)));
        let answer = ask(&*engine, task, run).map_err(|internal| (number, internal))?;
        // What was known before still holds, also after an interruption.
        if !matches!(answer.verdict, Verdict::Unknown { .. }) {
            let before = round.bounded.take();
            let decided = round.take(number, answer, run, remarks)?;
            round.bounded = decided.or(round.bounded.take()).or(before);
        }
        Ok(())
    }

    fn is_no_better(&self, turn: usize) -> bool {
        let bit = self.no_better.load(Ordering::Relaxed) >> turn.min(BITS) & 1;
        self.purpose == Purpose::Repair && bit == 1
    }

    fn name_of(&self, turn: usize) -> &'static str {
        self.turns.get(turn).map_or("none", |turn| turn.engine.name())
    }
}

/// The last bit of a number that has one for each turn.
const BITS: usize = usize::BITS as usize - 1;

/// With less work than this left, no engine is asked again.
const MUCH_TIME: std::time::Duration = std::time::Duration::from_secs(5);

/// What the turns so far have shown.
struct Round<'r> {
    portfolio: &'r Portfolio<'r>,
    task: &'r Task<'r>,
    run: &'r Run,
    bounded: Option<Decided>,
    unknown: Option<Decided>,
    /// Those whose share was too small.
    stopped: Vec<usize>,
    /// What all of them leave for the next task. (Not for the next engine: one that works ahead of its turn
    /// would not have had it.)
    hints: Hints,
}

impl<'r> Round<'r> {
    fn new(portfolio: &'r Portfolio<'r>, task: &'r Task<'r>, run: &'r Run) -> Round<'r> {
        let hints = Hints::default();
        Round { portfolio, task, run, bounded: None, unknown: None, stopped: vec![], hints }
    }

    fn share(&self, number: usize, left: usize) -> Run {
        match &self.bounded {
            None => self.portfolio.turns[number].share(self.run, left),
            Some(_) => self.run.at_most(IMPROVEMENT.max(self.run.worked() * 3)),
        }
    }

    /// Is this the answer, or does the next engine have its turn?
    fn take(
        &mut self,
        number: usize,
        mut answer: Answer,
        share: &Run,
        remarks: &mut Vec<String>,
    ) -> Result<Option<Decided>, (usize, Internal)> {
        self.hints.learn(std::mem::take(&mut answer.hints));
        let name = self.portfolio.name_of(number);
        answer.verdict = self.judged(name, answer.verdict, &answer.coverage).map_err(|why| (number, why))?;
        match &mut answer.verdict {
            Verdict::Safe { .. } | Verdict::Unsafe { .. } => {}
            // All engines are given the same part of the text, so none can say more.
            Verdict::SafeUpTo { bound: Bound::Covered } => {}
            Verdict::SafeUpTo { bound } => {
                remarks.push(format!("engine {name} answers up to a bound: {bound}"));
                self.bounded.get_or_insert(Decided { turn: Some(number), answer });
                return Ok(None);
            }
            // After an interruption no further engine is asked, and what is known is said.
            Verdict::Unknown { reason: Reason::Interrupted } => {
                if let Some(bounded) = self.bounded.take() {
                    return Ok(Some(bounded));
                }
            }
            Verdict::Unknown { reason } => {
                let limited = matches!(reason, Reason::Work | Reason::Timeout);
                if limited && share.was_stopped() && !self.portfolio.turns[number].is_glance() {
                    self.stopped.push(number);
                }
                // The user set a limit of time, of which this was a share.
                if *reason == Reason::Work && self.run.budget().work.is_none() {
                    *reason = Reason::Timeout;
                }
                remarks.push(format!("engine {name} does not know: {reason}"));
                let known = self.unknown.as_ref().map(|known| &known.answer.verdict);
                if !matches!(known, Some(Verdict::Unknown { reason: known }) if !says_more(reason, known)) {
                    self.unknown = Some(Decided { turn: Some(number), answer });
                }
                return Ok(None);
            }
        }
        Ok(Some(Decided { turn: Some(number), answer }))
    }

    /// The verdict after the judges have checked it.
    fn judged(
        &self,
        name: &'static str,
        verdict: Verdict,
        coverage: &Option<Coverage>,
    ) -> Result<Verdict, Internal> {
        match (self.portfolio.purpose, verdict) {
            (Purpose::Verdict, Verdict::Unsafe { counterexample }) => {
                confirmed(self.task, name, counterexample, self.run)
            }
            // A search for fences must not rely on a vacuous bounded proof. (It replays violations itself.)
            (Purpose::Repair, Verdict::SafeUpTo { bound }) => {
                let coverage = coverage.clone().unwrap_or_default();
                let reach = Reach::new(self.task.program, &coverage);
                Ok(match reach.vacuous(self.task.property) {
                    Some(_) => Verdict::Unknown { reason: Reason::Vacuous { bound } },
                    None => Verdict::SafeUpTo { bound },
                })
            }
            (_, verdict) => Ok(verdict),
        }
    }

    /// The bound of what is known, if it is bounded.
    fn bound(&self) -> Option<Bound> {
        match self.bounded.as_ref()?.answer.verdict {
            Verdict::SafeUpTo { bound } => Some(bound),
            _ => None,
        }
    }

    /// The best that is known when all turns are over.
    fn best(&mut self) -> Decided {
        self.bounded.take().or(self.unknown.take()).unwrap_or_else(|| {
            let reason = Reason::Undecided("no engine".into());
            Decided { turn: None, answer: Answer::new(Verdict::Unknown { reason }, Statistics::default()) }
        })
    }
}

/// Several engines as one: for commands that ask many questions about one program.
impl Engine for Portfolio<'_> {
    /// Whoever answered last.
    fn name(&self) -> &'static str {
        self.name_of(self.last.load(Ordering::Relaxed))
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        let mut refusal = Unsupported::new("no engine");
        for turn in &self.turns {
            match turn.engine.accepts(task) {
                Ok(()) => return Ok(()),
                Err(why) => refusal = why,
            }
        }
        Err(refusal)
    }

    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let first = self.first.load(Ordering::Relaxed);
        match self.decide(task, run, first, &mut vec![]) {
            Ok(Decided { turn, answer }) => {
                if let (Some(turn), false) = (turn, matches!(answer.verdict, Verdict::Unknown { .. })) {
                    self.last.store(turn, Ordering::Relaxed);
                    // A glance costs little, and finds soon what the proof of another placement does not.
                    let passed = self.turns.get(first..turn).unwrap_or_default();
                    let useless = passed.iter().any(|turn| !turn.is_glance());
                    self.first.store(if useless { turn } else { first }, Ordering::Relaxed);
                }
                Ok(answer)
            }
            Err((_, Internal::Contradiction(contradiction))) => Err(contradiction),
            // The command that asks catches it and names the file.
            Err((_, Internal::Panic(what))) => std::panic::panic_any(what),
        }
    }
}

/// The counterexample replayed, tidied, and with the graph of its events.
fn confirmed(
    task: &Task<'_>,
    name: &'static str,
    mut counterexample: Box<Counterexample>,
    run: &Run,
) -> Result<Verdict, Internal> {
    // Everything below is about the instance that the counterexample names.
    let program = match counterexample.instance.of(task.program) {
        Ok(program) => program,
        Err(why) => {
            let but = format!("the counterexample names no instance of the program: {why}");
            return Err(Contradiction::within(name, "unsafe", but).into());
        }
    };
    let task = &Task { program: &program, ..*task };
    let instance = std::mem::take(&mut counterexample.instance);
    match guarded(name, || confirm(task, &counterexample))? {
        Ok(replayed) => {
            // A schedule says more than the graph that it was found for.
            let counterexample = match replayed.schedule {
                Some(schedule) => Counterexample::scheduled(counterexample.violated.clone(), schedule),
                None => *counterexample,
            };
            // Each change is replayed before it is kept.
            guarded(name, || {
                let mut tidied = tidy(task, &counterexample, run);
                // The graph of the moves, for stories and pictures.
                tidied.execution = observed(task, &tidied).or(tidied.execution);
                tidied.instance = instance;
                Verdict::Unsafe { counterexample: Box::new(tidied) }
            })
        }
        // The replay met a limit, so there is neither a verdict nor a contradiction.
        Err(Halt::Unknown(reason)) => Ok(Verdict::Unknown { reason }),
        Err(Halt::Contradiction(contradiction)) => Err(contradiction.claimed_by(name).into()),
    }
}

/// One engine's answer.
fn ask(engine: &dyn Engine, task: &Task<'_>, run: &Run) -> Result<Answer, Internal> {
    guarded(engine.name(), || engine.check(task, run))?.map_err(Internal::from)
}

/// A panic in an engine must not take the other files with it.
fn guarded<T>(engine: &str, work: impl FnOnce() -> T) -> Result<T, Internal> {
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|panic| Internal::Panic(format!("engine {engine} panicked: {}", panic_text(&*panic))))
}

#[cfg(test)]
mod tests;
