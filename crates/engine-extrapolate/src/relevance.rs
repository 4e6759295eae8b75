//! What need not be known of a slot.
//!
//! Under TSO one slot holds now a value of one variable, now of another, and predicates are carried over
//! to it from both. While it holds a value of `x`, what was carried over from `y` says nothing that anybody
//! will ask; keeping it multiplies states. Such predicates are dropped from a state, which is sound
//! whatever they say.

use wattle_abstraction::{Set, Vocabulary};
use wattle_logic::{Kind, Term};
use wattle_memory::reduction::{Buffers, Reduced};
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
                let place = &shape.locations[*location as usize];
                let indices = place.indices.iter().map(|index| Term::int(i64::from(*index))).collect();
                let address = Term::address(place.variable, indices);
                let matters = |predicate: &Term| {
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
                    !of_slot || speaks_of_buffers(reduced, &shared) || sc.literal_of(&shared).is_some()
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
