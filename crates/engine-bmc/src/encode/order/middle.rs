//! Orders that lead through few events: fences.
//!
//! `po ; [F] ; po` relates everything before a fence with everything after it. Where the fence stands on
//! one branch only, each of those pairs has a condition, and there are quadratically many. A graph can say
//! it with fewer edges: a node of its own for each event in the middle, edges into it from what comes
//! before and out of it to what comes after. The node is not the event itself, which may have other edges
//! that must not be continued here.
//!
//! An edge into a node needs that the event in the middle happens, so on every path out of the node
//! it does. An edge out of it to `b` may therefore be fixed, even if `b` may not happen, provided that what
//! follows `b` by the graph's other static edges follows the middle too: a path through a missing `b` then
//! says nothing new. Edges are left out where another event takes their place: one that comes later before
//! the middle, or earlier after it, and happens whenever one of the two ends does.

use wattle_engine::Unsupported;
use wattle_sat::{Graph, Lit};

use super::definitions::Definitions;
use crate::encode::circuit::Circuit;
use crate::encode::relations::{Matrix, Term, TermId, Terms};

impl Definitions<'_, '_, '_> {
    /// A sequence as two parts with few events between them, if that makes fewer edges.
    pub(crate) fn halves(
        &mut self,
        id: TermId,
        circuit: &mut Circuit<'_>,
    ) -> Result<Option<(TermId, TermId)>, Unsupported> {
        let bounds = self.relations.bounds(id);
        let open = bounds.may.difference(&bounds.must).pairs().count();
        let factors = factors(&self.relations.terms, id);
        let mut best: Option<(usize, TermId, TermId)> = None;
        for at in 1..factors.len() {
            let terms = &mut self.relations.terms;
            let whole = |terms: &mut Terms, parts: &[TermId]| {
                let identity = terms.identity();
                parts.iter().rfold(identity, |rest, part| terms.sequence(*part, rest))
            };
            let (first, second) = (whole(terms, &factors[..at]), whole(terms, &factors[at..]));
            self.relations.settle(first, circuit)?;
            self.relations.settle(second, circuit)?;
            if !self.relations.is_exact(first) || !self.relations.is_exact(second) {
                continue;
            }
            let (before, after) = (self.relations.bounds(first), self.relations.bounds(second));
            let middle = before.may.range().intersection(&after.may.domain()).diagonal().count();
            if middle < open && best.is_none_or(|(fewest, ..)| middle < fewest) {
                best = Some((middle, first, second));
            }
        }
        Ok(best.map(|(_, first, second)| (first, second)))
    }

    /// The edges of `first ; second`, beside those of `fixed`, which the graph has.
    pub(crate) fn through(
        &mut self,
        (first, second): (TermId, TermId),
        fixed: &Matrix,
        graph: &mut Graph,
        circuit: &mut Circuit<'_>,
    ) -> Result<(), Unsupported> {
        let (before, after) = (self.relations.bounds(first).clone(), self.relations.bounds(second).clone());
        let back = fixed.inverse();
        let (into, surely_into) = (before.may.inverse(), before.must.inverse());
        // Another event takes the place of one only if there is no way back.
        let ordered = fixed.is_acyclic();
        let middles = before.may.range().intersection(&after.may.domain());
        for middle in middles.diagonal() {
            let node = self.description.events;
            self.description.events += 1;
            for event in into.successors(middle) {
                let guards = &self.relations.guards;
                let replaced = ordered
                    && before.must.contains((event, middle))
                    && fixed
                        .common(event, &surely_into, middle)
                        .any(|later| guards.needs(middle, later) || guards.needs(event, later));
                if replaced {
                    continue;
                }
                match self.relations.absolute(first, (event, middle), circuit)? {
                    Lit::FALSE => {}
                    Lit::TRUE => graph.fixed.push((event, node)),
                    literal => graph.literal.push((literal, (event, node))),
                }
            }
            for event in after.may.successors(middle) {
                let guards = &self.relations.guards;
                let sure = after.must.contains((middle, event));
                let replaced = ordered
                    && sure
                    && back
                        .common(event, &after.must, middle)
                        .any(|earlier| guards.needs(event, earlier) || guards.needs(middle, earlier));
                if replaced {
                    continue;
                }
                if sure && fixed.row_within(event, &after.must, middle) {
                    graph.fixed.push((node, event));
                    continue;
                }
                match self.relations.absolute(second, (middle, event), circuit)? {
                    Lit::FALSE => {}
                    Lit::TRUE => graph.fixed.push((node, event)),
                    literal => graph.literal.push((literal, (node, event))),
                }
            }
        }
        Ok(())
    }
}

/// The steps of a sequence, in order.
fn factors(terms: &Terms, id: TermId) -> Vec<TermId> {
    match *terms.get(id) {
        Term::Sequence(first, second) => [factors(terms, first), factors(terms, second)].concat(),
        _ => vec![id],
    }
}
