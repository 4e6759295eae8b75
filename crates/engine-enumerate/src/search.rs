//! The search for all consistent executions over one choice of paths.
//!
//! First each read gets a write (`rf`), one after the other; then the writes of each location get an
//! order (`co`), location by location. Everything that is known is used as soon as it is:
//!
//! * **Values.** A read that gets a write with a known value makes values, addresses and constraints
//!   known that depend on it; a constraint that fails ends the branch. Where an address is not known
//!   yet, every write that may be there is tried, and the choice is dropped when it turns out wrong.
//! * **Coherence.** If the model implies it (`cat::analysis`), `po-loc` and the choices of `rf` so far
//!   force an order on writes; a choice that would close a cycle is not made, and only the orders
//!   that extend the forced one are listed: these are exactly the coherent ones.
//! * **Axioms.** Stage by stage (`plan`); where many choices remain, the monotone axioms are also
//!   checked on what there is, with the forced order in place of `co`.
//!
//! **Values out of thin air.** If every value in a cycle depends on the next, no value is known. Such
//! a graph is judged by the axioms, which do not look at values; if they allow it, the search says so
//! (`thin_air`) and counts nothing: its values could be anything.

use wattle_engine::{Reason, Run, Spent, Work};
use wattle_logic::Fault;
use wattle_memory::relation::Row;

use crate::evaluate::Evaluator;
use crate::path::{Access, Constraint, End, Path};
use crate::plan::Plan;
use crate::skeleton::Skeleton;
use crate::state::Cells;
use wattle_memory::cat::analysis::Coherence;
use wattle_program::symbolic::{Arena, Reads};

/// No write yet.
const NONE: u32 = u32::MAX;

/// While at least so many choices remain, checking part of an execution costs less than it saves.
const WORTH_CHECKING: u64 = 24;

/// The cost of a row of a matrix, and how many there are between two looks at the budget.
const ROW: Work = Work::nanoseconds(5);
const LOOK_AFTER: u64 = 1 << 16;
/// Beginning with a combination of paths costs so many rows for each event.
const ROWS_TO_BEGIN: u64 = 20;

/// A consistent execution, as far as callers look at it.
pub(crate) struct Found<'f> {
    pub arena: &'f Arena<'f>,
    /// The final state.
    pub cells: &'f [i64],
    pub paths: &'f [&'f Path<'f>],
    values: &'f [i64],
    offsets: &'f [usize],
    /// Does the test of an axiom hold?
    pub marks: &'f dyn Fn(usize) -> bool,
}

impl Found<'_> {
    /// What the reads of a thread returned.
    pub(crate) fn values(&self, thread: usize) -> &[i64] {
        &self.values[self.offsets[thread]..][..self.paths[thread].reads as usize]
    }
}

/// What a caller does with each consistent execution.
pub(crate) trait Visitor {
    /// `false` ends the search.
    fn found(&mut self, found: &Found<'_>) -> bool;
}

/// What came of the searches so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub candidates: u64,
    /// Choices made and rows of matrices computed since the budget was looked at.
    effort: u64,
    pub executions: u64,
    pub thin_air: bool,
    /// An unbounded integer left 64 bits.
    pub overflow: bool,
    pub diverged: bool,
}

/// What a search works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'b> {
    pub arena: &'b Arena<'b>,
    pub cells: &'b Cells<'b>,
    /// The contents of memory at the start.
    pub initial: &'b [i64],
    pub run: &'b Run,
}

/// Why a search ended before its end.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The visitor has seen enough.
    Enough,
    Reason(Reason),
}

pub(crate) struct Search<'s, 'e, 'a, 'p, const W: usize> {
    ground: Ground<'s>,
    plan: &'s Plan,
    evaluator: &'s mut Evaluator<'e, W>,
    pub skeleton: Skeleton<'a, 'p, W>,
    visitor: &'s mut dyn Visitor,
    tally: &'s mut Tally,
    /// The write of each read, by event.
    pub reads_from: Vec<u32>,
    /// The readers of each write.
    readers: Vec<Row<W>>,
    /// What reads returned; those of a thread start at its offset.
    values: Vec<i64>,
    offsets: Vec<usize>,
    known: Vec<Reads>,
    /// For each thread: no constraint, address or stored value depends on what it reads.
    inert: Vec<bool>,
    pub written: Vec<i64>,
    written_known: Row<W>,
    pub address: Vec<u32>,
    address_known: Row<W>,
    /// By location; complete when all addresses are known.
    accesses: Vec<Row<W>>,
    writes: Vec<Row<W>>,
    /// For each read, the writes that it may take.
    choices: Vec<Row<W>>,
    /// How many combinations remain after each read.
    remaining: Vec<u64>,
    /// The order on writes that is forced so far (closed), one for each read that has its write.
    forced: Vec<Row<W>>,
    saved: Vec<Reads>,
    order: Vec<Row<W>>,
    pub last: Vec<u32>,
    /// The locations whose writes have more than one order.
    contested: Vec<usize>,
    cells: Vec<i64>,
    /// Values are missing: judge the graph only.
    ghost: bool,
    queue: Vec<(usize, u32, i64)>,
}

impl<const W: usize> std::fmt::Debug for Search<'_, '_, '_, '_, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("skeleton", &self.skeleton).finish_non_exhaustive()
    }
}

impl<'s, 'e, 'a, 'p, const W: usize> Search<'s, 'e, 'a, 'p, W> {
    pub(crate) fn new(
        ground: Ground<'s>,
        plan: &'s Plan,
        evaluator: &'s mut Evaluator<'e, W>,
        skeleton: Skeleton<'a, 'p, W>,
        visitor: &'s mut dyn Visitor,
        tally: &'s mut Tally,
    ) -> Search<'s, 'e, 'a, 'p, W> {
        let (size, locations) = (skeleton.size, skeleton.locations);
        let mut offsets = Vec::with_capacity(skeleton.paths.len());
        let mut reads = 0;
        for path in &skeleton.paths {
            offsets.push(reads);
            reads += path.reads as usize;
        }
        Search {
            ground,
            plan,
            evaluator,
            visitor,
            tally,
            reads_from: vec![NONE; size],
            readers: vec![Row::EMPTY; size],
            values: vec![0; reads],
            offsets,
            known: vec![0; skeleton.paths.len()],
            inert: vec![true; skeleton.paths.len()],
            written: vec![0; size],
            written_known: Row::EMPTY,
            address: vec![NONE; size],
            address_known: Row::EMPTY,
            accesses: vec![Row::EMPTY; locations],
            writes: vec![Row::EMPTY; locations],
            choices: Vec::with_capacity(reads),
            remaining: vec![1; reads + 1],
            forced: vec![Row::EMPTY; (reads + 1) * size],
            saved: Vec::new(),
            order: vec![Row::EMPTY; size],
            last: vec![0; locations],
            contested: Vec::with_capacity(locations),
            cells: vec![0; ground.cells.count()],
            ghost: false,
            queue: Vec::new(),
            skeleton,
        }
    }

    /// Visit every consistent execution.
    pub(crate) fn run(&mut self) -> Result<(), Ended> {
        self.tally.effort += self.skeleton.size as u64 * ROWS_TO_BEGIN;
        self.poll()?;
        self.evaluator.reset(self.skeleton.size);
        self.skeleton.fill(self.plan, self.evaluator);
        self.prepare_values();
        if self.skeleton.fixed {
            self.locate();
        }
        if !self.evaluates(0) {
            return Ok(());
        }
        for (thread, path) in self.skeleton.paths.iter().enumerate() {
            let cells = self.ground.cells;
            self.cells[cells.point(thread)] = i64::from(path.point.0);
            self.cells[cells.ended(thread)] =
                i64::from(path.end == End::Ended && cells.is_end(thread, path.point));
        }
        if self.skeleton.fixed {
            self.order_by_program();
            self.prepare_choices();
        }
        let result = self.read(0);
        self.tally.diverged |= self.evaluator.diverged;
        result
    }

    /// What is known before any read has its write.
    fn prepare_values(&mut self) {
        for location in 0..self.skeleton.locations {
            self.written[location] = self.ground.initial[location];
            self.written_known.insert(location);
            self.address[location] = location as u32;
            self.address_known.insert(location);
        }
        let arena = self.ground.arena;
        for (number, thread, event) in self.skeleton.events() {
            if event.access == Access::Fence {
                continue;
            }
            match arena.value(event.address) {
                Some(location) => {
                    self.address[number] = location as u32;
                    self.address_known.insert(number);
                }
                None => self.inert[thread] = false,
            }
            if event.access.writes() {
                match arena.value(event.value) {
                    Some(value) => {
                        self.written[number] = value;
                        self.written_known.insert(number);
                    }
                    None => self.inert[thread] = false,
                }
            }
        }
        for (thread, path) in self.skeleton.paths.iter().enumerate() {
            self.inert[thread] &= path.constraints.is_empty();
        }
    }

    /// All addresses are known: sorts the events by location.
    fn locate(&mut self) {
        self.accesses.fill(Row::EMPTY);
        for event in self.address_known {
            self.accesses[self.address[event] as usize].insert(event);
        }
        for (location, accesses) in self.accesses.iter().enumerate() {
            self.writes[location] = *accesses & self.skeleton.writing;
        }
        let slot = self.plan.bases.iter().find(|base| base.relation && &*base.name == "loc");
        if let Some(base) = slot {
            let rows = self.evaluator.fill(base.slot);
            rows.fill(Row::EMPTY);
            for event in self.address_known {
                rows[event] = self.accesses[self.address[event] as usize];
            }
        }
    }

    /// The order that program order forces on writes.
    fn order_by_program(&mut self) {
        self.contested.clear();
        let size = self.skeleton.size;
        self.forced[..size].fill(Row::EMPTY);
        for location in 0..self.skeleton.locations {
            let writes = self.writes[location];
            let mut own = writes;
            own.remove(location);
            self.forced[location] = own;
            self.order[location] = own;
            match own.len() {
                0 => self.last[location] = location as u32,
                1 => {
                    self.last[location] = own.iter().next().unwrap_or(location) as u32;
                    self.order[self.last[location] as usize] = Row::EMPTY;
                }
                _ => self.contested.push(location),
            }
            if self.plan.coherent != Coherence::Unknown {
                for write in own {
                    self.forced[write] = self.skeleton.after[write] & own;
                }
            }
        }
    }

    fn prepare_choices(&mut self) {
        let coherent = self.plan.coherent != Coherence::Unknown;
        self.choices.clear();
        for read in &self.skeleton.reads {
            let mut choices = self.writes[self.address[read.event] as usize];
            choices.remove(read.event);
            if coherent {
                choices = choices.without(self.skeleton.after[read.event]);
                // Overwritten before the read.
                let earlier = self.skeleton.before[read.event] & choices;
                for write in choices {
                    if self.forced[write].meets(earlier) {
                        choices.remove(write);
                    }
                }
            }
            self.choices.push(choices);
        }
        for number in (0..self.choices.len()).rev() {
            let count = self.choices[number].len() as u64;
            self.remaining[number] = self.remaining[number + 1].saturating_mul(count.max(1));
        }
    }

    /// Give the reads from number `depth` on their writes.
    fn read(&mut self, depth: usize) -> Result<(), Ended> {
        if depth == self.skeleton.reads.len() {
            return self.complete(depth);
        }
        let (number, choices) = self.next_read(depth);
        let read = self.skeleton.reads[number];
        let coherent = self.skeleton.fixed && self.plan.coherent != Coherence::Unknown;
        let size = self.skeleton.size;
        let base = self.saved.len();
        self.saved.extend_from_slice(&self.known);
        let (written_known, address_known) = (self.written_known, self.address_known);
        for write in choices {
            self.tally.effort += 1;
            self.poll()?;
            self.reads_from[read.event] = write as u32;
            self.readers[write].insert(read.event);
            let mut possible = true;
            if self.skeleton.fixed {
                self.forced.copy_within(depth * size..(depth + 1) * size, (depth + 1) * size);
                possible = !coherent || self.constrain(depth + 1, read.event, write);
            }
            possible = possible && self.give(read.thread, read.number, write);
            if possible && self.skeleton.fixed && self.remaining[depth + 1] >= WORTH_CHECKING {
                possible = self.possible(depth + 1);
            }
            if possible {
                // After an error everything stays as it is, for the witness.
                self.read(depth + 1)?;
            }
            self.readers[write].remove(read.event);
            self.known.copy_from_slice(&self.saved[base..]);
            (self.written_known, self.address_known) = (written_known, address_known);
        }
        self.reads_from[read.event] = NONE;
        self.saved.truncate(base);
        Ok(())
    }

    /// A read without a write, with a known address if there is one, and what it may take.
    fn next_read(&self, depth: usize) -> (usize, Row<W>) {
        if self.skeleton.fixed {
            return (depth, self.choices[depth]);
        }
        let open = |number: &usize| self.reads_from[self.skeleton.reads[*number].event] == NONE;
        let mut all = (0..self.skeleton.reads.len()).filter(open);
        let known = |number: &usize| self.address_known.contains(self.skeleton.reads[*number].event);
        let number = all.clone().find(known).or_else(|| all.next()).unwrap_or(depth);
        let event = self.skeleton.reads[number].event;
        let mut choices = self.skeleton.writing;
        choices.remove(event);
        if self.address_known.contains(event) {
            let elsewhere = (choices & self.address_known)
                .iter()
                .filter(|write| self.address[*write] != self.address[event]);
            for write in elsewhere {
                choices.remove(write);
            }
        }
        (number, choices)
    }

    /// The orders on writes that coherence demands if `read` takes its value from `write`.
    fn constrain(&mut self, level: usize, read: usize, write: usize) -> bool {
        let location = self.address[read] as usize;
        let (before, after) = (self.skeleton.before[read], self.skeleton.after[read]);
        if after.contains(write) {
            return false;
        }
        let mut own = self.writes[location];
        own.remove(write);
        let reads = self.accesses[location] & self.skeleton.reading;
        let mut earlier = before & own;
        for other in before & reads {
            let from = self.reads_from[other];
            if from != NONE && from as usize != write {
                earlier.insert(from as usize);
            }
        }
        let mut later = after & own;
        for other in after & reads {
            let from = self.reads_from[other];
            if from != NONE && from as usize != write {
                later.insert(from as usize);
            }
        }
        if self.plan.coherent == Coherence::Acyclic && own.contains(read) {
            later.insert(read);
        }
        earlier.iter().all(|other| self.force(level, location, other, write))
            && later.iter().all(|other| self.force(level, location, write, other))
    }

    /// `first` comes before `second`. `false`: the other way round is already forced.
    fn force(&mut self, level: usize, location: usize, first: usize, second: usize) -> bool {
        let forced = &mut self.forced[level * self.skeleton.size..][..self.skeleton.size];
        if first == second || forced[second].contains(first) {
            return false;
        }
        if !forced[first].contains(second) {
            let mut add = forced[second];
            add.insert(second);
            for write in self.writes[location] {
                if write == first || forced[write].contains(first) {
                    forced[write] |= add;
                }
            }
        }
        true
    }

    /// A read has its write: its value, if that is known, and what follows from it.
    fn give(&mut self, thread: usize, number: u32, write: usize) -> bool {
        if !self.skeleton.fixed && !self.same_place(write) {
            return false;
        }
        if !self.written_known.contains(write) {
            return true;
        }
        let value = self.written[write];
        if self.inert[thread] {
            self.values[self.offsets[thread] + number as usize] = value;
            self.known[thread] |= 1 << number;
            return true;
        }
        self.queue.clear();
        self.queue.push((thread, number, value));
        while let Some((thread, number, value)) = self.queue.pop() {
            if self.known[thread] >> number & 1 == 0 && !self.learn(thread, number, value) {
                return false;
            }
        }
        true
    }

    /// Is no reader of this write known to be elsewhere?
    fn same_place(&self, write: usize) -> bool {
        !self.address_known.contains(write)
            || (self.readers[write] & self.address_known)
                .iter()
                .all(|read| self.address[read] == self.address[write])
    }

    fn learn(&mut self, thread: usize, number: u32, value: i64) -> bool {
        let offset = self.offsets[thread];
        self.values[offset + number as usize] = value;
        let bit: Reads = 1 << number;
        self.known[thread] |= bit;
        let known = self.known[thread];
        let (arena, path) = (self.ground.arena, self.skeleton.paths[thread]);
        let ready = |reads: Reads| reads & bit != 0 && reads & !known == 0;
        let values = &self.values[offset..offset + path.reads as usize];
        for constraint in &path.constraints {
            if ready(arena.reads(constraint.expr())) {
                let result = arena.evaluate(constraint.expr(), values, &[]);
                self.tally.overflow |= result == Err(Fault::Overflow);
                let holds = match *constraint {
                    Constraint::Is(_, wanted) => result.is_ok_and(|value| (value != 0) == wanted),
                    Constraint::Defined(_) => result.is_ok(),
                    Constraint::Faults(_) => result.is_err(),
                };
                if !holds {
                    return false;
                }
            }
        }
        for (position, event) in path.events.iter().enumerate() {
            let at = self.skeleton.first[thread] + position;
            if ready(arena.reads(event.address)) && event.access != Access::Fence {
                let Ok(location) = arena.evaluate(event.address, values, &[]) else { return false };
                self.address[at] = location as u32;
                self.address_known.insert(at);
                let from = self.reads_from[at];
                let elsewhere = event.access.reads()
                    && from != NONE
                    && self.address_known.contains(from as usize)
                    && self.address[from as usize] != self.address[at];
                if elsewhere || (event.access.writes() && !self.same_place(at)) {
                    return false;
                }
            }
            if event.access.writes() && ready(arena.reads(event.value)) {
                let Ok(value) = arena.evaluate(event.value, values, &[]) else { return false };
                self.written[at] = value;
                self.written_known.insert(at);
                for reader in self.readers[at] {
                    if let Some((thread, event)) = self.skeleton.event(reader) {
                        self.queue.push((thread, event.read, value));
                    }
                }
            }
        }
        true
    }

    /// Do the monotone axioms allow what there is, with the forced order as part of `co`?
    fn possible(&mut self, level: usize) -> bool {
        if self.plan.early.is_empty() {
            return true;
        }
        let size = self.skeleton.size;
        if let Some(slot) = self.plan.reads_from {
            self.evaluator.fill(slot)[..size].copy_from_slice(&self.readers);
        }
        if let Some(slot) = self.plan.coherence {
            self.evaluator.fill(slot)[..size].copy_from_slice(&self.forced[level * size..][..size]);
        }
        self.evaluates_early()
    }

    /// Do the axioms of a stage hold?
    fn evaluates(&mut self, stage: usize) -> bool {
        self.tally.effort += (self.skeleton.size * self.plan.stages[stage].len()) as u64;
        self.evaluator.run(&self.plan.stages[stage])
    }

    fn evaluates_early(&mut self) -> bool {
        self.tally.effort += (self.skeleton.size * self.plan.early.len()) as u64;
        self.evaluator.run(&self.plan.early)
    }

    /// Every read has its write.
    fn complete(&mut self, depth: usize) -> Result<(), Ended> {
        let size = self.skeleton.size;
        let all_known = (self.known.iter().zip(&self.skeleton.paths))
            .all(|(known, path)| known.count_ones() == path.reads);
        if !all_known && self.tally.thin_air {
            return Ok(());
        }
        self.ghost = !all_known;
        let mut level = depth;
        if !self.skeleton.fixed {
            if self.ghost && self.address_known.len() < (self.skeleton.reading | self.skeleton.writing).len()
            {
                // Not even the addresses are known, but what is known may already break an axiom.
                self.locate();
                self.order_by_program();
                self.tally.thin_air = self.possible(0);
                return Ok(());
            }
            self.locate();
            self.order_by_program();
            level = 0;
            if self.plan.coherent != Coherence::Unknown {
                for number in 0..self.skeleton.reads.len() {
                    let read = self.skeleton.reads[number].event;
                    if !self.constrain(0, read, self.reads_from[read] as usize) {
                        return Ok(());
                    }
                }
            }
        }
        if let Some(slot) = self.plan.reads_from {
            self.evaluator.fill(slot)[..size].copy_from_slice(&self.readers);
        }
        if !self.evaluates(1) {
            self.tally.candidates += 1;
            return self.poll();
        }
        if !self.ghost {
            self.finish_locals();
        }
        self.locations(level, 0)
    }

    fn finish_locals(&mut self) {
        let cells = self.ground.cells;
        let first = cells.first_local();
        for (number, (thread, local)) in cells.locals.iter().enumerate() {
            let thread = *thread as usize;
            let path = self.skeleton.paths[thread];
            let values = &self.values[self.offsets[thread]..][..path.reads as usize];
            let value = self.ground.arena.evaluate(path.locals[*local as usize], values, &[]);
            self.cells[first + number] = value.unwrap_or_default();
        }
    }

    /// Order the writes of the contested locations from number `number` on.
    fn locations(&mut self, level: usize, number: usize) -> Result<(), Ended> {
        let size = self.skeleton.size;
        let Some(&location) = self.contested.get(number) else { return self.leaf() };
        let open = &self.contested[number..];
        let orders: u64 = open.iter().map(|location| self.writes[*location].len() as u64).product();
        if orders >= 8 {
            // The open locations have their forced order meanwhile.
            for index in number..self.contested.len() {
                for write in self.writes[self.contested[index]] {
                    self.order[write] = self.forced[level * size + write];
                }
            }
            if let Some(slot) = self.plan.coherence {
                self.evaluator.fill(slot)[..size].copy_from_slice(&self.order);
            }
            if !self.evaluates_early() {
                self.tally.candidates += 1;
                return self.poll();
            }
        }
        let mut own = self.writes[location];
        own.remove(location);
        self.order[location] = own;
        self.place(level, number, own)
    }

    /// Choose the first of the remaining writes of a location, and so on.
    fn place(&mut self, level: usize, number: usize, remaining: Row<W>) -> Result<(), Ended> {
        let forced = level * self.skeleton.size;
        for write in remaining {
            if remaining.iter().any(|other| self.forced[forced + other].contains(write)) {
                continue;
            }
            let mut rest = remaining;
            rest.remove(write);
            self.order[write] = rest;
            if rest.is_empty() {
                self.last[self.contested[number]] = write as u32;
                self.locations(level, number + 1)?;
            } else {
                self.place(level, number, rest)?;
            }
        }
        Ok(())
    }

    /// Everything is chosen.
    fn leaf(&mut self) -> Result<(), Ended> {
        self.tally.candidates += 1;
        let size = self.skeleton.size;
        if let Some(slot) = self.plan.coherence {
            self.evaluator.fill(slot)[..size].copy_from_slice(&self.order);
        }
        if let Some(slot) = self.plan.last_writes {
            let set = self.last.iter().fold(Row::EMPTY, |sum, write| sum | Row::single(*write as usize));
            self.evaluator.fill(slot)[0] = set;
        }
        if !self.evaluates(2) {
            return self.poll();
        }
        if self.ghost {
            self.tally.thin_air = true;
            return self.poll();
        }
        self.tally.executions += 1;
        let first = self.ground.cells.first_content();
        for (location, write) in self.last.iter().enumerate() {
            self.cells[first + location] = self.written[*write as usize];
        }
        let evaluator = &*self.evaluator;
        let found = Found {
            arena: self.ground.arena,
            cells: &self.cells,
            paths: &self.skeleton.paths,
            values: &self.values,
            offsets: &self.offsets,
            marks: &|check| evaluator.mark(check),
        };
        if !self.visitor.found(&found) {
            return Err(Ended::Enough);
        }
        self.poll()
    }

    fn poll(&mut self) -> Result<(), Ended> {
        if self.tally.effort < LOOK_AFTER {
            return Ok(());
        }
        let effort = std::mem::take(&mut self.tally.effort);
        // What the process holds is asked of the system, which is not free.
        let run = self.ground.run;
        let memory = run.budget().memory.and_then(|_| run.resident()).unwrap_or(0);
        let spent = Spent { memory, states: self.tally.executions };
        run.poll(ROW * effort, spent).map_err(Ended::Reason)
    }

    /// What a read of the execution that was found last returned.
    pub(crate) fn value(&self, thread: usize, number: u32) -> i64 {
        self.values[self.offsets[thread] + number as usize]
    }

    /// The coherence order of a location in the execution that was found last.
    pub(crate) fn coherence(&self, location: usize) -> Vec<u32> {
        let mut writes: Vec<usize> = self.writes[location].iter().collect();
        writes.sort_by_key(|write| std::cmp::Reverse(self.order[*write].len()));
        writes.into_iter().map(|write| write as u32).collect()
    }

    /// What the reads of a thread returned in it.
    pub(crate) fn values(&self, thread: usize) -> &[i64] {
        &self.values[self.offsets[thread]..][..self.skeleton.paths[thread].reads as usize]
    }

    pub(crate) fn arena(&self) -> &Arena<'s> {
        self.ground.arena
    }
}
