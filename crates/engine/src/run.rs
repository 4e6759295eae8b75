//! Budget, cancellation and progress of one run.
//!
//! **Work and time.** A limit of time belongs to the user, who waits. Decisions that wattle takes by itself (how long
//! an engine tries before the next one has its turn, how much a remark may cost, whether a test has failed) count
//! *work* instead, so that the same input gives the same answer on a slow or busy machine.

use std::fmt;
use std::ops::{Add, Div, Mul};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::Reason;

/// Work in nanoseconds of a nominal machine: an engine says what a step of its own costs on the machine of
/// `docs/benchmarks.md`, roughly, and counts steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Work(u64);

impl Work {
    pub const NONE: Work = Work(0);

    pub const fn nanoseconds(nanoseconds: u64) -> Work {
        Work(nanoseconds)
    }

    pub const fn microseconds(microseconds: u64) -> Work {
        Work(microseconds.saturating_mul(1_000))
    }

    pub const fn milliseconds(milliseconds: u64) -> Work {
        Work(milliseconds.saturating_mul(1_000_000))
    }

    /// What the nominal machine does in this time.
    pub fn during(time: Duration) -> Work {
        Work(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }

    pub fn seconds(self) -> f64 {
        Duration::from_nanos(self.0).as_secs_f64()
    }

    #[must_use]
    pub const fn less(self, other: Work) -> Work {
        Work(self.0.saturating_sub(other.0))
    }
}

impl Add for Work {
    type Output = Work;
    fn add(self, other: Work) -> Work {
        Work(self.0.saturating_add(other.0))
    }
}

impl Mul<u64> for Work {
    type Output = Work;
    fn mul(self, times: u64) -> Work {
        Work(self.0.saturating_mul(times))
    }
}

impl Div<u64> for Work {
    type Output = Work;
    fn div(self, parts: u64) -> Work {
        Work(self.0 / parts.max(1))
    }
}

/// What a run may spend. `None`: no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    pub time: Option<Duration>,
    /// Bytes.
    pub memory: Option<u64>,
    pub states: Option<u64>,
    pub work: Option<Work>,
}

/// What an engine has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    pub memory: u64,
    pub states: u64,
}

/// What a progress line shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub phase: String,
    pub states: u64,
    pub depth: u64,
}

type Listener = dyn Fn(&Progress) + Send + Sync;
/// How many bytes the process holds now.
type Resident = dyn Fn() -> u64 + Send + Sync;

/// Engines call [`Run::poll`] every few thousand steps and stop when it says so.
#[derive(Clone)]
pub struct Run {
    budget: Budget,
    started: Instant,
    cancelled: Arc<AtomicBool>,
    also_cancelled: Option<Arc<AtomicBool>>,
    /// Was a limit met?
    stopped: Arc<AtomicBool>,
    /// Nanoseconds, of all engines together.
    work: Arc<AtomicU64>,
    /// The same when an engine last looked at the budget, and the most between two looks.
    looked: Arc<AtomicU64>,
    stretch: Arc<AtomicU64>,
    listener: Option<Arc<Listener>>,
    resident: Option<Arc<Resident>>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl Default for Run {
    fn default() -> Run {
        Run::new(Budget::default())
    }
}

impl Run {
    pub fn new(budget: Budget) -> Run {
        Run {
            budget,
            started: Instant::now(),
            cancelled: Arc::default(),
            also_cancelled: None,
            stopped: Arc::default(),
            work: Arc::default(),
            looked: Arc::default(),
            stretch: Arc::default(),
            listener: None,
            resident: None,
        }
    }

    /// Stop when this becomes true.
    pub fn cancelled_by(mut self, flag: Arc<AtomicBool>) -> Run {
        self.cancelled = flag;
        self
    }

    pub fn listener(mut self, listener: Arc<Listener>) -> Run {
        self.listener = Some(listener);
        self
    }

    /// For engines whose solvers do not say what they hold.
    pub fn measured_by(mut self, resident: Arc<Resident>) -> Run {
        self.resident = Some(resident);
        self
    }

    /// How many bytes more the process holds than when the run began, where somebody can tell.
    pub fn resident(&self) -> Option<u64> {
        self.resident.as_ref().map(|resident| resident())
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The same run with `part` in `parts` of what is left of time and work, for one of several engines.
    pub fn share(&self, part: u32, parts: u32) -> Run {
        let parts = parts.max(1);
        let mut run = self.clone();
        let elapsed = self.elapsed();
        run.budget.time =
            self.budget.time.map(|limit| elapsed + limit.saturating_sub(elapsed) * part / parts);
        let worked = self.worked();
        run.budget.work =
            (self.budget.work).map(|limit| worked + limit.less(worked) * u64::from(part) / u64::from(parts));
        run
    }

    /// The same run with one engine's turn: `part` in `parts` of what is left, counted in work where that can be
    /// told, so that the answer does not depend on how busy the machine is. Costs of work are rough, so a turn
    /// also ends when it has taken twice that share of the time, or half of what is left for others.
    pub fn turn(&self, part: u32, parts: u32) -> Run {
        let (part, parts) = (part.min(parts.max(1)), parts.max(1));
        let mut run = self.share((4 * part).min(part + parts), 2 * parts);
        let left = self.left();
        let work = left.work.or_else(|| left.time.map(Work::during));
        run.budget.work = match work {
            // Whoever is last has all the time that is left.
            Some(_) if part == parts => self.budget.work,
            work => work.map(|work| self.worked() + work * u64::from(part) / u64::from(parts)),
        };
        run
    }

    /// A run beside this one, with the same deadline: it counts its own work, is stopped by the flag too, tells nobody
    /// of its progress, and has a part of the memory.
    pub fn beside(&self, stop: Arc<AtomicBool>, parts: usize) -> Run {
        Run {
            budget: Budget {
                memory: self.budget.memory.map(|memory| memory / parts.max(1) as u64),
                work: self.left().work,
                ..self.budget
            },
            also_cancelled: Some(stop),
            work: Arc::default(),
            looked: Arc::default(),
            stretch: Arc::default(),
            stopped: Arc::default(),
            listener: None,
            ..self.clone()
        }
    }

    /// Was an engine told to stop, by any limit?
    pub fn was_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// What is left of time and work, and the other limits: the budget of a run that goes on from here.
    pub fn left(&self) -> Budget {
        Budget {
            time: self.budget.time.map(|limit| limit.saturating_sub(self.elapsed())),
            work: self.budget.work.map(|limit| limit.less(self.worked())),
            ..self.budget
        }
    }

    /// The same run with no more than this much further work.
    pub fn at_most(&self, work: Work) -> Run {
        let mut run = self.clone();
        let limit = self.worked() + work;
        run.budget.work = Some(self.budget.work.map_or(limit, |before| before.min(limit)));
        run
    }

    /// The work done so far.
    pub fn worked(&self) -> Work {
        Work(self.work.load(Ordering::Relaxed))
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub fn progress(&self, progress: &Progress) {
        if let Some(listener) = &self.listener {
            listener(progress);
        }
    }

    /// The most work between two looks at the budget: limits hold as well as this is small.
    pub fn longest_stretch(&self) -> Work {
        Work(self.stretch.load(Ordering::Relaxed))
    }

    /// Count work without asking whether to go on.
    pub fn work(&self, work: Work) {
        self.work.fetch_add(work.0, Ordering::Relaxed);
    }

    /// May the engine go on, after this much work since it asked last?
    pub fn poll(&self, work: Work, spent: Spent) -> Result<(), Reason> {
        self.work(work);
        let worked = self.worked();
        let before = self.looked.swap(worked.0, Ordering::Relaxed);
        self.stretch.fetch_max(worked.0.saturating_sub(before), Ordering::Relaxed);
        let result = self.within_limits(worked, spent);
        if result.is_err() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        result
    }

    fn within_limits(&self, worked: Work, spent: Spent) -> Result<(), Reason> {
        let over = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used > limit);
        let set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        if set(&self.cancelled) || self.also_cancelled.as_ref().is_some_and(set) {
            Err(Reason::Interrupted)
        } else if self.budget.work.is_some_and(|limit| worked > limit) {
            Err(Reason::Work)
        } else if over(self.budget.memory, spent.memory) {
            Err(Reason::Memory)
        } else if over(self.budget.states, spent.states) {
            Err(Reason::States)
        } else if self.budget.time.is_some_and(|limit| self.elapsed() > limit) {
            Err(Reason::Timeout)
        } else {
            Ok(())
        }
    }
}
