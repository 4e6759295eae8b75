//! Executions: event graphs.

use wattle_logic::Value;
use wattle_program::{EdgeId, Orders, Tags, ThreadId};

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
    /// The position of its step among those of its thread. Events of one step are not in program
    /// order, unless they are of a section.
    pub instruction: u32,
    /// Of a locked step?
    pub locked: bool,
    /// What a fence keeps in order.
    pub orders: Orders,
    /// The atomic section with several accesses that it is part of, by a number of its thread's own.
    pub section: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    Read {
        location: u32,
        value: Value,
    },
    Write {
        location: u32,
        value: Value,
    },
    /// One event that reads and writes, as C11 sees a read-modify-write.
    Update {
        location: u32,
        read: Value,
        written: Value,
    },
    Fence,
}

/// What an event does, wherever and whatever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    Read,
    Write,
    /// One event that reads and writes (C11).
    Update,
    Fence,
}

impl Access {
    pub fn reads(self) -> bool {
        matches!(self, Access::Read | Access::Update)
    }

    pub fn writes(self) -> bool {
        matches!(self, Access::Write | Access::Update)
    }
}

impl Event {
    pub fn location(&self) -> Option<u32> {
        match &self.kind {
            EventKind::Read { location, .. }
            | EventKind::Write { location, .. }
            | EventKind::Update { location, .. } => Some(*location),
            EventKind::Fence => None,
        }
    }

    /// The write that gives a location its first value.
    pub fn initial(location: u32, value: Value) -> Event {
        Event {
            kind: EventKind::Write { location, value },
            thread: None,
            edge: None,
            step: None,
            tags: Tags::new(),
            instruction: 0,
            locked: false,
            orders: Orders::NONE,
            section: None,
        }
    }

    /// The value that it takes from another event.
    pub fn read(&self) -> Option<&Value> {
        match &self.kind {
            EventKind::Read { value, .. } | EventKind::Update { read: value, .. } => Some(value),
            _ => None,
        }
    }

    /// The value that it gives to others.
    pub fn written(&self) -> Option<&Value> {
        match &self.kind {
            EventKind::Write { value, .. } | EventKind::Update { written: value, .. } => Some(value),
            _ => None,
        }
    }

    pub fn is_initial(&self) -> bool {
        self.thread.is_none()
    }
}

/// Events and how they are related. Relations are lists of pairs of event numbers; events of one
/// thread stand in program order; initial writes come first, one for each location, in order.
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
    /// A read and an event whose address, data or control depends on it through the condition of a
    /// selection (`if` inside a term) only.
    pub pick: Vec<(u32, u32)>,
    /// The part of it that goes through the address.
    pub pick_address: Vec<(u32, u32)>,
    /// The part of it that goes through the value that is written, or through a comparison that
    /// decides whether the same instruction writes.
    pub pick_data: Vec<(u32, u32)>,
    /// Read and write of one locked step, or of a pair of exclusives.
    pub read_modify_write: Vec<(u32, u32)>,
}
