//! Buffers inside packed states: a row of slots, each 0 (empty) or the code of one pending
//! operation, filled from the first slot on.

use wattle_program::{Program, Shape};

use crate::layout::{Cell, Field, Overflow, Packer, Widths, bits_for};
use crate::machine::{Buffer, PackedHalf, PackedUpdate};
use crate::step::Problem;

/// The most slots that a buffer may have.
pub(crate) const MAX_SLOTS: usize = 32;

/// The slots of one buffer, unpacked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    pub codes: [u64; MAX_SLOTS],
    pub len: usize,
}

impl Slots {
    #[inline]
    pub(crate) fn read(buffer: &Buffer, words: &[u64]) -> Slots {
        let mut slots = Slots { codes: [0; MAX_SLOTS], len: 0 };
        for field in &buffer.slots {
            let code = field.raw(words);
            if code == 0 {
                break;
            }
            slots.codes[slots.len] = code;
            slots.len += 1;
        }
        slots
    }

    #[inline]
    pub(crate) fn write(&self, buffer: &Buffer, words: &mut [u64]) {
        for (at, field) in buffer.slots.iter().enumerate() {
            field.set_raw(words, if at < self.len { self.codes[at] } else { 0 });
        }
    }

    pub(crate) fn push(&mut self, code: u64) {
        self.codes[self.len] = code;
        self.len += 1;
    }

    pub(crate) fn insert(&mut self, at: usize, code: u64) {
        self.codes.copy_within(at..self.len, at + 1);
        self.codes[at] = code;
        self.len += 1;
    }

    pub(crate) fn remove(&mut self, at: usize) {
        self.codes.copy_within(at + 1..self.len, at);
        self.len -= 1;
        self.codes[self.len] = 0;
    }

    /// Remote halves have no order; sorting makes equal multisets equal words.
    pub(crate) fn insert_sorted(&mut self, code: u64) {
        let at = self.codes[..self.len].partition_point(|other| *other <= code);
        self.insert(at, code);
    }
}

/// How pending operations become codes: bits for each part, from the lowest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codec {
    location_bits: u32,
    target_bits: u32,
    value_bits: u32,
    value_low: i64,
    barrier: u64,
    atomics: bool,
    /// Has a store a bit that says that the next one reaches memory with it?
    groups: bool,
    /// Bits of a whole code.
    pub bits: u32,
}

impl Codec {
    /// For stores: a location (from 1; the number after the last is a barrier), a value and, where stores are grouped,
    /// whether the next store belongs to the same group.
    pub(crate) fn for_stores(shape: &Shape, memory: &[Field], groups: bool) -> Codec {
        let (value_low, value_bits) = values(memory.iter());
        let barrier = shape.locations.len() as u64 + 1;
        let location_bits = bits_for(barrier);
        Codec {
            location_bits,
            target_bits: 0,
            value_bits,
            value_low,
            barrier,
            atomics: false,
            groups,
            bits: location_bits + value_bits + u32::from(groups),
        }
    }

    /// For remote halves: kind, target, two locations, and values.
    pub(crate) fn for_halves(
        program: &Program,
        shape: &Shape,
        memory: &[Field],
        locals: &[Vec<Field>],
        widths: &Widths,
    ) -> Codec {
        let atomic = |op: &wattle_program::Op| matches!(op, wattle_program::Op::RemoteAtomic { .. });
        let atomics = (program.processes.iter())
            .any(|process| process.cfg.edges.iter().any(|edge| edge.ops.iter().any(atomic)));
        // Operands of atomics come from locals and need not fit a variable.
        let operand = widths.grown(Cell::Operand).map(|bits| {
            let low = if bits >= 64 { i64::MIN } else { -(1 << (bits - 1)) };
            Packer::default().field(low, bits, Cell::Operand)
        });
        let (value_low, value_bits) = match atomics {
            true => values(memory.iter().chain(locals.iter().flatten()).chain(&operand)),
            false => values(memory.iter()),
        };
        let location_bits = bits_for(shape.locations.len() as u64);
        let target_bits = bits_for(shape.threads.len().saturating_sub(1) as u64);
        let values = if atomics { 2 + 2 * value_bits } else { value_bits };
        let bits = 2 + target_bits + 2 * location_bits + values;
        Codec { location_bits, target_bits, value_bits, value_low, barrier: 0, atomics, groups: false, bits }
    }

    pub(crate) fn store(&self, location: u32, value: i64) -> u64 {
        (u64::from(location) + 1) | (value.wrapping_sub(self.value_low) as u64) << self.location_bits
    }

    /// The store, with the next one in its group.
    pub(crate) fn joined(&self, code: u64) -> u64 {
        code | 1 << (self.location_bits + self.value_bits)
    }

    #[inline]
    pub(crate) fn is_joined(&self, code: u64) -> bool {
        self.groups && (code >> (self.location_bits + self.value_bits)) & 1 != 0
    }

    /// How many entries the slots hold: stores that reach memory together are one, barriers are none.
    pub(crate) fn entries(&self, slots: &Slots) -> usize {
        let last = |code: &&u64| !self.is_barrier(**code) && !self.is_joined(**code);
        slots.codes[..slots.len].iter().filter(last).count()
    }

    #[inline]
    pub(crate) fn is_barrier(&self, code: u64) -> bool {
        code == self.barrier
    }

    #[inline]
    pub(crate) fn location(&self, code: u64) -> u32 {
        (code & mask(self.location_bits)) as u32 - 1
    }

    #[inline]
    pub(crate) fn value(&self, code: u64) -> i64 {
        if self.value_bits == 0 {
            return self.value_low;
        }
        self.value_low.wrapping_add((code >> self.location_bits & mask(self.value_bits)) as i64)
    }

    pub(crate) fn add_barrier(&self, slots: &mut Slots) {
        if slots.len > 0 && !self.is_barrier(slots.codes[slots.len - 1]) {
            slots.push(self.barrier);
        }
    }

    /// PSO keeps the stores after the last barrier sorted by location, oldest first within one.
    pub(crate) fn insert_by_location(&self, slots: &mut Slots, code: u64) {
        let location = self.location(code);
        let mut at = slots.len;
        while at > 0 && !self.is_barrier(slots.codes[at - 1]) && self.location(slots.codes[at - 1]) > location
        {
            at -= 1;
        }
        slots.insert(at, code);
    }

    pub(crate) fn encode(&self, half: PackedHalf) -> Result<u64, Problem> {
        let mut code = Builder { code: 0, shift: 0 };
        let location = |location: Option<u32>| location.map_or(0, |location| u64::from(location) + 1);
        let (kind, target, a, b) = match half {
            PackedHalf::Read { target, from, to } => (1, target, from, Some(to)),
            PackedHalf::Write { target, to, .. } => (2, target, to, None),
            PackedHalf::Atomic { target, at, into, .. } => (3, target, at, into),
        };
        code.add(kind, 2);
        code.add(u64::from(target), self.target_bits);
        code.add(location(Some(a)), self.location_bits);
        code.add(location(b), self.location_bits);
        let (update, first, second) = match half {
            PackedHalf::Read { .. } => return Ok(code.code),
            PackedHalf::Write { value, .. } => (0, value, self.value_low),
            PackedHalf::Atomic { update, .. } => match update {
                PackedUpdate::Add(value) => (0, value, self.value_low),
                PackedUpdate::Replace(value) => (1, value, self.value_low),
                PackedUpdate::CompareAndSwap(expected, new) => (2, expected, new),
            },
        };
        if self.atomics {
            code.add(update, 2);
            code.add(self.raw(second)?, self.value_bits);
        }
        code.add(self.raw(first)?, self.value_bits);
        Ok(code.code)
    }

    fn raw(&self, value: i64) -> Result<u64, Problem> {
        let raw = value.wrapping_sub(self.value_low) as u64;
        if value < self.value_low || raw > mask(self.value_bits) {
            return Err(Problem::Overflow(Overflow(Cell::Operand)));
        }
        Ok(raw)
    }

    pub(crate) fn half(&self, code: u64) -> PackedHalf {
        let mut code = Builder { code, shift: 0 };
        let kind = code.take(2);
        let target = code.take(self.target_bits) as u32;
        let a = code.take(self.location_bits) as u32 - 1;
        let b = (code.take(self.location_bits) as u32).checked_sub(1);
        let value = |raw: u64| self.value_low.wrapping_add(raw as i64);
        let (update, second) = match self.atomics {
            true => (code.take(2), value(code.take(self.value_bits))),
            false => (0, 0),
        };
        let first = value(code.take(self.value_bits));
        match kind {
            1 => PackedHalf::Read { target, from: a, to: b.unwrap_or(0) },
            2 => PackedHalf::Write { target, to: a, value: first },
            _ => {
                let update = match update {
                    0 => PackedUpdate::Add(first),
                    1 => PackedUpdate::Replace(first),
                    _ => PackedUpdate::CompareAndSwap(first, second),
                };
                PackedHalf::Atomic { target, at: a, into: b, update }
            }
        }
    }
}

/// The newest value that a buffer holds for a location.
#[inline]
pub(crate) fn newest(buffer: &Buffer, codec: &Codec, location: u32, words: &[u64]) -> Option<i64> {
    let codes = buffer.slots.iter().map(|field| field.raw(words)).take_while(|code| *code != 0);
    let own = |code: &u64| !codec.is_barrier(*code) && codec.location(*code) == location;
    codes.filter(own).last().map(|code| codec.value(code))
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The lowest value and the bits that cover all these fields.
fn values<'a>(fields: impl Iterator<Item = &'a Field>) -> (i64, u32) {
    let mut low = 0;
    let mut high = 0i128;
    for field in fields {
        low = low.min(field.low);
        high = high.max(i128::from(field.low) + i128::from(field.mask));
    }
    let span = (high - i128::from(low)) as u128;
    (low, (128 - span.leading_zeros()).min(64))
}

struct Builder {
    code: u64,
    shift: u32,
}

impl Builder {
    fn add(&mut self, value: u64, bits: u32) {
        if bits > 0 {
            self.code |= value << self.shift;
            self.shift += bits;
        }
    }

    fn take(&mut self, bits: u32) -> u64 {
        if bits == 0 {
            return 0;
        }
        let value = (self.code >> self.shift) & mask(bits);
        self.shift += bits;
        value
    }
}
