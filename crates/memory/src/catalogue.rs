//! The memory models that wattle knows by name.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use wattle_program::{Name, Op, Program, Vocabulary};

use crate::cat::Axioms;

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

/// A memory model: a machine, axioms, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryModel {
    pub name: Name,
    pub machine: Option<Machine>,
    pub axioms: Option<Arc<Axioms>>,
    pub summary: Cow<'static, str>,
    /// The vocabulary that the axioms speak; `None` if they speak only of what a fence orders, and so
    /// of every program.
    pub vocabulary: Option<Vocabulary>,
}

/// From strongest to weakest, and RMA beside them.
pub static CATALOGUE: LazyLock<Vec<MemoryModel>> = LazyLock::new(|| {
    let model = |name: &str, machine, summary| MemoryModel {
        name: name.into(),
        machine: Some(machine),
        axioms: None,
        summary: Cow::Borrowed(summary),
        vocabulary: None,
    };
    vec![
        model(
            "sc",
            Machine::Sc { atomic_copy: false },
            "sequential consistency: one access at a time, in program order",
        ),
        model(
            "tso",
            Machine::Tso,
            "total store order (x86): stores wait in one queue a thread, loads overtake them",
        ),
        model(
            "pso",
            Machine::Pso,
            "partial store order (SPARC): stores to different locations overtake each other too",
        ),
        model("rma", Machine::Rma, "remote memory access: put and get complete at any time before a flush"),
    ]
});

pub fn find(name: &str) -> Option<&'static MemoryModel> {
    CATALOGUE.iter().find(|model| &*model.name == name)
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
