//! What the order theory is told: relations between events, and what must have no cycle.
//!
//! A memory model is a handful of definitions over relations that the solver decides (which write a
//! read takes its value from, which of two writes comes first) and an order that no cycle may break.
//! Definitions here are *monotone*: more given pairs, more derived pairs. So what is derived from the
//! literals that are true now stays derived when more become true, a cycle found early is a conflict,
//! and the reason for a pair is a tree of definitions with literals at its leaves.

use std::sync::Arc;

use crate::Lit;

/// Two events, by number.
pub type Pair = (u32, u32);

/// The position of a relation in [`Description::relations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelationId(pub u32);

/// How the pairs of a relation come about. Operands may come later in the list: definitions may be
/// recursive, and the least solution is meant. A set is the relation of its elements with themselves.
#[derive(Clone, Debug)]
pub enum Definition {
    /// Pairs that always hold, and pairs that hold exactly where their literal does.
    Given {
        fixed: Vec<Pair>,
        literal: Vec<(Lit, Pair)>,
    },
    Union(Vec<RelationId>),
    Intersection(RelationId, RelationId),
    /// The pairs of a relation that are among these (sorted).
    Within(RelationId, Arc<Vec<Pair>>),
    /// First the one, then the other.
    Sequence(RelationId, RelationId),
    Inverse(RelationId),
    /// One step or more.
    Closure(RelationId),
    /// Each first event with itself, each second event with itself.
    Domain(RelationId),
    Range(RelationId),
    /// `reads_from^-1 ; coherence`, without pairs of one event: a read comes before the writes that
    /// come after the one it takes its value from. Both must be `Given`.
    FromRead {
        reads_from: RelationId,
        coherence: RelationId,
    },
}

/// Edges that together have no cycle: `fixed` and `literal` ones, and all pairs of `relations`.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub fixed: Vec<Pair>,
    pub literal: Vec<(Lit, Pair)>,
    pub relations: Vec<RelationId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// No pair of an event with itself.
    Irreflexive,
    /// No pair.
    Empty,
}

#[derive(Clone, Debug, Default)]
pub struct Description {
    pub events: u32,
    pub relations: Vec<Definition>,
    pub graphs: Vec<Graph>,
    pub tests: Vec<(Test, RelationId)>,
}
