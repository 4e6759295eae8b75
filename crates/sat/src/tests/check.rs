//! Checks proofs by what their documentation says, and nothing else.

use std::collections::BTreeSet;

use crate::proof::{By, Edge, Fact, Inference, Justification, Proof, Violation};
use crate::{Definition, Description, Lit, Pair, Test};

/// The conclusion, if each step is what it says.
pub(super) fn check(proof: &Proof, inputs: &BTreeSet<Vec<Lit>>, description: &Description) -> Vec<Lit> {
    for (position, step) in proof.steps.iter().enumerate() {
        match &step.by {
            Inference::Input => {
                let mut clause = step.clause.clone();
                clause.sort_unstable();
                clause.dedup();
                assert!(clause == [Lit::TRUE] || inputs.contains(&clause), "{clause:?} is no input");
            }
            Inference::Theory(justification) => check_lemma(&step.clause, justification, description),
            Inference::Propagation(antecedents) => {
                let mut holds: BTreeSet<Lit> = step.clause.iter().map(|literal| !*literal).collect();
                let mut refuted = false;
                for antecedent in antecedents {
                    assert!((*antecedent as usize) < position);
                    let clause = &proof.steps[*antecedent as usize].clause;
                    let open: BTreeSet<Lit> =
                        clause.iter().copied().filter(|literal| !holds.contains(&!*literal)).collect();
                    assert!(open.len() <= 1, "{clause:?} says nothing in step {position}");
                    refuted |= open.is_empty();
                    holds.extend(open);
                }
                assert!(refuted, "step {position} does not follow");
            }
        }
    }
    proof.steps.last().unwrap().clause.clone()
}

fn check_lemma(clause: &[Lit], justification: &Justification, description: &Description) {
    let Justification { facts, violation } = justification;
    for (position, fact) in facts.iter().enumerate() {
        check_fact(clause, facts, position, fact, description);
    }
    match violation {
        Violation::Test { test, fact } => {
            let (test, relation) = description.tests[*test as usize];
            let fact = &facts[*fact as usize];
            assert_eq!(fact.relation, relation);
            assert!(test == Test::Empty || fact.pair.0 == fact.pair.1);
        }
        Violation::Cycle { graph, edges } => {
            let graph = &description.graphs[*graph as usize];
            let pairs: Vec<Pair> = edges
                .iter()
                .map(|edge| match edge {
                    Edge::Fixed(pair) => {
                        assert!(graph.fixed.contains(pair) || graph.literal.contains(&(Lit::TRUE, *pair)));
                        *pair
                    }
                    Edge::Literal(literal, pair) => {
                        assert!(graph.literal.contains(&(*literal, *pair)) && clause.contains(&!*literal));
                        *pair
                    }
                    Edge::Fact(fact) => {
                        let fact = &facts[*fact as usize];
                        assert!(graph.relations.contains(&fact.relation));
                        fact.pair
                    }
                })
                .collect();
            assert!(!pairs.is_empty());
            for (position, pair) in pairs.iter().enumerate() {
                assert_eq!(pair.1, pairs[(position + 1) % pairs.len()].0, "{pairs:?} is no cycle");
            }
        }
    }
}

fn check_fact(clause: &[Lit], facts: &[Fact], position: usize, fact: &Fact, description: &Description) {
    let definition = &description.relations[fact.relation.0 as usize];
    let premises: Vec<&Fact> = match &fact.by {
        By::Rule(premises) => {
            assert!(premises.iter().all(|premise| (*premise as usize) < position));
            premises.iter().map(|premise| &facts[*premise as usize]).collect()
        }
        _ => Vec::new(),
    };
    let (a, b) = fact.pair;
    let joined = |first: &Fact, second: &Fact| {
        first.pair.1 == second.pair.0 && first.pair.0 == a && second.pair.1 == b
    };
    let right = match (definition, &fact.by, &premises[..]) {
        (Definition::Given { fixed, literal }, By::Fixed, _) => {
            fixed.contains(&fact.pair) || literal.contains(&(Lit::TRUE, fact.pair))
        }
        (Definition::Given { literal, .. }, By::Literal(by), _) => {
            literal.contains(&(*by, fact.pair)) && clause.contains(&!*by)
        }
        (Definition::Union(parts), _, [one]) => parts.contains(&one.relation) && one.pair == fact.pair,
        (Definition::Intersection(left, right), _, [first, second]) => {
            first.relation == *left
                && second.relation == *right
                && first.pair == fact.pair
                && second.pair == fact.pair
        }
        (Definition::Within(part, among), _, [one]) => {
            one.relation == *part && one.pair == fact.pair && among.contains(&fact.pair)
        }
        (Definition::Sequence(left, right), _, [first, second]) => {
            first.relation == *left && second.relation == *right && joined(first, second)
        }
        (Definition::Inverse(part), _, [one]) => one.relation == *part && one.pair == (b, a),
        (Definition::Closure(part), _, [one]) => one.relation == *part && one.pair == fact.pair,
        (Definition::Closure(part), _, [first, second]) => {
            first.relation == fact.relation && second.relation == *part && joined(first, second)
        }
        (Definition::Domain(part), _, [one]) => one.relation == *part && a == b && one.pair.0 == a,
        (Definition::Range(part), _, [one]) => one.relation == *part && a == b && one.pair.1 == a,
        (Definition::FromRead { reads_from, coherence }, _, [first, second]) => {
            first.relation == *reads_from
                && second.relation == *coherence
                && first.pair.0 == second.pair.0
                && fact.pair == (first.pair.1, second.pair.1)
                && a != b
        }
        _ => false,
    };
    assert!(right, "{fact:?} from {premises:?}");
}
