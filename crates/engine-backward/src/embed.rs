//! When one cube includes another: the fixpoint test.
//!
//! The paper asks whether a node entails the visited ones, modulo renaming. A test that only compares sets of
//! literals would be wrong for events: that a read is *not yet satisfied* is no literal. Here unsatisfied reads are the only reads
//! there are, and they are mapped to unsatisfied reads of the same process and cell. Processes are mapped
//! one to one; nodes need not be, because reads at one instant are a special case of reads at two. Everything that the smaller cube says
//! (literals, doors, order of nodes) must be known in the larger, so that an execution that leads to the larger one leads to the
//! smaller one by the same steps.
//!
//! A fact about all processes outside the cube needs the same fact there, and an instance of it for every process that the
//! larger cube has beside.

use crate::cube::{Cube, doors_fit};
use crate::knowledge::Knowledge;
use crate::literal::{BOUND, Literal, Process, Renaming};

/// Cubes with many processes that look the same can be mapped in too many ways to try them all; what is not found is as if it were
/// not there, which costs nodes and nothing else.
const TRIES: u32 = 4_000;

/// How `small` is mapped into `large`.
struct Embedding {
    processes: Vec<Process>,
    nodes: Vec<u8>,
}

/// Can `small` be mapped into `large`, and how many places were tried to find that out?
pub(crate) fn embeds(small: &Cube, stages: &Stages, large: &Cube, known: &Knowledge) -> (bool, u32) {
    let mut embedding = Embedding { processes: vec![], nodes: vec![] };
    let mut search = Search { small, large, known, stages, left: TRIES };
    let found = search.processes(&mut embedding, 0);
    (found, TRIES - search.left)
}

/// Literals by when they can be judged: once processes `0..=i` have a place, or once nodes `0..=i` do.
#[derive(Clone, Debug)]
pub(crate) struct Stages {
    processes: Vec<Vec<Literal>>,
    nodes: Vec<Vec<Literal>>,
}

impl Stages {
    pub(crate) fn new(cube: &Cube) -> Stages {
        let mut stages =
            Stages { processes: vec![vec![]; cube.pins.len() + 1], nodes: vec![vec![]; cube.nodes.len()] };
        for literal in &cube.literals {
            let reads = literal.terms().filter(|term| term.is_read());
            match reads.map(|term| term.node).max() {
                Some(node) => stages.nodes[usize::from(node)].push(*literal),
                None => {
                    let last = literal.processes().max().map_or(0, |process| usize::from(process) + 1);
                    stages.processes[last].push(*literal);
                }
            }
        }
        stages
    }
}

struct Search<'a> {
    small: &'a Cube,
    large: &'a Cube,
    known: &'a Knowledge,
    stages: &'a Stages,
    /// Places that may still be tried.
    left: u32,
}

impl Search<'_> {
    fn processes(&mut self, found: &mut Embedding, used: u32) -> bool {
        let next = found.processes.len();
        if !self.hold(&self.stages.processes[next], found) {
            return false;
        }
        if next == self.small.pins.len() {
            return self.nodes(found);
        }
        for candidate in 0..self.large.pins.len() {
            let pin = self.small.pins[next];
            if used >> candidate & 1 == 1 || (pin.is_some() && pin != self.large.pins[candidate]) {
                continue;
            }
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                return false;
            }
            found.processes.push(candidate as Process);
            if self.processes(found, used | 1 << candidate) {
                return true;
            }
            found.processes.pop();
        }
        false
    }

    fn nodes(&mut self, found: &mut Embedding) -> bool {
        let next = found.nodes.len();
        if next == self.small.nodes.len() {
            return self.universals(found);
        }
        let node = &self.small.nodes[next];
        for candidate in 0..self.large.nodes.len() {
            let place = &self.large.nodes[candidate];
            let ordered = (0..next).all(|other| {
                let other_place = found.nodes[other];
                let before = node.after >> other & 1 == 1;
                let after = self.small.nodes[other].after >> next & 1 == 1;
                (!before || place.after >> other_place & 1 == 1)
                    && (!after || self.large.nodes[usize::from(other_place)].after >> candidate & 1 == 1)
            });
            if !ordered || !doors_fit(node, &found.processes, place) {
                continue;
            }
            found.nodes.push(candidate as u8);
            if self.hold(&self.stages.nodes[next], found) && self.nodes(found) {
                return true;
            }
            found.nodes.pop();
        }
        false
    }

    fn hold(&self, literals: &[Literal], found: &Embedding) -> bool {
        let mut process = |process: Process| found.processes[usize::from(process)];
        let mut node = |node: u8| found.nodes[usize::from(node)];
        let mut renaming = Renaming { process: &mut process, node: &mut node };
        literals.iter().all(|literal| self.known.implies(&renaming.literal(literal)))
    }

    fn universals(&self, found: &Embedding) -> bool {
        let mut process = |process: Process| match process < BOUND {
            true => found.processes[usize::from(process)],
            false => process,
        };
        let mut node = |node: u8| found.nodes[usize::from(node)];
        let mut renaming = Renaming { process: &mut process, node: &mut node };
        let outside = |process: Process| !found.processes.contains(&process);
        self.small.universals.iter().all(|universal| {
            let universal = universal.renamed(&mut renaming);
            let known = |conjunction: &Vec<Literal>| conjunction.iter().all(|l| self.known.implies(l));
            self.large.universals.contains(&universal)
                && (universal.choices(self.large.pins.len(), &outside).iter())
                    .all(|choice| universal.instance(choice).iter().any(known))
        })
    }
}
