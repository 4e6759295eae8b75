//! What an engine answers: four kinds of verdict, each saying what it is worth.

use std::fmt;
use std::sync::Arc;

use wattle_logic::Fault;
use wattle_memory::Execution;
use wattle_memory::operational::Action;
use wattle_program::{EdgeId, ProcessId, ThreadId};

use crate::Unsupported;
use crate::certify::abstraction::AbstractProof;
use crate::certify::refutation::Refutation;

#[derive(Clone, Debug)]
pub struct Answer {
    pub verdict: Verdict,
    pub statistics: Statistics,
}

#[derive(Clone, Debug)]
pub enum Verdict {
    Safe {
        certificate: Certificate,
    },
    /// Never printed as "safe".
    SafeUpTo {
        bound: Bound,
    },
    Unsafe {
        counterexample: Box<Counterexample>,
    },
    Unknown {
        reason: Reason,
    },
}

/// Why *safe* may be believed; `certify` has a checker for each form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// All reachable states were visited and none is bad.
    StateSpace {
        /// How many states the engine stored.
        states: u64,
        /// No thread ever has more than this many stores or remote halves pending, not counting
        /// stores that change nothing (see `certify::state_space`).
        capacity: usize,
        /// Were some interleavings left out by a reduction?
        reduced: bool,
        /// The edges that no execution takes.
        unreached: Vec<(ProcessId, EdgeId)>,
        /// Is there a final state (that the filter allows)?
        ends: bool,
    },
    /// All consistent executions were looked at and none is bad.
    Executions {
        /// How many there are, those with a stopped thread included.
        executions: u64,
        /// The edges that no execution takes.
        unreached: Vec<(ProcessId, EdgeId)>,
        /// Does one end (as the filter allows)?
        ends: bool,
    },
    /// The abstract states that can be reached were visited and none is bad.
    Abstraction {
        proof: Arc<AbstractProof>,
        /// Edges that no execution takes: those that no abstract state takes.
        unreached: Vec<(ProcessId, EdgeId)>,
        /// May one end? (Where abstract states say so; an execution need not.)
        ends: bool,
    },
    /// A solver found that no execution of the unrolled program is bad, and that none is cut.
    Refutation {
        /// Why, if the engine was asked to write it down.
        proof: Option<Arc<Refutation>>,
        /// Is it known what executions reach? If not, `unreached` is empty and `ends` is true.
        covered: bool,
        /// The edges that no execution takes.
        unreached: Vec<(ProcessId, EdgeId)>,
        /// Does one end (as the filter allows)?
        ends: bool,
    },
}

impl Certificate {
    /// Is it known what executions reach?
    pub fn is_covered(&self) -> bool {
        !matches!(self, Certificate::Refutation { covered: false, .. })
    }

    /// The edges that no execution takes, and whether one ends.
    pub fn coverage(&self) -> (&[(ProcessId, EdgeId)], bool) {
        match self {
            Certificate::StateSpace { unreached, ends, .. }
            | Certificate::Executions { unreached, ends, .. }
            | Certificate::Abstraction { unreached, ends, .. }
            | Certificate::Refutation { unreached, ends, .. } => (unreached, *ends),
        }
    }
}

/// How far a bounded answer reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Executions in which no thread has more than this many stores or remote halves pending.
    Capacity { capacity: usize, unreached: Vec<(ProcessId, EdgeId)>, ends: bool },
    /// Executions in which no thread goes round a loop more often than this.
    Unwinding { unwind: u32, unreached: Vec<(ProcessId, EdgeId)>, ends: bool },
}

impl Bound {
    /// The edges that no execution within the bound takes, and whether one ends.
    pub fn coverage(&self) -> (&[(ProcessId, EdgeId)], bool) {
        match self {
            Bound::Capacity { unreached, ends, .. } | Bound::Unwinding { unreached, ends, .. } => {
                (unreached, *ends)
            }
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Capacity { capacity, .. } => write!(f, "at most {capacity} pending operations a thread"),
            Bound::Unwinding { unwind, .. } => write!(f, "at most {unwind} rounds of each loop"),
        }
    }
}

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
    /// The bounded search reached nothing that the property speaks about.
    Vacuous {
        bound: Bound,
    },
    GaveUp(String),
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
            Reason::GaveUp(why) => write!(f, "{why}"),
        }
    }
}

/// An execution that violates the property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    pub violated: Violation,
    /// For axiomatic models: what each thread does, in the order of the threads.
    pub paths: Vec<Path>,
    /// For operational machines: the moves.
    pub schedule: Option<Schedule>,
    /// The event graph.
    pub execution: Option<Execution>,
}

/// The steps of one thread: an edge, and the codes of what its `havoc`s choose.
pub type Path = Vec<(EdgeId, Vec<i64>)>;

/// The moves of a machine from one of its initial states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The codes chosen for initial contents that are not fixed, in the order of
    /// `operational::initial_states`.
    pub initial: Vec<i64>,
    pub actions: Vec<Action>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The last move takes this edge, and its operation `op` is an assertion that does not hold.
    Assertion { thread: ThreadId, edge: EdgeId, op: usize },
    /// The last state violates this property (its number in the program).
    Property { property: usize },
    /// The last move takes this edge and has no result.
    Fault { thread: ThreadId, edge: EdgeId, op: Option<usize>, fault: Fault },
    /// In the last state nothing can move, and not all threads have ended.
    Deadlock,
}

/// Figures of a run, in the order in which they are printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics(pub Vec<(&'static str, Figure)>);

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    Count(u64),
    Bytes(u64),
    Seconds(f64),
}

impl Statistics {
    pub fn count(&mut self, name: &'static str, value: u64) {
        self.set(name, Figure::Count(value));
    }

    pub fn set(&mut self, name: &'static str, figure: Figure) {
        match self.0.iter_mut().find(|(other, _)| *other == name) {
            Some((_, old)) => *old = figure,
            None => self.0.push((name, figure)),
        }
    }

    pub fn get(&self, name: &str) -> Option<Figure> {
        self.0.iter().find(|(other, _)| *other == name).map(|(_, figure)| *figure)
    }
}
