//! Closings in full, for proofs: every fact with its premises, every edge of the cycle.

use std::collections::{BTreeMap, BTreeSet};

use super::clocks::{self, NO_LEAF, Why};
use super::facts::Reason;
use super::plan::Leaf;
use super::{Closing, Theory};
use crate::proof::{By, Edge, Fact, Justification, Violation};
use crate::{Definition, Lit, Pair, RelationId};

/// The facts so far, none twice.
#[derive(Default)]
struct Facts {
    list: Vec<Fact>,
    positions: BTreeMap<(RelationId, Pair), u32>,
}

impl Facts {
    fn add(&mut self, relation: RelationId, pair: Pair, by: By) -> u32 {
        let next = self.list.len() as u32;
        let position = *self.positions.entry((relation, pair)).or_insert(next);
        if position == next {
            self.list.push(Fact { relation, pair, by });
        }
        position
    }
}

fn given(literal: Lit) -> By {
    if literal == Lit::TRUE { By::Fixed } else { By::Literal(literal) }
}

impl Theory {
    pub(super) fn justify(&self, closing: &Closing) -> Justification {
        let mut facts = Facts::default();
        let violation = match closing {
            Closing::Test { test, fact } => {
                Violation::Test { test: *test, fact: self.derive(*fact, &mut facts) }
            }
            Closing::Fixed { graph, edges } => Violation::Cycle {
                graph: *graph,
                edges: edges.iter().map(|edge| self.edge(*graph, *edge, &mut facts)).collect(),
            },
            Closing::Edge { graph, edge } => {
                let clocks = &self.graphs[*graph as usize].clocks;
                let mut way = Vec::new();
                let start = clocks.explain(edge.to, edge.from, |edge| way.push(edge));
                let mut cycle = vec![*edge];
                cycle.extend(clocks.fixed_way(edge.to, start));
                cycle.extend(way.into_iter().rev());
                let edges = cycle.into_iter().map(|edge| self.edge(*graph, edge, &mut facts)).collect();
                Violation::Cycle { graph: *graph, edges }
            }
        };
        Justification { facts: facts.list, violation }
    }

    fn edge(&self, graph: u32, edge: clocks::Edge, facts: &mut Facts) -> Edge {
        let of = &self.graphs[graph as usize];
        let pair = (of.event[edge.from as usize], of.event[edge.to as usize]);
        if edge.leaf == NO_LEAF {
            return match edge.why {
                Why::Literal(literal) if literal != Lit::TRUE => Edge::Literal(literal, pair),
                _ => Edge::Fixed(pair),
            };
        }
        let Leaf { relation, via, .. } = &of.leaves[edge.leaf as usize];
        let mut fact = match edge.why {
            Why::Literal(literal) => facts.add(*relation, pair, given(literal)),
            Why::Fact(fact) => self.derive(fact, facts),
            Why::FromRead { write, reads_from, coherence } => {
                let mut premises = Vec::new();
                if let Definition::FromRead { reads_from: reads, coherence: orders } =
                    &self.description.relations[relation.0 as usize]
                {
                    premises.push(facts.add(*reads, (write, pair.0), given(reads_from)));
                    premises.push(facts.add(*orders, (write, pair.1), given(coherence)));
                }
                facts.add(*relation, pair, By::Rule(premises))
            }
        };
        for relation in via.iter().rev() {
            fact = facts.add(*relation, pair, By::Rule(vec![fact]));
        }
        Edge::Fact(fact)
    }

    /// A derived fact and all its premises.
    fn derive(&self, fact: u32, facts: &mut Facts) -> u32 {
        // Premises are older, so each is met once if the youngest is taken first.
        let mut needed = Vec::new();
        let mut open = BTreeSet::from([fact]);
        while let Some(fact) = open.pop_last() {
            needed.push(fact);
            match self.facts.get(fact).reason {
                Reason::Literal(_) => {}
                Reason::One(parent) => open.extend([parent]),
                Reason::Two(first, second) => open.extend([first, second]),
            }
        }
        let mut positions: BTreeMap<u32, u32> = BTreeMap::new();
        for fact in needed.into_iter().rev() {
            let derived = self.facts.get(fact);
            let by = match derived.reason {
                Reason::Literal(literal) => given(literal),
                Reason::One(parent) => By::Rule(vec![positions[&parent]]),
                Reason::Two(first, second) => By::Rule(vec![positions[&first], positions[&second]]),
            };
            let position = facts.add(RelationId(derived.relation), derived.pair, by);
            positions.insert(fact, position);
        }
        positions[&fact]
    }
}
