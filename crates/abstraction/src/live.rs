//! Which locals still matter.
//!
//! A local is live at a point of its thread if some way from there reads it before setting it, or if a
//! property speaks of it. What a predicate says of a dead one is of no use to anybody: it is dropped from
//! abstract states, which joins those that differ only there, and nothing is split on it.

use std::collections::BTreeSet;

use crate::cube::Set;
use crate::predicates::Predicates;
use crate::system::{System, Transition};

/// By thread and point: the predicates that speak of a dead local of that thread.
#[derive(Clone, Debug)]
pub(crate) struct Dead(Vec<Vec<Set>>);

/// By thread and point: the dead locals of that thread.
pub(crate) fn dead(system: &System) -> Vec<Vec<Vec<u32>>> {
    let watched: BTreeSet<u32> =
        system.properties.iter().flat_map(|(_, formula)| system.cells_of(formula)).collect();
    let of_thread = |thread: usize| {
        let own = |cell: &u32| system.cells[*cell as usize].owner == Some(thread as u32);
        let locals: BTreeSet<u32> = (0..system.cells.len() as u32).filter(own).collect();
        let live = live(system, thread, &locals, &watched);
        live.iter().map(|live| locals.difference(live).copied().collect()).collect()
    };
    (0..system.leaving.len()).map(of_thread).collect()
}

impl Dead {
    pub fn new(system: &System, predicates: &Predicates) -> Dead {
        let about = |dead: &Vec<u32>| predicates.about(dead);
        Dead(system.dead().iter().map(|points| points.iter().map(about).collect()).collect())
    }

    /// Nothing is dropped.
    pub fn nothing() -> Dead {
        Dead(vec![])
    }

    /// The predicates that speak of a dead local while threads stand at these points.
    pub fn at(&self, points: &[wattle_program::Point]) -> Set {
        let each = points.iter().zip(&self.0).map(|(point, of)| of[point.0 as usize]);
        each.fold(Set::default(), |all, dead| all.union(&dead))
    }
}

fn live(
    system: &System,
    thread: usize,
    locals: &BTreeSet<u32>,
    watched: &BTreeSet<u32>,
) -> Vec<BTreeSet<u32>> {
    let points = system.leaving[thread].len();
    let always: BTreeSet<u32> = locals.intersection(watched).copied().collect();
    let mut live = vec![always; points];
    loop {
        let mut changed = false;
        for transition in system.transitions.iter().filter(|it| it.thread as usize == thread) {
            let mut before = reads(system, transition);
            let after = &live[transition.to.0 as usize];
            let kept = after.iter().filter(|cell| !transition.updates.iter().any(|(set, _)| set == *cell));
            before.extend(kept);
            for cell in before.intersection(locals) {
                changed |= live[transition.from.0 as usize].insert(*cell);
            }
        }
        if !changed {
            return live;
        }
    }
}

fn reads(system: &System, transition: &Transition) -> BTreeSet<u32> {
    let checks = transition.checks.iter().flat_map(|check| [&check.guard, &check.holds]);
    let values = transition.updates.iter().map(|(_, value)| value);
    values.chain([&transition.guard]).chain(checks).flat_map(|term| system.cells_of(term)).collect()
}
