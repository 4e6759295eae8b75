//! What the solver was told and why it has no answer, as plain data for the checker in `judge`.
//!
//! The checker must not take the solver's word for what the problem was. So the clauses are written down
//! on their way to the solver, by [`Ledger`], and the description before it is connected.

use std::sync::Arc;

use wattle_engine::certificate::refutation::{
    By, Definition, Edge, Fact, Graph, Inference, Refutation, Refuted, Step, Test, Violation,
};
use wattle_sat::proof::{self, Proof};
use wattle_sat::{Clauses, Description, Lit, RelationId};

/// Passes clauses on and, if that is wanted, keeps a copy.
pub(crate) struct Ledger<'c> {
    inner: &'c mut dyn Clauses,
    clauses: Option<Vec<Vec<i32>>>,
}

impl<'c> Ledger<'c> {
    pub(crate) fn new(inner: &'c mut dyn Clauses, keep: bool) -> Ledger<'c> {
        Ledger { inner, clauses: keep.then(Vec::new) }
    }

    /// What was kept.
    pub(crate) fn close(self) -> Option<Vec<Vec<i32>>> {
        self.clauses
    }
}

impl Clauses for Ledger<'_> {
    fn fresh(&mut self) -> Lit {
        self.inner.fresh()
    }

    fn clause(&mut self, literals: &[Lit]) {
        if let Some(clauses) = &mut self.clauses {
            clauses.push(literals.iter().map(|literal| literal.number()).collect());
        }
        self.inner.clause(literals);
    }
}

/// A problem of which nothing is refuted yet.
pub(crate) fn problem(clauses: Vec<Vec<i32>>, description: &Description) -> Refutation {
    let relations = description.relations.iter().map(definition).collect();
    let graphs = (description.graphs.iter())
        .map(|graph| Graph {
            fixed: graph.fixed.clone(),
            literal: graph.literal.iter().map(|(literal, pair)| (literal.number(), *pair)).collect(),
            relations: graph.relations.iter().map(|relation| relation.0).collect(),
        })
        .collect();
    let tests = description.tests.iter().map(|(test, relation)| {
        let test = match test {
            wattle_sat::Test::Irreflexive => Test::Irreflexive,
            wattle_sat::Test::Empty => Test::Empty,
        };
        (test, relation.0)
    });
    Refutation { clauses, relations, graphs, tests: tests.collect(), refuted: vec![] }
}

/// Nothing satisfies the problem, the literals that are `chosen` as clauses among it, and all of
/// `assumed`. What is false anyway needs no proof.
pub(crate) fn refuted(meaning: &str, assumed: &[Lit], chosen: &[Lit], proof: Option<&Proof>) -> Refuted {
    let mut steps: Vec<Step> = proof.iter().flat_map(|proof| &proof.steps).map(step).collect();
    if let Some(last) = steps.last() {
        // To the solver a choice may have been an assumption, too, which the last step speaks of.
        let is_chosen = |literal: &i32| chosen.iter().any(|chosen| chosen.number() == -literal);
        let (left, rest): (Vec<i32>, Vec<i32>) = last.clause.iter().partition(|literal| is_chosen(literal));
        let mut antecedents: Vec<u32> = Vec::new();
        let last = steps.len() as u32 - 1;
        for literal in &left {
            antecedents.push(steps.len() as u32);
            steps.push(Step { clause: vec![-literal], by: Inference::Problem });
        }
        if !left.is_empty() {
            antecedents.push(last);
            steps.push(Step { clause: rest, by: Inference::Propagation(antecedents) });
        }
    }
    Refuted {
        meaning: meaning.into(),
        assumed: assumed.iter().map(|literal| literal.number()).collect(),
        steps,
    }
}

fn definition(definition: &wattle_sat::Definition) -> Definition {
    use wattle_sat::Definition as From;
    match definition {
        From::Given { fixed, literal } => Definition::Given {
            fixed: fixed.clone(),
            literal: literal.iter().map(|(literal, pair)| (literal.number(), *pair)).collect(),
        },
        From::Union(parts) => Definition::Union(parts.iter().map(|part| part.0).collect()),
        From::Intersection(a, b) => Definition::Intersection(a.0, b.0),
        From::Within(RelationId(inner), pairs) => Definition::Within(*inner, Arc::clone(pairs)),
        From::Sequence(a, b) => Definition::Sequence(a.0, b.0),
        From::Inverse(a) => Definition::Inverse(a.0),
        From::Closure(a) => Definition::Closure(a.0),
        From::Domain(a) => Definition::Domain(a.0),
        From::Range(a) => Definition::Range(a.0),
        From::FromRead { reads_from, coherence } => {
            Definition::FromRead { reads_from: reads_from.0, coherence: coherence.0 }
        }
    }
}

fn step(step: &proof::Step) -> Step {
    let by = match &step.by {
        proof::Inference::Input => Inference::Problem,
        proof::Inference::Theory(justification) => Inference::Lemma {
            facts: justification.facts.iter().map(fact).collect(),
            violation: violation(&justification.violation),
        },
        proof::Inference::Propagation(antecedents) => Inference::Propagation(antecedents.clone()),
    };
    Step { clause: step.clause.iter().map(|literal| literal.number()).collect(), by }
}

fn fact(fact: &proof::Fact) -> Fact {
    let by = match &fact.by {
        proof::By::Fixed => By::Fixed,
        proof::By::Literal(literal) => By::Literal(literal.number()),
        proof::By::Rule(parents) => By::Rule(parents.clone()),
    };
    Fact { relation: fact.relation.0, pair: fact.pair, by }
}

fn violation(violation: &proof::Violation) -> Violation {
    match violation {
        proof::Violation::Test { test, fact } => Violation::Test { test: *test, fact: *fact },
        proof::Violation::Cycle { graph, edges } => {
            let edge = |edge: &proof::Edge| match edge {
                proof::Edge::Fixed(pair) => Edge::Fixed(*pair),
                proof::Edge::Literal(literal, pair) => Edge::Literal(literal.number(), *pair),
                proof::Edge::Fact(fact) => Edge::Fact(*fact),
            };
            Violation::Cycle { graph: *graph, edges: edges.iter().map(edge).collect() }
        }
    }
}
