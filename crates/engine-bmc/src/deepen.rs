//! More and more rounds of each loop, until that is enough.
//!
//! Loops that end by counting constants are unrolled to their end whatever the bound is; the bound is
//! for the others. It grows slowly at first, because most violations need few rounds, and then by half,
//! so that what was done before costs no more than what is done now.

use wattle_engine::{Bound, Progress, Reason, Run, Statistics, Task, Verdict};

use crate::Bmc;
use crate::query::{Failed, Round, round};

pub(crate) fn deepen(
    engine: &Bmc,
    task: &Task<'_>,
    run: &Run,
    statistics: &mut Statistics,
) -> Result<Verdict, Reason> {
    let mut completed: Option<Bound> = None;
    let mut unwind = engine.unwind.unwrap_or(1);
    loop {
        run.progress(&Progress {
            phase: format!("{unwind} rounds of each loop"),
            states: 0,
            depth: u64::from(unwind),
        });
        match round(engine, task, unwind, run, statistics) {
            Ok(Round::Violated(counterexample)) => return Ok(Verdict::Unsafe { counterexample }),
            Ok(Round::Complete(certificate)) => return Ok(Verdict::Safe { certificate }),
            Ok(Round::Bounded { bound, may_grow }) => {
                statistics.count("rounds completed", u64::from(unwind));
                // Where only loops with a bound of their own are cut, more rounds of the others change nothing.
                if engine.unwind.is_some() || !may_grow {
                    return Ok(Verdict::SafeUpTo { bound });
                }
                completed = Some(bound);
            }
            Err(Failed::Effort(Reason::Interrupted)) => return Err(Reason::Interrupted),
            // A bound that was completed is worth saying when the next is too much.
            Err(Failed::Effort(reason)) => {
                return completed.map(|bound| Verdict::SafeUpTo { bound }).ok_or(reason);
            }
            Err(Failed::Judged(reason)) => return Err(reason),
        }
        unwind = unwind.saturating_add((unwind / 2).max(1));
    }
}
