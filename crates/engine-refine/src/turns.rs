//! How many slots are tried, and how long.
//!
//! Two things make the abstraction more precise, and it is not known beforehand which of them helps: a proof with one slot
//! may need many predicates about the rest, where one with two slots needs few because the rest does not matter. So
//! refinement by predicates has a number of rounds for each number of slots, then twice as many, and so on; it goes
//! on where it was stopped. A number of slots is dropped when a trace shows that it is too small, or when
//! refinement does not know how to go on there.

use wattle_proving::Learnt;

/// With no slot, a store that is alone in its buffer may reach memory twice.
const FIRST_SLOTS: u32 = 1;

/// Refinement is tried with one to this many slots, where no trace asks for more.
const LAST_SLOTS: u32 = 3;

/// Slots are added for a trace up to this number. Where each number excludes one trace more and no number all of
/// them, the order of stores matters, and the abstract rest has none.
const MOST_SLOTS: u32 = 6;

/// The rounds of the first turns. Most proofs that there are need fewer.
const FIRST_PATIENCE: u64 = 8;

/// The numbers of slots that are left, and whose turn it is.
pub(crate) struct Turns {
    open: Vec<(u32, Option<Learnt>)>,
    at: usize,
    patience: Option<u64>,
}

/// One number of slots.
pub(crate) struct Turn {
    pub slots: u32,
    /// What it begins with, beside the proof under sequential consistency.
    pub learnt: Option<Learnt>,
    /// After so many rounds it ends.
    pub patience: Option<u64>,
}

impl Turns {
    /// `only`: no other number of slots.
    pub(crate) fn new(only: Option<u32>) -> Turns {
        match only {
            Some(slots) => Turns { open: vec![(slots, None)], at: 0, patience: None },
            None => Turns {
                open: (FIRST_SLOTS..=LAST_SLOTS).map(|slots| (slots, None)).collect(),
                at: 0,
                patience: Some(FIRST_PATIENCE),
            },
        }
    }

    /// `None`: all numbers were dropped.
    pub(crate) fn next(&mut self) -> Option<Turn> {
        // The last that is left need not make room for others.
        let patience = self.patience.filter(|_| self.open.len() > 1);
        let (slots, learnt) = self.open.get_mut(self.at)?;
        Some(Turn { slots: *slots, learnt: learnt.take(), patience })
    }

    /// The one whose turn it is goes on later.
    pub(crate) fn put_off(&mut self, learnt: Learnt) {
        if let Some((_, own)) = self.open.get_mut(self.at) {
            *own = Some(learnt);
        }
        self.at += 1;
        self.wrap();
    }

    /// The one whose turn it is has failed.
    pub(crate) fn drop_this(&mut self) {
        if self.at < self.open.len() {
            self.open.remove(self.at);
        }
        self.wrap();
    }

    fn wrap(&mut self) {
        if self.at >= self.open.len() {
            self.at = 0;
            self.patience = self.patience.map(|patience| patience * 2);
        }
    }

    /// Fewer slots than these are too few, and it goes on with these. *False*: there cannot be so many.
    pub(crate) fn need(&mut self, slots: u32, learnt: Option<Learnt>) -> bool {
        if self.patience.is_none() || slots > MOST_SLOTS {
            return false;
        }
        self.open.retain(|(other, _)| *other >= slots);
        match self.open.iter_mut().find(|(other, _)| *other == slots) {
            Some((_, own)) => *own = own.take().or(learnt),
            None => self.open.insert(0, (slots, learnt)),
        }
        self.at = 0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(turns: &mut Turns) -> Option<(u32, Option<u64>)> {
        turns.next().map(|turn| (turn.slots, turn.patience))
    }

    #[test]
    fn those_that_are_too_few_are_dropped() {
        let mut turns = Turns::new(None);
        assert_eq!(slots(&mut turns), Some((1, Some(8))));
        assert!(turns.need(2, None));
        assert_eq!(slots(&mut turns), Some((2, Some(8))));
        assert!(turns.need(5, None));
        assert_eq!(slots(&mut turns), Some((5, None)), "nobody waits for its turn");
        assert!(!turns.need(7, None));
        turns.drop_this();
        assert_eq!(slots(&mut turns), None);
    }

    #[test]
    fn turns_become_longer() {
        let mut turns = Turns::new(None);
        turns.drop_this();
        assert_eq!(slots(&mut turns), Some((2, Some(8))));
        turns.at = 1;
        turns.drop_this();
        assert_eq!(slots(&mut turns), Some((2, None)));
        let mut turns = Turns::new(None);
        turns.at = 2;
        turns.drop_this();
        assert_eq!(slots(&mut turns), Some((1, Some(16))));
    }

    #[test]
    fn what_was_asked_for_is_tried_alone() {
        let mut turns = Turns::new(Some(2));
        assert_eq!(slots(&mut turns), Some((2, None)));
        assert!(!turns.need(3, None));
        turns.drop_this();
        assert_eq!(slots(&mut turns), None);
    }
}
