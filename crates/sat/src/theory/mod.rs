//! The order theory: relations and cycles inside the solver's loop.
//!
//! The paper (Alglave, Kroening and Tautschnig 2013) gives every event a clock and every edge of an
//! execution a comparison of clocks, as clauses. Then `a < b` and `b < c` say nothing about `a < c`
//! before clock bits are decided, and conflicts are learned over clock bits. Here the solver decides
//! only what an execution is made of, and a theory (as in Zord: He, Sun and Fan 2021) keeps the graph
//! of edges that hold, tells it what cannot hold any more, and explains conflicts by the literals that
//! an execution is made of.
//!
//! As literals become true, edges are put into graphs that know reachability ([`clocks`]); pairs of
//! defined relations are derived ([`facts`]); literals that would now close a cycle are told false
//! ([`lookahead`]). Everything is on trails, and backtracking pops them. A conflict or a propagation
//! is one *closing*: an edge whose target reaches its source (or a pair that a test forbids). Its
//! clause says that not all the literals hold that the edge and the way back come from. Since
//! definitions are monotone, that is so under every assignment, and the clause is valid.
//!
//! *Completeness.* Before the solver may answer that there is an assignment, all literals have been
//! taken and all facts derived, without a conflict: so no graph has a cycle, and no test fails.

mod chains;
mod clocks;
mod explain;
mod facts;
mod justify;
mod lookahead;
mod plan;
mod setup;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use self::clocks::{Clocks, Edge, Why};
use self::facts::{Fact, Facts, Reason};
use self::lookahead::{Communication, Waiting, Watches};
use self::plan::Leaf;
use crate::proof::Recorder;
use crate::solver::Stop;
use crate::{Description, Lit, Pair, Test};

/// What a literal says when it holds.
#[derive(Clone, Copy, Debug)]
enum Occurrence {
    Fact { relation: u32, pair: Pair },
    Edge { graph: u32, edge: Edge },
    ReadsFrom { communication: u32, write: u32, read: u32 },
    Coherence { communication: u32, first: u32, second: u32 },
}

/// What cannot be.
#[derive(Clone, Debug)]
pub(crate) enum Closing {
    /// This edge, since its target reaches its source.
    Edge { graph: u32, edge: Edge },
    /// This fact, by this test.
    Test { test: u32, fact: u32 },
    /// These fixed edges.
    Fixed { graph: u32, edges: Vec<Edge> },
}

#[derive(Debug)]
struct Graph {
    clocks: Clocks,
    watches: Watches,
    leaves: Vec<Leaf>,
    vertex: Vec<u32>,
    event: Vec<u32>,
    /// Rises that have been looked at.
    seen: usize,
}

impl Graph {
    fn vertices(&self, (a, b): Pair) -> (u32, u32) {
        (self.vertex[a as usize], self.vertex[b as usize])
    }
}

/// Where from-read is an edge.
#[derive(Debug)]
struct FromRead {
    lists: Communication,
    /// Graphs, and their leaves.
    graphs: Vec<(u32, u32)>,
}

/// Figures of the theory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub lemmas: u64,
    pub propagations: u64,
    pub derived: u64,
}

pub(crate) struct Theory {
    description: Description,
    facts: Facts,
    /// Facts that hold always.
    fixed_facts: u32,
    graphs: Vec<Graph>,
    from_reads: Vec<FromRead>,
    /// For each relation: the graphs and leaves that its facts are edges of, and its tests.
    edges_of: Vec<Vec<(u32, u32)>>,
    tests_of: Vec<Vec<(Test, u32)>>,
    /// By variable: its place among those that are observed.
    slot: Vec<u32>,
    occurrences: Vec<Vec<Occurrence>>,
    reasons: Vec<Option<Closing>>,
    /// By variable: 1, -1, or 0 for neither.
    values: Vec<i8>,
    assigned: Vec<Lit>,
    taken: usize,
    /// What there was when a decision level began.
    levels: Vec<Mark>,
    queue: VecDeque<Lit>,
    queued: Vec<bool>,
    /// Room for a list that is made often.
    refuted: Vec<(Lit, Edge)>,
    conflict: Option<Closing>,
    /// It cannot be, whatever is assigned.
    broken: Option<Closing>,
    steps: u32,
    stop: Rc<RefCell<Stop>>,
    /// Where lemmas are justified, if a proof is wanted.
    recorder: Option<Rc<RefCell<Recorder>>>,
    counts: Counts,
    /// Marks of explanations.
    visited: RefCell<(u32, Vec<u32>)>,
}

#[derive(Debug)]
struct Mark {
    assigned: usize,
    taken: usize,
    facts: (u32, u32),
    graphs: Vec<(u32, u32)>,
}

/// A conflict was found, and is in `conflict`.
struct Found;

impl Theory {
    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    /// The variables that it has to hear of.
    pub(crate) fn variables(&self) -> impl Iterator<Item = i32> + '_ {
        (0..self.slot.len())
            .filter(|variable| self.slot[*variable] != u32::MAX)
            .map(|variable| variable as i32)
    }

    pub(crate) fn assign(&mut self, literals: &[i32]) {
        for number in literals {
            let literal = Lit::new(*number);
            // Root assignments may be told again.
            let variable = literal.variable() as usize;
            let observed = self.slot.get(variable).is_some_and(|slot| *slot != u32::MAX);
            if observed && self.values[variable] == 0 {
                self.values[variable] = if literal.is_positive() { 1 } else { -1 };
                self.assigned.push(literal);
            }
        }
    }

    pub(crate) fn new_level(&mut self) {
        self.levels.push(Mark {
            assigned: self.assigned.len(),
            taken: self.taken,
            facts: self.facts.mark(),
            graphs: self.graphs.iter().map(|graph| graph.clocks.mark()).collect(),
        });
    }

    pub(crate) fn backtrack(&mut self, level: usize) {
        if level >= self.levels.len() {
            return;
        }
        self.conflict = None;
        for literal in self.queue.drain(..) {
            self.queued[literal.variable() as usize] = false;
        }
        let mark = self.levels.swap_remove(level);
        self.levels.truncate(level);
        for literal in self.assigned.drain(mark.assigned..) {
            self.values[literal.variable() as usize] = 0;
        }
        self.taken = mark.taken;
        self.facts.undo(mark.facts);
        for (graph, mark) in self.graphs.iter_mut().zip(mark.graphs) {
            graph.clocks.undo(mark);
            graph.seen = graph.seen.min(graph.clocks.records());
        }
    }

    /// Draws all consequences of what is assigned. A literal that must be false, or `None`: then there
    /// may be a conflict.
    pub(crate) fn propagate(&mut self) -> Option<Lit> {
        if self.conflict.is_some() || self.consequences().is_err() {
            return None;
        }
        while let Some(literal) = self.queue.pop_front() {
            self.queued[literal.variable() as usize] = false;
            if !self.holds(literal) {
                self.counts.propagations += 1;
                return Some(literal);
            }
        }
        None
    }

    pub(crate) fn has_conflict(&self) -> bool {
        self.conflict.is_some()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.borrow().stopped()
    }

    fn consequences(&mut self) -> Result<(), Found> {
        while let Some(literal) = self.assigned.get(self.taken).copied() {
            if self.stopped() {
                return Ok(());
            }
            self.take(literal)?;
            self.taken += 1;
        }
        while let Some((number, fact)) = self.facts.step() {
            if self.stopped() {
                return Ok(());
            }
            if let Err(found) = self.learn(number, fact) {
                self.facts.step_back();
                return Err(found);
            }
        }
        for graph in 0..self.graphs.len() {
            self.look_ahead(graph);
        }
        Ok(())
    }

    /// Saturation may be long, and the solver does not ask meanwhile.
    fn stopped(&mut self) -> bool {
        self.steps += 1;
        if self.steps.is_multiple_of(1000) {
            self.stop.borrow_mut().poll()
        } else {
            self.stop.borrow().stopped()
        }
    }

    fn holds(&self, literal: Lit) -> bool {
        literal == Lit::TRUE || self.value(literal) == 1
    }

    /// 1 if it holds, -1 if it does not, 0 if that is open.
    fn value(&self, literal: Lit) -> i8 {
        let value = self.values[literal.variable() as usize];
        if literal.is_positive() { value } else { -value }
    }

    fn code(&self, literal: Lit) -> usize {
        2 * self.slot[literal.variable() as usize] as usize + usize::from(!literal.is_positive())
    }

    fn take(&mut self, literal: Lit) -> Result<(), Found> {
        let code = self.code(literal);
        for position in 0..self.occurrences[code].len() {
            match self.occurrences[code][position] {
                Occurrence::Fact { relation, pair } => {
                    self.facts.add(relation, pair, Reason::Literal(literal));
                }
                Occurrence::Edge { graph, edge } => self.insert(graph, edge)?,
                Occurrence::ReadsFrom { communication, write, read } => {
                    let later = self.from_reads[communication as usize].lists.later[write as usize].len();
                    for position in 0..later {
                        let lists = &self.from_reads[communication as usize].lists;
                        let (second, coherence) = lists.later[write as usize][position];
                        self.read_before(communication, write, (read, second), literal, coherence)?;
                    }
                }
                Occurrence::Coherence { communication, first, second } => {
                    let readers = self.from_reads[communication as usize].lists.readers[first as usize].len();
                    for position in 0..readers {
                        let lists = &self.from_reads[communication as usize].lists;
                        let (read, reads_from) = lists.readers[first as usize][position];
                        self.read_before(communication, first, (read, second), reads_from, literal)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// One of the two literals came to hold.
    fn read_before(
        &mut self,
        communication: u32,
        write: u32,
        (read, later): Pair,
        reads_from: Lit,
        coherence: Lit,
    ) -> Result<(), Found> {
        if read == later {
            return Ok(());
        }
        let both = self.holds(reads_from) && self.holds(coherence);
        let open = if self.holds(coherence) { reads_from } else { coherence };
        if !both && self.value(open) != 0 {
            return Ok(());
        }
        for position in 0..self.from_reads[communication as usize].graphs.len() {
            let (graph, leaf) = self.from_reads[communication as usize].graphs[position];
            let of = &self.graphs[graph as usize];
            if !of.leaves[leaf as usize].admits((read, later)) {
                continue;
            }
            let (from, to) = of.vertices((read, later));
            let edge = Edge { from, to, why: Why::FromRead { write, reads_from, coherence }, leaf };
            if both {
                self.counts.derived += 1;
                self.insert(graph, edge)?;
            } else if of.clocks.reaches(to, from) {
                self.refute(open, Closing::Edge { graph, edge });
            }
        }
        Ok(())
    }

    fn learn(&mut self, number: u32, fact: Fact) -> Result<(), Found> {
        let relation = fact.relation as usize;
        for (test, position) in &self.tests_of[relation] {
            if *test == Test::Empty || fact.pair.0 == fact.pair.1 {
                self.conflict = Some(Closing::Test { test: *position, fact: number });
                return Err(Found);
            }
        }
        for position in 0..self.edges_of[relation].len() {
            let (graph, leaf) = self.edges_of[relation][position];
            let of = &self.graphs[graph as usize];
            if of.leaves[leaf as usize].admits(fact.pair) {
                let (from, to) = of.vertices(fact.pair);
                self.insert(graph, Edge { from, to, why: Why::Fact(number), leaf })?;
            }
        }
        if !matches!(fact.reason, Reason::Literal(_)) {
            self.counts.derived += 1;
        }
        Ok(())
    }

    fn insert(&mut self, graph: u32, edge: Edge) -> Result<(), Found> {
        if self.graphs[graph as usize].clocks.insert(edge) {
            return Ok(());
        }
        self.conflict = Some(Closing::Edge { graph, edge });
        Err(Found)
    }

    fn look_ahead(&mut self, graph: usize) {
        while self.graphs[graph].seen < self.graphs[graph].clocks.records() {
            let of = &mut self.graphs[graph];
            let rise = of.clocks.rise(of.seen);
            of.seen += 1;
            self.wake(graph, rise);
        }
    }

    /// An entry of a clock rose.
    fn wake(&mut self, graph: usize, rise: (u32, u32, u32)) {
        for position in self.graphs[graph].watches.woken(rise) {
            match self.graphs[graph].watches.get(position) {
                Waiting::Edge(literal, edge) => {
                    self.refute(literal, Closing::Edge { graph: graph as u32, edge });
                }
                Waiting::FromRead { communication, leaf, read, write } => {
                    self.wake_from_read(graph, communication, leaf, (read, write));
                }
            }
        }
    }

    /// The write reaches the read now.
    fn wake_from_read(&mut self, graph: usize, communication: u32, leaf: u32, (read, write): Pair) {
        let (from, to) = self.graphs[graph].vertices((read, write));
        let mut refuted = std::mem::take(&mut self.refuted);
        let lists = &self.from_reads[communication as usize].lists;
        lists.between(
            (read, write),
            |literal| self.value(literal) < 0,
            |write, reads_from, coherence| {
                let open = match (self.value(reads_from), self.value(coherence)) {
                    (0, 1) => reads_from,
                    (1, 0) => coherence,
                    _ => return,
                };
                let why = Why::FromRead { write, reads_from, coherence };
                refuted.push((open, Edge { from, to, why, leaf }));
            },
        );
        for (literal, edge) in refuted.drain(..) {
            self.refute(literal, Closing::Edge { graph: graph as u32, edge });
        }
        self.refuted = refuted;
    }

    /// The literal cannot hold.
    fn refute(&mut self, literal: Lit, closing: Closing) {
        let variable = literal.variable() as usize;
        if self.value(literal) != 0 || self.queued[variable] {
            return;
        }
        self.queued[variable] = true;
        let code = self.code(!literal);
        self.reasons[code] = Some(closing);
        self.queue.push_back(!literal);
    }

    /// The clause of the conflict.
    pub(crate) fn lemma(&mut self) -> Option<Vec<Lit>> {
        let closing = self.conflict.take()?;
        self.counts.lemmas += 1;
        Some(self.clause(&closing))
    }

    /// The clause that made a literal hold.
    pub(crate) fn reason(&self, literal: Lit) -> Vec<Lit> {
        match &self.reasons[self.code(literal)] {
            Some(closing) => self.clause(closing),
            // The solver asks only for reasons of literals that the theory propagated. Should it ever ask for
            // another one, the search stops without an answer.
            None => {
                self.stop.borrow_mut().halt();
                vec![literal]
            }
        }
    }

    /// Is this complete assignment the one that the theory was told, literal by literal, and has the theory
    /// processed all of it? If not, `scratch` decides.
    pub(crate) fn agrees(&self, model: &[i32]) -> bool {
        self.taken == self.assigned.len()
            && model.iter().all(|number| {
                let literal = Lit::new(*number);
                self.values.get(literal.variable() as usize).is_none_or(|_| self.value(literal) == 1)
            })
    }

    pub(crate) fn description(&self) -> &Description {
        &self.description
    }
}
