//! A state of a machine.

use wattle_logic::Value;
use wattle_program::ThreadId;
use wattle_program::step::{RemoteUpdate, ThreadState};

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    pub threads: Vec<ThreadState>,
    pub memory: Vec<Value>,
    /// The stores of each thread that have not reached memory, oldest first. Under PSO only the
    /// order for each location and the barriers matter, so stores between two barriers are kept
    /// sorted by location.
    pub stores: Vec<Vec<Stored>>,
    /// The pending halves of each thread's remote operations: sorted where they have no order, else for each
    /// target in the order of issue.
    pub halves: Vec<Vec<Half>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stored {
    Write {
        location: u32,
        value: Value,
    },
    /// Several stores that reach memory together, sorted by location.
    Group(Vec<(u32, Value)>),
    /// Later stores do not pass (PSO).
    Barrier,
}

impl Stored {
    /// The location that names the entry: that of the store, or the first of a group.
    pub fn location(&self) -> Option<u32> {
        match self {
            Stored::Write { location, .. } => Some(*location),
            Stored::Group(stores) => stores.first().map(|(location, _)| *location),
            Stored::Barrier => None,
        }
    }

    /// The value that the entry has for a location.
    pub fn value_at(&self, location: u32) -> Option<&Value> {
        match self {
            Stored::Write { location: other, value } => (*other == location).then_some(value),
            Stored::Group(stores) => {
                stores.iter().find(|(other, _)| *other == location).map(|(_, value)| value)
            }
            Stored::Barrier => None,
        }
    }
}

/// One half of a remote operation, with the thread whose flush target it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Half {
    /// Read `from`; a write of the value to `to` becomes pending.
    Read { target: ThreadId, from: u32, to: u32 },
    /// Write a value to `to`.
    Write { target: ThreadId, to: u32, value: Value },
    /// Read and update `at` in one step; a write of the old value to `into` becomes pending.
    Atomic { target: ThreadId, at: u32, into: Option<u32>, update: RemoteUpdate },
}

impl Half {
    pub fn target(&self) -> ThreadId {
        match self {
            Half::Read { target, .. } | Half::Write { target, .. } | Half::Atomic { target, .. } => *target,
        }
    }
}

impl State {
    /// What a thread would load from a location now: the newest entry of its own buffer that stores to it, or else
    /// memory.
    pub fn seen(&self, thread: ThreadId, location: u32) -> Option<&Value> {
        let stores = &self.stores[thread.0 as usize];
        let newest = stores.iter().rev().find_map(|stored| stored.value_at(location));
        newest.or_else(|| self.memory.get(location as usize))
    }

    /// How many stores and remote halves of a thread are pending; stores that reach memory together count once.
    pub fn pending(&self, thread: ThreadId) -> usize {
        let thread = thread.0 as usize;
        self.stores[thread].iter().filter(|stored| **stored != Stored::Barrier).count()
            + self.halves[thread].len()
    }
}
