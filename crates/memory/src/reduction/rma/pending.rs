//! How many instances of each remote statement may be pending at each point of its thread? A data-flow analysis as for
//! store buffers: starting one adds it, a flush of its target leaves none, and deliveries only take away.

use std::collections::BTreeMap;

use wattle_program::{Cfg, Op, ThreadId};

use super::statement::Found;

pub(super) struct Counts {
    /// By point: statements by number, those of which none can be pending left out.
    pub at: Vec<BTreeMap<usize, u32>>,
    /// By statement: the most anywhere.
    pub peaks: BTreeMap<usize, u32>,
}

/// Up to `limit`, for the statements of one thread.
pub(super) fn counts(cfg: &Cfg, thread: ThreadId, found: &[Found], limit: u32) -> Counts {
    let own: Vec<usize> = (0..found.len()).filter(|one| found[*one].thread == thread).collect();
    let mut counts = Counts { at: vec![BTreeMap::new(); cfg.points.len()], peaks: BTreeMap::new() };
    let mut reached = vec![false; cfg.points.len()];
    reached[cfg.entry.0 as usize] = true;
    let mut changed = true;
    while changed {
        changed = false;
        for (number, edge) in cfg.edges.iter().enumerate() {
            if !reached[edge.from.0 as usize] {
                continue;
            }
            let mut after = counts.at[edge.from.0 as usize].clone();
            for (position, op) in edge.ops.iter().enumerate() {
                if let Op::Flush { process, .. } = op {
                    after.retain(|one, _| found[*one].target.0 != process.0);
                }
                for one in own.iter().filter(|one| found[**one].place == (number, position)) {
                    let count = after.entry(*one).or_default();
                    *count = (*count + 1).min(limit);
                    let peak = counts.peaks.entry(*one).or_default();
                    *peak = (*peak).max(*count);
                }
            }
            let to = edge.to.0 as usize;
            changed |= !std::mem::replace(&mut reached[to], true);
            for (one, count) in after {
                let most = counts.at[to].entry(one).or_default();
                changed |= *most < count;
                *most = (*most).max(count);
            }
        }
    }
    counts
}
