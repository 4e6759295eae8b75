//! The fewest predicates that a proof needs.
//!
//! Refinement collects what each spurious trace seemed to lack, and most of it turns out not to matter. Under
//! sequential consistency that does little harm, but every predicate over a shared variable is carried over
//! to each slot of each buffer, and states multiply. So a proof that is to be extrapolated is first made lean:
//! what its answers never rest on is dropped, then predicates by halves, quarters and so on, as long as the
//! check still succeeds. (What was dropped is kept aside: it is what strengthens the proof should the lean
//! one not carry over.)

use std::collections::BTreeSet;

use wattle_abstraction::{Cube, Questions, Set};

/// The predicates that the answers of a proof rest on: those that decide guards, assertions and properties,
/// and those that decide these. `cubes`: by goal, what was found to imply it.
pub(crate) fn relied_on(questions: &Questions, cubes: &[Vec<Cube>]) -> Set {
    let of = |goal: usize| cubes.get(goal).into_iter().flatten().map(Cube::known);
    let mut found = Set::default();
    let properties = questions.properties().into_iter().map(|(goal, _)| goal);
    let decisive = questions.of.iter().flat_map(|asked| asked.checks.iter().copied().chain([asked.blocked]));
    for goal in properties.chain(decisive).collect::<BTreeSet<usize>>() {
        of(goal).for_each(|known| found = found.union(&known));
    }
    loop {
        let before = found;
        for update in questions.of.iter().flat_map(|asked| asked.sets.iter().chain(&asked.tells)) {
            if let (true, Some(pair)) = (before.contains(update.predicate), update.goals) {
                of(pair.holds).chain(of(pair.fails)).for_each(|known| found = found.union(&known));
            }
        }
        if found == before {
            return found;
        }
    }
}

/// Parts of a set, large ones first: what to try to do without.
pub(crate) fn parts(all: &Set) -> Vec<Set> {
    let members: Vec<usize> = all.iter().collect();
    let mut parts = Vec::new();
    let mut size = members.len() / 2;
    while size > 0 {
        parts.extend(members.chunks(size).map(|chunk| chunk.iter().copied().collect::<Set>()));
        size /= 2;
    }
    parts
}
