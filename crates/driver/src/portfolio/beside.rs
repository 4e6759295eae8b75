//! Engines that work ahead of their turn, on threads of their own.
//!
//! While an engine has its turn, the next ones begin. What such an engine finds is used in its turn if it is what it
//! would have found then: it was stopped by no limit, and did no more work than the turn allows. Otherwise it is
//! asked again in its turn. So the answer is the same with any number of threads, and comes sooner only where an
//! earlier engine gives up. Memory is divided among those that work at the same time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use wattle_engine::{Answer, Contradiction, Run, Task, Verdict, Work};

use super::turns::Turn;
use super::{Internal, ask};

pub(super) struct Beside<'t> {
    turns: &'t [Turn<'t>],
    task: &'t Task<'t>,
    run: &'t Run,
    ahead: Mutex<Vec<Ahead>>,
    done: Condvar,
    stop: Arc<AtomicBool>,
}

/// What became of a turn that may be taken ahead of time.
enum Ahead {
    Open,
    /// Somebody works on it, ahead of its turn or in it.
    Taken,
    Done(Box<Found>),
}

struct Found {
    answer: Result<Answer, Internal>,
    worked: Work,
    stopped: bool,
}

impl<'t> Beside<'t> {
    /// Do something while up to `threads` engines work, the one that has its turn included.
    pub(crate) fn with<T>(
        turns: &'t [Turn<'t>],
        task: &'t Task<'t>,
        run: &'t Run,
        threads: usize,
        decide: impl FnOnce(&Beside<'t>) -> T,
    ) -> T {
        let ahead = Mutex::new(turns.iter().map(|_| Ahead::Open).collect());
        let beside = Beside { turns, task, run, ahead, done: Condvar::new(), stop: Arc::default() };
        // The first turn is taken at once, by the thread that decides.
        let others = threads.min(turns.len()).saturating_sub(1);
        std::thread::scope(|scope| {
            for _ in 0..others {
                scope.spawn(|| beside.work_ahead(threads));
            }
            let decided = decide(&beside);
            beside.stop.store(true, Ordering::Relaxed);
            decided
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Ahead>> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work_ahead(&self, threads: usize) {
        while !self.stop.load(Ordering::Relaxed) {
            let mut ahead = self.lock();
            let next = (1..ahead.len()).find(|number| matches!(ahead[*number], Ahead::Open));
            let Some(number) = next else { return };
            ahead[number] = Ahead::Taken;
            drop(ahead);
            let run = self.run.beside(self.stop.clone(), threads);
            let answer = ask(self.turns[number].engine, self.task, &run);
            let found = Found { answer, worked: run.worked(), stopped: run.was_stopped() };
            self.lock()[number] = Ahead::Done(Box::new(found));
            self.done.notify_all();
        }
    }

    /// The answer of a turn, within its share.
    pub(crate) fn answer(&self, number: usize, share: &Run) -> Result<Answer, Internal> {
        let mut ahead = self.lock();
        while matches!(ahead[number], Ahead::Taken) {
            ahead = self.done.wait(ahead).unwrap_or_else(PoisonError::into_inner);
        }
        let found = std::mem::replace(&mut ahead[number], Ahead::Taken);
        drop(ahead);
        if let Ahead::Done(found) = found
            && !found.stopped
            && share.left().work.is_none_or(|left| found.worked <= left)
        {
            // As if it had been done now: later shares are the same.
            self.run.work(found.worked);
            return found.answer;
        }
        ask(self.turns[number].engine, self.task, share)
    }

    /// Wait until somebody has taken a turn ahead of time.
    #[cfg(test)]
    pub(super) fn wait_for(&self, number: usize) {
        let mut ahead = self.lock();
        while !matches!(ahead[number], Ahead::Done(_)) {
            ahead = self.done.wait(ahead).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Does everybody who worked ahead agree with the answer that was decided on?
    pub(crate) fn agrees(&self, decided: usize, answer: &Answer) -> Result<(), Internal> {
        let safe = |answer: &Answer| match answer.verdict {
            Verdict::Safe { .. } => Some(true),
            Verdict::Unsafe { .. } => Some(false),
            _ => None,
        };
        let words = |safe: bool| if safe { "the property holds" } else { "the property is violated" };
        let ahead = self.lock();
        let later = ahead.iter().enumerate().skip(decided + 1).filter_map(|(number, ahead)| match ahead {
            Ahead::Done(found) => Some((number, found.answer.as_ref().ok().and_then(safe)?)),
            _ => None,
        });
        for (number, theirs) in later {
            if let Some(ours) = safe(answer).filter(|ours| *ours != theirs) {
                let name = |turn: usize| format!("engine {}", self.turns[turn].engine.name());
                let (one, other) = (name(decided), name(number));
                return Err(Contradiction::new(&one, words(ours), &other, words(theirs)).into());
            }
        }
        Ok(())
    }
}
