//! Sets of events and of pairs, with the operators of the language, as a textbook defines them.

use std::collections::BTreeSet;

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

/// A shortest cycle as the events on it, in order, without repeating the first.
pub fn shortest_cycle(relation: &Relation) -> Option<Vec<u32>> {
    let starts: Set = relation.iter().map(|&(from, _)| from).collect();
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
