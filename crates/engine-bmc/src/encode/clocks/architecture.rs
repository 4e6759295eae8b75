//! What each of the six architectures keeps in order, read off `models/*.cat`.

use wattle_program::Orders;
use wattle_program::passes::ORDERED;
use wattle_sat::Lit;

use super::Builder;
use crate::unroll::structure::{Access, Event, EventId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Architecture {
    Sc,
    Tso,
    Pso,
    Rmo,
    Alpha,
    Power,
}

/// Kinds of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds {
    pub reads: bool,
    pub writes: bool,
}

impl Kinds {
    pub(crate) const NONE: Kinds = Kinds { reads: false, writes: false };
    pub(crate) const READS: Kinds = Kinds { reads: true, writes: false };
    pub(crate) const WRITES: Kinds = Kinds { reads: false, writes: true };
    pub(crate) const ALL: Kinds = Kinds { reads: true, writes: true };

    pub(crate) fn has(self, access: Access) -> bool {
        self.reads && access.reads() || self.writes && access.writes()
    }
}

/// Accesses before a fence that are ordered with accesses after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub before: Kinds,
    pub after: Kinds,
    /// The writes that the reads before take their values from come before, too.
    pub a_cumulative: bool,
    /// The reads that take their values from the writes after come after, too.
    pub b_cumulative: bool,
}

impl Row {
    fn plain(before: Kinds, after: Kinds) -> Row {
        Row { before, after, a_cumulative: false, b_cumulative: false }
    }
}

impl Architecture {
    pub(crate) fn named(name: &str) -> Option<Architecture> {
        Some(match name {
            "sc" => Architecture::Sc,
            "tso" => Architecture::Tso,
            "pso" => Architecture::Pso,
            "rmo" => Architecture::Rmo,
            "alpha" => Architecture::Alpha,
            "power-2012" => Architecture::Power,
            _ => return None,
        })
    }

    pub(crate) fn forbids_thin_air(self) -> bool {
        matches!(self, Architecture::Rmo | Architecture::Alpha | Architecture::Power)
    }

    /// Are dependencies part of the consensus?
    pub(crate) fn follows_dependencies(self) -> bool {
        matches!(self, Architecture::Rmo | Architecture::Power)
    }

    /// What an event orders as a fence. Power knows its fences by their tags, the others by being one.
    pub(crate) fn rows(self, event: &Event) -> Vec<Row> {
        let keeps = |orders| event.access == Access::Fence && event.orders.contains(orders);
        let mut rows = Vec::new();
        match self {
            Architecture::Sc => {}
            Architecture::Tso | Architecture::Pso if keeps(Orders::WR) => {
                rows.push(Row::plain(Kinds::ALL, Kinds::ALL));
            }
            Architecture::Pso if keeps(Orders::WW) => rows.push(Row::plain(Kinds::WRITES, Kinds::WRITES)),
            Architecture::Tso | Architecture::Pso => {}
            Architecture::Rmo | Architecture::Alpha => {
                let from_reads = Kinds { reads: keeps(Orders::RR), writes: keeps(Orders::RW) };
                let from_writes = Kinds { reads: keeps(Orders::WR), writes: keeps(Orders::WW) };
                if from_reads == from_writes {
                    rows.push(Row::plain(Kinds::ALL, from_reads));
                } else {
                    rows.push(Row::plain(Kinds::READS, from_reads));
                    rows.push(Row::plain(Kinds::WRITES, from_writes));
                }
                rows.retain(|row| row.after != Kinds::NONE);
            }
            Architecture::Power => {
                if event.tags.contains("SYNC") {
                    let all = Row::plain(Kinds::ALL, Kinds::ALL);
                    rows.push(Row { a_cumulative: true, b_cumulative: true, ..all });
                }
                if event.tags.contains("LWSYNC") {
                    rows.push(Row { b_cumulative: true, ..Row::plain(Kinds::READS, Kinds::ALL) });
                    rows.push(Row { a_cumulative: true, ..Row::plain(Kinds::WRITES, Kinds::WRITES) });
                }
                if event.tags.contains("EIEIO") {
                    rows.push(Row::plain(Kinds::WRITES, Kinds::WRITES));
                }
            }
        }
        rows
    }
}

impl Builder<'_, '_, '_, '_, '_> {
    /// When two events in program order stay in order for what they are (`not_relax` of Algorithm 4),
    /// given that both happen. Dependencies and fences have their own places.
    pub(super) fn not_relaxed(&mut self, first: EventId, second: EventId) -> Lit {
        let events = &self.encoding.structure.events;
        let (one, other) = (&events[first as usize], &events[second as usize]);
        let (from, to) = (one.access, other.access);
        let accesses = from != Access::Fence && to != Access::Fence;
        let whole = |event: &Event| event.locked && !event.tags.contains(ORDERED);
        let locked = match self.architecture {
            // Their machines lock every read-modify-write.
            Architecture::Tso | Architecture::Pso => one.locked || other.locked,
            _ => whole(one) || whole(other),
        };
        let marked = other.tags.contains("rel") || one.tags.contains("acq");
        Lit::from(match self.architecture {
            Architecture::Sc => accesses,
            Architecture::Tso => accesses && !(from.writes() && to.reads()) || locked,
            Architecture::Pso => accesses && from.reads() || locked,
            Architecture::Rmo => locked || marked,
            Architecture::Alpha => {
                let kept = from.reads() && accesses || from.writes() && to.writes();
                if kept && !locked && !marked {
                    return self.encoding.same_address(self.circuit, first, second);
                }
                locked || marked
            }
            Architecture::Power => false,
        })
    }
}
