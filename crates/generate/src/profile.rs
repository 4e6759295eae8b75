//! What kind of programs to generate. Chances are per mille.

/// Which constructs a program is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Locked steps and sections, few fences: what matters is interleaving.
    Sc,
    /// Stores before loads, full fences, locked steps.
    Tso,
    /// Also fences that order stores only, `fence(x)` and release stores.
    Pso,
    /// Processes that own memory and access that of others.
    Rma,
}

#[derive(Clone, Debug)]
pub struct Profile {
    pub flavour: Flavour,
    pub threads: (u32, u32),
    pub variables: (u32, u32),
    /// Statements of all threads together; nested ones count too.
    pub statements: (u32, u32),
    /// How deep branches and loops nest.
    pub depth: u32,
    /// A process has several copies.
    pub replicated: u32,
    /// A variable is an array.
    pub array: u32,
    /// A cell with a range starts with any value of it.
    pub any_init: u32,
    /// A statement is a loop.
    pub loops: u32,
    /// A division or an index is not guarded.
    pub faults: u32,
    /// A loop counts without bound, so the state space is infinite.
    pub growing: u32,
    /// A loop that may go on for ever ends each round with a fence; without one, most fill buffers without bound.
    pub fenced_loops: u32,
    /// A statement is one that wattle does not handle.
    pub unsupported: u32,
    /// There is a variable that holds addresses, and accesses through it.
    pub pointers: u32,
    /// A straight litmus test instead of a program with control flow.
    pub litmus: u32,
    /// A thread of a litmus test does some of its accesses again and again.
    pub litmus_loops: u32,
    /// Some cells are integers of a machine, with a width.
    pub machine_integers: bool,
    /// All memory and all locals are observed; otherwise a random part.
    pub observe_all: u32,
}

impl Profile {
    /// Sizes that give a plain search a few dozen to a few hundred states.
    pub fn small(flavour: Flavour) -> Profile {
        Profile {
            flavour,
            threads: (1, 3),
            variables: (1, 3),
            statements: (4, 8),
            depth: 2,
            replicated: 200,
            array: 200,
            any_init: 60,
            loops: 50,
            faults: 15,
            growing: 0,
            fenced_loops: 700,
            unsupported: 2,
            pointers: 40,
            litmus: 450,
            litmus_loops: 0,
            machine_integers: true,
            observe_all: 500,
        }
    }

    /// Like `small`, and every kind of program in turn: `pick` is any number, the seed say.
    pub fn varied(pick: u64) -> Profile {
        let flavours = [
            Flavour::Tso,
            Flavour::Pso,
            Flavour::Rma,
            Flavour::Sc,
            Flavour::Pso,
            Flavour::Tso,
            Flavour::Rma,
            Flavour::Pso,
        ];
        Profile::small(flavours[(pick % flavours.len() as u64) as usize])
    }

    pub fn is_rma(&self) -> bool {
        self.flavour == Flavour::Rma
    }
}
