//! Sets of integers, without quantifiers.
//!
//! A cell may hold a set of integers, of which a program knows three things: a set can be emptied, an integer
//! can be inserted, and an element can be chosen. What matters of a set is what holds of *every* element. So a
//! predicate may name `each(X)`, an element of the set in cell `X` ([`Kind::Element`]), and is then meant for
//! all elements: `each(X) <= 2` is the predicate `all(X, e <= 2)`. Of an empty set it is true. That some element
//! violates it is no use to anybody, so such a predicate is known to be true or unknown, never false, and no
//! state is split on it; `all(X, e > 2)` is another predicate, and both are true of an empty set, neither of a
//! mixed one.
//!
//! No quantifier reaches the solver. A fact about all elements is used for finitely many of them, its
//! *instances*: the element `each(X)` itself, taken as a fresh integer, and every value that some edge chooses
//! from `X`. Each is an element only on condition, written `Member(e, X)`, which is a fresh truth value to the
//! solver. Then:
//!
//! * *Assumed*, `all(X, p)` says `Member(e, X) -> p(e)` for each instance `e` ([`assumed`]). True of every state
//!   in which all elements satisfy p, whichever element `each(X)` stands for; and where X is empty, no instance
//!   is a member, so nothing follows from contradicting claims about its elements.
//! * *Claimed* after an edge, it asks for p of every element that the set has then ([`before`]): of the elements
//!   that it had (`Member(each(X), X) -> p(each(X))`, for an element that nothing else is assumed of) and of
//!   each inserted value. p speaks of other cells as they are after the edge, so a predicate is established
//!   anew when one of these changes, for all elements and not only for one that the edge has chosen: after an
//!   element went to memory, `each(X) == memory` does not follow.
//! * An edge that chooses an element `v` of X is taken on condition `Member(v, X)`.
//!
//! A predicate may name elements of several sets. It is then meant for all combinations.
//!
//! Equal elements have different truth values `Member` here, so that less may be proved than is true, never
//! more.

use wattle_logic::{Binary, Kind, Sort, Term, Value};

use crate::system::replace_leaves;

/// Does a predicate speak of elements?
pub fn speaks_of_elements(predicate: &Term) -> bool {
    !sets_of(predicate).is_empty()
}

/// The sets whose elements a predicate names, each once.
fn sets_of(predicate: &Term) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    predicate.walk(&mut |term| {
        if let Kind::Element(set) = term.kind()
            && !found.contains(set)
        {
            found.push(set.clone());
        }
    });
    found
}

/// The elements of a set that is written as a term: each with the condition on which it is one. What a cell
/// holds is represented by one element of it.
pub(crate) fn elements(set: &Term) -> Vec<(Term, Term)> {
    let always = || Term::bool(true);
    match set.kind() {
        Kind::Value(Value::Set(values)) => values.iter().map(|value| (always(), Term::int(*value))).collect(),
        Kind::Binary(Binary::Insert, rest, value) => {
            let mut all = elements(rest);
            all.push((always(), value.clone()));
            all
        }
        Kind::If(condition, then, otherwise) => {
            let on = |condition: &Term, part: &Term| -> Vec<(Term, Term)> {
                let all = elements(part).into_iter();
                all.map(|(is_one, element)| (condition.clone().and(is_one), element)).collect()
            };
            [on(condition, then), on(&condition.negated(), otherwise)].concat()
        }
        // A set that was forgotten: its elements are unknown, as the symbol says.
        Kind::Symbol(symbol) => vec![(always(), Term::symbol(*symbol, Sort::Int))],
        _ => {
            let element = Term::element(set.clone());
            vec![(member(element.clone(), set), element)]
        }
    }
}

fn member(element: Term, set: &Term) -> Term {
    Term::binary(Binary::Member, element, set.clone())
}

/// Is a value an element of a set that is written as a term?
pub(crate) fn membership(element: &Term, set: &Term) -> Term {
    match set.kind() {
        Kind::Value(Value::Set(values)) => {
            let equal = values.iter().map(|value| element.clone().equals(Term::int(*value)));
            equal.reduce(Term::or).unwrap_or_else(|| Term::bool(false))
        }
        Kind::Binary(Binary::Insert, rest, value) => {
            element.clone().equals(value.clone()).or(membership(element, rest))
        }
        Kind::If(condition, then, otherwise) => {
            Term::if_then_else(condition.clone(), membership(element, then), membership(element, otherwise))
        }
        _ => member(element.clone(), set),
    }
}

/// A predicate for every combination of elements that `of` gives for its sets.
fn instances(predicate: &Term, of: &dyn Fn(&Term) -> Vec<(Term, Term)>) -> Term {
    let sets = sets_of(predicate);
    if sets.is_empty() {
        return predicate.clone();
    }
    let mut all = vec![(Term::bool(true), predicate.clone())];
    for set in sets {
        let named = Term::element(set.clone());
        let mut more = Vec::new();
        for (condition, instance) in &all {
            for (is_one, element) in of(&set) {
                let with = instance.map(&mut |term| if term == named { element.clone() } else { term });
                more.push((condition.clone().and(is_one), with));
            }
        }
        all = more;
    }
    let implies = |(condition, holds)| Term::binary(Binary::Implies, condition, holds);
    Term::conjunction(all.into_iter().map(implies))
}

/// What follows from a predicate that is true. `chosen`: values that edges choose, each with its set.
pub(crate) fn assumed(predicate: &Term, chosen: &[(Term, Term)]) -> Term {
    instances(predicate, &|set| {
        let own = chosen.iter().filter(|(_, of)| of == set);
        let own = own.map(|(value, _)| (member(value.clone(), set), value.clone()));
        elements(set).into_iter().chain(own).collect()
    })
}

/// A predicate over the state after some updates, as a formula over the state before them. `after`: what a cell
/// holds after them.
pub(crate) fn before(predicate: &Term, after: &dyn Fn(Term) -> Term) -> Term {
    let others = |leaf: Term| if leaf.sort() == Sort::IntSet { leaf } else { after(leaf) };
    // What replaces other cells names no elements, so those that are left are the predicate's.
    let updated = replace_leaves(predicate, &others);
    instances(&updated, &|set| elements(&after(set.clone())))
}
