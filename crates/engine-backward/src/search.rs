//! The search: the paper's `BWD`.
//!
//! ```text
//! V := {}; push(Q, bad)
//! while Q is not empty:
//!     node := pop(Q)
//!     if node contains an initial state: unsafe
//!     if V does not include node:
//!         V := V + node; push(Q, pre(node))
//! safe
//! ```
//!
//! Beside that, nodes that are equal but for names are pushed once, and nodes of V that a new one includes are deleted, with
//! no need to look at them (if they wait) or to compare with them (if they are done).

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use wattle_engine::{Progress, Reason, Run, Spent, Statistics, Work};

use crate::cube::Cube;
use crate::embed::{Stages, embedding};
use crate::init::{Start, constants_allow, initial_state};
use crate::knowledge::Knowledge;
use crate::literal::Process;
use crate::options::{Backward, Order};
use crate::pre::{Images, Limits, pre_image};
use crate::start::bad_cubes;
use crate::system::System;

/// What looking at a conjunction costs.
const TRY: Work = Work::microseconds(12);
/// What looking at the features of a cube costs.
const SCAN: Work = Work::nanoseconds(15);
/// What asking whether one cube includes another costs.
const COMPARE: Work = Work::nanoseconds(800);

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) cube: Cube,
    features: u128,
    stages: Stages,
    /// `None` until it is visited.
    known: Option<Knowledge>,
    pub(crate) came: Came,
    depth: u64,
    deleted: bool,
    visited: bool,
}

impl Node {
    /// Does every execution that leads to a state of `other` lead to one of this node? `known`: the knowledge of `other`.
    fn includes(&self, other: &Node, known: &Knowledge) -> bool {
        self.features & !other.features == 0
            && self.cube.processes() <= other.cube.processes()
            && (self.cube.nodes.is_empty() || !other.cube.nodes.is_empty())
            && embedding(&self.cube, &self.stages, &other.cube, known).is_some()
    }
}

/// How a node came about.
#[derive(Clone, Debug)]
pub(crate) enum Came {
    /// From this part of `bad`; its parameters are these processes of the cube (or none, where nothing speaks of one).
    Bad {
        bad: usize,
    },
    By {
        parent: usize,
        transition: usize,
        names: Vec<Process>,
        arguments: Vec<Process>,
        approximate: bool,
    },
}

#[derive(Debug)]
pub(crate) enum End {
    /// No node contains an initial state.
    Safe,
    /// A node does.
    Unsafe { node: usize, start: Box<Start> },
}

#[derive(Debug)]
pub(crate) struct Search<'a> {
    system: &'a System,
    options: &'a Backward,
    /// See [`pre`](crate::pre), universal guards.
    lasting: usize,
    run: &'a Run,
    pub(crate) nodes: Vec<Node>,
    queue: BTreeSet<Key>,
    known: HashSet<Cube>,
    visited: Vec<usize>,
    pub(crate) statistics: Figures,
    too_many: bool,
}

/// Least first.
type Key = (usize, usize, Reverse<u64>, usize);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) visited: u64,
    pub(crate) deleted: u64,
    pub(crate) included: u64,
    pub(crate) tried: u64,
    pub(crate) depth: u64,
    pub(crate) processes: u64,
    pub(crate) events: u64,
}

impl Figures {
    pub(crate) fn write(&self, statistics: &mut Statistics) {
        statistics.count("nodes", self.visited);
        statistics.count("included nodes", self.included);
        statistics.count("deleted nodes", self.deleted);
        statistics.count("pre-images", self.tried);
        statistics.count("depth", self.depth);
        statistics.count("processes of a node", self.processes);
        statistics.count("reads of a node", self.events);
    }
}

impl<'a> Search<'a> {
    pub(crate) fn new(system: &'a System, options: &'a Backward, lasting: usize, run: &'a Run) -> Search<'a> {
        Search {
            lasting,
            system,
            options,
            run,
            nodes: vec![],
            queue: BTreeSet::new(),
            known: HashSet::new(),
            visited: vec![],
            statistics: Figures::default(),
            too_many: false,
        }
    }

    /// The paper's main loop.
    pub(crate) fn backward(&mut self) -> Result<End, Reason> {
        for (bad, cube) in bad_cubes(self.system) {
            self.push(cube, Came::Bad { bad }, 0);
        }
        while let Some((.., node)) = self.queue.pop_first() {
            if let Some(start) = initial_state(self.system, &self.nodes[node].cube) {
                return Ok(End::Unsafe { node, start: Box::new(start) });
            }
            if self.is_included(node)? {
                continue;
            }
            self.visit(node);
            for transition in 0..self.system.transitions.len() {
                self.push_pre_images(node, transition)?;
            }
        }
        match self.too_many {
            true => {
                Err(Reason::TooLarge(format!("nodes with more than {} processes were left out", self.most())))
            }
            false => Ok(End::Safe),
        }
    }

    /// Where facts about all processes stay for ever, more and more processes enter that do nothing but satisfy them.
    fn most(&self) -> usize {
        if self.lasting == usize::MAX {
            self.options.max_processes.min(6)
        } else {
            self.options.max_processes
        }
    }

    fn push_pre_images(&mut self, parent: usize, transition: usize) -> Result<(), Reason> {
        let mut images = Images::default();
        let (cube, depth) = (&self.nodes[parent].cube, self.nodes[parent].depth + 1);
        let limits = Limits { most: self.most(), lasting: self.lasting };
        pre_image(self.system, cube, &self.system.transitions[transition], limits, &mut images);
        self.statistics.tried += images.tried;
        self.too_many |= images.too_many;
        let work = TRY * (1 + images.tried);
        for pre in images.list {
            let came = Came::By {
                parent,
                transition,
                names: pre.names,
                arguments: pre.arguments,
                approximate: pre.approximate,
            };
            self.push(pre.cube, came, depth);
        }
        self.poll(work)
    }

    fn push(&mut self, cube: Cube, came: Came, depth: u64) {
        if self.known.contains(&cube) || !constants_allow(self.system, &cube) {
            return;
        }
        self.known.insert(cube.clone());
        let index = self.nodes.len();
        let size = cube.literals.len() + 2 * cube.nodes.len() + cube.universals.len();
        let key = match self.options.order {
            Order::Best => (cube.processes(), size, Reverse(0), index),
            Order::Breadth => (0, depth as usize, Reverse(0), index),
            Order::Depth => (0, 0, Reverse(index as u64), index),
        };
        let (features, stages) = (cube.features(), Stages::new(&cube));
        self.nodes.push(Node {
            cube,
            features,
            stages,
            known: None,
            came,
            depth,
            deleted: false,
            visited: false,
        });
        self.queue.insert(key);
    }

    /// Is the node included in one that was visited?
    fn is_included(&mut self, node: usize) -> Result<bool, Reason> {
        let new = &self.nodes[node];
        let Some(known) = new.cube.knowledge(self.system) else { return Ok(true) };
        let mut compared = 0;
        let included = self.visited.iter().any(|other| {
            let other = &self.nodes[*other];
            compared += u64::from(other.features & !new.features == 0);
            other.includes(new, &known)
        });
        self.nodes[node].known = Some(known);
        self.statistics.included += u64::from(included);
        self.poll(SCAN * self.visited.len() as u64 + COMPARE * compared)?;
        Ok(included)
    }

    /// Put the node among the visited ones, and delete those that it includes.
    fn visit(&mut self, node: usize) {
        let visited = std::mem::take(&mut self.visited);
        let new = &self.nodes[node];
        let includes = |other: &usize| {
            let other = &self.nodes[*other];
            other.known.as_ref().is_some_and(|known| new.includes(other, known))
        };
        let (deleted, mut kept): (Vec<usize>, Vec<usize>) = visited.into_iter().partition(includes);
        kept.push(node);
        let figures = &mut self.statistics;
        figures.deleted += deleted.len() as u64;
        figures.visited += 1;
        figures.depth = figures.depth.max(self.nodes[node].depth);
        figures.processes = figures.processes.max(new.cube.processes() as u64);
        figures.events = figures.events.max(new.cube.nodes.len() as u64);
        deleted.iter().for_each(|old| self.nodes[*old].deleted = true);
        self.nodes[node].visited = true;
        self.visited = kept;
    }

    fn poll(&self, work: Work) -> Result<(), Reason> {
        let figures = &self.statistics;
        if figures.visited > self.options.max_nodes {
            return Err(Reason::States);
        }
        let queue = self.queue.len();
        let phase = format!("{} nodes, {queue} to look at, {} deleted", figures.visited, figures.deleted);
        self.run.progress(&Progress { phase, states: figures.visited, depth: figures.depth });
        let memory = self.nodes.len() as u64 * 1_000;
        self.run.poll(work, Spent { memory, states: figures.visited })
    }

    /// The cubes that include all states from which something bad is reached, when the search has ended with *safe*.
    pub(crate) fn proof(&self) -> Vec<&Cube> {
        self.visited.iter().map(|node| &self.nodes[*node].cube).collect()
    }
}
