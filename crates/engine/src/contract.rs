//! What an engine is.

use std::collections::BTreeSet;
use std::fmt;

use wattle_logic::Value;
use wattle_memory::MemoryModel;
use wattle_program::Program;
use wattle_source::Span;

use crate::{Answer, Reason, Run};

/// A question.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    pub program: &'a Program,
    pub memory: &'a MemoryModel,
    pub property: Property,
}

/// What is asked of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Property {
    /// Every assertion, `forbid`, `always` and `finally` of the text, and no faults.
    #[default]
    Stated,
    /// No state in which nothing can move although a thread has not ended.
    NoDeadlock,
}

/// Something that an engine does not handle, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    pub what: String,
    pub span: Option<Span>,
}

impl Unsupported {
    pub fn new(what: impl Into<String>) -> Unsupported {
        Unsupported { what: what.into(), span: None }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// A value that already holds its own options.
pub trait Engine: Send + Sync {
    fn name(&self) -> &'static str;
    /// Can this engine work on the task at all?
    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported>;
    fn check(&self, task: &Task<'_>, run: &Run) -> Answer;
}

/// The engines that can list all final states.
pub trait Outcomes {
    /// `Err` if the set could not be completed.
    fn outcomes(&self, task: &Task<'_>, run: &Run) -> Result<OutcomeSet, Reason>;
}

/// The values of the program's observed terms in one final state.
pub type Outcome = Vec<Value>;

/// The distinct outcomes of a program, sorted.
pub type OutcomeSet = BTreeSet<Outcome>;
