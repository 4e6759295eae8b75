//! A proof by backward reachability, as plain data: sets of states that contain everything bad, no initial state, and every
//! state from which a step leads into one of them.
//!
//! A cube says that there are distinct processes `0..n` that satisfy its literals. Under tso it also speaks of what happens later: reads that
//! return what some earlier store will have written. Reads that happen at one moment belong to one *instant*. What must come before an instant
//! in the global order is said by kinds: any event of a process, a store, fence or locked step of a process, a store to a cell.

use wattle_logic::Term;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CubeProof {
    /// For any number of processes, or for the one that the text fixes?
    pub any: bool,
    pub cubes: Vec<Cube>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cube {
    /// One for each process: its number, if that is fixed.
    pub numbers: Vec<Option<u32>>,
    pub reads: Vec<Read>,
    /// `Bound(i)` is process i, `Content` what a variable outside the buffers holds (any variable, under sc), and `Local(i)` what
    /// the i-th read returns.
    pub literals: Vec<Term>,
    pub instants: Vec<Instant>,
    pub facts: Vec<Fact>,
}

/// What holds of processes outside the cube: for all distinct ones that are none of `except`, and that are not all of the cube.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// How many processes it is about. In the body and in reads they follow those of the cube: `Bound(n)`, `Bound(n + 1)` of a cube of n.
    pub bound: u32,
    pub except: Vec<u32>,
    /// `Local(i)` of the body is the i-th of these.
    pub reads: Vec<Read>,
    pub body: Term,
}

/// A read that nothing has satisfied yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    pub instant: u32,
    pub by: u32,
    pub cell: Cell,
}

/// A variable, or an element; indices are processes of the cube.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    pub variable: u32,
    pub indices: Vec<u32>,
}

/// What comes before an instant, or belongs to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instant {
    /// Instants, itself among them.
    pub after: Vec<u32>,
    /// Processes with an event of any kind.
    pub events: Vec<u32>,
    /// Processes with a store, a fence or a locked step.
    pub drains: Vec<u32>,
    /// Cells with a store to them.
    pub cells: Vec<Cell>,
    /// Arrays with a store to every cell.
    pub arrays: Vec<u32>,
}
