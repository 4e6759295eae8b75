//! Bit matrices: relations between at most `64 * W` events.
//!
//! A relation over `n` events is a slice of `n` rows; bit `j` of row `i` says that the pair `(i, j)`
//! belongs to it. Rows are a fixed number `W` of machine words, so that a compiler unrolls every
//! operation; a litmus test of twelve events works on twelve words. Nothing here allocates.
//!
//! Operations write their result over an old one and say whether it changed. Callers that search keep
//! the result of the last candidate and use this to recompute only what depends on a change.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// A set of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row<const W: usize>(pub [u64; W]);

impl<const W: usize> Default for Row<W> {
    fn default() -> Row<W> {
        Row::EMPTY
    }
}

impl<const W: usize> Row<W> {
    pub const EMPTY: Row<W> = Row([0; W]);
    pub const MOST: usize = 64 * W;

    #[inline]
    pub fn single(event: usize) -> Row<W> {
        let mut row = Row::EMPTY;
        row.insert(event);
        row
    }

    /// The first `count` events.
    pub fn first(count: usize) -> Row<W> {
        let mut row = Row::EMPTY;
        (0..count).for_each(|event| row.insert(event));
        row
    }

    #[inline]
    pub fn insert(&mut self, event: usize) {
        self.0[event / 64 % W] |= 1 << (event % 64);
    }

    #[inline]
    pub fn remove(&mut self, event: usize) {
        self.0[event / 64 % W] &= !(1 << (event % 64));
    }

    #[inline]
    pub fn contains(&self, event: usize) -> bool {
        self.0[event / 64 % W] >> (event % 64) & 1 != 0
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    #[inline]
    pub fn meets(&self, other: Row<W>) -> bool {
        !(*self & other).is_empty()
    }

    #[inline]
    pub fn without(self, other: Row<W>) -> Row<W> {
        self & !other
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The events, in order.
    #[inline]
    pub fn iter(self) -> Bits<W> {
        Bits { row: self, word: 0 }
    }
}

impl<const W: usize> IntoIterator for Row<W> {
    type Item = usize;
    type IntoIter = Bits<W>;
    #[inline]
    fn into_iter(self) -> Bits<W> {
        self.iter()
    }
}

/// The events of a row, in order.
#[derive(Clone, Debug)]
pub struct Bits<const W: usize> {
    row: Row<W>,
    word: usize,
}

impl<const W: usize> Iterator for Bits<W> {
    type Item = usize;
    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.word < W {
            let word = &mut self.row.0[self.word];
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(self.word * 64 + bit);
            }
            self.word += 1;
        }
        None
    }
}

impl<const W: usize> BitOr for Row<W> {
    type Output = Row<W>;
    #[inline]
    fn bitor(self, other: Row<W>) -> Row<W> {
        Row(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

impl<const W: usize> BitAnd for Row<W> {
    type Output = Row<W>;
    #[inline]
    fn bitand(self, other: Row<W>) -> Row<W> {
        Row(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl<const W: usize> Not for Row<W> {
    type Output = Row<W>;
    #[inline]
    fn not(self) -> Row<W> {
        Row(self.0.map(|word| !word))
    }
}

impl<const W: usize> BitOrAssign for Row<W> {
    #[inline]
    fn bitor_assign(&mut self, other: Row<W>) {
        *self = *self | other;
    }
}

impl<const W: usize> BitAndAssign for Row<W> {
    #[inline]
    fn bitand_assign(&mut self, other: Row<W>) {
        *self = *self & other;
    }
}

/// Row by row: `target[i] = value(i)`. Did anything change?
#[inline]
pub fn assign<const W: usize>(target: &mut [Row<W>], value: impl Fn(usize) -> Row<W>) -> bool {
    let mut changed = false;
    for (number, row) in target.iter_mut().enumerate() {
        let new = value(number);
        changed |= *row != new;
        *row = new;
    }
    changed
}

/// The union of the rows that a set selects.
#[inline]
pub fn image<const W: usize>(set: Row<W>, relation: &[Row<W>]) -> Row<W> {
    set.iter().fold(Row::EMPTY, |sum, event| sum | relation[event])
}

/// Every pair the other way round, into a relation that is overwritten.
#[inline]
pub fn invert<const W: usize>(relation: &[Row<W>], result: &mut [Row<W>]) {
    result.fill(Row::EMPTY);
    for (number, row) in relation.iter().enumerate() {
        for other in *row {
            result[other].insert(number);
        }
    }
}

/// One step or more (Warshall).
#[inline]
pub fn close<const W: usize>(relation: &mut [Row<W>]) {
    for middle in 0..relation.len() {
        let through = relation[middle];
        if through.is_empty() {
            continue;
        }
        for row in relation.iter_mut() {
            if row.contains(middle) {
                *row |= through;
            }
        }
    }
}

/// Is there no cycle? Events without a successor among those that are left are taken away until
/// nothing moves. Backwards, because events are mostly numbered along program order.
#[inline]
pub fn is_acyclic<const W: usize>(relation: &[Row<W>]) -> bool {
    let mut left = Row::EMPTY;
    for (number, row) in relation.iter().enumerate() {
        if !row.is_empty() {
            left.insert(number);
        }
    }
    loop {
        let before = left;
        for number in left.iter() {
            if !relation[number].meets(left) {
                left.remove(number);
            }
        }
        if left.is_empty() {
            return true;
        }
        if left == before {
            return false;
        }
    }
}

#[inline]
pub fn is_irreflexive<const W: usize>(relation: &[Row<W>]) -> bool {
    relation.iter().enumerate().all(|(number, row)| !row.contains(number))
}

#[inline]
pub fn is_empty<const W: usize>(relation: &[Row<W>]) -> bool {
    relation.iter().all(Row::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation<const W: usize>(size: usize, pairs: &[(usize, usize)]) -> Vec<Row<W>> {
        let mut rows = vec![Row::EMPTY; size];
        pairs.iter().for_each(|(from, to)| rows[*from].insert(*to));
        rows
    }

    fn closes<const W: usize>(size: usize) {
        let last = size - 1;
        let mut chain = relation::<W>(size, &[(0, last), (last, 1)]);
        assert!(is_acyclic(&chain));
        close(&mut chain);
        assert!(chain[0].contains(1) && !chain[1].contains(0));
        let mut ring = relation::<W>(size, &[(0, last), (last, 1), (1, 0)]);
        assert!(!is_acyclic(&ring) && is_irreflexive(&ring));
        close(&mut ring);
        assert!(!is_irreflexive(&ring));
        assert_eq!(ring[0].len(), 3);
    }

    #[test]
    fn closure_and_cycles_in_every_width() {
        closes::<1>(64);
        closes::<2>(128);
        closes::<4>(256);
    }

    #[test]
    fn rows_list_their_events() {
        let row = Row::<2>::single(3) | Row::single(64) | Row::single(127);
        assert_eq!(row.iter().collect::<Vec<_>>(), [3, 64, 127]);
        let mut inverse = vec![Row::<2>::EMPTY; 128];
        invert(&relation::<2>(128, &[(3, 64)]), &mut inverse);
        assert!(inverse[64].contains(3) && !inverse[3].contains(64));
    }
}
