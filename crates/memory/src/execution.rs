//! Executions: event graphs.

use wattle_logic::Value;
use wattle_program::{EdgeId, Tags, ThreadId};

/// One event. Its number is its position in [`Execution::events`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub kind: EventKind,
    /// `None` for initial writes.
    pub thread: Option<ThreadId>,
    pub edge: Option<EdgeId>,
    /// The position in the schedule of the move that made it.
    pub step: Option<usize>,
    pub tags: Tags,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    Read { location: u32, value: Value },
    Write { location: u32, value: Value },
    Fence,
}

impl Event {
    pub fn location(&self) -> Option<u32> {
        match &self.kind {
            EventKind::Read { location, .. } | EventKind::Write { location, .. } => Some(*location),
            EventKind::Fence => None,
        }
    }
}

/// Events and the relations that a schedule gives them. Relations are lists of pairs of event
/// numbers; program order is the order of events of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    pub events: Vec<Event>,
    /// Which write each read takes its value from.
    pub reads_from: Vec<(u32, u32)>,
    /// For each location, its writes in the order in which they reached memory.
    pub coherence: Vec<Vec<u32>>,
    pub address: Vec<(u32, u32)>,
    pub data: Vec<(u32, u32)>,
    pub control: Vec<(u32, u32)>,
    /// Read and write of one locked step.
    pub read_modify_write: Vec<(u32, u32)>,
}
