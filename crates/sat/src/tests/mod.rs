//! Random descriptions against their meaning.

mod check;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use crate::solver::Stop;
use crate::synthetic::{Instance, Shape};
use crate::theory::Theory;
use crate::{Clauses, Definition, Description, Graph, Lit, Outcome, Pair, RelationId, Solver, Test, scratch};

pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Less than `end`.
    pub fn below(&mut self, end: usize) -> usize {
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
pub(crate) fn random_description(random: &mut Random, variables: usize) -> Description {
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

/// All assignments of a few variables, by the solver and one by one.
fn count_assignments(seed: u64, prove: bool) -> (usize, bool) {
    let mut random = Random::new(seed);
    let variables = 1 + random.below(7);
    let description = random_description(&mut random, variables);
    let mut solver = if prove { Solver::with_proof() } else { Solver::new() };
    let literals: Vec<Lit> = (0..variables).map(|_| solver.fresh()).collect();
    let clauses: Vec<Vec<Lit>> = (0..random.below(4))
        .map(|_| {
            let signed = |random: &mut Random| {
                let literal = literals[random.below(variables)];
                if random.below(2) == 0 { literal } else { !literal }
            };
            (0..2 + random.below(2)).map(|_| signed(&mut random)).collect()
        })
        .collect();
    clauses.iter().for_each(|clause| solver.clause(clause));
    let assumption = literals[random.below(variables)];
    let assumption = if random.below(2) == 0 { assumption } else { !assumption };
    solver.connect(description.clone());

    let mut expected = Vec::new();
    for bits in 0..1u32 << variables {
        let holds = |literal: Lit| {
            literal == Lit::TRUE
                || (literal.variable() > 1
                    && (bits >> (literal.variable() - 2) & 1 == 1) == literal.is_positive())
        };
        let satisfied = clauses.iter().all(|clause| clause.iter().any(|literal| holds(*literal)));
        if satisfied && scratch::conflict(&description, holds).is_none() {
            expected.push(bits);
        }
    }
    let place = assumption.variable() - 2;
    let assumed = expected.iter().any(|bits| (bits >> place & 1 == 1) == assumption.is_positive());
    let outcome = if assumed { Outcome::Sat } else { Outcome::Unsat };
    assert_eq!(solver.solve(&[assumption]), outcome, "seed {seed}: {description:#?} {clauses:?}");

    let mut inputs: BTreeSet<Vec<Lit>> = BTreeSet::new();
    let given = |inputs: &mut BTreeSet<Vec<Lit>>, clause: &[Lit]| {
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        inputs.insert(clause);
    };
    clauses.iter().for_each(|clause| given(&mut inputs, clause));
    if prove && !assumed {
        let conclusion = check::check(&solver.proof().unwrap(), &inputs, &description);
        assert!(conclusion.is_empty() || conclusion == [!assumption]);
    }

    let mut found = Vec::new();
    while solver.solve(&[]) == Outcome::Sat {
        let values: Vec<bool> = literals.iter().map(|literal| solver.value(*literal)).collect();
        found.push(values.iter().rev().fold(0, |bits, value| 2 * bits + u32::from(*value)));
        let blocking: Vec<Lit> = literals
            .iter()
            .zip(&values)
            .map(|(literal, value)| if *value { !*literal } else { *literal })
            .collect();
        solver.clause(&blocking);
        given(&mut inputs, &blocking);
    }
    if prove {
        assert_eq!(check::check(&solver.proof().unwrap(), &inputs, &description), []);
    }
    found.sort_unstable();
    assert_eq!(found, expected, "seed {seed}: {description:#?} {clauses:?}");
    (found.len(), found.len() < 1 << variables)
}

#[test]
fn the_solver_finds_the_assignments_that_there_are() {
    let mut constrained = 0;
    for seed in 0..5_000 {
        constrained += usize::from(count_assignments(seed, false).1);
    }
    assert!(constrained > 1000, "{constrained}");
}

#[test]
fn proofs_hold() {
    for seed in 100_000..103_000 {
        count_assignments(seed, true);
    }
}

#[test]
fn proofs_of_larger_instances_hold() {
    let mut refuted = 0;
    for seed in 0..30 {
        let instance = Instance::new(Shape::sparse(120, true), seed);
        let mut solver = Solver::with_proof();
        let (inputs, description) = instance.written_down(&mut solver);
        if solver.solve(&[]) == Outcome::Unsat {
            refuted += 1;
            assert_eq!(check::check(&solver.proof().unwrap(), &inputs, &description), []);
        }
    }
    assert!(refuted > 4, "{refuted}");
}

/// Assignments and backtracking in random order; what the theory says is compared with what follows
/// from the literals that hold.
fn follow_script(seed: u64) -> (usize, usize) {
    let mut random = Random::new(seed);
    let variables = 2 + random.below(9);
    let description = random_description(&mut random, variables);
    let mut theory = Theory::new(description.clone(), Rc::new(RefCell::new(Stop::never())), None);
    let (mut propagated, mut conflicts) = (0, 0);
    if theory.at_first().iter().any(|closing| theory.clause(closing).is_empty()) {
        return (0, 0);
    }
    // Literals with their levels, as the solver has them.
    let mut trail: Vec<(Lit, usize)> = Vec::new();
    let mut level = 0;
    let mut told: Vec<(Lit, usize)> = Vec::new();
    for _ in 0..40 {
        if random.below(4) == 0 && level > 0 {
            level = random.below(level);
            theory.backtrack(level);
            trail.retain(|(_, at)| *at <= level);
            told.retain(|(_, place)| *place < trail.len());
        } else {
            let open: Vec<i32> = (2..2 + variables as i32)
                .filter(|number| !trail.iter().any(|(literal, _)| literal.variable() == *number as u32))
                .collect();
            if open.is_empty() {
                continue;
            }
            if random.below(2) == 0 {
                theory.new_level();
                level += 1;
            }
            let number = open[random.below(open.len())];
            let literal = Lit::new(if random.below(3) == 0 { -number } else { number });
            theory.assign(&[literal.number()]);
            trail.push((literal, level));
        }
        if random.below(8) == 0 {
            // The solver may go on without asking.
            continue;
        }
        while let Some(literal) = theory.propagate() {
            propagated += 1;
            assert!(!trail.iter().any(|(known, _)| known.variable() == literal.variable()));
            theory.assign(&[literal.number()]);
            told.push((literal, trail.len()));
            trail.push((literal, level));
        }
        let holds = |literal: Lit| literal == Lit::TRUE || trail.iter().any(|(known, _)| *known == literal);
        let expected = scratch::conflict(&description, holds).is_some();
        assert_eq!(theory.has_conflict(), expected, "seed {seed}");
        for (literal, place) in &told {
            let reason = theory.reason(*literal);
            assert!(reason.contains(literal));
            for other in reason.iter().filter(|other| *other != literal) {
                let before = trail[..*place].iter().any(|(known, _)| *known == !*other);
                assert!(before, "seed {seed}: the reason {reason:?} of {literal:?} is younger than it");
            }
        }
        if expected {
            conflicts += 1;
            let lemma = theory.lemma().unwrap();
            assert!(lemma.iter().all(|literal| holds(!*literal)));
            let Some(highest) = lemma
                .iter()
                .filter_map(|literal| {
                    trail.iter().find(|(known, _)| *known == !*literal).map(|(_, level)| *level)
                })
                .max()
            else {
                break;
            };
            if highest == 0 {
                break;
            }
            level = random.below(highest);
            theory.backtrack(level);
            trail.retain(|(_, at)| *at <= level);
            told.retain(|(_, place)| *place < trail.len());
        }
    }
    (propagated, conflicts)
}

#[test]
fn backtracking_forgets_what_it_should() {
    let (mut propagated, mut conflicts) = (0, 0);
    for seed in 0..20_000 {
        let (more_propagated, more_conflicts) = follow_script(seed);
        propagated += more_propagated;
        conflicts += more_conflicts;
    }
    assert!(propagated > 1000 && conflicts > 1000, "{propagated} {conflicts}");
}
