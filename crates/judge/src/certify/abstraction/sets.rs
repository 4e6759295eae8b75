//! Predicates over elements of sets, read again.
//!
//! A predicate that names `each(X)` is meant for every element of the set in cell `X`. To use it, it is written out
//! for the element that `each(X)` stands for and for each value that the step at hand chooses from `X`; to show
//! it after a step, for each element that the set has then. That something is an element of the set before the
//! step, `Member(e, X)`, is a truth value that the solver is free to choose for every `e` by itself. So what is
//! valid holds for every set, the empty one included, and whichever element is meant.

use wattle_logic::{Binary, Kind, Sort, Term, Value};

/// The first set that a predicate names an element of.
fn named(predicate: &Term) -> Option<Term> {
    let mut found = None;
    predicate.walk(&mut |term| {
        if let (Kind::Element(set), None) = (term.kind(), &found) {
            found = Some(set.clone());
        }
    });
    found
}

pub(super) fn is_over_elements(predicate: &Term) -> bool {
    named(predicate).is_some()
}

/// Values with the conditions on which they are elements of a set.
type Elements = Vec<(Term, Term)>;

/// Write a predicate out for all elements that `of` lists, one set after the other.
fn written_out(predicate: &Term, of: &dyn Fn(&Term) -> Elements) -> Term {
    let mut sets = Vec::new();
    let mut open = predicate.clone();
    while let Some(set) = named(&open) {
        // A symbol that nothing else uses, so that the loop ends.
        let place = Term::symbol(wattle_logic::Symbol::Bound(u32::MAX - sets.len() as u32), Sort::Int);
        let element = Term::element(set.clone());
        open = replaced(&open, &element, &place);
        sets.push((set, place));
    }
    let mut all = vec![open];
    for (set, place) in &sets {
        let implied = |(is_one, element): (Term, Term), part: &Term| {
            Term::binary(Binary::Implies, is_one, replaced(part, place, &element))
        };
        let parts = all.iter().flat_map(|part| of(set).into_iter().map(|one| implied(one, part)));
        all = parts.collect();
    }
    Term::conjunction(all)
}

fn replaced(formula: &Term, from: &Term, to: &Term) -> Term {
    formula.map(&mut |term| if term == *from { to.clone() } else { term })
}

fn of_cell(set: &Term) -> (Term, Term) {
    let element = Term::element(set.clone());
    (Term::binary(Binary::Member, element.clone(), set.clone()), element)
}

/// What a literal says. `guard`: of the step at hand; what it chooses from a set is an element of it.
pub(super) fn literal(predicate: &Term, value: bool, guard: &Term) -> Term {
    if !is_over_elements(predicate) {
        return if value { predicate.clone() } else { predicate.negated() };
    }
    if !value {
        return Term::bool(true);
    }
    let mut members: Elements = Vec::new();
    guard.walk(&mut |term| {
        if let Kind::Binary(Binary::Member, element, _) = term.kind() {
            members.push((term.clone(), element.clone()));
        }
    });
    written_out(predicate, &|set| {
        let is_of_set = |condition: &Term| match condition.kind() {
            Kind::Binary(Binary::Member, _, of) => of == set,
            _ => false,
        };
        let own = members.iter().filter(|(condition, _)| is_of_set(condition)).cloned();
        [of_cell(set)].into_iter().chain(own).collect()
    })
}

/// A predicate after a step, on the state before it. `after`: what a cell holds after it.
pub(super) fn before(predicate: &Term, after: &dyn Fn(&Term) -> Option<Term>) -> Term {
    let others = predicate.map(&mut |term| match term.kind() {
        Kind::Content(_) | Kind::LocalOf { .. } if term.sort() != Sort::IntSet => {
            after(&term).unwrap_or(term)
        }
        _ => term,
    });
    written_out(&others, &|set| match after(set) {
        None => vec![of_cell(set)],
        Some(value) => listed(&value),
    })
}

/// The elements of what a cell is set to.
fn listed(set: &Term) -> Elements {
    let certain = |element: Term| (Term::bool(true), element);
    match set.kind() {
        Kind::Value(Value::Set(all)) => all.iter().map(|value| certain(Term::int(*value))).collect(),
        Kind::Binary(Binary::Insert, rest, value) => {
            listed(rest).into_iter().chain([certain(value.clone())]).collect()
        }
        Kind::If(condition, then, otherwise) => {
            let on = |condition: Term, part: &Term| {
                listed(part).into_iter().map(move |(is_one, one)| (condition.clone().and(is_one), one))
            };
            on(condition.clone(), then).chain(on(condition.negated(), otherwise)).collect()
        }
        // Anything may be an element of what was forgotten: a symbol that nothing is known of.
        Kind::Symbol(symbol) => vec![certain(Term::symbol(*symbol, Sort::Int))],
        _ => vec![of_cell(set)],
    }
}
