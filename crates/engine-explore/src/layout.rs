//! Packed states: every pc, local, memory cell and buffer entry is a bit field of a few words.
//!
//! A field stores `value - low` in as many bits as its range needs. Ranges come from [`ranges`]
//! (crate::ranges); where that analysis finds no bound, the field starts narrow, and a value that
//! does not fit ends the attempt with [`Overflow`], after which the search starts again with that
//! cell twice as wide. So the width is never a reason for a wrong answer, only for a second start.

use std::collections::BTreeMap;

/// A bit field that holds `low..=low + mask`. Fields never straddle words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub word: u32,
    pub shift: u32,
    pub mask: u64,
    pub low: i64,
    pub cell: Cell,
}

/// What a field belongs to. All copies of a process share the width of a local, and all elements
/// of an array the width of the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Cell {
    Local {
        process: u32,
        local: u32,
    },
    Variable(u32),
    /// The number of a set, wherever it is held: all of them come from one table.
    Set,
    /// Operands of pending remote atomics, which need not fit any variable.
    Operand,
    /// Control points and buffer slots: always wide enough.
    Exact,
}

/// A value did not fit its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overflow(pub Cell);

impl Field {
    #[inline(always)]
    pub(crate) fn get(self, words: &[u64]) -> i64 {
        self.low.wrapping_add(self.raw(words) as i64)
    }

    #[inline(always)]
    pub(crate) fn raw(self, words: &[u64]) -> u64 {
        (words[self.word as usize] >> self.shift) & self.mask
    }

    #[inline(always)]
    pub(crate) fn set_raw(self, words: &mut [u64], raw: u64) {
        let word = &mut words[self.word as usize];
        *word = (*word & !(self.mask << self.shift)) | (raw << self.shift);
    }

    #[inline(always)]
    pub(crate) fn set(self, words: &mut [u64], value: i64) -> Result<(), Overflow> {
        let raw = value.wrapping_sub(self.low) as u64;
        if raw > self.mask || value < self.low {
            return Err(Overflow(self.cell));
        }
        self.set_raw(words, raw);
        Ok(())
    }
}

/// Hands out fields: largest first would pack tighter, but in order keeps a thread's fields
/// together, and a first-fit search over open words fills the gaps.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    /// Bits used in each word.
    used: Vec<u32>,
}

impl Packer {
    pub(crate) fn field(&mut self, low: i64, bits: u32, cell: Cell) -> Field {
        let bits = bits.min(64);
        if bits == 0 {
            // Only one value: no bits at all.
            self.used.is_empty().then(|| self.used.push(0));
            return Field { word: 0, shift: 0, mask: 0, low, cell };
        }
        let word = match self.used.iter().position(|used| used + bits <= 64) {
            Some(word) => word,
            None => {
                self.used.push(0);
                self.used.len() - 1
            }
        };
        let shift = self.used[word];
        self.used[word] += bits;
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        Field { word: word as u32, shift, mask, low, cell }
    }

    pub(crate) fn words(&self) -> usize {
        self.used.len().max(1)
    }
}

/// The fewest bits that hold `0..=span`.
pub(crate) fn bits_for(span: u64) -> u32 {
    64 - span.leading_zeros()
}

/// How wide the cells without a known range are at present.
#[derive(Clone, Debug, Default)]
pub(crate) struct Widths(BTreeMap<Cell, u32>);

impl Widths {
    const FIRST: u32 = 4;

    pub(crate) fn of(&self, cell: Cell) -> u32 {
        self.0.get(&cell).copied().unwrap_or(Widths::FIRST)
    }

    /// The width of a cell that did not fit at first.
    pub(crate) fn grown(&self, cell: Cell) -> Option<u32> {
        self.0.get(&cell).copied()
    }

    /// Twice as wide; `false` if the cell already has all 64 bits.
    pub(crate) fn grow(&mut self, cell: Cell) -> bool {
        let width = self.of(cell);
        self.0.insert(cell, (width * 2).min(64));
        width < 64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_hold_what_was_set() {
        let mut packer = Packer::default();
        let fields: Vec<Field> =
            (0..20).map(|number| packer.field(-3, 5 + number % 7, Cell::Exact)).collect();
        let mut words = vec![0; packer.words()];
        for (number, field) in fields.iter().enumerate() {
            assert!(field.set(&mut words, number as i64 - 3).is_ok());
        }
        for (number, field) in fields.iter().enumerate() {
            assert_eq!(field.get(&words), number as i64 - 3);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut packer = Packer::default();
        let cell = Cell::Variable(7);
        let field = packer.field(-1, 2, cell);
        let mut words = vec![0; packer.words()];
        assert_eq!(field.set(&mut words, 2), Ok(()));
        assert_eq!(field.set(&mut words, 3), Err(Overflow(cell)));
        assert_eq!(field.set(&mut words, -2), Err(Overflow(cell)));
        assert_eq!(field.get(&words), 2);
        let wide = packer.field(i64::MIN, 64, cell);
        let mut words = vec![0; packer.words()];
        for value in [i64::MIN, -1, 0, i64::MAX] {
            assert_eq!(wide.set(&mut words, value), Ok(()));
            assert_eq!(wide.get(&words), value);
        }
    }
}
