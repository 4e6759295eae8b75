//! Algorithm 4: program order that is not relaxed, without what follows by transitivity.
//!
//! The events of a thread are gone through in program order; for each, those before it are looked at
//! from the latest to the earliest. A pair that is not relaxed gets its clock constraint, and what is
//! known to come before the earlier one is then known to come before the later one, too: it needs no
//! constraint of its own. That holds only where the event in the middle happens. The paper carries the
//! condition along as a formula and asks whether it is implied; here a chain counts if the guard of the
//! middle is implied by the guard of one of its ends, by their shape alone. A constraint too many does
//! no harm.

use wattle_sat::Lit;

use super::Builder;
use super::clock::Clocked;
use crate::unroll::structure::EventId;

impl Builder<'_, '_, '_, '_, '_> {
    /// `not_relaxed` says when two events in program order stay in order, given that both happen.
    pub(super) fn chains(
        &mut self,
        clocked: &mut Clocked,
        not_relaxed: &dyn Fn(&mut Self, EventId, EventId) -> Lit,
    ) {
        let structure = self.encoding.structure;
        for second in 0..structure.events.len() as EventId {
            if self.encoding.happens(second) == Lit::FALSE {
                continue;
            }
            let later = structure.events[second as usize].guard;
            for &first in structure.before[second as usize].iter().rev() {
                if self.encoding.happens(first) == Lit::FALSE || clocked.surely(first, second) {
                    continue;
                }
                let when = not_relaxed(self, first, second);
                if when == Lit::FALSE {
                    continue;
                }
                let middle = structure.events[first as usize].guard;
                self.pair(clocked, when, first, second);
                if when == Lit::TRUE {
                    let guards = &self.guards;
                    let always = guards.implies(later, middle);
                    let through = |earlier: EventId| {
                        always || guards.implies(structure.events[earlier as usize].guard, middle)
                    };
                    clocked.note(first, second, through);
                }
            }
        }
    }
}
