//! What one edge does to a packed state.
//!
//! [`Stepper::run`] takes the operations of an edge in turn. Each changes some fields, or stops the edge: it is
//! not enabled, it waits, or it faults ([`Stop`]). The words of a stopped edge are thrown away by the caller.

use std::collections::BTreeMap;

use wattle_logic::{Fault, Sort};
use wattle_memory::Machine;
use wattle_program::Mode;
use wattle_program::step::{ANOTHER_SIZE, MOST_CHOICES};

use crate::buffer::Slots;
use crate::choices::Choices;
use crate::compile::{Act, Compiled, Edge, Joint, Remote, Slot};
use crate::expression::Expression;
use crate::layout::Overflow;
use crate::machine::{MAX_WORDS, PackedHalf, PackedUpdate};

/// Why a search cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    Overflow(Overflow),
    /// An integer left 64 bits.
    TooLarge,
    Unsupported(String),
    /// A set grew too large for what was to be done with it.
    LargeSet(&'static str),
}

impl From<Overflow> for Problem {
    fn from(overflow: Overflow) -> Problem {
        Problem::Overflow(overflow)
    }
}

/// Why an edge is not taken to its end.
pub(crate) enum Stop {
    /// Not enabled, and nothing but the thread itself could change that.
    Disabled,
    /// Waits for a buffer, a flush, or room in a buffer.
    Blocked,
    /// In this operation, or in the guard.
    Fault {
        fault: Fault,
        op: Option<usize>,
    },
    Problem(Problem),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault { fault, op: None }
    }
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Stop {
        Stop::Problem(problem)
    }
}

impl From<Overflow> for Stop {
    fn from(overflow: Overflow) -> Stop {
        Stop::Problem(overflow.into())
    }
}

/// Runs single edges.
#[derive(Debug)]
pub(crate) struct Stepper<'a> {
    machine: &'a Compiled,
    /// What the `havoc`s of the edge choose.
    pub choices: Choices,
    /// The assertions of the edge that do not hold.
    pub failed: Vec<usize>,
    /// A store or remote operation found no room.
    pub cut: bool,
    /// The same, in the state expanded last.
    pub cut_now: bool,
    /// The most operations that any thread had pending.
    pub most_pending: usize,
}

impl<'a> Stepper<'a> {
    pub(crate) fn new(machine: &'a Compiled) -> Stepper<'a> {
        Stepper {
            machine,
            choices: Choices::default(),
            failed: Vec::new(),
            cut: false,
            cut_now: false,
            most_pending: 0,
        }
    }

    /// Run an edge on `words` with the present choices.
    pub(crate) fn run(&mut self, thread: usize, edge: &Edge, words: &mut [u64]) -> Result<(), Stop> {
        let machine = self.machine;
        self.failed.clear();
        let locked = edge.mode == Mode::Locked;
        if locked && machine.buffers_stores && machine.buffers[thread].slots[0].raw(words) != 0 {
            return Err(Stop::Blocked);
        }
        if !edge.guard.is_true() && self.value(&edge.guard, words)? == 0 {
            return Err(Stop::Disabled);
        }
        let direct = locked || !machine.buffers_stores;
        for (number, act) in edge.acts.iter().enumerate() {
            match self.act(thread, number, act, direct, words) {
                Err(Stop::Fault { fault, .. }) => return Err(Stop::Fault { fault, op: Some(number) }),
                done => done?,
            }
        }
        machine.fields.points[thread].set_raw(words, edge.to);
        if let Some(doubtful) = machine.doubtful
            && self.choices.has_doubted()
        {
            doubtful.set_raw(words, 1);
        }
        Ok(())
    }

    /// One operation. `direct`: loads and stores go to memory, past the buffer.
    #[inline]
    fn act(
        &mut self,
        thread: usize,
        number: usize,
        act: &Act,
        direct: bool,
        words: &mut [u64],
    ) -> Result<(), Stop> {
        let machine = self.machine;
        match act {
            Act::Load { into, address, sort } => {
                let location = self.location(address, words)?;
                self.sized(location, *sort)?;
                let value = match direct {
                    true => machine.fields.memory[location as usize].get(words),
                    false => machine.load(thread, location, words),
                };
                set(into, value, words)
            }
            Act::Store { address, value, release, sort } => {
                let location = self.location(address, words)?;
                self.sized(location, *sort)?;
                let value = self.value(value, words)?;
                let value = machine.cells[location as usize].fit(value).ok_or(Stop::Disabled)?;
                match direct || machine.unbuffered[location as usize] {
                    true => Ok(machine.fields.memory[location as usize].set(words, value)?),
                    false => self.push(thread, location, value, *release, words),
                }
            }
            Act::Together(stores) => self.together(thread, stores, direct, words),
            Act::Assign { local, value } => set(local, self.value(value, words)?, words),
            Act::Havoc { local, low, high } => {
                let (low, high) = (self.value(low, words)?, self.value(high, words)?);
                if high.saturating_sub(low) >= MOST_CHOICES {
                    return Err(Problem::Unsupported("a choice among more than 65,536 values".into()).into());
                }
                let value = self.choices.choose(low, high).ok_or(Stop::Disabled)?;
                set(local, value, words)
            }
            Act::Pick { local, set: from, all } => {
                let value = match machine.sets.elements(self.value(from, words)?) {
                    Some(elements) => {
                        let at = self.choices.choose(0, elements.len() as i64 - 1).ok_or(Stop::Disabled)?;
                        elements[at as usize]
                    }
                    None => {
                        self.choices.doubts();
                        let unlisted =
                            "a value is chosen from a set of more than 64 for a local without a small range";
                        let (low, high) = all.ok_or(Problem::LargeSet(unlisted))?;
                        self.choices.choose(low, high).ok_or(Stop::Disabled)?
                    }
                };
                set(local, value, words)
            }
            Act::Forget { local } => Ok(local.set(words, 0)?),
            Act::Assume(condition) => match self.value(condition, words)? {
                0 => Err(Stop::Disabled),
                _ => Ok(()),
            },
            Act::Assert(condition) => {
                if self.value(condition, words)? == 0 {
                    self.failed.push(number);
                }
                Ok(())
            }
            Act::Fence { orders, location } => {
                let location = self.optional(location.as_ref(), words)?;
                match !machine.buffers_stores || machine.fence(thread, *orders, location, words) {
                    true => Ok(()),
                    false => Err(Stop::Blocked),
                }
            }
            Act::Remote(remote) => {
                let half = self.first_half(remote, words)?;
                self.start(thread, half, words)
            }
            Act::Flush { process, copy } => {
                let target = machine.shape.checked_thread(*process, self.value(copy, words)?)?;
                let slots = Slots::read(&machine.buffers[thread], words);
                let pending = |code: &u64| machine.codec.half(*code).target() == target.0;
                match slots.codes[..slots.len].iter().any(pending) {
                    true => Err(Stop::Blocked),
                    false => Ok(()),
                }
            }
            Act::Nothing => Ok(()),
            Act::Unsupported(what) => Err(Problem::Unsupported(what.clone()).into()),
        }
    }

    #[inline]
    fn value(&self, expression: &Expression, words: &[u64]) -> Result<i64, Fault> {
        match expression {
            // The commonest, for which no context needs to be made.
            Expression::Constant(value) => Ok(*value),
            Expression::Field(field) => Ok(field.get(words)),
            Expression::FieldIs(field, raw) => Ok(i64::from(field.raw(words) == *raw)),
            _ => expression.evaluate(words, &self.machine.context(&self.choices)),
        }
    }

    /// An access through a pointer must be as wide as what lies there.
    fn sized(&self, location: u32, sort: Sort) -> Result<(), Problem> {
        match (self.machine.widths[location as usize], sort) {
            (Some(width), Sort::Bits { width: other, .. }) if width != other => {
                Err(Problem::Unsupported(ANOTHER_SIZE.into()))
            }
            _ => Ok(()),
        }
    }

    fn location(&self, address: &Expression, words: &[u64]) -> Result<u32, Fault> {
        let location = self.value(address, words)?;
        match usize::try_from(location) {
            Ok(inside) if inside < self.machine.fields.memory.len() => Ok(location as u32),
            _ => Err(Fault::OutOfBounds),
        }
    }

    fn optional(&self, address: Option<&Expression>, words: &[u64]) -> Result<Option<u32>, Fault> {
        address.map(|address| self.location(address, words)).transpose()
    }

    /// What becomes pending when a remote operation is issued.
    fn first_half(&self, remote: &Remote, words: &[u64]) -> Result<PackedHalf, Stop> {
        let machine = self.machine;
        Ok(match remote {
            Remote::PutLocation { remote, source } => {
                let to = self.location(remote, words)?;
                let target = machine.owner(to)?;
                PackedHalf::Read { target, from: self.location(source, words)?, to }
            }
            Remote::PutValue { remote, value } => {
                let to = self.location(remote, words)?;
                let value = self.value(value, words)?;
                let value = machine.cells[to as usize].fit(value).ok_or(Stop::Disabled)?;
                PackedHalf::Write { target: machine.owner(to)?, to, value }
            }
            Remote::Get { into, remote } => {
                let to = self.location(into, words)?;
                let from = self.location(remote, words)?;
                PackedHalf::Read { target: machine.owner(from)?, from, to }
            }
            Remote::Atomic { into, remote, update } => {
                let into = self.optional(into.as_ref(), words)?;
                let at = self.location(remote, words)?;
                let update = match update {
                    PackedUpdate::Add(value) => PackedUpdate::Add(self.value(value, words)?),
                    PackedUpdate::Replace(value) => PackedUpdate::Replace(self.value(value, words)?),
                    PackedUpdate::CompareAndSwap(expected, new) => {
                        PackedUpdate::CompareAndSwap(self.value(expected, words)?, self.value(new, words)?)
                    }
                };
                PackedHalf::Atomic { target: machine.owner(at)?, at, into, update }
            }
        })
    }

    /// A store enters its buffer, if there is room.
    fn push(
        &mut self,
        thread: usize,
        location: u32,
        value: i64,
        release: bool,
        words: &mut [u64],
    ) -> Result<(), Stop> {
        let machine = self.machine;
        let buffer = &machine.buffers[thread];
        let mut slots = Slots::read(buffer, words);
        if release && machine.kind == Machine::Pso {
            machine.codec.add_barrier(&mut slots);
        }
        // A store that changes nothing is skipped (see `reduce`).
        if machine.sole_writer[location as usize] && machine.load(thread, location, words) == value {
            slots.write(buffer, words);
            return Ok(());
        }
        let writes = machine.codec.entries(&slots);
        self.has_room(writes)?;
        let code = self.entry(location, value)?;
        match machine.kind {
            Machine::Pso => machine.codec.insert_by_location(&mut slots, code),
            _ => slots.push(code),
        }
        slots.write(buffer, words);
        self.most_pending = self.most_pending.max(writes + 1);
        Ok(())
    }

    /// The code of a pending store. The field of the location decides whether the value fits, so that the entry always
    /// does.
    fn entry(&self, location: u32, value: i64) -> Result<u64, Stop> {
        let mut probe = [0; MAX_WORDS];
        self.machine.fields.memory[location as usize].set(&mut probe, value)?;
        Ok(self.machine.codec.store(location, value))
    }

    /// Stores that become visible together: everything is evaluated first. Those that are buffered become one entry.
    fn together(
        &mut self,
        thread: usize,
        stores: &[Joint],
        direct: bool,
        words: &mut [u64],
    ) -> Result<(), Stop> {
        let machine = self.machine;
        let mut values = BTreeMap::new();
        for store in stores {
            if !store.when.is_true() && self.value(&store.when, words)? == 0 {
                continue;
            }
            let location = self.location(&store.address, words)?;
            let value = self.value(&store.value, words)?;
            let value = machine.cells[location as usize].fit(value).ok_or(Stop::Disabled)?;
            values.insert(location, value);
        }
        let mut group = Vec::new();
        for (location, value) in values {
            match direct || machine.unbuffered[location as usize] {
                true => machine.fields.memory[location as usize].set(words, value)?,
                false => group.push((location, value)),
            }
        }
        match &group[..] {
            [] => return Ok(()),
            [(location, value)] => return self.push(thread, *location, *value, false, words),
            _ if machine.kind != Machine::Tso => {
                let what = "stores that become visible together, with a buffer a location";
                return Err(Problem::Unsupported(what.into()).into());
            }
            _ => {}
        }
        let buffer = &machine.buffers[thread];
        let mut slots = Slots::read(buffer, words);
        let entries = machine.codec.entries(&slots);
        self.has_room(entries)?;
        for (number, (location, value)) in group.iter().enumerate() {
            let code = self.entry(*location, *value)?;
            slots.push(if number + 1 < group.len() { machine.codec.joined(code) } else { code });
        }
        slots.write(buffer, words);
        self.most_pending = self.most_pending.max(entries + 1);
        Ok(())
    }

    /// A remote operation becomes pending (or, under SC with atomic copies, happens at once).
    fn start(&mut self, thread: usize, half: PackedHalf, words: &mut [u64]) -> Result<(), Stop> {
        let machine = self.machine;
        let buffer = &machine.buffers[thread];
        let mut slots = Slots::read(buffer, words);
        self.has_room(slots.len)?;
        machine.issue(&mut slots, machine.codec.encode(half)?);
        self.most_pending = self.most_pending.max(slots.len);
        if machine.kind == (Machine::Sc { atomic_copy: true }) {
            while slots.len > 0 {
                let then = machine.half(slots.codes[0], words)?;
                machine.happened(&mut slots, 0, then);
            }
        }
        slots.write(buffer, words);
        Ok(())
    }

    /// May one more operation be pending beside these?
    fn has_room(&mut self, pending: usize) -> Result<(), Stop> {
        if pending < self.machine.capacity {
            return Ok(());
        }
        (self.cut, self.cut_now) = (true, true);
        Err(Stop::Blocked)
    }
}

fn set(slot: &Slot, value: i64, words: &mut [u64]) -> Result<(), Stop> {
    let value = slot.cell.fit(value).ok_or(Stop::Disabled)?;
    Ok(slot.field.set(words, value)?)
}
