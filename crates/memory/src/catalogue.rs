//! The memory models that wattle knows by name.

use wattle_program::{Op, Program, Vocabulary};

/// An operational machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Machine {
    /// Every access acts on memory at once. Remote copies are two steps, a read and a write, done
    /// before the thread goes on; with `atomic_copy` they are one.
    Sc { atomic_copy: bool },
    /// One first-in-first-out store buffer a thread.
    Tso,
    /// One store buffer a thread and location.
    Pso,
    /// Local accesses act on memory at once; each half of a remote operation happens at any time
    /// until a flush waits for it.
    Rma,
}

impl Machine {
    /// Do plain stores wait in buffers?
    pub fn buffers_stores(self) -> bool {
        matches!(self, Machine::Tso | Machine::Pso)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryModel {
    pub name: &'static str,
    pub machine: Option<Machine>,
    pub summary: &'static str,
}

/// From strongest to weakest, and RMA beside them.
pub const CATALOGUE: [MemoryModel; 4] = [
    MemoryModel {
        name: "sc",
        machine: Some(Machine::Sc { atomic_copy: false }),
        summary: "sequential consistency: one access at a time, in program order",
    },
    MemoryModel {
        name: "tso",
        machine: Some(Machine::Tso),
        summary: "total store order (x86): stores wait in one queue a thread, loads overtake them",
    },
    MemoryModel {
        name: "pso",
        machine: Some(Machine::Pso),
        summary: "partial store order (SPARC): stores to different locations overtake each other too",
    },
    MemoryModel {
        name: "rma",
        machine: Some(Machine::Rma),
        summary: "remote memory access: put and get complete at any time before a flush",
    },
];

pub fn find(name: &str) -> Option<&'static MemoryModel> {
    CATALOGUE.iter().find(|model| model.name == name)
}

impl MemoryModel {
    /// What of the program has no meaning under this model, in words for people.
    pub fn refuses(&self, program: &Program) -> Option<String> {
        let remote = |op: &Op| {
            matches!(op, Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } | Op::Flush { .. })
        };
        let has_remote = (program.processes.iter())
            .any(|process| process.cfg.edges.iter().any(|edge| edge.ops.iter().any(remote)));
        if has_remote && self.machine.is_some_and(Machine::buffers_stores) {
            return Some(format!("remote operations (put, get, flush) have no meaning under {}", self.name));
        }
        if !matches!(program.vocabulary, Vocabulary::Generic | Vocabulary::Rma) {
            return Some(format!(
                "{} programs are not translated to {}",
                program.vocabulary.name(),
                self.name
            ));
        }
        None
    }
}
