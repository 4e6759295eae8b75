//! A goal, taken apart into clauses.

use std::collections::BTreeSet;

use wattle_abstraction::{Fold, Goal};
use wattle_logic::{Binary, Kind, Sort, Term, Unary};

use crate::names::Chosen;

/// A target with more clauses is left as it is.
const MOST_CLAUSES: usize = 24;

/// What is given, what is to hold, and which values are elements of which sets.
#[derive(Clone, Debug)]
pub(super) struct Sequent {
    pub given: Vec<Term>,
    pub target: Term,
    pub witnesses: Chosen,
}

/// Clauses that hold together if and only if the goal does.
pub(super) fn of(goal: &Goal) -> Vec<Sequent> {
    let (mut given, mut witnesses) = (vec![], Chosen::new());
    for part in conjuncts(&goal.given) {
        match membership(&part) {
            Some(witness) => witnesses.push(witness),
            None => given.push(part),
        }
    }
    let mut target = goal.target.clone();
    if goal.cone.is_empty() {
        // Of initial states all is given and no literal is known. What has nothing to do with the target is possible anyway.
        target = with_constants(&given, &target);
        if target.is_true() {
            return vec![];
        }
        let about = leaves(&target);
        given.retain(|part| !leaves(part).is_disjoint(&about));
    }
    let whole = vec![vec![target.clone()]];
    let clauses = disjunctions(&target, true).unwrap_or(whole);
    let sequent = |clause: Vec<Term>| {
        let mut witnesses = witnesses.clone();
        let mut rest = Vec::new();
        for part in clause {
            match denied(&part).and_then(membership) {
                Some(witness) => witnesses.push(witness),
                None => rest.push(part),
            }
        }
        let target = rest.into_iter().reduce(Term::or).unwrap_or_else(|| Term::bool(false));
        Sequent { given: given.clone(), target, witnesses }
    };
    clauses.into_iter().map(sequent).collect()
}

fn denied(formula: &Term) -> Option<&Term> {
    match formula.kind() {
        Kind::Unary(Unary::Not, inner) => Some(inner),
        _ => None,
    }
}

/// A value and the set, one that a cell holds, that it is an element of.
fn membership(formula: &Term) -> Option<(Term, Term)> {
    match formula.kind() {
        Kind::Binary(Binary::Member, value, set)
            if matches!(set.kind(), Kind::Content(_) | Kind::LocalOf { .. }) =>
        {
            Some((value.clone(), set.clone()))
        }
        _ => None,
    }
}

fn conjuncts(formula: &Term) -> Vec<Term> {
    match formula.kind() {
        Kind::Binary(Binary::And, left, right) => [conjuncts(left), conjuncts(right)].concat(),
        _ => vec![formula.clone()],
    }
}

/// A formula, or its negation, as a conjunction of disjunctions. `None`: they are too many.
fn disjunctions(formula: &Term, positive: bool) -> Option<Vec<Vec<Term>>> {
    let both = |left: Vec<Vec<Term>>, right: Vec<Vec<Term>>| Some([left, right].concat());
    let either = |left: Vec<Vec<Term>>, right: Vec<Vec<Term>>| {
        let pairs = left.iter().flat_map(|one| right.iter().map(|other| [&one[..], other].concat()));
        (left.len() * right.len() <= MOST_CLAUSES).then(|| pairs.collect())
    };
    match formula.kind() {
        Kind::Unary(Unary::Not, inner) => disjunctions(inner, !positive),
        Kind::Binary(operator @ (Binary::And | Binary::Or), left, right) => {
            let (left, right) = (disjunctions(left, positive)?, disjunctions(right, positive)?);
            if (*operator == Binary::And) == positive { both(left, right) } else { either(left, right) }
        }
        Kind::Binary(Binary::Implies, left, right) => {
            let (left, right) = (disjunctions(left, !positive)?, disjunctions(right, positive)?);
            if positive { either(left, right) } else { both(left, right) }
        }
        Kind::If(condition, then, otherwise) if formula.sort() == Sort::Bool => {
            let first = either(disjunctions(condition, false)?, disjunctions(then, positive)?)?;
            both(first, either(disjunctions(condition, true)?, disjunctions(otherwise, positive)?)?)
        }
        _ if positive => Some(vec![vec![formula.clone()]]),
        _ => Some(vec![vec![formula.negated()]]),
    }
}

fn leaves(formula: &Term) -> BTreeSet<Term> {
    let mut found = BTreeSet::new();
    formula.walk(&mut |node| {
        if matches!(node.kind(), Kind::Content(_) | Kind::LocalOf { .. } | Kind::Symbol(_)) {
            found.insert(node.clone());
        }
    });
    found
}

/// A formula with the values of cells that are given.
fn with_constants(given: &[Term], formula: &Term) -> Term {
    let constant = |node: &Term| {
        given.iter().find_map(|part| match part.kind() {
            Kind::Binary(Binary::Equal, cell, value) if cell == node && value.as_value().is_some() => {
                Some(value.clone())
            }
            _ => None,
        })
    };
    let value = |node: Term| match node.kind() {
        Kind::Content(_) | Kind::LocalOf { .. } => constant(&node).unwrap_or(node),
        _ => node,
    };
    formula.map(&mut { value }).fold()
}
