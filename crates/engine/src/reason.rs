//! Why an answer is *unknown*, in kinds that a program can tell apart.

use std::fmt;

use crate::{Bound, Unsupported};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Timeout,
    Memory,
    States,
    Work,
    Interrupted,
    Unsupported(Unsupported),
    /// No initial state satisfies `init`, so that there is nothing to judge.
    NoInitialState,
    /// No execution of a litmus test is allowed, so that there is nothing to list.
    NoExecution(String),
    /// The bounded search reached nothing that the property speaks about.
    Vacuous {
        bound: Bound,
    },
    /// What was asked for needs all executions, and only those within the bound were seen.
    OnlyUpTo(Bound),
    /// A value left the 64 bits in which values are calculated.
    Overflow,
    /// A fault in a place where no verdict follows from it: in a property, in a final state, or under axioms.
    NoValue(String),
    /// A limit that an engine sets itself: so much of something is more than it handles.
    TooLarge(String),
    /// The method came to an end without a proof and without a violation.
    Undecided(String),
    /// A solver stopped without an answer, or cannot be loaded.
    Solver(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Timeout => write!(f, "time limit reached"),
            Reason::Memory => write!(f, "memory limit reached"),
            Reason::States => write!(f, "limit of states reached"),
            Reason::Work => write!(f, "work limit reached"),
            Reason::Interrupted => write!(f, "interrupted"),
            Reason::Unsupported(what) => write!(f, "unsupported: {what}"),
            Reason::NoInitialState => write!(f, "no initial state satisfies `init`"),
            Reason::Vacuous { bound } => {
                write!(f, "within the bound ({bound}) no execution reaches what the property speaks about")
            }
            Reason::OnlyUpTo(bound) => write!(f, "only {bound}"),
            Reason::Overflow => write!(f, "an integer left 64 bits"),
            Reason::NoExecution(why)
            | Reason::NoValue(why)
            | Reason::TooLarge(why)
            | Reason::Undecided(why)
            | Reason::Solver(why) => write!(f, "{why}"),
        }
    }
}
