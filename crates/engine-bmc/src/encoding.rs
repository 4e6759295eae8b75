//! A structure as literals: what every formulation of the memory model starts from.
//!
//! Literals of the two communication relations are *absolute*: they hold only if both events happen
//! and have the same address, and (for reads-from) the same value.

use wattle_sat::{Lit, Pair};

use crate::structure::{EventId, Structure};

/// Where clauses come from, for the figures of a run (Alglave et al. 2013, Fig. 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Constraint {
    /// Values and control flow.
    Ssa,
    ReadFrom,
    Coherence,
    FromRead,
    ProgramOrder,
    Fence,
    Property,
}

impl Constraint {
    pub const ALL: [Constraint; 7] = [
        Constraint::Ssa,
        Constraint::ReadFrom,
        Constraint::Coherence,
        Constraint::FromRead,
        Constraint::ProgramOrder,
        Constraint::Fence,
        Constraint::Property,
    ];
}

pub(crate) struct Encoding<'a, 's> {
    pub structure: &'a Structure<'s>,
    /// For each event: it happens.
    pub happens: Vec<Lit>,
    /// For each event: the locations that it may access (sorted); empty for fences.
    pub locations: Vec<Vec<u32>>,
    /// (write, read): the read takes its value from the write. Pairs that cannot be are not listed.
    pub reads_from: Vec<(Lit, Pair)>,
    /// (write, write): both happen, have the same address, and the first comes first. Initial writes
    /// come first.
    pub coherence: Vec<(Lit, Pair)>,
}

impl Encoding<'_, '_> {
    pub fn happens(&self, event: EventId) -> Lit {
        self.happens[event as usize]
    }
}
