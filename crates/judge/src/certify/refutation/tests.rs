//! A small proof passes; whatever is changed in it, it does not.

use std::sync::Arc;

use wattle_engine::certificate::refutation::*;

use super::*;

fn fact(relation: u32, pair: Pair, by: By) -> Fact {
    Fact { relation, pair, by }
}

/// Two threads read what the other one has not written yet: events 0 and 1 write, 2 and 3 read.
/// Literals 2 and 3: reads 2 and 3 take the initial values, of events 4 and 5.
fn example() -> Refutation {
    let relations = vec![
        Definition::Given { fixed: vec![], literal: vec![(2, (4, 2)), (3, (5, 3))] },
        Definition::Given { fixed: vec![(4, 0)], literal: vec![(4, (5, 1))] },
        Definition::FromRead { reads_from: 0, coherence: 1 },
    ];
    let graph = Graph { fixed: vec![(0, 3)], literal: vec![(5, (1, 2))], relations: vec![2] };
    let facts = vec![
        fact(0, (4, 2), By::Literal(2)),
        fact(1, (4, 0), By::Fixed),
        fact(2, (2, 0), By::Rule(vec![0, 1])),
        fact(0, (5, 3), By::Literal(3)),
        fact(1, (5, 1), By::Literal(4)),
        fact(2, (3, 1), By::Rule(vec![3, 4])),
    ];
    let edges = vec![Edge::Fact(2), Edge::Fixed((0, 3)), Edge::Fact(5), Edge::Literal(5, (1, 2))];
    let violation = Violation::Cycle { graph: 0, edges };
    let steps = vec![
        Step { clause: vec![4], by: Inference::Problem },
        Step { clause: vec![5, 6], by: Inference::Problem },
        Step { clause: vec![-6, 5], by: Inference::Problem },
        Step { clause: vec![5], by: Inference::Propagation(vec![1, 2]) },
        Step { clause: vec![-2, -3, -4, -5], by: Inference::Lemma { facts, violation } },
        Step { clause: vec![-3, -2], by: Inference::Propagation(vec![0, 3, 4]) },
    ];
    Refutation {
        clauses: vec![vec![4, -1], vec![5, 6], vec![5, -6]],
        relations,
        graphs: vec![graph],
        tests: vec![],
        refuted: vec![Refuted { meaning: "both old".into(), assumed: vec![2, 3], steps }],
    }
}

fn check(of: &Refutation) -> Result<u64, Halt> {
    refutation(of, &Run::default())
}

fn rejected(change: impl FnOnce(&mut Refutation)) {
    let mut changed = example();
    change(&mut changed);
    assert_ne!(changed, example(), "nothing was changed");
    let answer = check(&changed);
    assert!(
        answer.as_ref().is_err_and(|halt| matches!(halt, Halt::Contradiction(_))),
        "{answer:?} {changed:#?}"
    );
}

fn lemma(of: &mut Refutation) -> (&mut Vec<Fact>, &mut Violation) {
    let steps = &mut of.refuted[0].steps;
    steps
        .iter_mut()
        .find_map(|step| match &mut step.by {
            Inference::Lemma { facts, violation } => Some((facts, violation)),
            _ => None,
        })
        .unwrap()
}

fn edges(of: &mut Refutation) -> &mut Vec<Edge> {
    match lemma(of).1 {
        Violation::Cycle { edges, .. } => edges,
        Violation::Test { .. } => panic!("no cycle"),
    }
}

#[test]
fn the_example_holds() {
    assert_eq!(check(&example()), Ok(6));
}

#[test]
fn what_is_false_needs_no_proof() {
    let mut of = example();
    of.refuted.push(Refuted { meaning: "nothing".into(), assumed: vec![-1], steps: vec![] });
    assert_eq!(check(&of), Ok(6));
    of.refuted[1].assumed = vec![1];
    assert!(check(&of).is_err());
}

#[test]
fn every_step_is_needed() {
    for position in 0..6 {
        rejected(|of| {
            of.refuted[0].steps.remove(position);
        });
        rejected(|of| of.refuted[0].steps.truncate(position));
    }
    rejected(|of| of.refuted.clear());
}

#[test]
fn every_antecedent_and_literal_is_needed() {
    let steps = example().refuted[0].steps.clone();
    for (position, step) in steps.iter().enumerate() {
        if let Inference::Propagation(antecedents) = &step.by {
            for number in 0..antecedents.len() {
                rejected(|of| {
                    if let Inference::Propagation(antecedents) = &mut of.refuted[0].steps[position].by {
                        antecedents.remove(number);
                    }
                });
                rejected(|of| {
                    if let Inference::Propagation(antecedents) = &mut of.refuted[0].steps[position].by {
                        antecedents[number] = position as u32;
                    }
                });
            }
        }
        for number in 0..step.clause.len() {
            rejected(|of| {
                of.refuted[0].steps[position].clause.remove(number);
            });
            rejected(|of| {
                let literal = &mut of.refuted[0].steps[position].clause[number];
                *literal = -*literal;
            });
        }
    }
}

#[test]
fn every_fact_and_edge_is_needed() {
    let (count, around) = {
        let mut of = example();
        (lemma(&mut of).0.len(), edges(&mut of).len())
    };
    for number in 0..count {
        rejected(|of| {
            lemma(of).0.remove(number);
        });
        rejected(|of| lemma(of).0[number].pair.0 += 1);
        rejected(|of| lemma(of).0[number].relation += 1);
        rejected(|of| {
            let by = &mut lemma(of).0[number].by;
            *by = match by {
                By::Fixed => By::Literal(2),
                By::Literal(literal) => By::Literal(*literal + 1),
                By::Rule(parents) => By::Rule(vec![parents[1], parents[0]]),
            };
        });
        rejected(|of| {
            let by = &mut lemma(of).0[number].by;
            *by = match by {
                By::Fixed | By::Literal(_) => By::Rule(vec![number as u32]),
                By::Rule(_) => By::Fixed,
            };
        });
    }
    for number in 0..around {
        rejected(|of| {
            edges(of).remove(number);
        });
    }
    rejected(|of| edges(of).clear());
    rejected(|of| edges(of)[1] = Edge::Fixed((1, 3)));
    rejected(|of| edges(of)[3] = Edge::Fixed((1, 2)));
    rejected(|of| edges(of)[0] = Edge::Fact(1));
    rejected(|of| *lemma(of).1 = Violation::Test { test: 0, fact: 2 });
}

#[test]
fn the_problem_is_what_is_refuted() {
    for number in 0..3 {
        rejected(|of| {
            of.clauses.remove(number);
        });
        rejected(|of| of.clauses[number].push(7));
    }
    rejected(|of| of.refuted[0].assumed = vec![2]);
    rejected(|of| of.refuted[0].assumed = vec![2, -3]);
    rejected(|of| of.graphs[0].fixed.clear());
    rejected(|of| of.graphs[0].literal.clear());
    rejected(|of| of.graphs[0].relations.clear());
    rejected(|of| of.relations[1] = Definition::Given { fixed: vec![], literal: vec![(4, (5, 1))] });
    rejected(|of| of.relations[2] = Definition::Sequence(0, 1));
}

/// One rule each: definition, fact, its reasons, and whether it follows.
#[test]
fn rules() {
    let given = |fixed: &[Pair]| Definition::Given { fixed: fixed.to_vec(), literal: vec![] };
    let follows = |definition: Definition, pair: Pair, way: &[(u32, Pair)]| {
        let relations =
            vec![given(&[(0, 1), (1, 2), (3, 3)]), given(&[(0, 1), (2, 0), (1, 0), (1, 1)]), definition];
        let mut facts: Vec<Fact> = Vec::new();
        for (relation, pair) in way {
            let by = match (*relation, facts.len() as u32) {
                (2, before) => By::Rule(vec![before - 1]),
                _ => By::Fixed,
            };
            facts.push(fact(*relation, *pair, by));
        }
        // The first step of a closure is itself a fact of the closure.
        let used: Vec<u32> = match way {
            [_, (2, _), _] => vec![1, 2],
            _ => (0..way.len() as u32).collect(),
        };
        facts.push(fact(2, pair, By::Rule(used)));
        let violation = Violation::Test { test: 0, fact: facts.len() as u32 - 1 };
        let tests = vec![(Test::Empty, 2), (Test::Irreflexive, 2)];
        let problem = Refutation { relations, tests, ..Refutation::default() };
        Theory::new(&problem).refutes(&[], &facts, &violation)
    };
    let union = || Definition::Union(vec![0, 1]);
    assert!(follows(union(), (2, 0), &[(1, (2, 0))]));
    assert!(!follows(union(), (0, 2), &[(1, (2, 0))]));
    assert!(!follows(Definition::Union(vec![0]), (2, 0), &[(1, (2, 0))]));
    assert!(follows(Definition::Intersection(0, 1), (0, 1), &[(0, (0, 1)), (1, (0, 1))]));
    assert!(!follows(Definition::Intersection(0, 1), (0, 1), &[(0, (0, 1)), (1, (2, 0))]));
    assert!(!follows(Definition::Intersection(0, 1), (0, 1), &[(0, (0, 1))]));
    let within = || Definition::Within(0, Arc::new(vec![(0, 1)]));
    assert!(follows(within(), (0, 1), &[(0, (0, 1))]));
    assert!(!follows(within(), (1, 2), &[(0, (1, 2))]));
    assert!(follows(Definition::Sequence(0, 1), (1, 0), &[(0, (1, 2)), (1, (2, 0))]));
    assert!(!follows(Definition::Sequence(0, 1), (0, 0), &[(0, (0, 1)), (1, (2, 0))]));
    assert!(!follows(Definition::Sequence(1, 0), (1, 0), &[(0, (1, 2)), (1, (2, 0))]));
    assert!(follows(Definition::Inverse(0), (2, 1), &[(0, (1, 2))]));
    assert!(!follows(Definition::Inverse(0), (1, 2), &[(0, (1, 2))]));
    assert!(follows(Definition::Closure(0), (0, 1), &[(0, (0, 1))]));
    assert!(follows(Definition::Closure(0), (0, 2), &[(0, (0, 1)), (2, (0, 1)), (0, (1, 2))]));
    assert!(!follows(Definition::Closure(0), (0, 0), &[(0, (0, 1)), (2, (0, 1)), (1, (1, 0))]));
    assert!(follows(Definition::Domain(0), (1, 1), &[(0, (1, 2))]));
    assert!(!follows(Definition::Domain(0), (2, 2), &[(0, (1, 2))]));
    assert!(follows(Definition::Range(0), (2, 2), &[(0, (1, 2))]));
    assert!(!follows(Definition::Range(0), (1, 2), &[(0, (1, 2))]));
    let from_read = || Definition::FromRead { reads_from: 0, coherence: 1 };
    assert!(follows(from_read(), (2, 0), &[(0, (1, 2)), (1, (1, 0))]));
    assert!(!follows(from_read(), (2, 0), &[(0, (1, 2)), (1, (2, 0))]));
    assert!(!follows(from_read(), (1, 1), &[(0, (0, 1)), (1, (0, 1))]), "an update is not before itself");
}

#[test]
fn tests_forbid_what_they_say() {
    let relations = vec![Definition::Given { fixed: vec![(0, 1), (2, 2)], literal: vec![] }];
    let tests = vec![(Test::Irreflexive, 0), (Test::Empty, 0), (Test::Empty, 1)];
    let problem = Refutation { relations, tests, ..Refutation::default() };
    let theory = Theory::new(&problem);
    let refutes = |test: u32, pair: Pair| {
        theory.refutes(&[], &[fact(0, pair, By::Fixed)], &Violation::Test { test, fact: 0 })
    };
    assert!(refutes(0, (2, 2)) && !refutes(0, (0, 1)));
    assert!(refutes(1, (0, 1)) && !refutes(1, (1, 0)));
    assert!(!refutes(2, (0, 1)) && !refutes(3, (0, 1)));
}
