//! The event of a step, and its place in the global order.
//!
//! A step that is undone comes, in ghb, before those later events that doors lead to ([`cube`](crate::cube)), before the instants whose reads it
//! satisfies, and after the instants whose reads it could satisfy and does not. Which sets of instants it may satisfy is asked before
//! anything else: each instant that is left out takes all that comes before it to the far side of the step, so that with many instants
//! only few of the sets are left.

use crate::cube::Node;
use crate::literal::{BOUND, Cell, Literal, Term};
use crate::system::{System, Transition, Update};

/// What a step is for the order, whoever satisfies which reads.
pub(crate) struct Event {
    /// Its node.
    number: u8,
    /// The process that steps, as a bit.
    actor: u32,
    reads: bool,
    writes: bool,
    /// The fence of a step that only writes is an event before the write, which waits in the buffer like any other.
    apart: bool,
    drains: bool,
    written: Vec<Cell>,
    arrays: Vec<u16>,
}

impl Event {
    /// `patterns`: the cells that the step writes, by who takes it; `certain`: those that it is known to write.
    /// `None`: no event, because the step has nothing to do with weak memory.
    pub(crate) fn new(
        system: &System,
        transition: &Transition,
        patterns: &[(Cell, &Update)],
        certain: impl Iterator<Item = Cell>,
        (number, actor): (u8, u8),
    ) -> Option<Event> {
        let mut written: Vec<Cell> = vec![];
        let mut arrays: Vec<u16> = vec![];
        for (pattern, update) in patterns.iter().filter(|(pattern, _)| system.weak(*pattern)) {
            let always = |update: &Update| update.cases.iter().all(|case| case.value.is_some());
            if pattern.indices().all(|index| index < BOUND) {
                written.extend(always(update).then_some(*pattern));
            } else if pattern.indices().all(|index| index >= BOUND)
                && (patterns.iter().filter(|(other, _)| other.variable == pattern.variable))
                    .all(|(_, update)| always(update))
            {
                arrays.push(pattern.variable);
            }
        }
        // Of a broadcast with conditions, the cells that are known to be written.
        written.extend(certain.filter(|cell| system.weak(*cell)));
        written.sort_unstable();
        written.dedup();
        let writes = patterns.iter().any(|(pattern, _)| system.weak(*pattern));
        let Transition { reads, fence, .. } = *transition;
        if !writes && !reads && !fence {
            return None;
        }
        let apart = fence && writes && !reads;
        let drains = (fence && !apart) || (reads && writes);
        Some(Event { number, actor: 1 << actor, reads, writes, apart, drains, written, arrays })
    }

    /// The nodes that the event comes before by program order, or because it writes or reads these cells.
    fn directly_before(&self, nodes: &[Node], read: &[Cell]) -> u32 {
        let is_before = |node: &Node| {
            let by_program = ((self.reads || self.drains) && node.events & self.actor != 0)
                || (self.writes && node.drains & self.actor != 0);
            let by_array = |array: &u16| {
                node.arrays.contains(array) || node.cells.iter().any(|cell| cell.variable == *array)
            };
            by_program
                || self.written.iter().chain(read).any(|cell| node.is_after(*cell))
                || self.arrays.iter().any(by_array)
        };
        nodes.iter().enumerate().filter(|(_, node)| is_before(node)).fold(0, |bits, (i, _)| bits | 1 << i)
    }

    /// The nodes with the new event as the last one; `None` if ghb has a cycle. `seen`: all that is said of the state before
    /// the step; `external`: the nodes that the step could satisfy.
    pub(crate) fn ordered<'l>(
        &self,
        old: &[Node],
        seen: impl Iterator<Item = &'l Literal>,
        external: u32,
        satisfied: u32,
    ) -> Option<Vec<Node>> {
        let mut read: Vec<Cell> = (seen.flat_map(Literal::terms))
            .filter(|term: &Term| term.node == self.number)
            .map(|term| term.cell)
            .collect();
        read.sort_unstable();
        read.dedup();
        let above = satisfied | self.directly_before(old, &read);
        let below = below(old, external & !satisfied);
        if below & above != 0 {
            return None;
        }
        let mut new = Node {
            after: below | 1 << self.number,
            events: self.actor,
            drains: if self.writes || self.drains { self.actor } else { 0 },
            cells: self.written.clone(),
            arrays: self.arrays.clone(),
        };
        for (i, node) in old.iter().enumerate() {
            if below >> i & 1 == 1 {
                new.join(node);
            }
        }
        let mut nodes = old.to_vec();
        for node in &mut nodes {
            if node.after & above != 0 {
                node.after |= new.after;
                node.join(&new);
            }
        }
        nodes.push(new);
        if self.apart {
            nodes.iter_mut().for_each(|node| node.drains |= node.events & self.actor);
        }
        Some(nodes)
    }
}

/// The nodes that come before an event that these come before, these included.
fn below(nodes: &[Node], unsatisfied: u32) -> u32 {
    let is_one = |(i, _): &(usize, &Node)| unsatisfied >> i & 1 == 1;
    nodes.iter().enumerate().filter(is_one).fold(0, |below, (_, node)| below | node.after)
}

/// The sets of nodes that a step may satisfy, of those that it could, so that ghb has no cycle for what is known of it so far; largest
/// first. `suits`: what it writes is what the node reads.
pub(crate) fn satisfiable(
    event: Option<&Event>,
    nodes: &[Node],
    external: u32,
    suits: &dyn Fn(u8) -> bool,
) -> Vec<u32> {
    let mut open: Vec<u8> = (0..nodes.len() as u8).filter(|node| external >> node & 1 == 1).collect();
    let above = event.map_or(0, |event| event.directly_before(nodes, &[]));
    let mut found = vec![];
    open.reverse();
    choose(nodes, &open, above, 0, external, suits, &mut found);
    found
}

fn choose(
    nodes: &[Node],
    open: &[u8],
    above: u32,
    below: u32,
    external: u32,
    suits: &dyn Fn(u8) -> bool,
    found: &mut Vec<u32>,
) {
    let Some((node, rest)) = open.split_first() else {
        return found.push(above & external);
    };
    let bit = 1u32 << node;
    if below & bit == 0 && suits(*node) {
        choose(nodes, rest, above | bit, below, external, suits, found);
    }
    let before = below | nodes[usize::from(*node)].after;
    if above & before == 0 {
        choose(nodes, rest, above, before, external, suits, found);
    }
}
