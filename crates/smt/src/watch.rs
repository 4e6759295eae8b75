//! Ending a check that takes long.
//!
//! Most checks take microseconds, so nothing slow may happen before or after each. A thread of its own
//! looks every few milliseconds whether a solver has worked since, and only then asks whoever holds
//! the budget; a *no* is passed on by `Z3_interrupt`, the one function of Z3 that another thread may
//! call. The call may come a moment before the check has begun to listen and be lost, so it is repeated
//! until the check is over. A *no* is final: what Z3 does after an interrupt is not relied upon.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::api;
use crate::context::Context;

const PERIOD: Duration = Duration::from_millis(20);

#[derive(Default)]
struct State {
    /// The context in which a check goes on. It lives until the check has ended, for which the lock is
    /// needed: whoever holds the lock may interrupt it.
    running: Option<Interrupt>,
    /// How many checks have begun.
    begun: u64,
    stopped: bool,
    /// Nobody needs the thread any more.
    over: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shared by a solver and whatever it starts.
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

impl Watch {
    pub fn new(mut stop: impl FnMut() -> bool + Send + 'static) -> Watch {
        let shared = Arc::new(Shared::default());
        let seen = shared.clone();
        let thread = std::thread::Builder::new().name("smt-watch".to_owned()).spawn(move || {
            let mut before = 0;
            let mut state = seen.lock();
            loop {
                state = match seen.wake.wait_timeout(state, PERIOD) {
                    Ok((state, _)) => state,
                    Err(poisoned) => poisoned.into_inner().0,
                };
                if state.over {
                    return;
                }
                if !state.stopped && (state.running.is_some() || state.begun != before) {
                    before = state.begun;
                    drop(state);
                    let stopped = stop();
                    state = seen.lock();
                    state.stopped |= stopped;
                }
                if let (true, Some(running)) = (state.stopped, &state.running) {
                    // SAFETY: the context is alive while the lock is held.
                    unsafe { (running.interrupt)(running.context) }
                }
            }
        });
        // A budget that nobody can enforce is spent.
        shared.lock().stopped = thread.is_err();
        Watch { shared, thread: thread.ok() }
    }

    /// Do something in a context that may be interrupted.
    pub fn during<T>(&self, context: &Context, work: impl FnOnce() -> T) -> T {
        let interrupt = Interrupt { context: context.raw(), interrupt: context.api().interrupt };
        let mut state = self.shared.lock();
        state.begun += 1;
        state.running = Some(interrupt);
        drop(state);
        let done = work();
        self.shared.lock().running = None;
        done
    }

    pub fn stopped(&self) -> bool {
        self.shared.lock().stopped
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
