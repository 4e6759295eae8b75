//! Sets of events and of pairs, with the operators of the language, as a textbook defines them.

use std::collections::{BTreeMap, BTreeSet};

pub type Set = BTreeSet<u32>;
pub type Relation = BTreeSet<(u32, u32)>;

pub fn sequence(one: &Relation, other: &Relation) -> Relation {
    let mut pairs = Relation::new();
    for &(from, middle) in one {
        for &(_, to) in other.range((middle, 0)..=(middle, u32::MAX)) {
            pairs.insert((from, to));
        }
    }
    pairs
}

pub fn closure(relation: &Relation) -> Relation {
    let mut all = relation.clone();
    loop {
        let mut next = sequence(&all, relation);
        next.extend(&all);
        if next.len() == all.len() {
            return all;
        }
        all = next;
    }
}

pub fn inverse(relation: &Relation) -> Relation {
    relation.iter().map(|&(from, to)| (to, from)).collect()
}

pub fn identity(set: &Set) -> Relation {
    set.iter().map(|&event| (event, event)).collect()
}

pub fn product(one: &Set, other: &Set) -> Relation {
    one.iter().flat_map(|&from| other.iter().map(move |&to| (from, to))).collect()
}

/// The events that are left when those without predecessors are taken away again and again: none if
/// and only if there is no cycle.
fn on_or_after_cycles(relation: &Relation) -> Set {
    let mut before: BTreeMap<u32, usize> = BTreeMap::new();
    for &(from, to) in relation {
        before.entry(from).or_default();
        *before.entry(to).or_default() += 1;
    }
    let mut free: Vec<u32> =
        before.iter().filter(|(_, count)| **count == 0).map(|(event, _)| *event).collect();
    while let Some(event) = free.pop() {
        before.remove(&event);
        for &(_, to) in relation.range((event, 0)..=(event, u32::MAX)) {
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
pub fn shortest_cycle(relation: &Relation) -> Option<Vec<u32>> {
    let starts = on_or_after_cycles(relation);
    let mut best: Option<Vec<u32>> = None;
    for start in starts {
        // Paths from `start`, shortest first, each event once.
        let mut seen = Set::new();
        let mut paths = vec![vec![start]];
        'search: while !paths.is_empty() {
            let mut longer = Vec::new();
            for path in paths {
                if best.as_ref().is_some_and(|best| best.len() <= path.len()) {
                    break 'search;
                }
                let last = path[path.len() - 1];
                for &(_, to) in relation.range((last, 0)..=(last, u32::MAX)) {
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
