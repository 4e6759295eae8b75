//! From a description to a theory: what always holds is computed once, the rest is put into lists.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use super::clocks::{Clocks, Edge, NO_LEAF, Why};
use super::facts::{Facts, Reason};
use super::lookahead::{Communication, Waiting, Watches, literal_pairs, pairs};
use super::plan::{self, Kind, Leaf};
use super::{Closing, Counts, FromRead, Graph, Occurrence, Theory};
use crate::proof::Recorder;
use crate::solver::Stop;
use crate::{Definition, Description, Lit, Pair, RelationId, Test};

/// After so many entries of a list, it is asked whether to go on.
const LOOK_AFTER: usize = 1 << 16;

impl Theory {
    /// If `stop` ends it early, the theory is incomplete, but is never used: `stop` stays set, and nothing is solved.
    pub(crate) fn new(
        description: Description,
        stop: Rc<RefCell<Stop>>,
        recorder: Option<Rc<RefCell<Recorder>>>,
    ) -> Theory {
        let leaves = plan::leaves(&description);
        let needed = plan::derived(&description, &leaves);
        let (tests_of, edges_of) = (tests_of(&description), edges_of(&description, &leaves));
        let (facts, mut broken) = always(&description, &needed, &tests_of);
        let (from_reads, of_relation) = from_reads(&description, &leaves);
        let ends = if leaves.iter().flatten().any(|leaf| leaf.kind == Kind::Derived) {
            plan::ends(&description)
        } else {
            Vec::new()
        };

        let mut occurrences = Occurrences::default();
        occurrences.add_facts(&description, &needed);
        let mut graphs = Vec::new();
        for (number, leaves) in leaves.into_iter().enumerate() {
            let mut over = || stop.borrow_mut().poll();
            let edges = Edges::of(
                &description,
                number,
                &leaves,
                &facts,
                (&from_reads, &of_relation),
                &ends,
                &mut over,
            );
            let (graph, cycle) = edges.graph(number as u32, leaves, &mut occurrences, &mut over);
            broken = broken.or(cycle);
            graphs.push(graph);
        }
        occurrences.add_communication(&description, &of_relation, || stop.borrow_mut().poll());
        let (slot, slots) = occurrences.slots();
        let mut values = vec![0; slot.len()];
        values[Lit::TRUE.variable() as usize] = 1;
        let fixed_facts = facts.len() as u32;
        let mut theory = Theory {
            description,
            facts,
            fixed_facts,
            graphs,
            from_reads,
            edges_of,
            tests_of,
            queued: vec![false; slot.len()],
            slot,
            occurrences: vec![Vec::new(); 2 * slots],
            reasons: vec![None; 2 * slots],
            values,
            assigned: Vec::new(),
            taken: 0,
            levels: Vec::new(),
            queue: VecDeque::new(),
            refuted: Vec::new(),
            conflict: None,
            broken,
            steps: 0,
            stop,
            recorder,
            counts: Counts::default(),
            visited: RefCell::default(),
        };
        for (literal, list) in occurrences.0 {
            let code = theory.code(literal);
            theory.occurrences[code] = list;
        }
        theory
    }

    /// What the fixed part of the description refutes. Their clauses hold whatever is assigned.
    pub(crate) fn at_first(&mut self) -> Vec<Closing> {
        if let Some(broken) = self.broken.take() {
            return vec![broken];
        }
        for graph in 0..self.graphs.len() {
            for entry in 0..self.graphs[graph].clocks.entries() as u32 {
                let base = self.graphs[graph].clocks.base(entry);
                self.wake(graph, (entry, 0, base));
            }
        }
        let mut closings = Vec::new();
        while let Some(literal) = self.queue.pop_front() {
            self.queued[literal.variable() as usize] = false;
            closings.extend(self.reasons[self.code(literal)].clone());
        }
        closings
    }
}

/// By relation: the tests on it, with their positions.
fn tests_of(description: &Description) -> Vec<Vec<(Test, u32)>> {
    let mut tests = vec![Vec::new(); description.relations.len()];
    for (position, (test, relation)) in description.tests.iter().enumerate() {
        tests[relation.0 as usize].push((*test, position as u32));
    }
    tests
}

/// By relation: the graphs, and the leaves in them, to which its derived pairs give edges.
fn edges_of(description: &Description, leaves: &[Vec<Leaf>]) -> Vec<Vec<(u32, u32)>> {
    let mut edges = vec![Vec::new(); description.relations.len()];
    for (graph, leaves) in leaves.iter().enumerate() {
        for (position, leaf) in leaves.iter().enumerate() {
            if leaf.kind == Kind::Derived {
                edges[leaf.relation.0 as usize].push((graph as u32, position as u32));
            }
        }
    }
    edges
}

/// The facts that always hold, and a test that they fail.
fn always(
    description: &Description,
    needed: &[bool],
    tests_of: &[Vec<(Test, u32)>],
) -> (Facts, Option<Closing>) {
    let mut facts = Facts::new(description, needed);
    for (relation, needed) in needed.iter().enumerate() {
        let relation = relation as u32;
        if *needed {
            for (pair, literal) in pairs(description, RelationId(relation)) {
                if literal == Lit::TRUE {
                    facts.add(relation, pair, Reason::Literal(literal));
                }
            }
        }
    }
    let mut broken = None;
    while let Some((fact, derived)) = facts.step() {
        for (test, position) in &tests_of[derived.relation as usize] {
            if *test == Test::Empty || derived.pair.0 == derived.pair.1 {
                broken = broken.or(Some(Closing::Test { test: *position, fact }));
            }
        }
    }
    (facts, broken)
}

/// The from-reads that are leaves, and by relation their positions.
fn from_reads(description: &Description, leaves: &[Vec<Leaf>]) -> (Vec<FromRead>, BTreeMap<u32, u32>) {
    let mut uses: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for (graph, leaves) in leaves.iter().enumerate() {
        for (position, leaf) in leaves.iter().enumerate() {
            if leaf.kind == Kind::FromRead {
                uses.entry(leaf.relation.0).or_default().push((graph as u32, position as u32));
            }
        }
    }
    let mut found = Vec::new();
    let mut of_relation = BTreeMap::new();
    for (relation, graphs) in uses {
        let Definition::FromRead { reads_from, coherence } = &description.relations[relation as usize] else {
            continue;
        };
        let reduce = graphs.iter().all(|(graph, position)| {
            let leaves = &leaves[*graph as usize];
            leaves[*position as usize].within.is_empty()
                && leaves.iter().any(|leaf| leaf.relation == *coherence && leaf.within.is_empty())
        });
        of_relation.insert(relation, found.len() as u32);
        found.push(FromRead {
            lists: Communication::new(description, *reads_from, *coherence, reduce),
            graphs,
        });
    }
    (found, of_relation)
}

/// What each literal says.
#[derive(Default)]
struct Occurrences(BTreeMap<Lit, Vec<Occurrence>>);

impl Occurrences {
    fn add(&mut self, literal: Lit, occurrence: Occurrence) {
        if literal.constant().is_none() {
            self.0.entry(literal).or_default().push(occurrence);
        }
    }

    fn add_facts(&mut self, description: &Description, needed: &[bool]) {
        for relation in (0..needed.len()).filter(|relation| needed[*relation]).map(|relation| relation as u32)
        {
            for (pair, literal) in pairs(description, RelationId(relation)) {
                self.add(literal, Occurrence::Fact { relation, pair });
            }
        }
    }

    /// The literals that from-reads follow from.
    fn add_communication(
        &mut self,
        description: &Description,
        of_relation: &BTreeMap<u32, u32>,
        mut over: impl FnMut() -> bool,
    ) {
        for (relation, &communication) in of_relation {
            if over() {
                return;
            }
            let Definition::FromRead { reads_from, coherence } = &description.relations[*relation as usize]
            else {
                continue;
            };
            for ((write, read), literal) in pairs(description, *reads_from) {
                self.add(literal, Occurrence::ReadsFrom { communication, write, read });
            }
            for ((first, second), literal) in pairs(description, *coherence) {
                self.add(literal, Occurrence::Coherence { communication, first, second });
            }
        }
    }

    /// By variable, the place of those that occur, without gaps; and how many places there are.
    fn slots(&self) -> (Vec<u32>, usize) {
        let variables: BTreeSet<u32> = self.0.keys().map(|literal| literal.variable()).collect();
        let largest = variables.last().copied().unwrap_or(1).max(1);
        let mut slot = vec![u32::MAX; largest as usize + 1];
        for (place, variable) in variables.iter().enumerate() {
            slot[*variable as usize] = place as u32;
        }
        (slot, variables.len())
    }
}

/// The edges that a graph has or may have, between events.
struct Edges {
    events: usize,
    fixed: Vec<Edge>,
    literal: Vec<(Lit, Edge)>,
    /// From reads to writes, by communication and leaf.
    from_read: Vec<(u32, u32, Pair)>,
    /// Events that derived edges may touch.
    derived: Vec<bool>,
}

impl Edges {
    fn of(
        description: &Description,
        number: usize,
        leaves: &[Leaf],
        facts: &Facts,
        (from_reads, of_relation): (&[FromRead], &BTreeMap<u32, u32>),
        ends: &[[Vec<bool>; 2]],
        over: &mut dyn FnMut() -> bool,
    ) -> Edges {
        let events = description.events as usize;
        let graph = &description.graphs[number];
        let mut edges = Edges {
            events,
            fixed: Vec::new(),
            literal: Vec::new(),
            from_read: Vec::new(),
            derived: vec![false; events],
        };
        edges.given(literal_pairs(&graph.fixed, &graph.literal), NO_LEAF, |_| true);
        for (position, leaf) in leaves.iter().enumerate() {
            let position = position as u32;
            match leaf.kind {
                Kind::Given => {
                    edges.given(pairs(description, leaf.relation), position, |pair| leaf.admits(pair))
                }
                Kind::FromRead => {
                    let communication = of_relation[&leaf.relation.0];
                    edges.add_from_reads(
                        &from_reads[communication as usize].lists,
                        communication,
                        position,
                        leaf,
                        over,
                    );
                }
                Kind::Derived => {
                    for side in &ends[leaf.relation.0 as usize] {
                        edges.derived.iter_mut().zip(side).for_each(|(mark, end)| *mark |= end);
                    }
                    for fact in 0..facts.len() as u32 {
                        let derived = facts.get(fact);
                        if derived.relation == leaf.relation.0 && leaf.admits(derived.pair) {
                            let (from, to) = derived.pair;
                            edges.fixed.push(Edge { from, to, why: Why::Fact(fact), leaf: position });
                        }
                    }
                }
            }
        }
        edges
    }

    fn given(&mut self, pairs: Vec<(Pair, Lit)>, leaf: u32, admits: impl Fn(Pair) -> bool) {
        for ((from, to), literal) in pairs {
            if admits((from, to)) {
                let edge = Edge { from, to, why: Why::Literal(literal), leaf };
                if literal == Lit::TRUE {
                    self.fixed.push(edge);
                } else {
                    self.literal.push((literal, edge));
                }
            }
        }
    }

    /// Reads, writes and later writes: where there are many, this takes a while.
    fn add_from_reads(
        &mut self,
        lists: &Communication,
        communication: u32,
        position: u32,
        leaf: &Leaf,
        over: &mut dyn FnMut() -> bool,
    ) {
        let mut met = vec![u32::MAX; self.events];
        let mut admitted = vec![false; self.events];
        for (read, writers) in lists.writers.iter().enumerate() {
            if !writers.is_empty() && over() {
                return;
            }
            let read = read as u32;
            for (write, reads_from) in writers {
                for (later, coherence) in &lists.later[*write as usize] {
                    let at = *later as usize;
                    if std::mem::replace(&mut met[at], read) != read {
                        admitted[at] = *later != read && leaf.admits((read, *later));
                        if admitted[at] {
                            self.from_read.push((communication, position, (read, *later)));
                        }
                    }
                    if admitted[at] && *reads_from == Lit::TRUE && *coherence == Lit::TRUE {
                        let (reads_from, coherence) = (Lit::TRUE, Lit::TRUE);
                        let why = Why::FromRead { write: *write, reads_from, coherence };
                        self.fixed.push(Edge { from: read, to: *later, why, leaf: position });
                    }
                }
            }
        }
    }

    fn graph(
        mut self,
        number: u32,
        leaves: Vec<Leaf>,
        occurrences: &mut Occurrences,
        over: &mut dyn FnMut() -> bool,
    ) -> (Graph, Option<Closing>) {
        let (vertex, event) = self.number();
        let moved =
            |edge: Edge| Edge { from: vertex[edge.from as usize], to: vertex[edge.to as usize], ..edge };
        self.fixed.iter_mut().for_each(|edge| *edge = moved(*edge));
        let mut broken = None;
        let clocks = Clocks::new(event.len(), &self.fixed).or_else(|edges| {
            broken = Some(Closing::Fixed { graph: number, edges });
            Clocks::new(event.len(), &[])
        });
        let Ok(clocks) = clocks else { unreachable!("a graph without edges has no cycle") };
        let mut waiting = Vec::new();
        for (position, (literal, edge)) in self.literal.into_iter().enumerate() {
            if position % LOOK_AFTER == 0 && over() {
                break;
            }
            let edge = moved(edge);
            occurrences.add(literal, Occurrence::Edge { graph: number, edge });
            let (entry, position) = clocks.watch(edge.to, edge.from);
            waiting.push((entry, position, Waiting::Edge(literal, edge)));
        }
        for (number, (communication, leaf, (read, write))) in self.from_read.into_iter().enumerate() {
            if number % LOOK_AFTER == 0 && over() {
                break;
            }
            let (entry, position) = clocks.watch(vertex[write as usize], vertex[read as usize]);
            waiting.push((entry, position, Waiting::FromRead { communication, leaf, read, write }));
        }
        if over() {
            waiting.clear();
        }
        let watches = Watches::new(&clocks, waiting);
        (Graph { clocks, watches, leaves, vertex, event, seen: 0 }, broken)
    }

    /// Vertices for the events that have edges, and back.
    fn number(&self) -> (Vec<u32>, Vec<u32>) {
        let mut has_edges = self.derived.clone();
        let literal = self.literal.iter().map(|(_, edge)| (edge.from, edge.to));
        let fixed = self.fixed.iter().map(|edge| (edge.from, edge.to));
        for (a, b) in fixed.chain(literal).chain(self.from_read.iter().map(|(_, _, pair)| *pair)) {
            has_edges[a as usize] = true;
            has_edges[b as usize] = true;
        }
        let event: Vec<u32> = (0..self.events as u32).filter(|event| has_edges[*event as usize]).collect();
        let mut vertex = vec![u32::MAX; self.events];
        for (number, event) in event.iter().enumerate() {
            vertex[*event as usize] = number as u32;
        }
        (vertex, event)
    }
}
