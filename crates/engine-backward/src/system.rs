//! A parameterised system as plain data: what the method works on, extracted from a program.
//!
//! The paper's array-based transition systems. In transitions, numbers of processes are parameters (`0` acts), terms
//! with node `HERE` are reads by the acting process, and bound variables of universal guards are `BOUND`, `BOUND + 1`.
//! Processes of the text that have a number of their own (`#1`) are parameters too, listed in `fixed`: those may
//! be equal to other parameters, and are never renamed.

use crate::literal::{BOUND, Cell, Literal, Process, Value};

#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    pub(crate) variables: Vec<Variable>,
    /// How many processes there are, where the text fixes it.
    pub(crate) count: Option<u8>,
    /// States from which executions begin: one of these.
    pub(crate) init: Vec<Initial>,
    /// What must not be reached.
    pub(crate) bad: Vec<Bad>,
    /// What `init` says of cells that no transition writes: it holds always.
    pub(crate) constant: Vec<Universal>,
    pub(crate) transitions: Vec<Transition>,
    /// Whether it calculates with more than differences ([`sum`](crate::sum)).
    pub(crate) sums: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) sort: Sort,
    /// Of an integer: its least and greatest value, which no step leaves.
    pub(crate) range: Option<(i64, i64)>,
    /// Written through store buffers.
    pub(crate) weak: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// With so many constructors.
    Finite(u32),
    Process,
    Integer,
}

/// A set of initial states.
#[derive(Clone, Debug, Default)]
pub(crate) struct Initial {
    pub(crate) fixed: Vec<Fixed>,
    pub(crate) guard: Guard,
}

/// A conjunction over some distinct processes; reads name who reads, and happen at one instant (node 0).
#[derive(Clone, Debug, Default)]
pub(crate) struct Bad {
    pub(crate) parameters: u8,
    pub(crate) fixed: Vec<Fixed>,
    pub(crate) literals: Vec<Literal>,
    /// The property of the program that it violates.
    pub(crate) property: usize,
}

/// The process with this number (from 0), as a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fixed {
    pub(crate) parameter: Process,
    pub(crate) number: u8,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Transition {
    /// Distinct processes `0..parameters`.
    pub(crate) parameters: u8,
    pub(crate) fixed: Vec<Fixed>,
    pub(crate) guard: Guard,
    pub(crate) updates: Vec<Update>,
    /// Waits until the stores of the acting process have left its buffer.
    pub(crate) fence: bool,
    /// Reads weak memory, as its text says, whatever comes of it.
    pub(crate) reads: bool,
    /// The edge of the program that it is, perhaps one of several ways of taking it.
    pub(crate) edge: u32,
    /// What the edge's choices are, in order: a process, or a value that nothing depends on.
    pub(crate) choices: Vec<Option<Process>>,
}

impl Transition {
    /// Does it ask something of all processes, or store for all of them?
    pub(crate) fn speaks_of_all(&self) -> bool {
        let broadcast = |update: &Update| update.cell.indices().any(|index| index >= BOUND);
        !self.guard.universal.is_empty() || self.updates.iter().any(broadcast)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Guard {
    pub(crate) literals: Vec<Literal>,
    pub(crate) universal: Vec<Universal>,
}

/// For all distinct `BOUND..BOUND + bound` that are none of `except`: one of the conjunctions of `body`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Universal {
    pub(crate) bound: u8,
    pub(crate) except: Vec<Process>,
    pub(crate) body: Vec<Vec<Literal>>,
}

/// An assignment. A cell with an index `BOUND` or above stands for all of them (a broadcast).
#[derive(Clone, Debug)]
pub(crate) struct Update {
    pub(crate) cell: Cell,
    /// Exactly one of the conditions holds.
    pub(crate) cases: Vec<Case>,
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) condition: Vec<Literal>,
    /// `None`: the cell is not written at all.
    pub(crate) value: Option<Value>,
}

#[cfg(test)]
impl Update {
    pub(crate) fn set(cell: Cell, value: Value) -> Update {
        Update { cell, cases: vec![Case { condition: vec![], value: Some(value) }] }
    }
}

impl System {
    pub(crate) fn variable(&self, cell: Cell) -> &Variable {
        &self.variables[usize::from(cell.variable)]
    }

    pub(crate) fn weak(&self, cell: Cell) -> bool {
        self.variable(cell).weak
    }

    /// All constructors of a cell's sort.
    pub(crate) fn all(&self, cell: Cell) -> u64 {
        match self.variable(cell).sort {
            Sort::Finite(count) if count < 64 => (1 << count) - 1,
            _ => u64::MAX,
        }
    }
}
