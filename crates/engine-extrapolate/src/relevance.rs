//! What need not be known of a slot.
//!
//! Under TSO one slot holds now a value of one variable, now of another, and predicates are carried over
//! to it from both. While it holds a value of `x`, what was carried over from `y` says nothing that anybody
//! will ask; keeping it multiplies states. Such predicates are dropped from a state, which is sound
//! whatever they say.

use wattle_abstraction::{Set, Vocabulary};
use wattle_logic::{Kind, Term};
use wattle_memory::reduction::{Buffers, Reduced, Slot};
use wattle_program::Shape;

/// If the first predicate holds, the others do not matter.
pub(crate) fn irrelevant(
    reduced: &Reduced,
    shape: &Shape,
    sc: &Vocabulary,
    vocabulary: &Vocabulary,
) -> Vec<(usize, Set)> {
    let Buffers::Tso(threads) = &reduced.buffers else { return vec![] };
    let mut found = Vec::new();
    for (thread, buffer) in (0..).zip(threads) {
        let Some(buffer) = buffer else { continue };
        for slot in &buffer.slots {
            for location in &buffer.written {
                let sort = reduced.program.processes[thread as usize].locals[slot.lhs as usize].sort;
                let holds = Term::local_of(thread, Term::int(0), slot.lhs, sort)
                    .equals(Term::int(i64::from(*location)));
                let Some((holds, true)) = vocabulary.literal_of(&holds) else { continue };
                // Carried over from this variable, or from none (then refinement found it), or not of this slot.
                let matters = |predicate: &Term| {
                    let comes_from =
                        |location: u32| comes_from(reduced, shape, sc, thread, slot, location, predicate);
                    match comes_from(*location) {
                        Origin::Elsewhere | Origin::Carried => true,
                        Origin::Not => {
                            !buffer.written.iter().any(|other| comes_from(*other) == Origin::Carried)
                        }
                    }
                };
                let others = vocabulary.predicates().iter().enumerate();
                let set: Set = others.filter(|(_, term)| !matters(term)).map(|(number, _)| number).collect();
                if !set.is_empty() {
                    found.push((holds, set));
                }
            }
        }
    }
    found
}

/// What a predicate has to do with a slot while that holds a value of some location.
#[derive(PartialEq, Eq)]
enum Origin {
    /// It speaks of other slots too, or not of this one.
    Elsewhere,
    /// A predicate over the location was carried over to the slot.
    Carried,
    Not,
}

fn comes_from(
    reduced: &Reduced,
    shape: &Shape,
    sc: &Vocabulary,
    thread: u32,
    slot: &Slot,
    location: u32,
    predicate: &Term,
) -> Origin {
    let place = &shape.locations[location as usize];
    let indices = place.indices.iter().map(|index| Term::int(i64::from(*index))).collect();
    let address = Term::address(place.variable, indices);
    let mut of_slot = false;
    let shared = predicate.map(&mut |term| match term.kind() {
        Kind::LocalOf { process, local, .. }
            if *process == thread && slot.rhs.values().any(|rhs| rhs == local) =>
        {
            of_slot = true;
            Term::content(address.clone(), term.sort())
        }
        _ => term,
    });
    if !of_slot || speaks_of_buffers(reduced, &shared) {
        Origin::Elsewhere
    } else if sc.literal_of(&shared).is_some() {
        Origin::Carried
    } else {
        Origin::Not
    }
}

/// Does a formula speak of another slot? Then it is kept.
fn speaks_of_buffers(reduced: &Reduced, formula: &Term) -> bool {
    let Buffers::Tso(threads) = &reduced.buffers else { return false };
    let mut found = false;
    formula.walk(&mut |term| {
        if let Kind::LocalOf { process, local, .. } = term.kind()
            && let Some(Some(buffer)) = threads.get(*process as usize)
        {
            found |= buffer.slots.iter().any(|slot| slot.rhs.values().any(|rhs| rhs == local));
        }
    });
    found
}
