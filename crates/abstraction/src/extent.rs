//! Which values the elements of a set can have.
//!
//! A location never leaves its declared range, and that is a fact for the solver. A set has no declared range, but
//! where everything that is ever inserted is the value of a location at that moment, all its elements are in the ranges of
//! these locations. What is inserted is compared with what the same step stores, whose range the step's guard asks for, and with
//! locations that the step leaves alone. An inserted value that is neither leaves its set without a range.

use wattle_logic::{Binary, Kind, Sort, Symbol, Term, Value};
use wattle_program::Range;

use crate::sets::elements;
use crate::system::{ELEMENTS, System, Transition, within};

/// Let a system know the ranges of the elements of its sets.
pub(crate) fn add(system: &mut System) {
    let sets: Vec<u32> = (0..)
        .zip(&system.cells)
        .filter(|(_, cell)| cell.leaf.sort() == Sort::IntSet)
        .map(|(number, _)| number)
        .collect();
    for set in sets {
        let Some(range) = extent(system, set) else { continue };
        let leaf = system.cells[set as usize].leaf.clone();
        let chosen = system.chosen.iter().filter(|(_, from)| *from == leaf);
        let of_chosen = chosen.filter_map(|(value, _)| {
            let inside = within(value, Some(range))?;
            let member = Term::binary(Binary::Member, value.clone(), leaf.clone());
            // A symbol that stands for elements of this set alone may have any value where it is none.
            Some(if is_own(value) { inside } else { Term::binary(Binary::Implies, member, inside) })
        });
        let facts: Vec<Term> =
            within(&Term::element(leaf.clone()), Some(range)).into_iter().chain(of_chosen).collect();
        system.domains.extend(facts);
        system.ranges[set as usize] = Some(range);
    }
}

fn is_own(value: &Term) -> bool {
    matches!(value.kind(), Kind::Symbol(Symbol::Bound(number)) if ELEMENTS.contains(number))
}

/// A range that all elements of the set in this cell are in.
fn extent(system: &System, set: u32) -> Option<Range> {
    let own = Term::element(system.cells[set as usize].leaf.clone());
    let mut all: Option<Range> = None;
    let mut take = |range: Range| {
        let so_far = all.unwrap_or(range);
        all = Some(Range { low: so_far.low.min(range.low), high: so_far.high.max(range.high) });
    };
    let Some(Value::Set(initial)) = system.initial[set as usize].as_ref().and_then(Term::as_value) else {
        return None;
    };
    initial.iter().for_each(|value| take(Range { low: *value, high: *value }));
    for transition in &system.transitions {
        for (_, value) in transition.updates.iter().filter(|(cell, _)| *cell == set) {
            for (_, element) in elements(value).into_iter().filter(|(_, element)| *element != own) {
                take(known(system, transition, &element)?);
            }
        }
    }
    all
}

/// A range that a value is in when the step is taken.
fn known(system: &System, transition: &Transition, value: &Term) -> Option<Range> {
    if let Some(value) = value.as_value().and_then(Value::as_int) {
        return Some(Range { low: value, high: value });
    }
    let is_integer = |cell: u32| system.cells[cell as usize].leaf.sort() == Sort::Int;
    let stored = transition.updates.iter().filter(|(cell, stored)| is_integer(*cell) && stored == value);
    let mut stored = stored.filter_map(|(cell, _)| system.ranges[*cell as usize]);
    let left = || system.numbers.get(value).filter(|cell| is_integer(**cell));
    stored.next().or_else(|| system.ranges[*left()? as usize])
}
