//! One set of clocks.

use wattle_program::symbolic::Table;
use wattle_sat::Lit;

use crate::encode::circuit::{Circuit, Word};
use crate::encode::encoding::Encoding;
use crate::unroll::structure::EventId;

/// Clocks of events, and of fences beyond the last event.
pub(super) struct Clocked {
    width: usize,
    clocks: Vec<Option<Word>>,
    comparisons: Table<(u32, u32), Lit>,
    /// `follows[y]` has the events `x` with `x` before `y` wherever both happen.
    follows: Vec<Vec<u64>>,
}

impl Clocked {
    /// `extra`: how many clocks there are beside those of events.
    pub(crate) fn new(encoding: &Encoding<'_, '_>, extra: usize) -> Clocked {
        let events = &encoding.structure.events;
        let clocked = (events.iter().zip(&encoding.happens))
            .filter(|(event, happens)| event.thread.is_some() && **happens != Lit::FALSE)
            .count();
        // Numbers from 0 on are enough for any order of that many.
        let largest = (clocked + extra).max(2) - 1;
        Clocked {
            width: (usize::BITS - largest.leading_zeros()) as usize,
            clocks: vec![None; events.len()],
            comparisons: Table::default(),
            follows: vec![vec![]; events.len()],
        }
    }

    /// A clock of its own.
    pub(crate) fn extra(&mut self) -> u32 {
        self.clocks.push(None);
        self.clocks.len() as u32 - 1
    }

    fn clock(&mut self, circuit: &mut Circuit<'_>, event: u32) -> Word {
        let width = self.width;
        let make = || {
            let mut bits: Vec<Lit> = (0..width).map(|_| circuit.fresh()).collect();
            bits.push(Lit::FALSE);
            Word::new(bits)
        };
        self.clocks[event as usize].get_or_insert_with(make).clone()
    }

    /// The clock constraint of two events: the first comes first.
    pub(crate) fn before(&mut self, circuit: &mut Circuit<'_>, first: u32, second: u32) -> Lit {
        if let Some(known) = self.comparisons.get(&(first, second)) {
            return *known;
        }
        let (one, other) = (self.clock(circuit, first), self.clock(circuit, second));
        let literal = circuit.less(&one, &other);
        self.comparisons.insert((first, second), literal);
        literal
    }

    /// Where all premises hold, the first comes first. The premises imply that both happen.
    pub(crate) fn require(&mut self, circuit: &mut Circuit<'_>, premises: &[Lit], first: u32, second: u32) {
        if premises.contains(&Lit::FALSE) || self.surely(first, second) {
            return;
        }
        let mut clause: Vec<Lit> = premises.iter().map(|premise| !*premise).collect();
        clause.push(match first == second {
            true => Lit::FALSE,
            false => self.before(circuit, first, second),
        });
        circuit.clause(&clause);
    }

    /// Is it said already that the first comes first wherever both happen?
    pub(crate) fn surely(&self, first: EventId, second: EventId) -> bool {
        let set = self.follows.get(second as usize);
        set.and_then(|set| set.get(first as usize / 64)).is_some_and(|word| word >> (first % 64) & 1 == 1)
    }

    /// The first comes first wherever both happen, and so do those before it that `through` keeps.
    pub(crate) fn note(&mut self, first: EventId, second: EventId, through: impl Fn(EventId) -> bool) {
        let mut all = self.follows[first as usize].clone();
        for (place, word) in all.iter_mut().enumerate() {
            for bit in 0..64 {
                if *word >> bit & 1 == 1 && !through((place * 64 + bit) as EventId) {
                    *word &= !(1 << bit);
                }
            }
        }
        let own = first as usize / 64;
        let set = &mut self.follows[second as usize];
        let length = set.len().max(all.len()).max(own + 1);
        set.resize(length, 0);
        set.iter_mut().zip(&all).for_each(|(word, more)| *word |= more);
        set[own] |= 1 << (first % 64);
    }
}
