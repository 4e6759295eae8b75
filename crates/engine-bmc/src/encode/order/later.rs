//! Rounds that a smaller bound cuts off are not looked at while it is asked about.
//!
//! An unrolling that carries a smaller bound (`deepen.rs`) has events that cannot happen while that one
//! is asked about. Their fixed edges do no harm, but the theory follows them: whatever reaches an event
//! reaches all the later rounds of its thread. So the edges that lead *into* later rounds get a literal,
//! that the smaller bound is not asked about; and what is ordered through those rounds is said directly.
//! Nothing that happens is ordered less than before: an event of a later round happens only where the
//! literal holds. When the larger bound has its turn the literal holds for good, and the paths are those
//! that there were.

use wattle_sat::{Graph, Lit, Pair};

use super::definitions::Definitions;
use crate::encode::circuit::Circuit;
use crate::encode::relations::Matrix;
use crate::unroll::guard;

impl Definitions<'_, '_, '_> {
    /// Makes the edges into later rounds depend on whether there are any.
    pub(crate) fn detach_later_rounds(&self, graph: &mut Graph, circuit: &mut Circuit<'_>) {
        let structure = self.relations.encoding.structure;
        if structure.stops.is_empty() || graph.fixed.is_empty() {
            return;
        }
        let wakes: Vec<Lit> =
            structure.stops.iter().map(|stop| !circuit.literal(structure, stop.when)).collect();
        // How many of the bounds must be out of the way for an event to happen.
        let mut level = vec![0; self.description.events as usize];
        for (event, level) in structure.events.iter().zip(&mut level) {
            for condition in guard::chain(&structure.arena, event.guard) {
                let by = structure
                    .stops
                    .iter()
                    .rposition(|stop| structure.arena.are_opposite(condition, stop.when));
                *level = (*level).max(by.map_or(0, |by| by + 1));
            }
        }
        let level = |event: u32| level[event as usize];
        let stays = |(from, to): &Pair| level(*to) <= level(*from);
        let (kept, cut): (Vec<Pair>, Vec<Pair>) = graph.fixed.iter().partition(|pair| stays(pair));
        if cut.is_empty() {
            graph.fixed = kept;
            return;
        }
        let size = self.description.events as usize;
        let closed =
            Matrix::from_pairs(size, graph.fixed.iter().copied()).closure(&self.relations.guards.pulse);
        let closed = Matrix::from_pairs(size, closed.pairs().filter(stays));
        let reduced = closed.difference(&closed.then(&closed, &self.relations.guards.pulse));
        graph.fixed = reduced.pairs().collect();
        graph.literal.extend(cut.into_iter().map(|pair| (wakes[level(pair.1) - 1], pair)));
    }
}
