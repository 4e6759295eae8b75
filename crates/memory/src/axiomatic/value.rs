//! Sets of events and of pairs, with the operators of the language, as a textbook defines them.
//!
//! A set is a row of bits, and a relation has such a row for each event: graphs of some hundred events
//! are judged again and again when fences are searched for. `crate::relation` has bits too, of fixed
//! width and overwritten in place, for engines; no code is shared, because the judge of engines
//! must not inherit their mistakes.
//!
//! Zero words at the end of a row and empty rows at the end of a relation are dropped, so that equal
//! values are equal data.

use std::collections::BTreeMap;
use std::ops::{BitAnd, BitOr, Sub};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set(Vec<u64>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relation(Vec<Set>);

static NOTHING: Set = Set(Vec::new());

impl Set {
    pub fn insert(&mut self, event: u32) -> bool {
        let (word, bit) = (event as usize / 64, 1 << (event % 64));
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    pub fn contains(&self, event: u32) -> bool {
        self.0.get(event as usize / 64).is_some_and(|word| word >> (event % 64) & 1 == 1)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(number, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(number as u32 * 64 + bit)
            })
        })
    }

    fn add(&mut self, other: &Set) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }

    fn trimmed(mut self) -> Set {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }
}

impl FromIterator<u32> for Set {
    fn from_iter<I: IntoIterator<Item = u32>>(events: I) -> Set {
        let mut set = Set::default();
        events.into_iter().for_each(|event| _ = set.insert(event));
        set
    }
}

impl BitOr for &Set {
    type Output = Set;
    fn bitor(self, other: &Set) -> Set {
        let mut union = self.clone();
        union.add(other);
        union
    }
}

impl BitAnd for &Set {
    type Output = Set;
    fn bitand(self, other: &Set) -> Set {
        Set(self.0.iter().zip(&other.0).map(|(one, two)| one & two).collect()).trimmed()
    }
}

impl Sub for &Set {
    type Output = Set;
    fn sub(self, other: &Set) -> Set {
        let mut rest = self.clone();
        rest.0.iter_mut().zip(&other.0).for_each(|(word, less)| *word &= !less);
        rest.trimmed()
    }
}

impl Relation {
    pub fn insert(&mut self, from: u32, to: u32) {
        let from = from as usize;
        if self.0.len() <= from {
            self.0.resize(from + 1, Set::default());
        }
        self.0[from].insert(to);
    }

    pub fn contains(&self, from: u32, to: u32) -> bool {
        self.after(from).contains(to)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What an event is related to.
    pub fn after(&self, event: u32) -> &Set {
        self.0.get(event as usize).unwrap_or(&NOTHING)
    }

    /// The pairs, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.rows().flat_map(|(from, row)| row.iter().map(move |to| (from, to)))
    }

    fn rows(&self) -> impl Iterator<Item = (u32, &Set)> {
        self.0.iter().enumerate().map(|(from, row)| (from as u32, row))
    }

    fn trimmed(mut self) -> Relation {
        while self.0.last().is_some_and(Set::is_empty) {
            self.0.pop();
        }
        self
    }
}

impl FromIterator<(u32, u32)> for Relation {
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(pairs: I) -> Relation {
        let mut relation = Relation::default();
        pairs.into_iter().for_each(|(from, to)| relation.insert(from, to));
        relation
    }
}

impl BitOr for &Relation {
    type Output = Relation;
    fn bitor(self, other: &Relation) -> Relation {
        let most = self.0.len().max(other.0.len()) as u32;
        Relation((0..most).map(|event| self.after(event) | other.after(event)).collect())
    }
}

impl BitAnd for &Relation {
    type Output = Relation;
    fn bitand(self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(one, two)| one & two).collect()).trimmed()
    }
}

impl Sub for &Relation {
    type Output = Relation;
    fn sub(self, other: &Relation) -> Relation {
        Relation(self.rows().map(|(event, row)| row - other.after(event)).collect()).trimmed()
    }
}

pub(crate) fn sequence(one: &Relation, other: &Relation) -> Relation {
    let through = |row: &Set| {
        let mut reached = Set::default();
        row.iter().for_each(|middle| reached.add(other.after(middle)));
        reached
    };
    Relation(one.0.iter().map(through).collect()).trimmed()
}

/// One step or more (Warshall): once an event has been in the middle, all ways through it are there.
pub(crate) fn closure(relation: &Relation) -> Relation {
    let mut all = relation.clone();
    for middle in 0..all.0.len() {
        let through = all.0[middle].clone();
        for row in all.0.iter_mut().filter(|row| row.contains(middle as u32)) {
            row.add(&through);
        }
    }
    all
}

pub(crate) fn inverse(relation: &Relation) -> Relation {
    relation.iter().map(|(from, to)| (to, from)).collect()
}

pub(crate) fn identity(set: &Set) -> Relation {
    set.iter().map(|event| (event, event)).collect()
}

pub(crate) fn product(one: &Set, other: &Set) -> Relation {
    let row = |from: u32| if one.contains(from) { other.clone() } else { Set::default() };
    let most = one.iter().last().map_or(0, |last| last + 1);
    Relation((0..most).map(row).collect()).trimmed()
}

pub(crate) fn domain(relation: &Relation) -> Set {
    relation.rows().filter(|(_, row)| !row.is_empty()).map(|(from, _)| from).collect()
}

pub(crate) fn range(relation: &Relation) -> Set {
    let mut all = Set::default();
    relation.0.iter().for_each(|row| all.add(row));
    all
}

/// The events that are left when those without predecessors are taken away again and again: none if
/// and only if there is no cycle.
fn on_or_after_cycles(relation: &Relation) -> Vec<u32> {
    let mut before: BTreeMap<u32, usize> = BTreeMap::new();
    for (from, to) in relation.iter() {
        before.entry(from).or_default();
        *before.entry(to).or_default() += 1;
    }
    let mut free: Vec<u32> =
        before.iter().filter(|(_, count)| **count == 0).map(|(event, _)| *event).collect();
    while let Some(event) = free.pop() {
        before.remove(&event);
        for to in relation.after(event).iter() {
            if let Some(count) = before.get_mut(&to) {
                *count -= 1;
                if *count == 0 {
                    free.push(to);
                }
            }
        }
    }
    before.into_keys().collect()
}

/// A shortest cycle as the events on it, in order, without repeating the first.
pub(crate) fn shortest_cycle(relation: &Relation) -> Option<Vec<u32>> {
    let starts = on_or_after_cycles(relation);
    let mut best: Option<Vec<u32>> = None;
    for start in starts {
        // Paths from `start`, shortest first, each event once.
        let mut seen = Set::default();
        let mut paths = vec![vec![start]];
        'search: while !paths.is_empty() {
            let mut longer = Vec::new();
            for path in paths {
                if best.as_ref().is_some_and(|best| best.len() <= path.len()) {
                    break 'search;
                }
                let last = path[path.len() - 1];
                for to in relation.after(last).iter() {
                    if to == start {
                        best = Some(path);
                        break 'search;
                    }
                    if seen.insert(to) {
                        longer.push(path.iter().copied().chain([to]).collect());
                    }
                }
            }
            paths = longer;
        }
    }
    best
}
