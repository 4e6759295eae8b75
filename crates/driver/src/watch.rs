//! How a running command is interrupted, and whom it tells about its progress.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wattle_engine::{Budget, Progress, Run};

/// Is told how far a search is.
pub type Listener = dyn Fn(&Progress) + Send + Sync;

#[derive(Clone, Default)]
pub struct Watch {
    pub cancelled: Arc<AtomicBool>,
    pub listener: Option<Arc<Listener>>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("cancelled", &self.cancelled).finish_non_exhaustive()
    }
}

impl Watch {
    /// A run that starts now. It ends a twentieth before the limit of time, because what an engine holds must be given back
    /// too: millions of states, or formulas of a gigabyte, take a while.
    pub fn run(&self, budget: Budget) -> Run {
        let budget = Budget { time: budget.time.map(|time| time * 19 / 20), ..budget };
        let run = Run::new(budget).cancelled_by(self.cancelled.clone());
        // What earlier runs gave back may stay with the allocator; it is no part of what this one takes.
        let before = resident();
        let run = run.measured_by(Arc::new(move || resident().saturating_sub(before)));
        match &self.listener {
            Some(listener) => run.listener(listener.clone()),
            None => run,
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// The resident size of this process; 0 where the system does not tell.
fn resident() -> u64 {
    const PAGE: u64 = 4096;
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_not_blamed_for_what_was_there_before() {
        let before = vec![1u8; 256 << 20];
        let run = Watch::default().run(Budget::default());
        let grown = run.resident().unwrap();
        assert!(grown < 128 << 20, "{grown}, beside {}", before[before.len() - 1]);
        let own = vec![1u8; 256 << 20];
        let grown = run.resident().unwrap();
        assert!(grown > 128 << 20 || resident() == 0, "{grown}, with {}", own[own.len() - 1]);
    }
}
