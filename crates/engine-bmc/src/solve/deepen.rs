//! More and more rounds of each loop, until that is enough.
//!
//! Loops that end by counting constants are unrolled to their end whatever the bound is; the bound is
//! for the others. It grows slowly at first, because most violations need few rounds, and then by half,
//! so that what was done before costs no more than what is done now.
//!
//! **Bounds share a solver.** Incremental bounded model checking (Eén and Sörensson 2003) adds one round
//! after another to one solver, which keeps what it has learnt. It cannot be done so here: more rounds
//! of one thread are more writes for the reads of all the others, so clauses that say *one of these* do
//! not stay true. Instead two bounds are unrolled at once, to the larger one. Before the round that the
//! smaller bound does not allow, each loop looks at a free condition, the *stop* of that bound: where it
//! holds, threads are cut there, exactly as the bound would cut them, and where it does not, they go on.
//! The smaller bound is asked about with its stop assumed, then the larger one with the stop denied for
//! good. What the solver learnt for the one it has for the other, unless the stop was a reason.
//!
//! *Sound*: with the stop, the executions are those of the unrolling to the smaller bound; without it,
//! those of the unrolling to the larger one. A proof is about the clauses and the choice of the bound
//! together, so nothing is assumed in it but what is asked. Loops with a bound of their own have no stop,
//! nor do loops that count or wait; where no loop looks at it, there is none.
//!
//! *Cost.* The smaller bound pays for variables that it does not need, the larger one is paid back. On the
//! programs of the corpus the one takes a sixth to a third longer, the other a tenth less; a pair takes
//! 0.6 to 1.5 times as long as two solvers would, 0.84 and 0.89 in the geometric mean of the pairs (3, 4)
//! and (6, 9), and what is saved in sum is little. So bounds 1 and 2, where most violations are found,
//! are on their own: nothing is added to their time. Beyond nine rounds bounds are on their own, too: an
//! unrolling to half as many rounds again takes so long that the smaller bound might not be completed in
//! time. So are they where the larger unrolling is refused. What was reached within a bound is not asked
//! for again (`coverage.rs`), shared or not.

use std::ops::RangeInclusive;

use wattle_engine::{Coverage, Halt, Run, Statistics, Task, Verdict};

use crate::Bmc;
use crate::solve::query::{Failed, Known, Round, rounds};

/// Smaller and larger bounds have a solver of their own.
const SHARED: RangeInclusive<u32> = 3..=9;

pub(crate) fn deepen(
    engine: &Bmc,
    task: &Task<'_>,
    run: &Run,
    statistics: &mut Statistics,
) -> Result<(Verdict, Option<Coverage>), Halt> {
    let mut known = Known::default();
    let mut share = !engine.fresh;
    let mut bounds = match engine.unwind {
        Some(unwind) => vec![unwind],
        None => batch(engine.first.max(1), share),
    };
    loop {
        match rounds(engine, task, &bounds, run, &mut known, statistics) {
            Ok(Round::Violated(counterexample)) => return Ok((Verdict::Unsafe { counterexample }, None)),
            Ok(Round::Complete(certificate, coverage)) => {
                return Ok((Verdict::Safe { certificate }, coverage));
            }
            Ok(Round::Bounded { bound, coverage, may_grow }) => {
                // Where only loops with a bound of their own are cut, more rounds of the others change nothing.
                if engine.unwind.is_some() || !may_grow {
                    return Ok((Verdict::SafeUpTo { bound }, Some(coverage)));
                }
                let last = bounds.last().copied().unwrap_or(1);
                bounds = batch(next(last), share);
            }
            Err(Failed::Large(_)) if bounds.len() > 1 => {
                share = false;
                bounds.truncate(1);
            }
            // If the next bound is too much, or nobody wants to wait for it, the answer is the last one that was completed.
            Err(Failed::Effort(reason) | Failed::Large(reason)) => {
                let completed = known.completed.pop();
                return completed
                    .map(|(bound, coverage)| (Verdict::SafeUpTo { bound }, Some(coverage)))
                    .ok_or(reason.into());
            }
            Err(Failed::Judged(halt)) => return Err(halt),
        }
    }
}

/// The bound after this one.
pub(crate) fn next(bound: u32) -> u32 {
    bound.saturating_add((bound / 2).max(1))
}

/// The bounds from this one on that share a solver.
fn batch(first: u32, share: bool) -> Vec<u32> {
    let within = |second: &u32| share && SHARED.contains(&first) && SHARED.contains(second);
    let second = Some(next(first)).filter(within);
    [first].into_iter().chain(second).collect()
}

#[cfg(test)]
mod tests;
