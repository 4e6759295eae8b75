//! Ending a check that takes long.
//!
//! Most checks take microseconds, so nothing may be asked before or after each. A thread of its own
//! looks every few milliseconds whether the solver has worked since, and only then asks whoever holds
//! the budget; a *no* is passed on by `Z3_interrupt`, the one function of Z3 that another thread may
//! call. The call may come a moment before the check has begun to listen and be lost, so it is repeated
//! until the check is over. A *no* is final: what Z3 does after an interrupt is not relied upon.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::api;
use crate::context::Context;

const PERIOD: Duration = Duration::from_millis(20);

#[derive(Debug, Default)]
struct Shared {
    /// Counts beginnings and ends of checks: odd while one goes on.
    work: AtomicU64,
    stopped: AtomicBool,
    over: Mutex<bool>,
    wake: Condvar,
}

pub(crate) struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("stopped", &self.stopped()).finish_non_exhaustive()
    }
}

struct Interrupt {
    context: api::Context,
    interrupt: unsafe extern "C" fn(api::Context),
}

// SAFETY: the pointer is only handed to `Z3_interrupt`, which may be called from any thread.
unsafe impl Send for Interrupt {}

impl Interrupt {
    fn now(&self) {
        // SAFETY: the context outlives the thread, which `Watch` joins when it is dropped.
        unsafe { (self.interrupt)(self.context) }
    }
}

impl Watch {
    /// The owner drops the watch before the context.
    pub fn new(context: &Context, mut stop: impl FnMut() -> bool + Send + 'static) -> Watch {
        let shared = Arc::new(Shared::default());
        let seen = shared.clone();
        let interrupt = Interrupt { context: context.raw(), interrupt: context.api().interrupt };
        let thread = std::thread::Builder::new().name("smt-watch".to_owned()).spawn(move || {
            let mut before = 0;
            let mut over = seen.over.lock().unwrap_or_else(PoisonError::into_inner);
            while !*over {
                over = match seen.wake.wait_timeout(over, PERIOD) {
                    Ok((over, _)) => over,
                    Err(poisoned) => poisoned.into_inner().0,
                };
                let work = seen.work.load(Ordering::Acquire);
                let busy = work % 2 == 1;
                if !seen.stopped.load(Ordering::Acquire) && (busy || work != before) && stop() {
                    seen.stopped.store(true, Ordering::Release);
                }
                before = work;
                if busy && seen.stopped.load(Ordering::Acquire) {
                    interrupt.now();
                }
            }
        });
        // A budget that nobody can enforce is spent.
        shared.stopped.store(thread.is_err(), Ordering::Release);
        Watch { shared, thread: thread.ok() }
    }

    pub fn begin(&self) {
        self.shared.work.fetch_add(1, Ordering::AcqRel);
    }

    pub fn end(&self) {
        self.shared.work.fetch_add(1, Ordering::AcqRel);
    }

    pub fn stopped(&self) -> bool {
        self.shared.stopped.load(Ordering::Acquire)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        *self.shared.over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
