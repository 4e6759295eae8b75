//! A look at the budget from deep inside the making of a formula.
//!
//! Relations between some thousand events take seconds to compute, in loops that know nothing of budgets. Each of them
//! tells its [`Pulse`] how much it has done; when the budget is spent, the loop ends with whatever it has, and its
//! caller finds out by [`Pulse::go_on`] before the result is used.

use std::cell::Cell;

use wattle_engine::{Run, Spent, Unsupported, Work};

pub(crate) struct Pulse {
    run: Run,
    /// Steps since the budget was looked at.
    steps: Cell<u64>,
    over: Cell<bool>,
}

/// What a step costs: a word of a matrix, an entry of a list.
const STEP: Work = Work::nanoseconds(1);
/// How many there are between two looks.
const LOOK_AFTER: u64 = 1 << 20;

impl Pulse {
    pub(crate) fn new(run: &Run) -> Pulse {
        Pulse { run: run.clone(), steps: Cell::new(0), over: Cell::new(false) }
    }

    /// So much was done. `true`: the budget is spent.
    pub(crate) fn beat(&self, steps: usize) -> bool {
        let steps = self.steps.get() + steps as u64;
        self.steps.set(steps);
        if steps >= LOOK_AFTER && !self.over.get() {
            self.steps.set(0);
            let spent = Spent { memory: self.run.resident().unwrap_or(0), states: 0 };
            self.over.set(self.run.poll(STEP * steps, spent).is_err());
        }
        self.over.get()
    }

    /// `Err`: the budget is spent, and what was computed meanwhile must not be used.
    pub(crate) fn go_on(&self) -> Result<(), Unsupported> {
        match self.over.get() {
            true => Err(Unsupported::new("more than the budget allows")),
            false => Ok(()),
        }
    }
}

impl Default for Pulse {
    /// Without any limit.
    fn default() -> Pulse {
        Pulse::new(&Run::default())
    }
}

impl Drop for Pulse {
    /// What is left over is work too.
    fn drop(&mut self) {
        self.run.work(STEP * self.steps.get());
    }
}
