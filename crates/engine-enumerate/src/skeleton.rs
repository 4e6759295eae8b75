//! What is fixed once every thread has its path: events, program order, tags, dependencies.
//!
//! Events are numbered as in an [`wattle_memory::Execution`]: initial writes first, one a location,
//! then thread by thread along the path.

use wattle_memory::relation::Row;
use wattle_program::Orders;

use crate::evaluate::Evaluator;
use crate::path::{Access, Pair, Path, PathEvent};
use crate::plan::{Base, Plan};
use wattle_program::symbolic::{Arena, Reads};

#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadAt {
    pub event: usize,
    pub thread: usize,
    /// Its number on the path.
    pub number: u32,
}

#[derive(Debug)]
pub(crate) struct Skeleton<'a, 'p, const W: usize> {
    pub paths: Vec<&'p Path<'a>>,
    /// The first event of each thread, and one past the last.
    pub first: Vec<usize>,
    pub size: usize,
    pub locations: usize,
    pub reads: Vec<ReadAt>,
    /// Are all addresses known?
    pub fixed: bool,
    pub after: Vec<Row<W>>,
    pub before: Vec<Row<W>>,
    pub reading: Row<W>,
    pub writing: Row<W>,
    pub initial: Row<W>,
    pub threads: Row<W>,
}

impl<'a, 'p, const W: usize> Skeleton<'a, 'p, W> {
    pub(crate) fn new(arena: &Arena<'_>, paths: Vec<&'p Path<'a>>, locations: usize) -> Skeleton<'a, 'p, W> {
        let mut first = Vec::with_capacity(paths.len() + 1);
        let mut size = locations;
        for path in &paths {
            first.push(size);
            size += path.events.len();
        }
        first.push(size);
        let initial = Row::first(locations);
        let mut skeleton = Skeleton {
            first,
            size,
            locations,
            reads: Vec::new(),
            fixed: true,
            after: vec![Row::EMPTY; size],
            before: vec![Row::EMPTY; size],
            reading: Row::EMPTY,
            writing: initial,
            initial,
            threads: Row::first(size).without(initial),
            paths,
        };
        for (thread, path) in skeleton.paths.iter().enumerate() {
            let start = skeleton.first[thread];
            let mut earlier = Row::EMPTY;
            let mut same = Row::EMPTY;
            let mut instruction = 0;
            for (number, event) in path.events.iter().enumerate() {
                let at = start + number;
                if event.instruction != instruction {
                    earlier |= same;
                    same = Row::EMPTY;
                    instruction = event.instruction;
                }
                skeleton.before[at] = earlier;
                for other in earlier {
                    skeleton.after[other].insert(at);
                }
                same.insert(at);
                if event.access.reads() {
                    skeleton.reading.insert(at);
                    skeleton.reads.push(ReadAt { event: at, thread, number: event.read });
                }
                if event.access.writes() {
                    skeleton.writing.insert(at);
                }
                skeleton.fixed &= event.access == Access::Fence || arena.value(event.address).is_some();
            }
        }
        skeleton
    }

    /// The event of a path; `None` for initial writes.
    pub(crate) fn event(&self, number: usize) -> Option<(usize, &'p PathEvent<'a>)> {
        if number < self.locations {
            return None;
        }
        let thread = self.first.partition_point(|first| *first <= number) - 1;
        Some((thread, &self.paths[thread].events[number - self.first[thread]]))
    }

    /// The events of all threads, with their numbers.
    pub(crate) fn events(&self) -> impl Iterator<Item = (usize, usize, &'p PathEvent<'a>)> + '_ {
        self.paths.iter().enumerate().flat_map(|(thread, path)| {
            let start = self.first[thread];
            path.events.iter().enumerate().map(move |(number, event)| (start + number, thread, event))
        })
    }

    /// Everything that does not depend on `rf`, `co` and addresses.
    pub(crate) fn fill(&self, plan: &Plan, evaluator: &mut Evaluator<'_, W>) {
        for base in &plan.bases {
            if base.relation {
                self.fill_relation(base, evaluator.fill(base.slot));
            } else {
                evaluator.fill(base.slot)[0] = self.set(&base.name);
            }
        }
    }

    fn set(&self, name: &str) -> Row<W> {
        let mut set = Row::EMPTY;
        let mut with = |test: &dyn Fn(&PathEvent<'_>) -> bool| {
            for (number, _, event) in self.events() {
                if test(event) {
                    set.insert(number);
                }
            }
            set
        };
        match name {
            "_" => self.threads | self.initial,
            "emptyset" | "FW" => Row::EMPTY,
            "R" => self.reading,
            "W" => self.writing,
            "M" => self.reading | self.writing,
            "IW" => self.initial,
            "F" => with(&|event| event.access == Access::Fence),
            "RMW" => with(&|event| event.access == Access::Update),
            "Locked" => with(&|event| event.locked),
            "F.RR" => with(&|event| event.orders.contains(Orders::RR)),
            "F.RW" => with(&|event| event.orders.contains(Orders::RW)),
            "F.WR" => with(&|event| event.orders.contains(Orders::WR)),
            "F.WW" => with(&|event| event.orders.contains(Orders::WW)),
            _ => with(&|event| {
                event.tags.iter().flatten().any(|tags| tags.contains(name))
                    || event.fence.is_some_and(|tag| &**tag == name)
            }),
        }
    }

    fn fill_relation(&self, base: &Base, rows: &mut [Row<W>]) {
        match &*base.name {
            "id" | "si" | "sm" => (0..self.size).for_each(|event| rows[event].insert(event)),
            "po" => rows[..self.size].copy_from_slice(&self.after),
            "int" | "ext" => {
                let inside = &*base.name == "int";
                for thread in 0..self.paths.len() {
                    let (start, end) = (self.first[thread], self.first[thread + 1]);
                    let mut own = Row::EMPTY;
                    (start..end).for_each(|event| own.insert(event));
                    let row = if inside { own } else { (self.threads | self.initial).without(own) };
                    rows[start..end].fill(row);
                }
                if !inside {
                    rows[..self.locations].fill(self.threads);
                }
            }
            "addr" => self.depend(rows, |event| event.uses.address),
            "data" => self.depend(rows, |event| event.uses.data),
            "ctrl" => self.depend(rows, |event| event.uses.control),
            "pick" => self.depend(rows, |event| event.uses.pick),
            "pick-addr" => self.depend(rows, |event| event.uses.pick_address),
            "pick-data" => self.depend(rows, |event| event.uses.pick_data),
            "rmw" => self.pairs(rows, |_| true),
            "amo" => self.pairs(rows, |pair| matches!(pair, Pair::Instruction(_))),
            "lxsx" => self.pairs(rows, |pair| matches!(pair, Pair::Exclusive(_))),
            // `rf`, `co` and `loc` belong to the search.
            _ => {}
        }
    }

    fn depend(&self, rows: &mut [Row<W>], reads: impl Fn(&PathEvent<'_>) -> Reads) {
        for (number, thread, event) in self.events() {
            let wanted = reads(event);
            if wanted != 0 {
                self.sources(thread, wanted).for_each(|source| rows[source].insert(number));
            }
        }
    }

    /// The events of a thread that a dependency names.
    pub(crate) fn sources(&self, thread: usize, wanted: Reads) -> impl Iterator<Item = usize> + '_ {
        let events = self.paths[thread].events.iter().enumerate();
        let named = move |event: &PathEvent<'_>| event.source.is_some_and(|bit| wanted >> bit & 1 != 0);
        events.filter(move |(_, event)| named(event)).map(move |(number, _)| self.first[thread] + number)
    }

    fn pairs(&self, rows: &mut [Row<W>], wanted: impl Fn(Pair) -> bool) {
        for (number, thread, event) in self.events() {
            if let Some(pair) = event.pair
                && wanted(pair)
            {
                let (Pair::Instruction(read) | Pair::Exclusive(read)) = pair;
                rows[self.first[thread] + read as usize].insert(number);
            }
        }
    }
}
