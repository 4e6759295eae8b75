//! A parameterised system as plain data: what the method works on, extracted from a program.
//!
//! The paper's array-based transition systems. In transitions, numbers of processes are parameters (`0` acts), terms
//! with node `HERE` are reads by the acting process, and bound variables of universal guards are `BOUND`, `BOUND + 1`.
//! Processes of the text that have a number of their own (`#1`) are parameters too, listed in `fixed`: those may
//! be equal to other parameters, and are never renamed.

use std::sync::Arc;

use crate::literal::{Cell, Literal, Process, Value};

#[derive(Clone, Debug, Default)]
pub struct System {
    pub variables: Vec<Variable>,
    /// How many processes there are, where the text fixes it.
    pub count: Option<u8>,
    /// States from which executions begin: one of these.
    pub init: Vec<Initial>,
    /// What must not be reached.
    pub bad: Vec<Bad>,
    /// What `init` says of cells that no transition writes: it holds always.
    pub constant: Vec<Universal>,
    pub transitions: Vec<Transition>,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Arc<str>,
    pub sort: Sort,
    /// How many processes index it.
    pub arity: u8,
    /// Written through store buffers.
    pub weak: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// With so many constructors.
    Finite(u32),
    Process,
    Integer,
}

/// A set of initial states.
#[derive(Clone, Debug, Default)]
pub struct Initial {
    pub fixed: Vec<Fixed>,
    pub guard: Guard,
}

/// A conjunction over some distinct processes; reads name who reads, and happen at one instant (node 0).
#[derive(Clone, Debug, Default)]
pub struct Bad {
    pub parameters: u8,
    pub fixed: Vec<Fixed>,
    pub literals: Vec<Literal>,
    /// The property of the program that it violates.
    pub property: usize,
}

/// The process with this number (from 0), as a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed {
    pub parameter: Process,
    pub number: u8,
}

#[derive(Clone, Debug, Default)]
pub struct Transition {
    pub name: Arc<str>,
    /// Distinct processes `0..parameters`.
    pub parameters: u8,
    pub fixed: Vec<Fixed>,
    pub guard: Guard,
    pub updates: Vec<Update>,
    /// Waits until the stores of the acting process have left its buffer.
    pub fence: bool,
    /// Reads weak memory, as its text says, whatever comes of it.
    pub reads: bool,
    /// The edge of the program that it is, perhaps one of several ways of taking it.
    pub edge: u32,
    /// What the edge's choices are, in order: a process, or a value that nothing depends on.
    pub choices: Vec<Option<Process>>,
}

#[derive(Clone, Debug, Default)]
pub struct Guard {
    pub literals: Vec<Literal>,
    pub universal: Vec<Universal>,
}

/// For all distinct `BOUND..BOUND + bound` that are none of `except`: one of the conjunctions of `body`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Universal {
    pub bound: u8,
    pub except: Vec<Process>,
    pub body: Vec<Vec<Literal>>,
}

/// An assignment. A cell with an index `BOUND` or above stands for all of them (a broadcast).
#[derive(Clone, Debug)]
pub struct Update {
    pub cell: Cell,
    /// Exactly one of the conditions holds.
    pub cases: Vec<Case>,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub condition: Vec<Literal>,
    /// `None`: the cell is not written at all.
    pub value: Option<Value>,
}

impl Update {
    pub fn set(cell: Cell, value: Value) -> Update {
        Update { cell, cases: vec![Case { condition: vec![], value: Some(value) }] }
    }
}

impl System {
    pub fn variable(&self, cell: Cell) -> &Variable {
        &self.variables[usize::from(cell.variable)]
    }

    pub fn weak(&self, cell: Cell) -> bool {
        self.variable(cell).weak
    }

    /// All constructors of a cell's sort.
    pub fn all(&self, cell: Cell) -> u64 {
        match self.variable(cell).sort {
            Sort::Finite(count) if count < 64 => (1 << count) - 1,
            _ => u64::MAX,
        }
    }
}
