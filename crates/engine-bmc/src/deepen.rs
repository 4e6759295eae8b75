//! More and more rounds of each loop, until that is enough.
//!
//! Loops that end by counting constants are unrolled to their end whatever the bound is; the bound is
//! for the others. It grows slowly at first, because most violations need few rounds, and then by half,
//! so that what was done before costs no more than what is done now.
//!
//! TODO essay
use wattle_engine::{Reason, Run, Statistics, Task, Verdict};

use crate::Bmc;
use crate::query::{Failed, Known, Round, rounds};

/// So many bounds share a solver.
const TOGETHER: usize = 2;

pub(crate) fn deepen(
    engine: &Bmc,
    task: &Task<'_>,
    run: &Run,
    statistics: &mut Statistics,
) -> Result<Verdict, Reason> {
    let mut known = Known::default();
    let mut together = if engine.fresh { 1 } else { std::env::var("TOG").map_or(TOGETHER, |n| n.parse().unwrap()) };
    let mut bounds = match engine.unwind {
        Some(unwind) => vec![unwind],
        None => following(1, together),
    };
    loop {
        match rounds(engine, task, &bounds, run, &mut known, statistics) {
            Ok(Round::Violated(counterexample)) => return Ok(Verdict::Unsafe { counterexample }),
            Ok(Round::Complete(certificate)) => return Ok(Verdict::Safe { certificate }),
            Ok(Round::Bounded { bound, may_grow }) => {
                // Where only loops with a bound of their own are cut, more rounds of the others change nothing.
                if engine.unwind.is_some() || !may_grow {
                    return Ok(Verdict::SafeUpTo { bound });
                }
                let last = bounds.last().copied().unwrap_or(1);
                bounds = following(next(last), together);
            }
            Err(Failed::Large(_)) if bounds.len() > 1 => {
                together = 1;
                bounds.truncate(1);
            }
            Err(Failed::Effort(Reason::Interrupted)) => return Err(Reason::Interrupted),
            // A bound that was completed is worth saying when the next is too much.
            Err(Failed::Effort(reason) | Failed::Large(reason)) => {
                return known.completed.map(|bound| Verdict::SafeUpTo { bound }).ok_or(reason);
            }
            Err(Failed::Judged(reason)) => return Err(reason),
        }
    }
}

fn next(bound: u32) -> u32 {
    bound.saturating_add((bound / 2).max(1))
}

/// So many bounds, from this one on.
fn following(first: u32, count: usize) -> Vec<u32> {
    std::iter::successors(Some(first), |bound| Some(next(*bound))).take(count).collect()
}
