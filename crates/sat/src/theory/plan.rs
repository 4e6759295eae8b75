//! Which pairs of a description are edges at once, and which have to be derived first.
//!
//! The edges of a graph are the pairs of some relations, and most of these consist of given pairs: the
//! communication of an execution is a union of reads-from, coherence and from-read, perhaps restricted to
//! pairs of different threads. So each relation of a graph is taken apart, through unions, restrictions and
//! closures (a closure has a cycle exactly where its relation does), into *leaves*. A given leaf
//! becomes edges that come and go with their literals, and the order theory can look ahead on them;
//! so can it on from-read, which is never derived as such. Only what is left has to be saturated.

use std::sync::Arc;

use crate::{Definition, Description, Pair, RelationId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Given,
    /// Of two given relations.
    FromRead,
    /// Pairs that saturation derives.
    Derived,
}

/// A part of a graph.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub kind: Kind,
    pub relation: RelationId,
    /// It is restricted to pairs that are in all of these.
    pub within: Vec<Arc<Vec<Pair>>>,
    /// The relations on the way to it from the graph, for proofs.
    pub via: Vec<RelationId>,
}

impl Leaf {
    pub(super) fn admits(&self, pair: Pair) -> bool {
        self.within.iter().all(|among| among.binary_search(&pair).is_ok())
    }
}

/// The leaves of each graph.
pub(super) fn leaves(description: &Description) -> Vec<Vec<Leaf>> {
    description
        .graphs
        .iter()
        .map(|graph| {
            let mut collector =
                Collector { description, via: Vec::new(), within: Vec::new(), found: Vec::new() };
            graph.relations.iter().for_each(|relation| collector.take_apart(*relation));
            collector.found
        })
        .collect()
}

struct Collector<'d> {
    description: &'d Description,
    via: Vec<RelationId>,
    within: Vec<Arc<Vec<Pair>>>,
    found: Vec<Leaf>,
}

impl Collector<'_> {
    fn take_apart(&mut self, relation: RelationId) {
        // A relation that is defined by itself in these ways adds nothing to itself.
        if self.via.contains(&relation) {
            return;
        }
        let given =
            |of: RelationId| matches!(self.description.relations[of.0 as usize], Definition::Given { .. });
        let kind = match &self.description.relations[relation.0 as usize] {
            Definition::Given { .. } => Kind::Given,
            Definition::FromRead { reads_from, coherence } if given(*reads_from) && given(*coherence) => {
                Kind::FromRead
            }
            Definition::Union(parts) => {
                self.via.push(relation);
                parts.iter().for_each(|part| self.take_apart(*part));
                self.via.pop();
                return;
            }
            Definition::Within(part, among) => {
                self.via.push(relation);
                self.within.push(Arc::clone(among));
                self.take_apart(*part);
                self.within.pop();
                self.via.pop();
                return;
            }
            // What is restricted is the closure, not its steps.
            Definition::Closure(step) if self.within.is_empty() => {
                self.via.push(relation);
                self.take_apart(*step);
                self.via.pop();
                return;
            }
            _ => Kind::Derived,
        };
        let known = self.found.iter().any(|leaf| leaf.relation == relation && leaf.within.is_empty());
        if !known {
            self.found.push(Leaf { kind, relation, within: self.within.clone(), via: self.via.clone() });
        }
    }
}

/// The relations whose pairs have to be derived: those of tests and derived leaves, and what they are
/// defined by.
pub(super) fn derived(description: &Description, leaves: &[Vec<Leaf>]) -> Vec<bool> {
    let mut needed = vec![false; description.relations.len()];
    let mut open: Vec<RelationId> = description.tests.iter().map(|(_, relation)| *relation).collect();
    open.extend(leaves.iter().flatten().filter(|leaf| leaf.kind == Kind::Derived).map(|leaf| leaf.relation));
    while let Some(relation) = open.pop() {
        if std::mem::replace(&mut needed[relation.0 as usize], true) {
            continue;
        }
        match &description.relations[relation.0 as usize] {
            Definition::Given { .. } => {}
            Definition::Union(parts) => open.extend(parts),
            Definition::Intersection(left, right) | Definition::Sequence(left, right) => {
                open.extend([*left, *right]);
            }
            Definition::FromRead { reads_from, coherence } => open.extend([*reads_from, *coherence]),
            Definition::Within(part, _)
            | Definition::Inverse(part)
            | Definition::Closure(part)
            | Definition::Domain(part)
            | Definition::Range(part) => open.push(*part),
        }
    }
    needed
}

/// For each relation, the events that may be first and those that may be second in a pair.
pub(super) fn ends(description: &Description) -> Vec<[Vec<bool>; 2]> {
    let events = description.events as usize;
    let mut ends = vec![[vec![false; events], vec![false; events]]; description.relations.len()];
    loop {
        let mut grew = false;
        for (relation, definition) in description.relations.iter().enumerate() {
            let end = |of: RelationId, side: usize| &ends[of.0 as usize][side];
            let both = |left: &Vec<bool>, right: &Vec<bool>, either: bool| -> Vec<bool> {
                left.iter().zip(right).map(|(l, r)| if either { *l || *r } else { *l && *r }).collect()
            };
            let marked = |pairs: &mut dyn Iterator<Item = Pair>| {
                let mut marks = [vec![false; events], vec![false; events]];
                for (a, b) in pairs {
                    marks[0][a as usize] = true;
                    marks[1][b as usize] = true;
                }
                marks
            };
            let new = match definition {
                Definition::Given { fixed, literal } => {
                    marked(&mut fixed.iter().copied().chain(literal.iter().map(|(_, pair)| *pair)))
                }
                Definition::Union(parts) => {
                    let mut all = [vec![false; events], vec![false; events]];
                    for part in parts {
                        all = [0, 1].map(|side| both(&all[side], end(*part, side), true));
                    }
                    all
                }
                Definition::Intersection(left, right) => {
                    [0, 1].map(|side| both(end(*left, side), end(*right, side), false))
                }
                Definition::Within(part, among) => {
                    let among = marked(&mut among.iter().copied());
                    [0, 1].map(|side| both(end(*part, side), &among[side], false))
                }
                Definition::Sequence(left, right) => [end(*left, 0).clone(), end(*right, 1).clone()],
                Definition::Inverse(part) => [end(*part, 1).clone(), end(*part, 0).clone()],
                Definition::Closure(part) => [end(*part, 0).clone(), end(*part, 1).clone()],
                Definition::Domain(part) => [end(*part, 0).clone(), end(*part, 0).clone()],
                Definition::Range(part) => [end(*part, 1).clone(), end(*part, 1).clone()],
                Definition::FromRead { reads_from, coherence } => {
                    [end(*reads_from, 1).clone(), end(*coherence, 1).clone()]
                }
            };
            if new != ends[relation] {
                ends[relation] = new;
                grew = true;
            }
        }
        if !grew {
            return ends;
        }
    }
}
