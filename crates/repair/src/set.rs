//! Sets of small numbers: places, literals, clauses.
//!
//! A clause is intersected with a placement far more often than anything else happens in this
//! crate, so sets are bit sets. All sets of one search have the same universe.

use std::fmt;

/// A set of numbers below a fixed size.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Set {
    words: Vec<u64>,
}

impl Set {
    /// No number below `size`.
    pub(crate) fn empty(size: usize) -> Set {
        Set { words: vec![0; size.div_ceil(64)] }
    }

    /// All numbers below `size`.
    pub(crate) fn full(size: usize) -> Set {
        Set::of(size, 0..size)
    }

    pub(crate) fn of(size: usize, elements: impl IntoIterator<Item = usize>) -> Set {
        let mut set = Set::empty(size);
        elements.into_iter().for_each(|element| set.insert(element));
        set
    }

    pub(crate) fn insert(&mut self, element: usize) {
        self.words[element / 64] |= 1 << (element % 64);
    }

    pub(crate) fn remove(&mut self, element: usize) {
        self.words[element / 64] &= !(1 << (element % 64));
    }

    pub(crate) fn contains(&self, element: usize) -> bool {
        self.words.get(element / 64).is_some_and(|word| word >> (element % 64) & 1 == 1)
    }

    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(crate) fn is_subset(&self, other: &Set) -> bool {
        self.words.iter().zip(&other.words).all(|(left, right)| left & !right == 0)
    }

    pub(crate) fn intersects(&self, other: &Set) -> bool {
        self.words.iter().zip(&other.words).any(|(left, right)| left & right != 0)
    }

    /// Is this element the one that the two have in common?
    pub(crate) fn is_met_only_at(&self, other: &Set, element: usize) -> bool {
        let mut rest = other.clone();
        rest.remove(element);
        self.contains(element) && other.contains(element) && !self.intersects(&rest)
    }

    pub(crate) fn union(&self, other: &Set) -> Set {
        self.zip(other, |left, right| left | right)
    }

    pub(crate) fn difference(&self, other: &Set) -> Set {
        self.zip(other, |left, right| left & !right)
    }

    fn zip(&self, other: &Set, combine: impl Fn(u64, u64) -> u64) -> Set {
        Set {
            words: self.words.iter().zip(&other.words).map(|(left, right)| combine(*left, *right)).collect(),
        }
    }

    /// From the lowest.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(number, word)| {
            let word = *word;
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| number * 64 + bit)
        })
    }
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
