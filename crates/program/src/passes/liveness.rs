//! Liveness: the locals that may still be read, for each point.

use std::collections::BTreeSet;

use wattle_logic::{Kind, Term};

use crate::validate::op_terms;
use crate::{Edge, Point, Process, ProcessId, Program};

/// The locals of a process that formulas over whole states mention.
pub fn observed_locals(program: &Program, wanted: ProcessId) -> BTreeSet<u32> {
    program.state_formulas().flat_map(|formula| mentioned(formula, wanted)).collect()
}

/// The locals of a process that a formula over whole states mentions.
pub(super) fn mentioned(formula: &Term, wanted: ProcessId) -> BTreeSet<u32> {
    let mut locals = BTreeSet::new();
    formula.walk(&mut |term| {
        if let Kind::LocalOf { process, local, .. } = term.kind()
            && *process == wanted.0
        {
            locals.insert(*local);
        }
    });
    locals
}

/// The locals that are live at each point, if the `observed` ones are looked at wherever `looks` says.
pub fn liveness(
    process: &Process,
    observed: &BTreeSet<u32>,
    looks: impl Fn(Point) -> bool,
) -> Vec<BTreeSet<u32>> {
    let points = (0..process.cfg.points.len() as u32).map(Point);
    let mut live: Vec<BTreeSet<u32>> =
        points.map(|point| if looks(point) { observed.clone() } else { BTreeSet::new() }).collect();
    loop {
        let mut changed = false;
        for edge in process.cfg.edges.iter().rev() {
            let before = live_before(edge, &live[edge.to.0 as usize]);
            let from = &mut live[edge.from.0 as usize];
            let size = from.len();
            from.extend(before);
            changed |= from.len() > size;
        }
        if !changed {
            return live;
        }
    }
}

fn live_before(edge: &Edge, after: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut live = after.clone();
    for op in edge.ops.iter().rev() {
        if let Some(local) = op.sets() {
            live.remove(&local);
        }
        for term in op_terms(op) {
            live.extend(term.locals());
        }
    }
    live.extend(edge.guard.locals());
    live
}
