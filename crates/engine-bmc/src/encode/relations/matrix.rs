//! Bit matrices of any size: relations between the events of an unrolled program.
//!
//! Bit `b` of row `a` says that the pair `(a, b)` belongs to the relation. Rows without a pair are not
//! stored. Composition and closure are unions of rows, 64 pairs a machine word: for 2,000 events and
//! program order, one composition is some ten million words. A set of events is the relation of its
//! elements with themselves.

use crate::pulse::Pulse;
use wattle_sat::Pair;

#[derive(Clone, Debug, Default)]
pub(crate) struct Matrix {
    /// Empty, or `words` long.
    rows: Vec<Vec<u64>>,
    words: usize,
}

impl PartialEq for Matrix {
    fn eq(&self, other: &Matrix) -> bool {
        self.rows.len() == other.rows.len() && self.is_within(other) && other.is_within(self)
    }
}

impl Matrix {
    pub(crate) fn empty(size: usize) -> Matrix {
        Matrix { rows: vec![Vec::new(); size], words: size.div_ceil(64) }
    }

    pub(crate) fn identity(size: usize) -> Matrix {
        Matrix::from_pairs(size, (0..size as u32).map(|event| (event, event)))
    }

    pub(crate) fn full(size: usize) -> Matrix {
        let mut row = vec![u64::MAX; size.div_ceil(64)];
        if let (Some(last), left @ 1..) = (row.last_mut(), size % 64) {
            *last = (1 << left) - 1;
        }
        Matrix { rows: vec![row; size], words: size.div_ceil(64) }
    }

    pub(crate) fn from_pairs(size: usize, pairs: impl IntoIterator<Item = Pair>) -> Matrix {
        let mut matrix = Matrix::empty(size);
        pairs.into_iter().for_each(|pair| matrix.insert(pair));
        matrix
    }

    pub(crate) fn size(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn insert(&mut self, (from, to): Pair) {
        let row = &mut self.rows[from as usize];
        if row.is_empty() {
            row.resize(self.words, 0);
        }
        row[to as usize / 64] |= 1 << (to % 64);
    }

    pub(crate) fn remove(&mut self, (from, to): Pair) {
        if let Some(word) = self.rows[from as usize].get_mut(to as usize / 64) {
            *word &= !(1 << (to % 64));
        }
    }

    pub(crate) fn contains(&self, (from, to): Pair) -> bool {
        self.rows[from as usize].get(to as usize / 64).is_some_and(|word| word >> (to % 64) & 1 != 0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.iter().all(|row| row.iter().all(|word| *word == 0))
    }

    /// The second events of the pairs that start with `from`, in order.
    pub(crate) fn successors(&self, from: u32) -> impl Iterator<Item = u32> + '_ {
        bits(&self.rows[from as usize])
    }

    /// All pairs, in order.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        (0..self.rows.len() as u32).flat_map(move |from| self.successors(from).map(move |to| (from, to)))
    }

    /// The pairs of an event with itself.
    pub(crate) fn diagonal(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.rows.len() as u32).filter(move |event| self.contains((*event, *event)))
    }

    pub(crate) fn is_within(&self, other: &Matrix) -> bool {
        let within = |one: &[u64], other: &[u64]| match other {
            [] => one.iter().all(|word| *word == 0),
            _ => one.iter().zip(other).all(|(one, other)| one & !other == 0),
        };
        self.rows.iter().zip(&other.rows).all(|(one, other)| within(one, other))
    }

    /// Are all events of one row related to all that the other row has?
    pub(crate) fn row_within(&self, from: u32, other: &Matrix, of: u32) -> bool {
        let (one, other) = (&self.rows[from as usize], &other.rows[of as usize]);
        match &other[..] {
            [] => one.iter().all(|word| *word == 0),
            _ => one.iter().zip(other).all(|(one, other)| one & !other == 0),
        }
    }

    fn zip(&self, other: &Matrix, missing: bool, operator: impl Fn(u64, u64) -> u64) -> Matrix {
        let mut result = Matrix::empty(self.size());
        for ((target, one), other) in result.rows.iter_mut().zip(&self.rows).zip(&other.rows) {
            match (one.is_empty(), other.is_empty()) {
                (true, true) => {}
                (false, true) if missing => target.clone_from(one),
                (true, false) if missing => target.clone_from(other),
                (true, _) | (_, true) => {}
                _ => target.extend(one.iter().zip(other).map(|(one, other)| operator(*one, *other))),
            }
        }
        result
    }

    pub(crate) fn union(&self, other: &Matrix) -> Matrix {
        self.zip(other, true, |one, other| one | other)
    }

    pub(crate) fn intersection(&self, other: &Matrix) -> Matrix {
        self.zip(other, false, |one, other| one & other)
    }

    pub(crate) fn difference(&self, other: &Matrix) -> Matrix {
        let mut result = self.clone();
        for (one, other) in result.rows.iter_mut().zip(&other.rows) {
            one.iter_mut().zip(other).for_each(|(one, other)| *one &= !other);
        }
        result
    }

    pub(crate) fn inverse(&self) -> Matrix {
        Matrix::from_pairs(self.size(), self.pairs().map(|(from, to)| (to, from)))
    }

    /// Adds the pairs that start with `of` in `other` to those that start with `to`.
    fn absorb(&mut self, to: usize, other: &[u64]) {
        let row = &mut self.rows[to];
        match (row.is_empty(), other.is_empty()) {
            (_, true) => {}
            (true, false) => row.extend_from_slice(other),
            (false, false) => row.iter_mut().zip(other).for_each(|(one, other)| *one |= other),
        }
    }

    /// First the one, then the other.
    pub(crate) fn then(&self, other: &Matrix, pulse: &Pulse) -> Matrix {
        let mut result = Matrix::empty(self.size());
        for (from, row) in self.rows.iter().enumerate() {
            let mut words = row.len();
            for middle in bits(row) {
                let absorbed = &other.rows[middle as usize];
                words += absorbed.len();
                result.absorb(from, absorbed);
            }
            if pulse.beat(words) {
                break;
            }
        }
        result
    }

    /// One step or more (Warshall).
    pub(crate) fn closure(&self, pulse: &Pulse) -> Matrix {
        let mut result = self.clone();
        for middle in 0..self.size() {
            let through = std::mem::take(&mut result.rows[middle]);
            let mut words = self.size();
            for from in 0..self.size() {
                if from != middle && result.contains((from as u32, middle as u32)) {
                    words += through.len();
                    result.absorb(from, &through);
                }
            }
            result.rows[middle] = through;
            if pulse.beat(words) {
                break;
            }
        }
        result
    }

    /// The pairs between what `left` and `right` hold, both sets.
    pub(crate) fn product(left: &Matrix, right: &Matrix) -> Matrix {
        let mut row = vec![0; left.words];
        right.diagonal().for_each(|event| row[event as usize / 64] |= 1 << (event % 64));
        let mut result = Matrix::empty(left.size());
        for event in left.diagonal() {
            result.rows[event as usize].clone_from(&row);
        }
        result
    }

    /// The first events of all pairs, as a set.
    pub(crate) fn domain(&self) -> Matrix {
        let has = |event: &u32| self.rows[*event as usize].iter().any(|word| *word != 0);
        Matrix::from_pairs(self.size(), (0..self.size() as u32).filter(has).map(|event| (event, event)))
    }

    /// The second events of all pairs, as a set.
    pub(crate) fn range(&self) -> Matrix {
        let mut all = vec![0; self.words];
        for row in &self.rows {
            all.iter_mut().zip(row).for_each(|(all, word)| *all |= word);
        }
        let events: Vec<u32> = bits(&all).collect();
        Matrix::from_pairs(self.size(), events.into_iter().map(|event| (event, event)))
    }

    /// Does no pair lead out of the diagonal?
    pub(crate) fn is_set(&self) -> bool {
        let alone = |(event, row): (usize, &Vec<u64>)| bits(row).all(|other| other as usize == event);
        self.rows.iter().enumerate().all(alone)
    }

    pub(crate) fn is_acyclic(&self) -> bool {
        self.topological().is_some()
    }

    /// The events in an order that no pair goes against, if there is one: events that nothing leads to
    /// are taken away until none is left.
    pub(crate) fn topological(&self) -> Option<Vec<u32>> {
        let mut before = vec![0_u32; self.size()];
        self.pairs().for_each(|(_, to)| before[to as usize] += 1);
        let mut order: Vec<u32> =
            (0..self.size() as u32).filter(|event| before[*event as usize] == 0).collect();
        let mut next = 0;
        while let Some(event) = order.get(next).copied() {
            next += 1;
            for later in self.successors(event) {
                before[later as usize] -= 1;
                if before[later as usize] == 0 {
                    order.push(later);
                }
            }
        }
        (order.len() == self.size()).then_some(order)
    }

    /// The events that both rows have, in order.
    pub(crate) fn common<'m>(
        &'m self,
        of: u32,
        other: &'m Matrix,
        row: u32,
    ) -> impl Iterator<Item = u32> + 'm {
        let (one, other) = (&self.rows[of as usize], &other.rows[row as usize]);
        let words = one.iter().zip(other).map(|(one, other)| one & other);
        words.enumerate().flat_map(|(number, word)| ones(number, word))
    }
}

impl Eq for Matrix {}

fn bits(row: &[u64]) -> impl Iterator<Item = u32> + '_ {
    row.iter().enumerate().flat_map(|(number, word)| ones(number, *word))
}

fn ones(number: usize, mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(number as u32 * 64 + bit)
    })
}
