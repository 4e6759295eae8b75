//! What an engine answers: four kinds of verdict, each saying what it is worth.

use std::fmt;

use wattle_logic::Fault;
use wattle_memory::Execution;
use wattle_memory::operational::Action;
use wattle_program::{EdgeId, Instance, Name, ThreadId};

use crate::{Certificate, Contradiction, Coverage, Halt, Hints, Reason};

#[derive(Clone, Debug)]
pub struct Answer {
    pub verdict: Verdict,
    /// What executions reach, of *safe* and bounded answers. `None`: it is not known.
    pub coverage: Option<Coverage>,
    /// Of an *unknown*: what may be a violation.
    pub suspicion: Option<Suspicion>,
    /// What a task that differs in a few fences may begin with.
    pub hints: Hints,
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

impl Answer {
    /// A verdict that says nothing of what executions reach.
    pub fn new(verdict: Verdict, statistics: Statistics) -> Answer {
        Answer { verdict, coverage: None, suspicion: None, hints: Hints::default(), statistics }
    }

    pub fn covering(self, coverage: impl Into<Option<Coverage>>) -> Answer {
        Answer { coverage: coverage.into(), ..self }
    }

    /// What comes of an engine's work: *unknown* where it met a limit.
    pub fn of(
        result: Result<impl Into<Answer>, Halt>,
        statistics: Statistics,
    ) -> Result<Answer, Contradiction> {
        match result {
            Ok(answer) => Ok(Answer { statistics, ..answer.into() }),
            Err(Halt::Unknown(reason)) => Ok(Answer::new(Verdict::Unknown { reason }, statistics)),
            Err(Halt::Contradiction(contradiction)) => Err(contradiction),
        }
    }
}

/// Without figures.
impl From<(Verdict, Option<Coverage>)> for Answer {
    fn from((verdict, coverage): (Verdict, Option<Coverage>)) -> Answer {
        Answer::new(verdict, Statistics::default()).covering(coverage)
    }
}

/// An abstract trace that an engine could neither refute nor replay. It proves nothing, but shows where to
/// look, and which fences would forbid it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suspicion {
    /// Edges of the program as the engine was given it, in order; each has its origin there.
    pub steps: Vec<(ThreadId, EdgeId)>,
    /// The predicates that the engine had by then, in words: whoever gives better ones may begin with these.
    pub predicates: Vec<String>,
}

/// How far a bounded answer reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Executions in which no thread has more than this many stores or remote halves pending.
    Capacity(usize),
    /// Executions in which no thread goes round a loop more often than this.
    Unwinding(u32),
    /// Executions in which no thread takes an edge with `Op::Cut`: those that the front end's bounds cover.
    Covered,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Capacity(capacity) => write!(f, "at most {capacity} pending operations a thread"),
            Bound::Covered => write!(f, "no more than the program as it was read covers"),
            Bound::Unwinding(unwind) => write!(f, "at most {unwind} rounds of each loop"),
        }
    }
}

/// An execution that violates the property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    pub violated: Violation,
    /// How many copies there are of each process that may have any number.
    pub instance: Instance,
    /// For axiomatic models: what each thread does, in the order of the threads.
    pub paths: Vec<Path>,
    /// For operational machines: the moves.
    pub schedule: Option<Schedule>,
    /// The event graph.
    pub execution: Option<Execution>,
}

impl Counterexample {
    /// By the moves of a machine.
    pub fn scheduled(violated: Violation, schedule: Schedule) -> Counterexample {
        let (instance, schedule) = (Instance::default(), Some(schedule));
        Counterexample { violated, instance, paths: vec![], schedule, execution: None }
    }

    /// By what each thread does and the graph of their events.
    pub fn graph(violated: Violation, paths: Vec<Path>, execution: Execution) -> Counterexample {
        let (instance, execution) = (Instance::default(), Some(execution));
        Counterexample { violated, instance, paths, schedule: None, execution }
    }
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
    /// The execution fails this axiom of the model, without which a program has no meaning (a data race in C11).
    Undefined { axiom: Name },
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

    /// A figure that counts something.
    pub fn counted(&self, name: &str) -> Option<u64> {
        match self.get(name) {
            Some(Figure::Count(count)) => Some(count),
            _ => None,
        }
    }

    pub fn get(&self, name: &str) -> Option<Figure> {
        self.0.iter().find(|(other, _)| *other == name).map(|(_, figure)| *figure)
    }
}
