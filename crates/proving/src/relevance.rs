//! What need not be known of a slot.
//!
//! What a slot that is not in use holds is of no interest. And under TSO one slot holds now a value of one variable, now of another, and predicates are carried over
//! to it from both. While it holds a value of `x`, what was carried over from `y` says nothing that anybody
//! will ask; keeping it multiplies states. Such predicates are dropped from a state, which is sound
//! whatever they say.

use wattle_abstraction::{Predicates, Set};
use wattle_logic::{Kind, Sort, Term};
use wattle_memory::reduction::{Buffers, Reduced, Remainder, Slot};
use wattle_program::Shape;

/// If the first predicate holds, the others do not matter.
pub fn irrelevant(
    reduced: &Reduced,
    shape: &Shape,
    sc: &Predicates,
    predicates: &Predicates,
) -> Vec<(usize, Set)> {
    let mut found = unused(reduced, predicates);
    let Buffers::Tso(threads) = &reduced.buffers else { return found };
    for (thread, buffer) in (0..).zip(threads) {
        let Some(buffer) = buffer else { continue };
        for slot in &buffer.slots {
            for location in &buffer.written {
                let sort = reduced.program.processes[thread as usize].locals[slot.lhs as usize].sort;
                let holds = Term::local_of(thread, Term::int(0), slot.lhs, sort)
                    .equals(Term::int(i64::from(*location)));
                let Some((holds, true)) = predicates.literal_of(&holds) else { continue };
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
                let others = predicates.terms().iter().enumerate();
                let set: Set = others.filter(|(_, term)| !matters(term)).map(|(number, _)| number).collect();
                if !set.is_empty() {
                    found.push((holds, set));
                }
            }
        }
    }
    found
}

/// If a counter has this value, what is said of the slots beyond does not matter.
fn unused(reduced: &Reduced, predicates: &Predicates) -> Vec<(usize, Set)> {
    // By thread: the counter, and the locals of each slot.
    let mut rows: Vec<(u32, u32, Vec<Vec<u32>>)> = Vec::new();
    match &reduced.buffers {
        Buffers::Pso(threads) => {
            for (thread, buffers) in (0..).zip(threads) {
                for buffer in buffers {
                    rows.push((thread, buffer.count, buffer.slots.iter().map(|slot| vec![*slot]).collect()));
                }
            }
        }
        Buffers::Tso(threads) => {
            for (thread, buffer) in (0..).zip(threads) {
                let Some(buffer) = buffer else { continue };
                let locals = |slot: &Slot| slot.rhs.values().copied().chain([slot.lhs]).collect::<Vec<u32>>();
                rows.push((thread, buffer.count, buffer.slots.iter().map(locals).collect()));
            }
        }
        // A value that is not pending is zero and a set is empty: what is said of it is true or false everywhere.
        Buffers::Rma(_) => return vec![],
    }
    // An abstract rest is one more slot. (Its set is empty while it is not in use, which matters when something is
    // inserted.)
    let rest = |thread: u32, rest: &Remainder| (thread, rest.more, vec![vec![rest.last]]);
    match &reduced.buffers {
        Buffers::Pso(threads) => {
            let all = (0..).zip(threads).flat_map(|(thread, own)| own.iter().map(move |one| (thread, one)));
            rows.extend(all.filter_map(|(thread, buffer)| Some(rest(thread, buffer.rest.as_ref()?))));
        }
        Buffers::Tso(threads) => {
            for (thread, buffer) in (0..).zip(threads) {
                let rests = buffer.iter().flat_map(|buffer| buffer.rests.values());
                rows.extend(rests.map(|own| rest(thread, own)));
            }
        }
        Buffers::Rma(_) => {}
    }
    let mut found = Vec::new();
    for (thread, count, slots) in &rows {
        for used in 0..slots.len() {
            let holds =
                Term::local_of(*thread, Term::int(0), *count, Sort::Int).equals(Term::int(used as i64));
            let Some((holds, true)) = predicates.literal_of(&holds) else { continue };
            let beyond: Vec<u32> = slots[used..].concat();
            let speaks_of_them = |predicate: &Term| {
                let mut found = false;
                predicate.walk(&mut |term| {
                    if let Kind::LocalOf { process, local, .. } = term.kind() {
                        found |= process == thread && beyond.contains(local);
                    }
                });
                found
            };
            let others = predicates.terms().iter().enumerate();
            let set: Set =
                others.filter(|(_, term)| speaks_of_them(term)).map(|(number, _)| number).collect();
            if !set.is_empty() {
                found.push((holds, set));
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
    sc: &Predicates,
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
