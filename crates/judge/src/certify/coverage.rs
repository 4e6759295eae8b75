//! What a proof says of coverage, compared with what a plain search sees.
//!
//! An engine may have searched less than everything (a reduction, or a solver that was asked for each edge); what
//! it says that executions reach must be what they reach: both an edge that is taken and said not to be, and one
//! that is never taken although it is said to be, would make a warning wrong.

use std::collections::BTreeSet;

use wattle_engine::{Coverage, Halt, Run, Spent, Task, Work};
use wattle_program::{EdgeId, ProcessId, Program};

use super::{explore_all, survey, wrong};

/// Is the coverage what a search of everything saw?
pub(super) fn same(
    program: &Program,
    claimed: Option<&Coverage>,
    taken: &BTreeSet<(ProcessId, EdgeId)>,
    ends: bool,
) -> Result<(), Halt> {
    let Some(claimed) = claimed else { return Ok(()) };
    let seen = Coverage::new(program, taken, ends);
    if claimed.ends != seen.ends {
        return Err(wrong(match ends {
            true => "an execution ends, and none is said to",
            false => "no execution ends, and one is said to",
        }));
    }
    let said: BTreeSet<_> = claimed.unreached.iter().copied().collect();
    let is: BTreeSet<_> = seen.unreached.into_iter().collect();
    match said.symmetric_difference(&is).next() {
        None if claimed.unreached.len() == said.len() => Ok(()),
        None => Err(wrong("an edge is said twice not to be taken")),
        Some(edge) if is.contains(edge) => Err(wrong(format!("{edge:?} is never taken, and is said to be"))),
        Some(edge) => Err(wrong(format!("{edge:?} is taken, or no edge, and is said not to be taken"))),
    }
}

/// What the plain search may cost beside a refutation, which is checked by itself in little time.
const LISTING: Work = Work::milliseconds(2000);

/// A refutation speaks of no single edge, so everything is listed anew: on the machine if there is one, else by
/// brute force. What is too large for that stays unchecked, which is said.
pub(super) fn by_listing(
    task: &Task<'_>,
    claimed: Option<&Coverage>,
    run: &Run,
) -> Result<Option<String>, Halt> {
    if claimed.is_none() {
        return Ok(None);
    }
    let limited = run.at_most(LISTING.max(run.worked()));
    let seen = match task.memory.machine {
        Some(_) => explore_all(task, Some(MOST_PENDING), false, &limited)
            .map(|closure| (closure.taken, closure.ends, closure.cut)),
        None => survey(task, MOST_ROUNDS, &limited).map(|survey| (survey.taken, survey.ends, survey.cut)),
    };
    match seen {
        Ok((taken, ends, false)) => same(task.program, claimed, &taken, ends).map(|()| None),
        Ok((_, _, true)) | Err(_) => {
            // The limit of this search alone leaves coverage unchecked; the limits of the whole run still end it.
            run.poll(Work::NONE, Spent::default())?;
            Ok(Some("what executions reach was not re-checked".into()))
        }
    }
}

/// Larger buffers are not tried: their states would not be listed in time either.
const MOST_PENDING: usize = 8;
const MOST_ROUNDS: u32 = 2;
