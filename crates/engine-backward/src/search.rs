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
//! Pre-images by different transitions are independent: with several threads they are made side by side, and pushed in the order of
//! transitions, so that the search is the same.
//!
//! Beside that, nodes that are equal but for names are pushed once, and nodes of V that a new one includes are deleted, with
//! no need to look at them (if they wait) or to compare with them (if they are done).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use wattle_engine::{Progress, Reason, Run, Spent, Statistics, Work};

use crate::cube::Cube;
use crate::embed::{Stages, embeds};
use crate::init::{Start, constants_allow, initial_state};
use crate::knowledge::Knowledge;
use crate::literal::Process;
use crate::options::{Backward, Order};
use crate::oracle::Oracle;
use crate::pre::{Limits, pre_images};
use crate::start::bad_cubes;
use crate::system::System;

/// With fewer pre-images than this, threads cost more than they bring.
const WORTH: u64 = 150;
/// What looking at a conjunction costs.
const TRY: Work = Work::microseconds(12);
/// What looking at the features of a cube costs.
const SCAN: Work = Work::nanoseconds(15);
/// What asking whether one cube includes another costs, and more for each place of a process that is tried.
const COMPARE: Work = Work::nanoseconds(400);
const PLACE: Work = Work::nanoseconds(150);
/// The best node may be one of infinitely many: once so many were looked at, one in so many is the oldest instead, so that every node has its turn.
const FAIR_AFTER: u64 = 200;
const FAIR: u64 = 6;

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
    /// Adds what it took to find out.
    fn includes(&self, other: &Node, known: &Knowledge, work: &mut Work) -> bool {
        let may = self.features & !other.features == 0
            && self.cube.processes() <= other.cube.processes()
            && (self.cube.nodes.is_empty() || !other.cube.nodes.is_empty());
        if !may {
            return false;
        }
        let (includes, places) = embeds(&self.cube, &self.stages, &other.cube, known);
        *work = *work + COMPARE + PLACE * u64::from(places);
        includes
    }
}

/// How a node came about.
#[derive(Clone, Debug)]
pub(crate) enum Came {
    /// From this part of `bad`; its parameters are these processes of the cube (or none, where nothing speaks of one).
    Bad {
        bad: usize,
    },
    /// A guess of the [`oracle`](crate::oracle).
    Candidate,
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
    /// Who guesses, if anybody does, and guesses that were wrong.
    oracle: Option<&'a Oracle>,
    rejected: HashSet<Cube>,
    run: &'a Run,
    pub(crate) nodes: Vec<Node>,
    queue: BTreeSet<Key>,
    /// The same keys by the age of their nodes.
    ages: BTreeMap<usize, Key>,
    /// How many nodes were looked at.
    looked: u64,
    known: HashSet<Cube>,
    visited: Vec<usize>,
    pub(crate) statistics: Figures,
    worked: Work,
    /// Pre-images of the last node: the next one may have as many.
    expected: u64,
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
    pub(crate) candidates: u64,
    pub(crate) rejected: u64,
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
        statistics.count("candidates", self.candidates);
        statistics.count("rejected candidates", self.rejected);
    }
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        system: &'a System,
        options: &'a Backward,
        lasting: usize,
        oracle: Option<&'a Oracle>,
        run: &'a Run,
    ) -> Search<'a> {
        let mut search = Search {
            lasting,
            oracle,
            rejected: HashSet::new(),
            system,
            options,
            run,
            nodes: vec![],
            queue: BTreeSet::new(),
            ages: BTreeMap::new(),
            looked: 0,
            known: HashSet::new(),
            visited: vec![],
            statistics: Figures::default(),
            worked: Work::NONE,
            expected: 0,
            too_many: false,
        };
        search.begin();
        search
    }

    fn begin(&mut self) {
        for (bad, cube) in bad_cubes(self.system) {
            self.push(cube, Came::Bad { bad }, 0);
        }
    }

    /// The paper's main loop. `None`: so much was done; it may go on.
    pub(crate) fn backward(&mut self, until: Work) -> Result<Option<End>, Reason> {
        while self.worked < until
            && let Some(node) = self.next()
        {
            if let Some(start) = initial_state(self.system, &self.nodes[node].cube) {
                if let Some(wrong) = self.candidate_of(node).cloned() {
                    self.reject(wrong);
                    continue;
                }
                return Ok(Some(End::Unsafe { node, start: Box::new(start) }));
            }
            if self.is_included(node)? || self.is_included_in_a_candidate(node)? {
                continue;
            }
            self.visit(node)?;
            self.push_pre_images(node)?;
        }
        match self.too_many {
            _ if !self.queue.is_empty() => Ok(None),
            true => {
                Err(Reason::TooLarge(format!("nodes with more than {} processes were left out", self.most())))
            }
            false => Ok(Some(End::Safe)),
        }
    }

    /// The first node by the order of the search, and sometimes the oldest.
    fn next(&mut self) -> Option<usize> {
        self.looked += 1;
        let oldest = self.looked > FAIR_AFTER && self.looked.is_multiple_of(FAIR);
        let key = if oldest {
            self.ages.first_key_value().map(|(_, key)| *key)
        } else {
            self.queue.first().copied()
        };
        let key = key?;
        self.queue.remove(&key);
        self.ages.remove(&key.3);
        Some(key.3)
    }

    /// Is there a guess that includes the node? It is looked at instead.
    fn is_included_in_a_candidate(&mut self, node: usize) -> Result<bool, Reason> {
        let Some(oracle) = self.oracle else { return Ok(false) };
        if matches!(self.nodes[node].came, Came::Candidate) {
            return Ok(false);
        }
        let cube = &self.nodes[node].cube;
        let candidate = oracle.candidate(self.system, cube, &self.rejected, self.run)?;
        self.worked = self.worked + oracle.worked();
        let Some(candidate) = candidate else { return Ok(false) };
        if candidate == *cube {
            return Ok(false);
        }
        self.statistics.candidates += 1;
        self.push(candidate, Came::Candidate, self.nodes[node].depth);
        Ok(true)
    }

    /// The candidate that a node was made from, if it was.
    fn candidate_of(&self, node: usize) -> Option<&Cube> {
        match &self.nodes[node].came {
            Came::Bad { .. } => None,
            Came::Candidate => Some(&self.nodes[node].cube),
            Came::By { parent, .. } => self.candidate_of(*parent),
        }
    }

    /// Begin again without this candidate.
    fn reject(&mut self, candidate: Cube) {
        self.rejected.insert(candidate);
        self.nodes.clear();
        self.queue.clear();
        self.ages.clear();
        self.known.clear();
        self.visited.clear();
        self.too_many = false;
        self.statistics.rejected += 1;
        self.begin();
    }

    /// Where facts about all processes stay for ever, more and more processes enter that do nothing but satisfy them.
    fn most(&self) -> usize {
        if self.lasting == usize::MAX {
            self.options.max_processes.min(6)
        } else {
            self.options.max_processes
        }
    }

    fn push_pre_images(&mut self, parent: usize) -> Result<(), Reason> {
        let depth = self.nodes[parent].depth + 1;
        let limits = Limits { most: self.most(), lasting: self.lasting };
        let workers = if self.expected < WORTH { 1 } else { self.options.threads };
        let all = pre_images(self.system, &self.nodes[parent].cube, limits, workers);
        self.expected = all.iter().map(|images| images.tried).sum();
        for (transition, images) in all.into_iter().enumerate() {
            self.statistics.tried += images.tried;
            self.too_many |= images.too_many;
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
            self.poll(TRY * (1 + images.tried))?;
        }
        Ok(())
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
        self.ages.insert(index, key);
    }

    /// Is the node included in one that was visited?
    fn is_included(&mut self, node: usize) -> Result<bool, Reason> {
        let new = &self.nodes[node];
        let Some(known) = new.cube.knowledge(self.system) else { return Ok(true) };
        let mut work = SCAN * self.visited.len() as u64;
        let included = self.visited.iter().any(|other| self.nodes[*other].includes(new, &known, &mut work));
        self.nodes[node].known = Some(known);
        self.statistics.included += u64::from(included);
        self.poll(work)?;
        Ok(included)
    }

    /// Put the node among the visited ones, and delete those that it includes.
    fn visit(&mut self, node: usize) -> Result<(), Reason> {
        let mut work = SCAN * self.visited.len() as u64;
        let visited = std::mem::take(&mut self.visited);
        let new = &self.nodes[node];
        let includes = |other: &usize| {
            let other = &self.nodes[*other];
            other.known.as_ref().is_some_and(|known| new.includes(other, known, &mut work))
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
        self.poll(work)
    }

    fn poll(&mut self, work: Work) -> Result<(), Reason> {
        self.worked = self.worked + work;
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
