//! Budget, cancellation and progress of one run.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::Reason;

/// What a run may spend. `None`: no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    pub time: Option<Duration>,
    /// Bytes.
    pub memory: Option<u64>,
    pub states: Option<u64>,
    /// How often an engine may ask: a limit on work that does not depend on the clock, for tests.
    pub polls: Option<u64>,
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
    polls: Arc<AtomicU64>,
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
            polls: Arc::default(),
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

    /// How many bytes the process holds, where somebody can tell.
    pub fn resident(&self) -> Option<u64> {
        self.resident.as_ref().map(|resident| resident())
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The same run with one part in `parts` of the time that is left, for one of several engines.
    pub fn share(&self, parts: u32) -> Run {
        let mut run = self.clone();
        let elapsed = self.elapsed();
        run.budget.time =
            self.budget.time.map(|limit| elapsed + limit.saturating_sub(elapsed) / parts.max(1));
        run
    }

    /// The time that is left. `None`: there is no limit.
    pub fn left(&self) -> Option<Duration> {
        self.budget.time.map(|limit| limit.saturating_sub(self.elapsed()))
    }

    /// The same run with no more than this of the time that is left.
    pub fn at_most(&self, time: Duration) -> Run {
        let mut run = self.clone();
        let limit = self.elapsed() + time;
        run.budget.time = Some(self.budget.time.map_or(limit, |before| before.min(limit)));
        run
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub fn progress(&self, progress: &Progress) {
        if let Some(listener) = &self.listener {
            listener(progress);
        }
    }

    /// May the engine go on?
    pub fn poll(&self, spent: Spent) -> Result<(), Reason> {
        let polls = self.polls.fetch_add(1, Ordering::Relaxed) + 1;
        let over = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used > limit);
        if self.cancelled.load(Ordering::Relaxed) {
            Err(Reason::Interrupted)
        } else if over(self.budget.polls, polls) {
            Err(Reason::Polls)
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
