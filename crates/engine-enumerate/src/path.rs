//! What one thread may do, before anything is known about what its reads return.

use wattle_logic::Fault;
pub(crate) use wattle_memory::Access;
use wattle_program::{EdgeId, Name, Orders, Point, Tags};

use wattle_program::symbolic::operations::Uses;
use wattle_program::symbolic::{Arena, Expr, Reads};

/// One way through a thread.
#[derive(Clone, Debug)]
pub(crate) struct Path<'a> {
    pub events: Vec<PathEvent<'a>>,
    /// How many of the events read.
    pub reads: u32,
    /// What must hold for the thread to go this way.
    pub constraints: Vec<Constraint>,
    pub asserts: Vec<Asserted>,
    /// The locals where the path stops.
    pub locals: Vec<Expr>,
    /// The edges, and the codes of what their `havoc`s choose.
    pub steps: Vec<(EdgeId, Vec<i64>)>,
    /// Branches whose two sides are taken for one: the position in `steps`, and the condition under
    /// which the edge there is the right one.
    pub detours: Vec<(u32, Expr)>,
    pub point: Point,
    pub end: End,
}

/// How a path stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Ended,
    /// At a step that may not be possible; or anywhere, where a property asks for every state.
    Standing,
    /// By the bound on loops.
    Cut,
    /// The next edge has no result: this expression faults (or this fault is certain).
    Faulted {
        edge: EdgeId,
        op: Option<usize>,
        why: Faulted,
        /// The step has stored before, which nobody may see.
        stored: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Faulted {
    Certain(Fault),
    /// As the last constraint of the path says.
    Possible(Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constraint {
    Is(Expr, bool),
    /// The expression has a value.
    Defined(Expr),
    Faults(Expr),
}

impl Constraint {
    pub(crate) fn expr(self) -> Expr {
        match self {
            Constraint::Is(expr, _) | Constraint::Defined(expr) | Constraint::Faults(expr) => expr,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Asserted {
    pub edge: EdgeId,
    pub op: usize,
    pub condition: Expr,
}

/// How a write belongs to an earlier read of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pair {
    /// Of one instruction: the event with this number.
    Instruction(u32),
    /// A pair of exclusives.
    Exclusive(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PathEvent<'a> {
    pub access: Access,
    pub edge: EdgeId,
    /// The position of its edge among the steps of the path.
    pub instruction: u32,
    pub locked: bool,
    pub orders: Orders,
    /// The tags of the operations that made it.
    pub tags: [Option<&'a Tags>; 2],
    pub fence: Option<&'a Name>,
    /// Of no meaning for fences.
    pub address: Expr,
    /// What is written.
    pub value: Expr,
    /// Its number among the reads.
    pub read: u32,
    /// Its bit in dependencies: the number of a read. Store-conditionals whose result is a dependency
    /// count downwards from the highest bit.
    pub source: Option<u32>,
    pub uses: Uses<Reads>,
    pub pair: Option<Pair>,
}

impl Path<'_> {
    /// May an expression of it have no value?
    pub(crate) fn may_fault(&self) -> bool {
        matches!(self.end, End::Faulted { .. })
            || self.constraints.iter().any(|constraint| matches!(constraint, Constraint::Defined(_)))
    }

    /// Are all addresses known?
    pub(crate) fn is_fixed(&self, arena: &Arena<'_>) -> bool {
        let mut accesses = self.events.iter().filter(|event| event.access != Access::Fence);
        accesses.all(|event| arena.value(event.address).is_some())
    }
}
