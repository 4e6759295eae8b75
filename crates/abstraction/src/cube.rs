//! Sets of predicates, and cubes over them.
//!
//! A cube is a conjunction of literals: it says *true* of some predicates, *false* of others, and nothing
//! of the rest. So it is a three-valued state as well, and both are one type.

/// The most predicates of one abstraction.
pub const MOST_PREDICATES: usize = 64 * WORDS;
const WORDS: usize = 4;

/// A set of predicates, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Set([u64; WORDS]);

impl Set {
    pub fn contains(&self, predicate: usize) -> bool {
        self.0[predicate / 64] >> (predicate % 64) & 1 == 1
    }

    pub fn insert(&mut self, predicate: usize) {
        self.0[predicate / 64] |= 1 << (predicate % 64);
    }

    pub fn remove(&mut self, predicate: usize) {
        self.0[predicate / 64] &= !(1 << (predicate % 64));
    }

    pub fn union(&self, other: &Set) -> Set {
        self.with(other, |a, b| a | b)
    }

    pub fn intersection(&self, other: &Set) -> Set {
        self.with(other, |a, b| a & b)
    }

    pub fn without(&self, other: &Set) -> Set {
        self.with(other, |a, b| a & !b)
    }

    fn with(&self, other: &Set, combine: impl Fn(u64, u64) -> u64) -> Set {
        let mut words = self.0;
        words.iter_mut().zip(&other.0).for_each(|(word, other)| *word = combine(*word, *other));
        Set(words)
    }

    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// In ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let words = self.0;
        (0..WORDS).flat_map(move |word| {
            let mut rest = words[word];
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    64 * word + bit
                })
            })
        })
    }
}

impl FromIterator<usize> for Set {
    fn from_iter<I: IntoIterator<Item = usize>>(predicates: I) -> Set {
        let mut set = Set::default();
        predicates.into_iter().for_each(|predicate| set.insert(predicate));
        set
    }
}

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    pub yes: Set,
    pub no: Set,
}

impl Cube {
    pub fn value(&self, predicate: usize) -> Option<bool> {
        match (self.yes.contains(predicate), self.no.contains(predicate)) {
            (false, false) => None,
            (yes, _) => Some(yes),
        }
    }

    pub fn set(&mut self, predicate: usize, value: Option<bool>) {
        self.yes.remove(predicate);
        self.no.remove(predicate);
        match value {
            Some(true) => self.yes.insert(predicate),
            Some(false) => self.no.insert(predicate),
            None => {}
        }
    }

    pub fn with(mut self, predicate: usize, value: bool) -> Cube {
        self.set(predicate, Some(value));
        self
    }

    pub fn known(&self) -> Set {
        self.yes.union(&self.no)
    }

    /// What it says of these predicates.
    pub fn within(&self, predicates: &Set) -> Cube {
        Cube { yes: self.yes.intersection(predicates), no: self.no.intersection(predicates) }
    }

    /// With nothing said of these predicates.
    pub fn without(&self, predicates: &Set) -> Cube {
        Cube { yes: self.yes.without(predicates), no: self.no.without(predicates) }
    }

    pub fn len(&self) -> usize {
        self.yes.len() + self.no.len()
    }

    pub fn is_empty(&self) -> bool {
        self.yes.is_empty() && self.no.is_empty()
    }

    /// Does every state of `self` lie in `other`? (All literals of `other` are literals of `self`.)
    pub fn implies(&self, other: &Cube) -> bool {
        other.yes.without(&self.yes).is_empty() && other.no.without(&self.no).is_empty()
    }

    /// Do the two contradict each other in no literal?
    pub fn meets(&self, other: &Cube) -> bool {
        self.yes.intersection(&other.no).is_empty() && self.no.intersection(&other.yes).is_empty()
    }

    /// Its literals, by ascending predicate.
    pub fn literals(&self) -> impl Iterator<Item = (usize, bool)> + use<> {
        let yes = self.yes;
        self.known().iter().map(move |predicate| (predicate, yes.contains(predicate)))
    }
}

impl FromIterator<(usize, bool)> for Cube {
    fn from_iter<I: IntoIterator<Item = (usize, bool)>>(literals: I) -> Cube {
        let mut cube = Cube::default();
        literals.into_iter().for_each(|(predicate, value)| cube.set(predicate, Some(value)));
        cube
    }
}
