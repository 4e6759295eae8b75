//! What the order theory knows before the solver decides.
//!
//! *Edges.* A literal whose edge would close a cycle is false as soon as the edge's target reaches its
//! source. *From-read.* A read that takes its value from `w` comes before every `w'` after `w`. So
//! reads-from(w, r) is false as soon as coherence(w, w') holds for some `w'` that reaches `r`, and
//! coherence(w, w') is false as soon as reads-from(w, r) holds and `w'` reaches `r`. This is what
//! settles most candidates of a read without a decision (Zord and its successors call it unit edge
//! propagation; Sun, Fan and He 2022 derive coherence in this way).
//!
//! Both ask "does x reach y now?", which for chain clocks means that one entry of y's clock has risen
//! to x's position. So for each entry there is a list of what waits for it, sorted by position, and a
//! rise wakes a range of that list: nothing is looked at twice, and nothing in vain.
//!
//! *Coherence that always holds* is kept without the pairs that others imply, if it and from-read are
//! both part of every graph in question without restriction: if `w` is before `w''` and that before
//! `w'`, both always, then `w''` reaches whatever `w'` reaches, and waits for it itself.

use std::collections::BTreeMap;

use super::clocks::{Clocks, Edge};
use crate::{Definition, Description, Lit, Pair, RelationId};

/// What waits for an entry of a clock to rise.
#[derive(Clone, Copy, Debug)]
pub(super) enum Waiting {
    /// The edge would close a cycle.
    Edge(Lit, Edge),
    /// From-read from this read to this write would.
    FromRead { communication: u32, leaf: u32, read: u32, write: u32 },
}

/// For each entry of a graph's clocks, what waits for it.
#[derive(Debug, Default)]
pub(super) struct Watches {
    first: Vec<u32>,
    list: Vec<(u32, Waiting)>,
}

impl Watches {
    pub(super) fn new(clocks: &Clocks, waiting: Vec<(u32, u32, Waiting)>) -> Watches {
        let mut waiting = waiting;
        waiting.sort_by_key(|(entry, position, _)| (*entry, *position));
        let mut first = vec![0; clocks.entries() + 1];
        for (entry, _, _) in &waiting {
            first[*entry as usize + 1] += 1;
        }
        for entry in 0..clocks.entries() {
            first[entry + 1] += first[entry];
        }
        Watches { first, list: waiting.into_iter().map(|(_, position, what)| (position, what)).collect() }
    }

    /// The positions in the list of what waits for this rise.
    pub(super) fn woken(&self, (entry, before, after): (u32, u32, u32)) -> std::ops::Range<usize> {
        let start = self.first[entry as usize] as usize;
        let end = self.first[entry as usize + 1] as usize;
        if start == end {
            return 0..0;
        }
        let list = &self.list[start..end];
        let low = list.partition_point(|(position, _)| *position <= before);
        let high = list.partition_point(|(position, _)| *position <= after);
        start + low..start + high
    }

    pub(super) fn get(&self, position: usize) -> Waiting {
        self.list[position].1
    }
}

/// Reads-from and coherence as lists by event. Each entry is the other event, and when.
#[derive(Debug)]
pub(super) struct Communication {
    /// Of a write: who may read it, and the writes that may come after and before it (these sorted).
    pub readers: Vec<Vec<(u32, Lit)>>,
    pub later: Vec<Vec<(u32, Lit)>>,
    pub earlier: Vec<Vec<(u32, Lit)>>,
    /// Of a read: the writes that it may take its value from (sorted).
    pub writers: Vec<Vec<(u32, Lit)>>,
}

impl Communication {
    /// `reduce`: leave out coherence that is implied by coherence that always holds.
    pub(super) fn new(
        description: &Description,
        reads_from: RelationId,
        coherence: RelationId,
        reduce: bool,
    ) -> Self {
        let events = description.events as usize;
        let mut communication = Communication {
            readers: vec![Vec::new(); events],
            later: vec![Vec::new(); events],
            earlier: vec![Vec::new(); events],
            writers: vec![Vec::new(); events],
        };
        for ((write, read), literal) in pairs(description, reads_from) {
            communication.readers[write as usize].push((read, literal));
            communication.writers[read as usize].push((write, literal));
        }
        communication.writers.iter_mut().for_each(|writers| writers.sort_unstable());
        let mut ordered = pairs(description, coherence);
        if reduce {
            ordered = without_implied(events, ordered);
        }
        ordered.sort_unstable();
        for ((first, second), literal) in ordered {
            communication.later[first as usize].push((second, literal));
            communication.earlier[second as usize].push((first, literal));
        }
        communication
    }

    /// What from-read between these two comes from: each write between them, when it is read, and when
    /// it is earlier. The shorter list is gone through, without what `is_false`, and the rest is
    /// looked up in the other.
    pub(super) fn between(
        &self,
        (read, later): Pair,
        is_false: impl Fn(Lit) -> bool,
        mut see: impl FnMut(u32, Lit, Lit),
    ) {
        let (writers, earlier) = (&self.writers[read as usize], &self.earlier[later as usize]);
        let reads_less = writers.len() < earlier.len();
        let (short, long) = if reads_less { (writers, earlier) } else { (earlier, writers) };
        for (write, one) in short {
            if is_false(*one) {
                continue;
            }
            let start = long.partition_point(|(other, _)| other < write);
            for (_, other) in long[start..].iter().take_while(|(other, _)| other == write) {
                let (reads_from, coherence) = if reads_less { (*one, *other) } else { (*other, *one) };
                see(*write, reads_from, coherence);
            }
        }
    }
}

/// The pairs of a given relation, each with a literal, which is the constant *true* if it always holds.
pub(super) fn pairs(description: &Description, relation: RelationId) -> Vec<(Pair, Lit)> {
    let Definition::Given { fixed, literal } = &description.relations[relation.0 as usize] else {
        return Vec::new();
    };
    literal_pairs(fixed, literal)
}

/// Constants are sorted out, and so are literals of pairs that hold anyway.
pub(super) fn literal_pairs(fixed: &[Pair], literal: &[(Lit, Pair)]) -> Vec<(Pair, Lit)> {
    let mut all: Vec<(Pair, Lit)> = fixed.iter().map(|pair| (*pair, Lit::TRUE)).collect();
    all.extend(
        literal.iter().filter(|(literal, _)| *literal == Lit::TRUE).map(|(_, pair)| (*pair, Lit::TRUE)),
    );
    all.sort_unstable();
    all.dedup();
    let always = all.len();
    for (literal, pair) in literal {
        if literal.constant().is_none() && all[..always].binary_search(&(*pair, Lit::TRUE)).is_err() {
            all.push((*pair, *literal));
        }
    }
    all
}

fn without_implied(events: usize, pairs: Vec<(Pair, Lit)>) -> Vec<(Pair, Lit)> {
    let mut after: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    let words = events.div_ceil(64);
    let always = |pair: &&(Pair, Lit)| pair.1 == Lit::TRUE;
    for ((first, second), _) in pairs.iter().filter(always) {
        let row = after.entry(*first).or_insert_with(|| vec![0; words]);
        row[*second as usize / 64] |= 1 << (*second % 64);
    }
    let mut implied: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for ((first, second), _) in pairs.iter().filter(always) {
        if let Some(further) = after.get(second) {
            let row = implied.entry(*first).or_insert_with(|| vec![0; words]);
            row.iter_mut().zip(further).for_each(|(to, from)| *to |= from);
        }
    }
    let needed = |((first, second), literal): &(Pair, Lit)| {
        *literal != Lit::TRUE
            || implied.get(first).is_none_or(|row| row[*second as usize / 64] >> (*second % 64) & 1 == 0)
    };
    pairs.into_iter().filter(needed).collect()
}
