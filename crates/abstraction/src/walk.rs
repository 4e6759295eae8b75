//! Going along some moves, on symbols.
//!
//! Whether a trace of one reduction is one of another is found by taking the same moves there. Which edge a move
//! comes to depends on counters of buffers, and these are constants all the way: they start fixed and are set
//! to constants. So most edges fold to impossible ones, and few ways are left, which a solver decides as a whole
//! ([`crate::path::solve`]).

use wattle_program::Point;

use crate::entail::Stopped;
use crate::path::Symbolic;
use crate::system::System;

/// A way from the initial states.
#[derive(Clone, Debug)]
pub struct Walk<'s> {
    system: &'s System,
    run: Symbolic<'s>,
    points: Vec<Point>,
    steps: Vec<usize>,
}

impl<'s> Walk<'s> {
    pub fn new(system: &'s System) -> Walk<'s> {
        let run = Symbolic::started(system);
        Walk { system, run, points: system.entries.clone(), steps: vec![] }
    }

    /// The transitions so far.
    pub fn steps(&self) -> &[usize] {
        &self.steps
    }

    /// The transitions that leave the point where a thread stands.
    pub fn leaving(&self, thread: u32) -> &'s [usize] {
        &self.system.leaving[thread as usize][self.points[thread as usize].0 as usize]
    }

    /// The way with one more transition. `None`: it is clearly impossible.
    pub fn with(&self, transition: usize) -> Result<Option<Walk<'s>>, Stopped> {
        let mut longer = self.clone();
        if longer.run.take(transition)?.is_false() {
            return Ok(None);
        }
        let taken = &self.system.transitions[transition];
        longer.points[taken.thread as usize] = taken.to;
        longer.steps.push(transition);
        Ok(Some(longer))
    }
}
