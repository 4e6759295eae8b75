//! Checks proofs by what their documentation says, and nothing else.

use std::collections::BTreeSet;

use super::ensure;
use crate::proof::{By, Edge, Fact, Inference, Justification, Proof, Violation};
use crate::{Definition, Description, Lit, Pair, Test};

/// The conclusion; `Err` if a step is not what it says.
pub(super) fn check(
    proof: &Proof,
    inputs: &BTreeSet<Vec<Lit>>,
    description: &Description,
) -> Result<Vec<Lit>, String> {
    for (position, step) in proof.steps.iter().enumerate() {
        match &step.by {
            Inference::Input => {
                let mut clause = step.clause.clone();
                clause.sort_unstable();
                clause.dedup();
                let given = clause == [Lit::TRUE] || inputs.contains(&clause);
                ensure(given, || format!("{clause:?} is no input"))?;
            }
            Inference::Theory(justification) => check_lemma(&step.clause, justification, description)?,
            Inference::Propagation(antecedents) => {
                let mut holds: BTreeSet<Lit> = step.clause.iter().map(|literal| !*literal).collect();
                let mut refuted = false;
                for antecedent in antecedents {
                    ensure((*antecedent as usize) < position, || format!("step {position} looks ahead"))?;
                    let clause = &proof.steps[*antecedent as usize].clause;
                    let open: BTreeSet<Lit> =
                        clause.iter().copied().filter(|literal| !holds.contains(&!*literal)).collect();
                    ensure(open.len() <= 1, || format!("{clause:?} says nothing in step {position}"))?;
                    refuted |= open.is_empty();
                    holds.extend(open);
                }
                ensure(refuted, || format!("step {position} does not follow"))?;
            }
        }
    }
    let last = proof.steps.last().ok_or("no step")?;
    Ok(last.clause.clone())
}

fn check_lemma(
    clause: &[Lit],
    justification: &Justification,
    description: &Description,
) -> Result<(), String> {
    let Justification { facts, violation } = justification;
    for (position, fact) in facts.iter().enumerate() {
        check_fact(clause, facts, position, fact, description)?;
    }
    match violation {
        Violation::Test { test, fact } => {
            let (test, relation) = description.tests[*test as usize];
            let fact = &facts[*fact as usize];
            let right = fact.relation == relation && (test == Test::Empty || fact.pair.0 == fact.pair.1);
            ensure(right, || format!("{fact:?} breaks no test"))
        }
        Violation::Cycle { graph, edges } => {
            let graph = &description.graphs[*graph as usize];
            let mut pairs: Vec<Pair> = Vec::new();
            for edge in edges {
                let (known, pair) = match edge {
                    Edge::Fixed(pair) => {
                        (graph.fixed.contains(pair) || graph.literal.contains(&(Lit::TRUE, *pair)), *pair)
                    }
                    Edge::Literal(literal, pair) => {
                        (graph.literal.contains(&(*literal, *pair)) && clause.contains(&!*literal), *pair)
                    }
                    Edge::Fact(fact) => {
                        let fact = &facts[*fact as usize];
                        (graph.relations.contains(&fact.relation), fact.pair)
                    }
                };
                ensure(known, || format!("{edge:?} is not in the graph"))?;
                pairs.push(pair);
            }
            let next = pairs.iter().cycle().skip(1);
            let closed = !pairs.is_empty() && pairs.iter().zip(next).all(|(one, next)| one.1 == next.0);
            ensure(closed, || format!("{pairs:?} is no cycle"))
        }
    }
}

fn check_fact(
    clause: &[Lit],
    facts: &[Fact],
    position: usize,
    fact: &Fact,
    description: &Description,
) -> Result<(), String> {
    let definition = &description.relations[fact.relation.0 as usize];
    let premises: Vec<&Fact> = match &fact.by {
        By::Rule(premises) => {
            let earlier = premises.iter().all(|premise| (*premise as usize) < position);
            ensure(earlier, || format!("{fact:?} looks ahead"))?;
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
    ensure(right, || format!("{fact:?} from {premises:?}"))
}
