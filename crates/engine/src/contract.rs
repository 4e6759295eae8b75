//! What an engine is.

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::Value;
use wattle_memory::MemoryModel;
use wattle_program::{Name, NotFixed, Program, Shape, cuts};

pub use wattle_program::Unsupported;

use crate::{Answer, Bound, Contradiction, Estimate, Halt, Hints, Run};

/// A question.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    pub program: &'a Program,
    pub memory: &'a MemoryModel,
    pub property: Property,
    /// What earlier answers about much the same program left. `None`: there will be no later ones either.
    pub hints: Option<&'a Hints>,
}

impl Task<'_> {
    /// `Err`: the model does not know something of the program. Every engine asks this before it accepts.
    pub fn has_meaning(&self) -> Result<(), Unsupported> {
        self.memory.refuses(self.program).map_or(Ok(()), Err)?;
        match cuts(self.program).find(|_| self.property == Property::NoDeadlock) {
            // A thread that stops there is not stuck.
            Some(cut) => {
                let what = format!("deadlock in a program that is cut ({})", cut.what);
                Err(Unsupported { what, span: Some(cut.span) })
            }
            None => Ok(()),
        }
    }

    /// For engines that need to know how many threads there are.
    pub fn shape(&self) -> Result<Shape, Unsupported> {
        Shape::new(self.program).map_err(|NotFixed(process)| {
            let process = self.program.process(process);
            let what = format!("`{}` has any number of copies", process.name);
            Unsupported { what, span: Some(process.span) }
        })
    }
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

/// A value that already holds its own options.
pub trait Engine: Send + Sync {
    fn name(&self) -> &'static str;
    /// Can this engine work on the task at all?
    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported>;
    /// What to expect of a task that it accepts.
    fn estimate(&self, _task: &Task<'_>) -> Estimate {
        Estimate::Open
    }
    /// `Err`: the engine found that wattle contradicts itself, which is not a verdict of any kind.
    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction>;
    /// May this engine say more than that nothing is violated up to a bound?
    fn improves(&self, _bound: &Bound) -> bool {
        true
    }
    /// An engine that goes on beyond a bound that this one has answered up to, as long as it may: asked when all have had their turns,
    /// nobody knows more, and there is time. `None`: this one has done all that it can.
    fn beyond(&self, _bound: &Bound) -> Option<Box<dyn Engine>> {
        None
    }
    /// Some engines can list all final states.
    fn lists(&self) -> Option<&dyn Outcomes> {
        None
    }
    /// Some engines look at every execution.
    fn counts(&self) -> Option<&dyn Executions> {
        None
    }
}

/// The engines that can list all final states.
pub trait Outcomes {
    /// `Err` if the set could not be completed.
    fn outcomes(&self, task: &Task<'_>, run: &Run) -> Result<OutcomeSet, Halt>;
}

/// The values of the program's observed terms in one final state.
pub type Outcome = Vec<Value>;

/// The distinct outcomes of a program, sorted.
pub type OutcomeSet = BTreeSet<Outcome>;

/// The engines that look at every execution.
pub trait Executions {
    /// `Err` if the count could not be completed.
    fn executions(&self, task: &Task<'_>, run: &Run) -> Result<Census, Halt>;
}

/// All executions that end, counted by the final state that they end in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    pub outcomes: BTreeMap<Outcome, Tally>,
    /// The `flag` axioms that some execution raises.
    pub flags: BTreeSet<Name>,
    /// Some execution breaks an `undefined_unless` axiom: the program has no meaning.
    pub undefined: bool,
    /// `Some`: longer executions were left out.
    pub bound: Option<Bound>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub executions: u64,
    /// Does the program's condition hold in this final state?
    pub holds: bool,
}

impl Census {
    pub fn executions(&self) -> u64 {
        self.outcomes.values().map(|tally| tally.executions).sum()
    }

    /// Executions in which the program's condition holds.
    pub fn positive(&self) -> u64 {
        self.outcomes.values().filter(|tally| tally.holds).map(|tally| tally.executions).sum()
    }
}
