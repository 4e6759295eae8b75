//! Random descriptions: a few events, relations of every definition, some of them recursive.

use std::sync::Arc;

use crate::{Definition, Description, Graph, Lit, Pair, RelationId, Test};

pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Less than `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }

    fn pair(&mut self, events: usize) -> Pair {
        (self.below(events) as u32, self.below(events) as u32)
    }

    fn pairs(&mut self, events: usize, most: usize) -> Vec<Pair> {
        (0..self.below(most + 1)).map(|_| self.pair(events)).collect()
    }
}

/// Over the variables 2 to `variables` + 1.
pub(super) fn random_description(random: &mut Random, variables: usize) -> Description {
    let events = 2 + random.below(5);
    let literal = |random: &mut Random| match random.below(20) {
        0 => Lit::TRUE,
        1 => Lit::FALSE,
        _ => {
            let number = 2 + random.below(variables) as i32;
            Lit::new(if random.below(4) == 0 { -number } else { number })
        }
    };
    let literals = |random: &mut Random, most: usize| -> Vec<(Lit, Pair)> {
        (0..random.below(most + 1)).map(|_| (literal(random), random.pair(events))).collect()
    };
    let given = 1 + random.below(3);
    let count = given + random.below(6);
    let mut relations = Vec::new();
    for relation in 0..count {
        let any = |random: &mut Random| RelationId(random.below(count) as u32);
        let kind = if relation < given { 0 } else { random.below(12) };
        relations.push(match kind {
            0 => {
                let most = if random.below(3) == 0 { 3 } else { 0 };
                Definition::Given { fixed: random.pairs(events, most), literal: literals(random, 8) }
            }
            1 | 2 => Definition::Union((0..random.below(4)).map(|_| any(random)).collect()),
            3 => Definition::Intersection(any(random), any(random)),
            4 => {
                let mut among = random.pairs(events, 2 * events);
                among.sort_unstable();
                among.dedup();
                Definition::Within(any(random), Arc::new(among))
            }
            5 | 6 => Definition::Sequence(any(random), any(random)),
            7 => Definition::Inverse(any(random)),
            8 => Definition::Closure(any(random)),
            9 => {
                if random.below(2) == 0 {
                    Definition::Domain(any(random))
                } else {
                    Definition::Range(any(random))
                }
            }
            _ => Definition::FromRead {
                reads_from: RelationId(random.below(given) as u32),
                coherence: RelationId(random.below(given) as u32),
            },
        });
    }
    let any = |random: &mut Random| RelationId(random.below(count) as u32);
    let graphs = (0..random.below(3))
        .map(|_| Graph {
            // Mostly forwards, or it is a cycle at once.
            fixed: random
                .pairs(events, 4)
                .into_iter()
                .map(|(a, b)| (a.min(b), a.max(b)))
                .filter(|(a, b)| a != b)
                .collect(),
            literal: literals(random, 4),
            relations: (0..random.below(4)).map(|_| any(random)).collect(),
        })
        .collect();
    let tests = (0..random.below(2))
        .map(|_| (if random.below(4) == 0 { Test::Empty } else { Test::Irreflexive }, any(random)))
        .collect();
    Description { events: events as u32, relations, graphs, tests }
}
