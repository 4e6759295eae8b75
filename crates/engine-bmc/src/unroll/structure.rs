//! The symbolic event structure of an unrolled program (Alglave et al. 2013, section 4).
//!
//! Every thread is unrolled into a graph without cycles whose steps are run once, symbolically, with
//! the values of joining ways merged: guarded single assignment. What it does to memory is a list of
//! symbolic events; what it computes is a web of expressions over what the reads return
//! (`Node::Read(event)`) and over free choices (`Node::Cell(input)`).
//!
//! *Relative conditions.* The condition of a dependency or a pair says when it holds *given that both
//! its events happen*.

use std::ops::RangeInclusive;

use wattle_logic::Fault;
pub(crate) use wattle_memory::Access;
use wattle_program::symbolic::{Arena, Expr};
use wattle_program::{EdgeId, Name, Orders, Point, Shape, Tags, ThreadId};
use wattle_source::Span;

use super::section::{Membership, SectionId};

/// The position of an event in [`Structure::events`].
pub(crate) type EventId = u32;

#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub access: Access,
    /// `None`: an initial write.
    pub thread: Option<ThreadId>,
    /// The position in [`Structure::steps`] of the step that makes it; events of one step are not in
    /// program order. Of no meaning for initial writes.
    pub step: u32,
    /// It happens.
    pub guard: Expr,
    /// The number of its location. Of no meaning for fences.
    pub address: Expr,
    /// What is written.
    pub written: Option<Expr>,
    pub tags: Tags,
    pub locked: bool,
    /// The atomic section with several accesses that it is part of.
    pub section: Membership,
    pub orders: Orders,
    /// What the locations that it may be of never hold less nor more than, if that is known.
    pub holds: Option<(i64, i64)>,
}

/// `to` depends on what `from` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub from: EventId,
    pub to: EventId,
    pub when: Expr,
}

/// A read and a write that are one read-modify-write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadModifyWrite {
    pub read: EventId,
    pub write: EventId,
    pub when: Expr,
    /// A pair of exclusives, rather than one instruction.
    pub exclusive: bool,
}

/// One unrolled step: one edge in one round of its loops.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub thread: ThreadId,
    pub edge: EdgeId,
    /// The thread takes it.
    pub taken: Expr,
    /// The inputs that its `havoc`s choose, in order.
    pub choices: Vec<u32>,
    pub section: Membership,
}

/// An atomic section has begun and does not end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partial {
    pub thread: ThreadId,
    pub section: SectionId,
    pub when: Expr,
}

/// A local is given a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub step: u32,
    pub local: u32,
    pub value: Expr,
}

/// A free choice, `Node::Cell(number)`: from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    pub low: i64,
    pub high: i64,
}

/// An assertion, or a step without a result, at a step.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub step: u32,
    pub op: Option<usize>,
    /// Of a fault: how many of its step's choices come before it. The others are never made.
    pub choices: usize,
    /// It happens, and fails.
    pub when: Expr,
    pub fault: Option<Fault>,
    /// The step has begun: some of its events happen although it is not taken.
    pub half: bool,
    /// Of a fault: an event before it writes, or would have. Nobody may see that, and no execution says so.
    pub stored: bool,
}

/// Where a thread may stand in the end.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub point: Point,
    /// It stands here, and does nothing more.
    pub when: Expr,
    pub locals: Vec<Expr>,
}

/// What a thread may do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Threaded {
    /// The places where it may stop: its ends, and the points that a property speaks of. At most one
    /// holds in an execution; none does where it is blocked or cut elsewhere.
    pub stands: Vec<Standing>,
    /// It has ended.
    pub ended: Option<Expr>,
    /// It is cut by the bound on loops.
    pub cut: Option<Expr>,
    /// The places where that happens.
    pub cuts: Vec<Cut>,
    /// It goes beyond what the program covers (`Op::Cut`).
    pub beyond: Option<Expr>,
}

/// A thread stands at the head of a loop and may not go round again.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    pub head: Point,
    pub when: Expr,
    /// The bounds on loops that cut it here; all of them, if the loop has a bound of its own.
    pub bounds: RangeInclusive<u32>,
}

/// A smaller bound that the unrolling carries too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    pub bound: u32,
    /// A free condition: threads are cut where this bound cuts them.
    pub when: Expr,
}

/// Expressions that may have no value are guarded, in whatever speaks of them, by the condition under
/// which they have one; they are evaluated by `Arena::evaluate_all`. Integers of sort `Int` are meant
/// to be as wide as they need to be.
#[derive(Debug)]
pub(crate) struct Structure<'a> {
    pub arena: Arena<'a>,
    /// Initial writes first, one for each location in order; then each thread's, so that an event
    /// never comes after one that follows it in program order.
    pub events: Vec<Event>,
    /// `before[b]` lists the events from which there is a way to `b` in its thread (sorted): program
    /// order where both happen. Not within one step, not for initial writes.
    pub before: Vec<Vec<EventId>>,
    pub address: Vec<Dependency>,
    pub data: Vec<Dependency>,
    pub control: Vec<Dependency>,
    pub pick: Vec<Dependency>,
    pub pick_address: Vec<Dependency>,
    pub pick_data: Vec<Dependency>,
    pub read_modify_write: Vec<ReadModifyWrite>,
    /// Each thread's in order.
    pub steps: Vec<Step>,
    /// What locals are given, step by step, for people to read.
    pub definitions: Vec<Definition>,
    pub inputs: Vec<Input>,
    /// What memory holds in the end: a location, and the input that stands for its content. The input's
    /// bounds say nothing.
    pub finals: Vec<(u32, u32)>,
    /// What holds in every execution.
    pub requirements: Vec<Expr>,
    pub assertions: Vec<Failure>,
    pub faults: Vec<Failure>,
    pub partial: Vec<Partial>,
    /// Constructs that wattle does not handle, and when they are reached.
    pub unsupported: Vec<(Expr, Name, Span)>,
    pub threads: Vec<Threaded>,
    /// Sorted by their bounds. One that no loop comes to is not there: it changes nothing.
    pub stops: Vec<Stop>,
}

impl<'a> Structure<'a> {
    pub(crate) fn new(shape: &'a Shape) -> Structure<'a> {
        Structure {
            arena: Arena::new(shape),
            events: Vec::new(),
            before: Vec::new(),
            address: Vec::new(),
            data: Vec::new(),
            control: Vec::new(),
            pick: Vec::new(),
            pick_address: Vec::new(),
            pick_data: Vec::new(),
            read_modify_write: Vec::new(),
            steps: Vec::new(),
            definitions: Vec::new(),
            inputs: Vec::new(),
            finals: Vec::new(),
            requirements: Vec::new(),
            assertions: Vec::new(),
            faults: Vec::new(),
            partial: Vec::new(),
            unsupported: Vec::new(),
            threads: Vec::new(),
            stops: Vec::new(),
        }
    }

    pub(crate) fn has_sections(&self) -> bool {
        self.events.iter().any(|event| !event.section.is_empty())
    }

    /// A new free choice.
    pub(crate) fn input(&mut self, low: i64, high: i64) -> u32 {
        self.inputs.push(Input { low, high });
        self.inputs.len() as u32 - 1
    }

    /// The condition under which a smaller bound cuts threads.
    pub(crate) fn stop(&mut self, bound: u32) -> Expr {
        match self.stops.binary_search_by_key(&bound, |stop| stop.bound) {
            Ok(at) => self.stops[at].when,
            Err(at) => {
                let when = self.flag();
                self.stops.insert(at, Stop { bound, when });
                when
            }
        }
    }

    /// A new free condition.
    pub(crate) fn flag(&mut self) -> Expr {
        let input = self.input(0, 1);
        self.arena.cell(input)
    }
}
