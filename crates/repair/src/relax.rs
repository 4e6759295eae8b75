//! Which fences of a safe program can go.
//!
//! The dual of `repair`: the places are the fences (and flushes) that the text has, the base is the
//! program without any of them, and the fewest that must be put back are the fewest to keep; all
//! others can go together. It is the same search over another family, and exact for the same
//! reason. A fence of the text stands in all copies of its process, so there is one count.

use wattle_engine::{Counterexample, Engine, Halt, Hints, Reason, Run, Statistics, Task};
use wattle_program::{Edge, Mode, Op, Program};

use crate::family::{Existing, Family, Kept, fence_of};
use crate::kinds;
use crate::search::{Ended, Judged, Literals, Search};
use crate::set::Set;
use crate::{Options, Proof};

#[derive(Clone, Debug)]
pub struct Relaxing {
    pub result: Relaxed,
    /// As in [`crate::Repair`]; `places` are the fences of the text.
    pub statistics: Statistics,
    /// What the answers leave for a check of the text without those fences.
    pub hints: Hints,
}

#[derive(Clone, Debug)]
pub enum Relaxed {
    /// The program as it stands is unsafe; this is a run of `forget_dead(task.program)`.
    NotSafe {
        counterexample: Box<Counterexample>,
    },
    Fewest {
        keep: Vec<Existing>,
        remove: Vec<Existing>,
        /// Each cheaper set to keep has a replayed counterexample, and the final check is *safe*.
        minimal: bool,
        proof: Proof,
    },
    Unknown {
        reason: Reason,
    },
}

/// The fences and flushes of the text, in its order.
pub fn existing(program: &Program) -> Vec<Existing> {
    let mut found: Vec<Existing> = Vec::new();
    for process in program.process_ids() {
        let edges = &program.process(process).cfg.edges;
        for edge in edges {
            // Fences that the architecture wants around a locked, acquiring or releasing step are not
            // the text's.
            let marked = |op: &Op| match op {
                Op::Load { tags, .. } | Op::Store { tags, .. } => {
                    tags.contains("acq") || tags.contains("rel")
                }
                _ => false,
            };
            let alone = |other: &Edge| {
                other.origin != edge.origin || other.mode != Mode::Locked && !other.ops.iter().any(marked)
            };
            if let Some(op) = fence_of(edge)
                && !edge.origin.0.is_nowhere()
                && edges.iter().all(alone)
            {
                let fence = Existing { process, origin: edge.origin, op: op.clone() };
                if !found.contains(&fence) {
                    found.push(fence);
                }
            }
        }
    }
    found
}

/// The fewest fences of a safe program that must stay. `options.anywhere` and `options.all` have no
/// meaning here. Errors as in [`crate::repair`].
pub fn relax(task: &Task<'_>, engine: &dyn Engine, options: &Options, run: &Run) -> Result<Relaxing, Halt> {
    relax_among(task, &existing(task.program), engine, options, run)
}

/// The same for some of its fences; the others stay.
pub fn relax_among(
    task: &Task<'_>,
    fences: &[Existing],
    engine: &dyn Engine,
    options: &Options,
    run: &Run,
) -> Result<Relaxing, Halt> {
    engine.accepts(task).map_err(Reason::Unsupported)?;
    let family = Kept { base: task.program, fences };
    let size = fences.len();
    let literals = Literals {
        places: (0..size).map(|place| Set::of(size, [place])).collect(),
        weights: fences.iter().map(|fence| kinds::cost(&options.costs, &fence.op)).collect(),
        strengths: vec![0; size],
        weaker: (0..size).map(|place| Set::of(size, [place])).collect(),
        threads: fences.iter().map(|fence| fence.process.0 as usize).collect(),
        objective: options.objective,
    };
    let mut search = Search::new(&family, *task, engine, run);
    let result = fewest(&mut search, &family, &literals)?;
    Ok(Relaxing { result, statistics: search.statistics(), hints: search.hints() })
}

fn fewest(search: &mut Search<'_>, family: &Kept<'_>, literals: &Literals) -> Result<Relaxed, Halt> {
    // First as it stands: that check is the cheapest, and what is unsafe cannot be relaxed.
    match search.judge(&Set::full(family.size()))? {
        Judged::Unknown(reason) => return Ok(Relaxed::Unknown { reason }),
        Judged::Safe(_) | Judged::Unsafe => {}
    }
    let found = match search.fewest(literals, crate::All::One)? {
        Ended::Unrepairable(counterexample) => return Ok(Relaxed::NotSafe { counterexample }),
        Ended::Unknown { best: Some(found), .. } | Ended::Found(found) => found,
        Ended::Unknown { reason, .. } => return Ok(Relaxed::Unknown { reason }),
    };
    let chosen = found.solutions.first().cloned().unwrap_or_else(|| search.nothing());
    let (keep, remove): (Vec<_>, Vec<_>) =
        family.fences.iter().cloned().enumerate().partition(|(place, _)| chosen.contains(*place));
    let only = |fences: Vec<(usize, Existing)>| fences.into_iter().map(|(_, fence)| fence).collect();
    Ok(Relaxed::Fewest { keep: only(keep), remove: only(remove), minimal: found.minimal, proof: found.proof })
}
