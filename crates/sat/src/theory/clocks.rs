//! A graph without cycles that grows and shrinks: reachability by chain clocks.
//!
//! The events are covered by a few chains of fixed edges ([`super::chains`]). Each event has a clock:
//! for each chain, the furthest position in it from which the event is reached. So *a reaches b* is
//! one comparison. A new edge raises the clock of its target to that of its source, and so on along
//! the edges that leave it, as far as anything rises. Each rise is recorded with the edge that caused
//! it and the record before it; undoing pops records. This is O(events · chains) memory, against the
//! O(events²) of a transitive closure with its reasons (He, Sun and Fan 2021; Sun, Fan and He 2022).
//!
//! *An edge that is implied is not inserted.* Its source reaches its target by edges that are older
//! on the trail. They are undone no earlier than whatever caused this edge, so as long as this edge
//! should be there, they imply it.
//!
//! *Explanations.* Asked why a reaches b, we walk back from b: among the records of its clock for a's
//! chain, the oldest that is high enough names an edge; its source was reached before that record was
//! made, so its own record is older still, and the walk ends in a's chain. The answer depends only on
//! what was there when b was first reached. So a literal may be told false now and the reason be asked
//! for later: nothing in the reason is younger than the literal.

use super::chains::{self, Cover};
use crate::Lit;

const NONE: u32 = u32::MAX;

/// Why an edge is there. A literal is the constant *true* if it always holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Literal(Lit),
    /// Of the write that is read.
    FromRead {
        write: u32,
        reads_from: Lit,
        coherence: Lit,
    },
    Fact(u32),
}

/// An edge between vertices of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub from: u32,
    pub to: u32,
    pub why: Why,
    /// The leaf of the graph that it belongs to; `NO_LEAF` for the graph's own edges.
    pub leaf: u32,
}

pub(super) const NO_LEAF: u32 = u32::MAX;

/// A clock's entry rose.
#[derive(Clone, Copy, Debug)]
struct Record {
    entry: u32,
    value: u32,
    /// The record that it rose from.
    previous: u32,
    /// What raised it.
    edge: u32,
}

#[derive(Debug)]
pub(super) struct Clocks {
    chains: usize,
    chain: Vec<u32>,
    position: Vec<u32>,
    /// By vertex and chain: what fixed edges make of it, what it is now, and the record of that.
    base: Vec<u32>,
    clock: Vec<u32>,
    last: Vec<u32>,
    records: Vec<Record>,
    /// Fixed ones first.
    edges: Vec<Edge>,
    fixed: usize,
    leaving: Vec<Vec<u32>>,
    open: Vec<u32>,
}

impl Clocks {
    /// The fixed part, or edges of it that are a cycle.
    pub(super) fn new(vertices: usize, fixed: &[Edge]) -> Result<Clocks, Vec<Edge>> {
        let pairs: Vec<(u32, u32)> = fixed.iter().map(|edge| (edge.from, edge.to)).collect();
        let Cover { chain, position, chains, order, kept } = chains::cover(vertices, &pairs)
            .map_err(|cycle| cycle.into_iter().map(|number| fixed[number as usize]).collect::<Vec<_>>())?;
        let edges: Vec<Edge> = kept.iter().map(|number| fixed[*number as usize]).collect();
        let mut leaving = vec![Vec::new(); vertices];
        for (number, edge) in edges.iter().enumerate() {
            leaving[edge.from as usize].push(number as u32);
        }
        let mut clock = vec![0; vertices * chains];
        for vertex in &order {
            let vertex = *vertex as usize;
            let own = &mut clock[vertex * chains + chain[vertex] as usize];
            *own = position[vertex].max(*own);
            for number in &leaving[vertex] {
                let to = edges[*number as usize].to as usize;
                for chain in 0..chains {
                    clock[to * chains + chain] =
                        clock[to * chains + chain].max(clock[vertex * chains + chain]);
                }
            }
        }
        Ok(Clocks {
            chains,
            chain,
            position,
            base: clock.clone(),
            last: vec![NONE; clock.len()],
            clock,
            records: Vec::new(),
            fixed: edges.len(),
            edges,
            leaving,
            open: Vec::new(),
        })
    }

    /// `b` is `a`, or after it.
    pub(super) fn reaches(&self, a: u32, b: u32) -> bool {
        self.clock[self.entry(b, self.chain[a as usize])] >= self.position[a as usize]
    }

    fn entry(&self, vertex: u32, chain: u32) -> usize {
        vertex as usize * self.chains + chain as usize
    }

    /// The entry that must rise to the position for `a` to reach `b`.
    pub(super) fn watch(&self, a: u32, b: u32) -> (u32, u32) {
        (self.entry(b, self.chain[a as usize]) as u32, self.position[a as usize])
    }

    pub(super) fn entries(&self) -> usize {
        self.clock.len()
    }

    pub(super) fn records(&self) -> usize {
        self.records.len()
    }

    /// An entry, and the values that it rose from and to.
    pub(super) fn rise(&self, record: usize) -> (u32, u32, u32) {
        let Record { entry, value, previous, .. } = self.records[record];
        (entry, self.value_before(entry, previous), value)
    }

    pub(super) fn base(&self, entry: u32) -> u32 {
        self.base[entry as usize]
    }

    fn value_before(&self, entry: u32, previous: u32) -> u32 {
        if previous == NONE { self.base[entry as usize] } else { self.records[previous as usize].value }
    }

    /// Adds an edge; `false` if it would close a cycle.
    pub(super) fn insert(&mut self, edge: Edge) -> bool {
        if self.reaches(edge.to, edge.from) {
            return false;
        }
        if self.reaches(edge.from, edge.to) {
            return true;
        }
        let number = self.edges.len() as u32;
        self.edges.push(edge);
        self.leaving[edge.from as usize].push(number);
        self.raise(number);
        let mut next = 0;
        while let Some(vertex) = self.open.get(next).copied() {
            next += 1;
            for position in 0..self.leaving[vertex as usize].len() {
                self.raise(self.leaving[vertex as usize][position]);
            }
        }
        self.open.clear();
        true
    }

    /// Raises the clock of an edge's target to that of its source.
    fn raise(&mut self, number: u32) {
        let Edge { from, to, .. } = self.edges[number as usize];
        let (from, start, chains) = (from as usize * self.chains, to as usize * self.chains, self.chains);
        let (source, target) = if from < start {
            let (low, high) = self.clock.split_at_mut(start);
            (&low[from..from + chains], &mut high[..chains])
        } else {
            let (low, high) = self.clock.split_at_mut(from);
            (&high[..chains], &mut low[start..start + chains])
        };
        let mut rose = false;
        for (chain, (value, own)) in source.iter().zip(target).enumerate() {
            if *value > *own {
                *own = *value;
                let entry = start + chain;
                let previous = std::mem::replace(&mut self.last[entry], self.records.len() as u32);
                self.records.push(Record { entry: entry as u32, value: *value, previous, edge: number });
                rose = true;
            }
        }
        if rose && self.open.last() != Some(&to) {
            self.open.push(to);
        }
    }

    pub(super) fn mark(&self) -> (u32, u32) {
        (self.records.len() as u32, self.edges.len() as u32)
    }

    pub(super) fn undo(&mut self, (records, edges): (u32, u32)) {
        while self.records.len() > records as usize {
            let Some(Record { entry, previous, .. }) = self.records.pop() else { break };
            self.clock[entry as usize] = self.value_before(entry, previous);
            self.last[entry as usize] = previous;
        }
        while self.edges.len() > edges as usize {
            let Some(edge) = self.edges.pop() else { break };
            self.leaving[edge.from as usize].pop();
        }
    }

    /// Why `a` reaches `b`: the edges of a way, last first, from the vertex that is returned on, which
    /// fixed edges reach from `a`.
    pub(super) fn explain(&self, a: u32, b: u32, mut edge: impl FnMut(Edge)) -> u32 {
        let (chain, least) = (self.chain[a as usize], self.position[a as usize]);
        let mut vertex = b;
        loop {
            let entry = self.entry(vertex, chain);
            if self.base[entry] >= least {
                return vertex;
            }
            let mut record = self.last[entry];
            loop {
                let previous = self.records[record as usize].previous;
                if previous == NONE || self.records[previous as usize].value < least {
                    break;
                }
                record = previous;
            }
            let by = self.edges[self.records[record as usize].edge as usize];
            edge(by);
            vertex = by.from;
        }
    }

    /// Fixed edges from `a` to `b`, first first.
    pub(super) fn fixed_way(&self, a: u32, b: u32) -> Vec<Edge> {
        let mut by = vec![NONE; self.leaving.len()];
        let mut open = vec![a];
        let mut next = 0;
        while a != b && by[b as usize] == NONE && next < open.len() {
            let vertex = open[next];
            next += 1;
            for number in &self.leaving[vertex as usize] {
                let to = self.edges[*number as usize].to;
                if (*number as usize) < self.fixed && to != a && by[to as usize] == NONE {
                    by[to as usize] = *number;
                    open.push(to);
                }
            }
        }
        let mut way = Vec::new();
        let mut vertex = b;
        while vertex != a && by[vertex as usize] != NONE {
            let edge = self.edges[by[vertex as usize] as usize];
            way.push(edge);
            vertex = edge.from;
        }
        way.reverse();
        way
    }
}
