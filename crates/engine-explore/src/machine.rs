//! The packed machine: the same SC, TSO, PSO and RMA as `memory::operational`, on bit fields.
//!
//! A program is compiled once for each thread ([`compile`](crate::compile)); this file says what
//! memory and buffers do, and translates states to and from the reference machine. The two are
//! compared on random programs, state by state in number and outcome by outcome.

use wattle_logic::{Sort, Value};
use wattle_memory::Machine;
use wattle_memory::operational::{Half, State, Stored};
use wattle_program::step::{RemoteUpdate, ThreadState};
use wattle_program::{Mode, Orders, Point, Program, Shape, ThreadId};

use crate::buffer::{Slots, newest};
use crate::choices::Choices;
use crate::compile::Compiled;
use crate::expression::Context;
use crate::layout::Field;
use crate::step::Problem;

/// The widest state that is supported; wider ones are refused when compiling.
pub(crate) const MAX_WORDS: usize = 64;

impl Compiled {
    /// What terms need to be evaluated; `choices` answers what is not known of a set.
    #[inline]
    pub(crate) fn context<'a>(&'a self, choices: &'a Choices) -> Context<'a> {
        let (memory, buffers) = (&self.fields.memory, &self.buffers);
        Context { memory, buffers, codec: Some(&self.codec), sets: &self.sets, choices }
    }

    /// Does the way to this state rest on a doubt about a set?
    pub(crate) fn is_doubtful(&self, words: &[u64]) -> bool {
        self.doubtful.is_some_and(|field| field.raw(words) != 0)
    }

    /// The value with this code; `None` for a set of which only its size is known.
    pub(crate) fn decode(&self, sort: Sort, code: i64) -> Option<Value> {
        match sort {
            Sort::IntSet => self.sets.value(code),
            sort => sort.decode(code),
        }
    }

    fn code(&self, value: &Value) -> Result<i64, Problem> {
        match value {
            Value::Set(set) => Ok(self.sets.number(set)),
            value => value.code().ok_or_else(|| Problem::Unsupported("a value without a code".into())),
        }
    }

    /// The thread that stands inside an atomic section.
    pub(crate) fn inside(&self, words: &[u64]) -> Option<(usize, Mode)> {
        if !self.has_sections {
            return None;
        }
        (0..self.threads.len()).find_map(|thread| {
            let point = self.fields.points[thread].raw(words) as usize;
            self.threads[thread].points[point].inside.map(|mode| (thread, mode))
        })
    }

    pub(crate) fn load(&self, thread: usize, location: u32, words: &[u64]) -> i64 {
        newest(&self.buffers[thread], &self.codec, location, words)
            .unwrap_or_else(|| self.fields.memory[location as usize].get(words))
    }

    /// May the thread pass this fence? Adds a barrier where the fence is one.
    pub(crate) fn fence(
        &self,
        thread: usize,
        orders: Orders,
        location: Option<u32>,
        words: &mut [u64],
    ) -> bool {
        let buffer = &self.buffers[thread];
        if buffer.slots[0].raw(words) == 0 {
            return true;
        }
        if let Some(location) = location {
            let slots = Slots::read(buffer, words);
            let pending =
                |code: &u64| !self.codec.is_barrier(*code) && self.codec.location(*code) == location;
            return !slots.codes[..slots.len].iter().any(pending);
        }
        if orders.contains(Orders::WR) {
            return false;
        }
        if self.kind == Machine::Pso && orders.contains(Orders::WW) {
            let mut slots = Slots::read(buffer, words);
            self.codec.add_barrier(&mut slots);
            slots.write(buffer, words);
        }
        true
    }

    pub(crate) fn owner(&self, location: u32) -> Result<u32, Problem> {
        let owner = self.shape.locations[location as usize].owner;
        let none = || Problem::Unsupported("a remote operation on memory that no process owns".into());
        owner.map(|thread| thread.0).ok_or_else(none)
    }

    pub(crate) fn write_remote(&self, location: u32, value: i64, words: &mut [u64]) -> Result<(), Problem> {
        let Some(value) = self.cells[location as usize].fit(value) else {
            return Err(Problem::Unsupported("a remote write outside the declared range".into()));
        };
        Ok(self.fields.memory[location as usize].set(words, value)?)
    }

    /// A pending half of a remote operation happens. What is left of the operation, if anything.
    pub(crate) fn half(&self, code: u64, words: &mut [u64]) -> Result<Option<u64>, Problem> {
        let memory = &self.fields.memory;
        let then = match self.codec.half(code) {
            PackedHalf::Read { target, from, to } => {
                Some(PackedHalf::Write { target, to, value: memory[from as usize].get(words) })
            }
            PackedHalf::Write { to, value, .. } => {
                self.write_remote(to, value, words)?;
                None
            }
            PackedHalf::Atomic { target, at, into, update } => {
                let old = memory[at as usize].get(words);
                let new = match (update, self.cells[at as usize].sort) {
                    (PackedUpdate::Add(value), sort @ Sort::Bits { .. }) => {
                        sort.wrap(old.wrapping_add(value))
                    }
                    (PackedUpdate::Add(value), _) => old.checked_add(value).ok_or(Problem::TooLarge)?,
                    (PackedUpdate::CompareAndSwap(expected, _), _) if old != expected => old,
                    (PackedUpdate::Replace(new) | PackedUpdate::CompareAndSwap(_, new), _) => new,
                };
                self.write_remote(at, new, words)?;
                into.map(|to| PackedHalf::Write { target, to, value: old })
            }
        };
        then.map(|half| self.codec.encode(half)).transpose()
    }

    /// Have all threads ended, with nothing pending?
    pub(crate) fn is_final(&self, words: &[u64]) -> bool {
        let ended = self.threads.iter().zip(&self.fields.points);
        ended.into_iter().all(|(thread, point)| thread.points[point.raw(words) as usize].end)
            && (!self.has_buffers || self.buffers.iter().all(|buffer| buffer.slots[0].raw(words) == 0))
    }

    /// A state of the reference machine as words.
    pub(crate) fn pack(&self, state: &State) -> Result<Vec<u64>, Problem> {
        let mut words = vec![0; self.words];
        for (thread, info) in state.threads.iter().enumerate() {
            self.fields.points[thread].set_raw(&mut words, u64::from(info.point.0));
            for (field, value) in self.fields.locals[thread].iter().zip(&info.locals) {
                field.set(&mut words, self.code(value)?)?;
            }
        }
        for (field, value) in self.fields.memory.iter().zip(&state.memory) {
            field.set(&mut words, self.code(value)?)?;
        }
        Ok(words)
    }

    /// Words as a state of the reference machine; `None` if only the size of a set is known.
    pub(crate) fn unpack(&self, program: &Program, words: &[u64]) -> Option<State> {
        let shape: &Shape = &self.shape;
        let mut threads = Vec::new();
        for thread in shape.thread_ids() {
            let process = program.process(shape.info(thread).process);
            let number = thread.0 as usize;
            let locals: Option<Vec<Value>> = (process.locals.iter().zip(&self.fields.locals[number]))
                .map(|(local, field)| self.decode(local.sort, field.get(words)))
                .collect();
            let point = Point(self.fields.points[number].raw(words) as u32);
            threads.push(ThreadState { point, locals: locals? });
        }
        let sort = |location: usize| self.cells[location].sort;
        let memory: Option<Vec<Value>> = (self.fields.memory.iter().enumerate())
            .map(|(location, field)| self.decode(sort(location), field.get(words)))
            .collect();
        let mut stores = vec![Vec::new(); threads.len()];
        let mut halves = vec![Vec::new(); threads.len()];
        for (thread, buffer) in self.buffers.iter().enumerate() {
            let slots = Slots::read(buffer, words);
            let mut group = Vec::new();
            for code in &slots.codes[..slots.len] {
                match self.buffers_stores {
                    true if self.codec.is_barrier(*code) => stores[thread].push(Stored::Barrier),
                    true => {
                        let location = self.codec.location(*code);
                        let value = self.decode(sort(location as usize), self.codec.value(*code))?;
                        group.push((location, value));
                        if !self.codec.is_joined(*code) {
                            stores[thread].push(entry(std::mem::take(&mut group)));
                        }
                    }
                    false => halves[thread].push(self.reference_half(*code)?),
                }
            }
        }
        if !self.kind.keeps_issue_order() {
            halves.iter_mut().for_each(|halves| halves.sort());
        }
        Some(State { threads, memory: memory?, stores, halves })
    }

    /// A packed half as the reference machine writes it.
    pub(crate) fn reference_half(&self, code: u64) -> Option<Half> {
        let sort = |location: u32| self.cells[location as usize].sort;
        Some(match self.codec.half(code) {
            PackedHalf::Read { target, from, to } => Half::Read { target: ThreadId(target), from, to },
            PackedHalf::Write { target, to, value } => {
                Half::Write { target: ThreadId(target), to, value: sort(to).decode(value)? }
            }
            PackedHalf::Atomic { target, at, into, update } => {
                let value = |value: i64| sort(at).decode(value);
                let update = match update {
                    PackedUpdate::Add(amount) => RemoteUpdate::Add(value(amount)?),
                    PackedUpdate::Replace(new) => RemoteUpdate::Replace(value(new)?),
                    PackedUpdate::CompareAndSwap(expected, new) => {
                        RemoteUpdate::CompareAndSwap { expected: value(expected)?, new: value(new)? }
                    }
                };
                Half::Atomic { target: ThreadId(target), at, into, update }
            }
        })
    }
}

/// Stores that reach memory together, as an entry of a buffer.
fn entry(mut stores: Vec<(u32, Value)>) -> Stored {
    match (stores.len(), stores.pop()) {
        (1, Some((location, value))) => Stored::Write { location, value },
        (_, last) => {
            stores.extend(last);
            Stored::Group(stores)
        }
    }
}

/// A remote half with codes for values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PackedHalf {
    Read { target: u32, from: u32, to: u32 },
    Write { target: u32, to: u32, value: i64 },
    Atomic { target: u32, at: u32, into: Option<u32>, update: PackedUpdate<i64> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PackedUpdate<T> {
    Add(T),
    Replace(T),
    CompareAndSwap(T, T),
}

impl PackedHalf {
    pub(crate) fn target(self) -> u32 {
        match self {
            PackedHalf::Read { target, .. }
            | PackedHalf::Write { target, .. }
            | PackedHalf::Atomic { target, .. } => target,
        }
    }
}

/// A thread's buffer: its slots, the first one empty (0) exactly if the buffer is.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    pub slots: Vec<Field>,
}
