//! What a proof says of coverage: edges that no execution takes, and whether an execution may end.
//!
//! Warnings rest on both: that a statement is dead, and that a proof is vacuous. The states are closed
//! already, so an edge is taken by no execution if every step that stands for it is blocked wherever a
//! state of the set would let it go; and none ends if no state of the set is an end. (Steps that go first
//! take nothing away: an execution with such a step moved to the front, or put there, takes the same edges
//! and has the same end.) That an edge is taken is not claimed: the proof shows no execution that does.

use std::collections::BTreeSet;

use wattle_abstraction::Cube;
use wattle_engine::{Coverage, Halt, Run, Spent};

use super::closure::STATE;
use super::closure::{Closure, Failure, Parts, Truth, truth, undecided};
use super::wrong;

impl Closure<'_> {
    pub(crate) fn coverage(&self, claimed: &Coverage, run: &Run) -> Result<(), Halt> {
        let (system, states) = (&self.checked.system, &self.checked.proof.states);
        let is_end = |thread: usize, point: usize| system.ends[thread][point];
        let may_end = (states.iter())
            .any(|(points, _)| points.iter().enumerate().all(|(thread, at)| is_end(thread, at.0 as usize)));
        match (claimed.ends, may_end) {
            (false, true) => return Err(wrong("a state of the set is an end, and none is said to be")),
            (true, false) => return Err(wrong("no state of the set is an end, and one is said to be")),
            _ => {}
        }
        let mut never: BTreeSet<usize> = BTreeSet::new();
        for edge in &claimed.unreached {
            let steps = self.checked.steps_of(*edge);
            never.extend(steps.ok_or_else(|| wrong(format!("{edge:?} is no edge of the program")))?);
        }
        if never.is_empty() {
            return Ok(());
        }
        for (number, ((points, _), cube)) in states.iter().zip(&self.checked.states).enumerate() {
            if number % 64 == 0 {
                run.poll(STATE * 64, Spent { memory: run.resident().unwrap_or(0), states: number as u64 })?;
            }
            if self.is_empty(cube) {
                continue;
            }
            for step in self.steps(points).filter(|step| never.contains(step)) {
                match self.is_blocked(*cube, step) {
                    Ok(true) => {}
                    Ok(false) => {
                        let what = format!("state {number}: step {step} may be taken, and is said not to be");
                        return Err(wrong(what));
                    }
                    Err(_) => return Err(undecided()),
                }
            }
        }
        Ok(())
    }

    /// Is there no part of the state in which the step can be taken?
    fn is_blocked(&self, state: Cube, step: usize) -> Result<bool, Failure> {
        let mut parts = Parts::new(state);
        while let Some(part) = parts.next()? {
            // What the step's own cubes leave open may still be nothing.
            let decided = match truth(&self.entries[step].blocked, &part) {
                Truth::Unknown => truth(&self.contradictions, &part),
                decided => decided,
            };
            match decided {
                Truth::Yes => {}
                Truth::Partly(on) => parts.add(self.halves(part, on)),
                Truth::Unknown => return Ok(false),
            }
        }
        Ok(true)
    }
}
