//! What the manuals say of a cycle, without any of wattle's models.
//!
//! A generated test determines its execution: every value is written once, the condition names what
//! every read gets and the last write of every location. So the accesses of the cycle, with the halves of
//! read-modify-writes that are off it, are all there is, and the manuals' rules can be applied to them
//! one by one: which accesses of one thread are ordered, and by which rule; then whether that and
//! communication between threads have a cycle. Both architectures are multi-copy atomic, so this
//! decides. Nothing here is shared with the front end, the engines or the `.cat` files.
//!
//! The two manuals differ in what an atomic instruction is: RISC-V has one *operation*, a load and a store at
//! once; Arm has two *effects*, a read and a write. A pair of exclusives is two instructions in both.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use wattle_generate::cycle::{Annotation, Architecture, Cycle, Direction, Kind, Marks, Means, Rmw};

use super::{arm, riscv};

/// Whether the cycle may happen, and what decides that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Argument {
    pub allowed: bool,
    pub rules: String,
}

/// One memory operation, or one effect.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub thread: usize,
    /// The number of its instruction in its thread.
    pub step: usize,
    pub location: usize,
    pub reads: Option<u32>,
    pub writes: Option<u32>,
    pub acquire: bool,
    /// The weaker acquire of `LDAPR`.
    pub acquire_pc: bool,
    pub release: bool,
    /// The kind of read-modify-write that it belongs to, and a number that its halves share.
    pub rmw: Option<(Rmw, usize)>,
}

impl Node {
    pub(super) fn is_amo(&self) -> bool {
        self.rmw.is_some_and(|(rmw, _)| rmw != Rmw::Exclusive)
    }

    pub(super) fn is_exclusive(&self) -> bool {
        self.rmw.is_some_and(|(rmw, _)| rmw == Rmw::Exclusive)
    }
}

/// Everything about a test that the rules ask for.
#[derive(Debug, Default)]
pub(super) struct Test {
    pub nodes: Vec<Node>,
    /// Thread, the step that it stands before, and its name in edges.
    pub fences: Vec<(usize, usize, &'static str)>,
    /// From node to node.
    pub address: BTreeSet<(usize, usize)>,
    pub data: BTreeSet<(usize, usize)>,
    /// A node, and the first step that comes after the branch.
    pub control: Vec<(usize, usize)>,
    /// The nodes of each access of the cycle.
    of_access: BTreeMap<usize, Vec<usize>>,
    steps: Vec<usize>,
}

/// Which rule orders the first node before the second, if one does. They are of one thread, and the
/// first does not come later.
pub(super) type Ordered = fn(&Test, usize, usize) -> Option<&'static str>;

pub(super) fn argue(cycle: &Cycle) -> Argument {
    let test = Test::new(cycle);
    let (ordered, same): (Ordered, fn(&Test) -> Option<&'static str>) = match cycle.architecture {
        Architecture::Riscv => (riscv::ordered, riscv::one_location),
        _ => (arm::ordered, arm::one_location),
    };
    if let Some(rule) = same(&test) {
        return Argument { allowed: false, rules: rule.to_owned() };
    }
    let edges = test.edges(ordered);
    match shortest_cycle(test.nodes.len(), &edges) {
        Some(rules) => Argument { allowed: false, rules: rules.into_iter().collect::<Vec<_>>().join(" + ") },
        None => Argument { allowed: true, rules: test.unordered(cycle, &edges) },
    }
}

type Edges = BTreeMap<(usize, usize), Option<&'static str>>;

impl Test {
    fn new(cycle: &Cycle) -> Test {
        let mut test = Test { steps: vec![0; cycle.threads], ..Test::default() };
        let mut sources: BTreeMap<usize, Option<usize>> = BTreeMap::new();
        for thread in 0..cycle.threads {
            for at in cycle.thread(thread) {
                if at > 0 && cycle.update(at - 1).is_some() {
                    continue;
                }
                let incoming = at.checked_sub(1).map(|before| (cycle.edges[before].kind, before));
                let first = test.steps[thread];
                let (load, store, result) = test.instruction(cycle, at);
                if let Some((Kind::Order { means, .. }, before)) = incoming {
                    test.lead(thread, first, means, sources.get(&before).copied().flatten(), (load, store));
                }
                if cycle.update(at).is_some() {
                    sources.insert(at, load);
                    sources.insert(at + 1, result);
                } else {
                    let reads = cycle.accesses[at].direction == Direction::Read;
                    sources.insert(at, if reads { load } else { result });
                }
            }
        }
        test
    }

    /// What stands before an instruction, and what its accesses depend on.
    fn lead(
        &mut self,
        thread: usize,
        step: usize,
        means: Means,
        source: Option<usize>,
        (load, store): (Option<usize>, Option<usize>),
    ) {
        if let Means::Fence(fence) | Means::ControlFence(fence) = means {
            self.fences.push((thread, step, fence.edge));
        }
        let Some(source) = source else { return };
        match means {
            Means::Po | Means::Fence(_) => {}
            Means::Address => self.address.extend([load, store].into_iter().flatten().map(|to| (source, to))),
            Means::Data => self.data.extend(store.map(|to| (source, to))),
            Means::Control | Means::ControlFence(_) => self.control.push((source, step)),
        }
    }

    /// The nodes of the instructions of an access: its load, its store, and where dependencies on the
    /// result of a read-modify-write start.
    fn instruction(&mut self, cycle: &Cycle, at: usize) -> (Option<usize>, Option<usize>, Option<usize>) {
        let access = &cycle.accesses[at];
        let (rmw, marks, read, written) = match (cycle.update(at), access.annotation, access.other) {
            (Some(rmw), first, _) => {
                let second = &cycle.accesses[at + 1];
                let marks =
                    Marks { acquire: first.marks().acquire, release: second.annotation.marks().release };
                (rmw, marks, access.value, second.value)
            }
            (None, Annotation::Half(rmw, marks), Some(other)) => match access.direction {
                Direction::Read => (rmw, marks, access.value, other),
                Direction::Write => (rmw, marks, other, access.value),
            },
            _ => return self.plain(cycle, at),
        };
        let node = Node { rmw: Some((rmw, at)), acquire: false, release: false, ..self.node(cycle, at) };
        let arm = cycle.architecture == Architecture::Aarch64;
        if rmw != Rmw::Exclusive && !arm {
            let (reads, writes) = (Some(read), Some(written));
            let Marks { acquire, release } = marks;
            let one = self.push(at, Node { reads, writes, acquire, release, ..node });
            self.steps[access.thread] += 1;
            return (Some(one), Some(one), Some(one));
        }
        let load = self.push(at, Node { reads: Some(read), acquire: marks.acquire, ..node.clone() });
        self.steps[access.thread] += usize::from(rmw == Rmw::Exclusive);
        let step = self.steps[access.thread];
        let store = self.push(at, Node { writes: Some(written), release: marks.release, step, ..node });
        self.steps[access.thread] += 1;
        // An atomic instruction returns what it read, and on RISC-V a store-conditional says whether it
        // happened; on Arm nothing depends on that.
        let result = match (rmw, arm) {
            (Rmw::Exclusive, true) => None,
            (Rmw::Exclusive, false) => Some(store),
            _ => Some(load),
        };
        (Some(load), Some(store), result)
    }

    fn plain(&mut self, cycle: &Cycle, at: usize) -> (Option<usize>, Option<usize>, Option<usize>) {
        let access = &cycle.accesses[at];
        let node = self.node(cycle, at);
        self.steps[access.thread] += 1;
        match access.direction {
            Direction::Read => (Some(self.push(at, Node { reads: Some(access.value), ..node })), None, None),
            Direction::Write => {
                (None, Some(self.push(at, Node { writes: Some(access.value), ..node })), None)
            }
        }
    }

    fn node(&self, cycle: &Cycle, at: usize) -> Node {
        let access = &cycle.accesses[at];
        Node {
            thread: access.thread,
            step: self.steps[access.thread],
            location: access.location,
            reads: None,
            writes: None,
            acquire: access.annotation == Annotation::Acquire,
            acquire_pc: access.annotation == Annotation::AcquirePc,
            release: access.annotation == Annotation::Release,
            rmw: None,
        }
    }

    fn push(&mut self, at: usize, node: Node) -> usize {
        self.nodes.push(node);
        self.of_access.entry(at).or_default().push(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// The fences between two steps of a thread.
    pub(super) fn between(
        &self,
        thread: usize,
        first: usize,
        last: usize,
    ) -> impl Iterator<Item = &'static str> + '_ {
        let fences =
            self.fences.iter().filter(move |(of, at, _)| *of == thread && first < *at && *at <= last);
        fences.map(|(_, _, name)| *name)
    }

    /// The nodes between two nodes of a thread, in program order.
    pub(super) fn middle(&self, a: usize, b: usize) -> impl Iterator<Item = usize> + '_ {
        let (from, to) = (&self.nodes[a], &self.nodes[b]);
        (0..self.nodes.len()).filter(move |at| {
            let node = &self.nodes[*at];
            node.thread == from.thread && from.step < node.step && node.step < to.step
        })
    }

    /// Is there a branch that depends on the first node, before the second?
    pub(super) fn controls(&self, a: usize, b: usize) -> bool {
        self.control.iter().any(|(source, step)| *source == a && *step <= self.nodes[b].step)
    }

    /// Order within threads, and communication between them.
    fn edges(&self, ordered: Ordered) -> Edges {
        let mut edges = Edges::new();
        for (a, first) in self.nodes.iter().enumerate() {
            for (b, second) in self.nodes.iter().enumerate() {
                if a == b {
                    continue;
                }
                if first.thread == second.thread {
                    if first.step <= second.step
                        && let Some(rule) = ordered(self, a, b)
                    {
                        edges.insert((a, b), Some(rule));
                    }
                } else if first.location == second.location {
                    let reads_from = first.writes.is_some() && first.writes == second.reads;
                    let before = first.writes.zip(second.writes).is_some_and(|(one, other)| one < other);
                    let overwritten = first.reads.zip(second.writes).is_some_and(|(one, other)| one < other);
                    if reads_from || before || overwritten {
                        edges.insert((a, b), None);
                    }
                }
            }
        }
        edges
    }

    /// The steps of the cycle within threads that nothing orders.
    fn unordered(&self, cycle: &Cycle, edges: &Edges) -> String {
        let mut names = BTreeSet::new();
        for (at, edge) in cycle.edges.iter().enumerate() {
            let next = (at + 1) % cycle.edges.len();
            if cycle.accesses[at].thread != cycle.accesses[next].thread || cycle.update(at).is_some() {
                continue;
            }
            let (from, to) = (self.on_cycle(cycle, at), self.on_cycle(cycle, next));
            if !self.reaches(edges, from, to) {
                names.insert(edge.name(cycle.architecture));
            }
        }
        let names: Vec<String> = names.into_iter().collect();
        assert!(!names.is_empty(), "every step is ordered, and there is no cycle: {cycle:?}");
        format!("nothing orders {}", names.join(", "))
    }

    /// The node of an access that is on the cycle.
    fn on_cycle(&self, cycle: &Cycle, at: usize) -> usize {
        let group = if at > 0 && cycle.update(at - 1).is_some() { at - 1 } else { at };
        let wanted = |node: &&usize| match cycle.accesses[at].direction {
            Direction::Read => self.nodes[**node].reads.is_some(),
            Direction::Write => self.nodes[**node].writes.is_some(),
        };
        let found = self.of_access[&group].iter().find(wanted).copied();
        found.unwrap_or_else(|| panic!("access {at} has no node: {cycle:?}"))
    }

    fn reaches(&self, edges: &Edges, from: usize, to: usize) -> bool {
        let mut seen = BTreeSet::from([from]);
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for (a, b) in edges.keys() {
                if *a == node && self.nodes[*b].thread == self.nodes[from].thread && seen.insert(*b) {
                    queue.push_back(*b);
                }
            }
        }
        seen.contains(&to)
    }
}

/// The rules on a shortest cycle.
fn shortest_cycle(nodes: usize, edges: &Edges) -> Option<BTreeSet<&'static str>> {
    let mut best: Option<Vec<usize>> = None;
    for start in 0..nodes {
        let mut before = vec![None; nodes];
        let mut queue = VecDeque::from([start]);
        'search: while let Some(node) = queue.pop_front() {
            for (a, b) in edges.keys().filter(|(a, _)| *a == node) {
                if *b == start {
                    let mut path = vec![start, *a];
                    while let Some(&Some(last)) = before.get(path[path.len() - 1]) {
                        path.push(last);
                    }
                    path.reverse();
                    if best.as_ref().is_none_or(|best| path.len() < best.len()) {
                        best = Some(path);
                    }
                    break 'search;
                }
                if before[*b].is_none() {
                    before[*b] = Some(*a);
                    queue.push_back(*b);
                }
            }
        }
    }
    let path = best?;
    Some(path.windows(2).filter_map(|pair| edges[&(pair[0], pair[1])]).collect())
}
