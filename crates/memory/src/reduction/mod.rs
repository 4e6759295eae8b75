//! Reductions: a program on a weak machine as a program under sequential consistency.
//!
//! What a machine keeps beside memory, such as store buffers, is written into the program as variables and
//! locals, and what the machine does by itself, such as a commit, becomes edges. What comes out is an
//! ordinary program that any engine can run under sc.
//!
//! Each way to do this is a [`Reduction`], and [`of`] is the only place where a machine is matched with its
//! own. What differs from one reduction to the next is said by the [`Reduced`] program as data:
//!
//! * Its *moves*: what each edge stands for, and so which actions of the machine a path comes to
//!   ([`Move::action`]).
//! * Its *bound*: a program has finitely many locals, and a machine may keep any number of things. Where a
//!   reduction leaves something out, it adds a property that is violated when that would have been needed. A
//!   proof that includes this property is a proof for the machine; its violation is not a violation of the program.
//!   With an abstract *rest* ([`Capacity::rest`]) nothing is left out, and the program does more than the machine.
//!
//! [`Tso`] and [`Pso`] share `store_buffers.rs`; [`Rma`] keeps pending remote operations.

mod address;
mod case;
mod order;
mod pending;
mod pso;
mod rest;
pub mod rma;
mod room;
mod store_buffers;
mod thread;
mod tso;

pub use order::Order;
pub use pso::Pso;
pub use rest::{Contents, Keeps, Remainder, Rest};
pub use rma::Rma;
pub use room::{Capacity, Room};
pub use store_buffers::{Buffers, PerLocation, PerThread, Slot, Waiting};
pub use tso::Tso;

use std::fmt;

use wattle_program::passes::instantiate;
use wattle_program::{EdgeId, Op, Program, ThreadId, Unsupported};

use crate::Machine;
use crate::operational::Action;

/// A way to write what a machine keeps beside memory into a program.
pub trait Reduction: fmt::Debug + Sync {
    /// Its name, which certificates carry.
    fn discipline(&self) -> Discipline;

    /// How much each buffer is to hold, where a user has said so.
    fn capacity(&self, program: &Program, room: &Room) -> Result<Capacity, Unsupported>;

    /// The program under sequential consistency, flat: where a proof begins.
    fn sequential(&self, program: &Program) -> Result<Program, Unsupported> {
        instantiate(program)
    }

    fn reduce(&self, program: &Program, capacity: &Capacity) -> Result<Reduced, Unsupported>;

    fn reduce_within(&self, program: &Program, room: &Room) -> Result<Reduced, Unsupported> {
        self.reduce(program, &self.capacity(program, room)?)
    }
}

/// The reduction for a machine. `None`: it keeps nothing beside memory, or there is no reduction for it yet.
pub fn of(machine: Machine) -> Option<&'static dyn Reduction> {
    match machine {
        Machine::Tso => Some(&Tso),
        Machine::Pso => Some(&Pso),
        Machine::Rma { in_order: false } => Some(&Rma),
        Machine::Sc { .. } | Machine::Rma { in_order: true } => None,
    }
}

/// The same for a program: remote operations are pending under sc too, though not for long.
pub fn of_program(machine: Machine, program: &Program) -> Option<&'static dyn Reduction> {
    let Machine::Sc { atomic_copy } = machine else { return of(machine) };
    let remote =
        |op: &Op| matches!(op, Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } | Op::Flush { .. });
    let edges = program.processes.iter().flat_map(|process| &process.cfg.edges);
    let is_remote = edges.flat_map(|edge| &edge.ops).any(remote);
    is_remote.then(|| named(Discipline::RmaUnderSc { atomic_copy }))
}

/// The reduction that a certificate names.
pub fn named(discipline: Discipline) -> &'static dyn Reduction {
    match discipline {
        Discipline::Tso => &Tso,
        Discipline::Pso => &Pso,
        Discipline::Rma => &Rma,
        Discipline::RmaUnderSc { atomic_copy: false } => &rma::UnderSc { atomic_copy: false },
        Discipline::RmaUnderSc { atomic_copy: true } => &rma::UnderSc { atomic_copy: true },
    }
}

/// The name of a reduction, as plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Discipline {
    Tso,
    Pso,
    Rma,
    /// Remote operations under sequential consistency.
    RmaUnderSc {
        atomic_copy: bool,
    },
}

impl Discipline {
    /// Is it remote operations that are pending?
    pub fn is_remote(self) -> bool {
        matches!(self, Discipline::Rma | Discipline::RmaUnderSc { .. })
    }
}

/// A program with a machine written into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// Which reduction it comes from: with these two, it can be made again.
    pub discipline: Discipline,
    pub capacity: Capacity,
    /// One process for each thread of the source, in order; to be run under sc.
    pub program: Program,
    pub moves: Moves,
    /// The property, by number, that is violated where the reduction leaves something out. What comes after
    /// such a violation says nothing of the machine. `None`: it leaves nothing out.
    pub bound: Option<usize>,
    pub buffers: Buffers,
    /// By process: does a fence, or a locked step, stand between every two buffered stores, on every path?
    pub fenced: Vec<bool>,
}

/// What each edge of a program stands for, by process and edge.
pub type Moves = Vec<Vec<Move>>;

/// What an edge of a reduced program stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// A case of this edge of the source.
    Step(EdgeId),
    /// The oldest pending store to this location reaches memory (or one of those in a rest).
    Commit(u32),
    /// The instance of a remote statement that is pending in a slot writes, or one of those in its rest (`None`).
    /// `acts`: an atomic happens; its result is delivered later. When its source was read, nobody has noticed, so this
    /// is no single action of the machine.
    Deliver { statement: u32, slot: Option<u32>, acts: bool },
    /// This edge of the source stores, and the buffer is full.
    Overflow(EdgeId),
    /// A thread that has ended and drained, or that goes on after it has waited.
    End,
}

impl Move {
    /// The edge of the source that is taken, or whose taking is given up.
    pub fn edge(self) -> Option<EdgeId> {
        match self {
            Move::Step(edge) | Move::Overflow(edge) => Some(edge),
            Move::Commit(_) | Move::Deliver { .. } | Move::End => None,
        }
    }

    /// What the machine does. `choices`: the values that the edge chooses. `None`: nothing.
    pub fn action(self, thread: ThreadId, choices: Vec<i64>) -> Option<Action> {
        match self {
            Move::Step(edge) | Move::Overflow(edge) => Some(Action::Step { thread, edge, choices }),
            Move::Commit(location) => Some(Action::Commit { thread, location }),
            Move::Deliver { .. } | Move::End => None,
        }
    }
}

/// The moves of a program that is run as it is: each edge stands for itself.
pub fn plain_moves(program: &Program) -> Moves {
    program.processes.iter().map(|process| process.cfg.edge_ids().map(Move::Step).collect()).collect()
}

#[cfg(test)]
mod tests;
