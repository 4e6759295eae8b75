//! The memory models that wattle knows by name.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock, OnceLock};

use wattle_program::passes::{self, Handshake, Reading, Translation, Untranslatable};
use wattle_program::{Edge, Fence, Name, Op, Orders, Program, Unsupported, Vocabulary, joint_step};
use wattle_source::{Diagnostic, NoLoader, Sources};

use crate::cat::{self, Axioms};

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
    /// until a flush waits for it. With `in_order`, the halves of a thread's operations with one target that
    /// happen at the target do so in the order of issue, and so do those that happen at the thread itself.
    Rma { in_order: bool },
}

impl Machine {
    /// Do plain stores wait in buffers?
    pub fn buffers_stores(self) -> bool {
        matches!(self, Machine::Tso | Machine::Pso)
    }

    /// Do halves of remote operations keep an order?
    pub fn keeps_issue_order(self) -> bool {
        self == Machine::Rma { in_order: true }
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

/// One line of the catalogue: name, text of the axioms, machine, vocabulary, summary.
type Entry = (&'static str, Option<&'static str>, Option<Machine>, Option<Vocabulary>, &'static str);

macro_rules! text {
    ($name:literal) => {
        Some(include_str!(concat!("../../../models/", $name, ".cat")))
    };
}

/// From strongest to weakest as far as they compare; then those of one architecture, C11, and RMA.
const ENTRIES: [Entry; 13] = [
    (
        "sc",
        text!("sc"),
        Some(Machine::Sc { atomic_copy: false }),
        None,
        "sequential consistency: one access at a time, in program order",
    ),
    (
        "tso",
        text!("tso"),
        Some(Machine::Tso),
        None,
        "total store order (x86): stores wait in one queue a thread, loads overtake them",
    ),
    (
        "pso",
        text!("pso"),
        Some(Machine::Pso),
        None,
        "partial store order (SPARC): stores to different locations overtake each other too",
    ),
    (
        "rmo",
        text!("rmo"),
        None,
        None,
        "relaxed memory order (SPARC): only dependencies and fences order loads",
    ),
    ("alpha", text!("alpha"), None, None, "Alpha: not even a dependency keeps two loads in order"),
    (
        "aarch64",
        text!("aarch64"),
        None,
        Some(Vocabulary::Aarch64),
        "64-bit ARM: writes are atomic towards others; dependencies, acquire and release order",
    ),
    (
        "riscv",
        text!("riscv"),
        None,
        Some(Vocabulary::Riscv),
        "RISC-V weak memory order: thirteen rules of preserved order",
    ),
    (
        "arm",
        text!("arm"),
        None,
        Some(Vocabulary::Arm),
        "ARM before version 8: writes reach other threads one by one",
    ),
    (
        "power",
        text!("power"),
        None,
        Some(Vocabulary::Ppc),
        "IBM Power: writes reach other threads one by one, sync and lwsync order them",
    ),
    (
        "power-2012",
        text!("power-2012"),
        None,
        Some(Vocabulary::Ppc),
        "IBM Power by three acyclicity checks (Alglave et al. 2013)",
    ),
    (
        "rc11",
        text!("rc11"),
        None,
        Some(Vocabulary::C11),
        "C and C++ atomics, repaired C11; a data race is undefined",
    ),
    (
        "rma",
        None,
        Some(Machine::Rma { in_order: false }),
        None,
        "remote memory access: put and get complete at any time before a flush",
    ),
    (
        "rma-in-order",
        None,
        Some(Machine::Rma { in_order: true }),
        None,
        "remote memory access where operations with one target arrive there in the order of issue",
    ),
];

/// Each is read when it is first asked for: a run that uses one model does not wait for the others.
static MODELS: [OnceLock<MemoryModel>; ENTRIES.len()] = [const { OnceLock::new() }; ENTRIES.len()];

fn model(number: usize) -> &'static MemoryModel {
    let (name, text, machine, vocabulary, summary) = ENTRIES[number];
    MODELS[number].get_or_init(|| MemoryModel {
        name: name.into(),
        machine,
        axioms: text.and_then(|text| axioms(name, text).ok()).map(Arc::new),
        summary: Cow::Borrowed(summary),
        vocabulary,
    })
}

/// All of them.
pub static CATALOGUE: LazyLock<Vec<MemoryModel>> =
    LazyLock::new(|| (0..ENTRIES.len()).map(|number| model(number).clone()).collect());

/// A test reads all of them, so that the catalogue never lacks one.
fn axioms(name: &str, text: &str) -> Result<Axioms, Vec<Diagnostic>> {
    let (mut sources, file) = Sources::single(&format!("{name}.cat"), text);
    cat::read(&mut sources, file, &NoLoader, &[])
}

/// The text of the axioms of a model of ours.
pub fn text(name: &str) -> Option<&'static str> {
    ENTRIES.iter().find(|entry| entry.0 == name).and_then(|entry| entry.1)
}

pub fn find(name: &str) -> Option<&'static MemoryModel> {
    ENTRIES.iter().position(|entry| entry.0 == name).map(model)
}

impl MemoryModel {
    /// Is it one of ours, whose laws are known, rather than a text that someone else wrote?
    pub fn is_of_the_catalogue(&self) -> bool {
        find(&self.name).is_some_and(|known| known.axioms == self.axioms)
    }

    /// The program in the words of this model: in the vocabulary that it speaks, or with the fences and
    /// read-modify-writes that its machines have.
    pub fn translate<'a>(&self, program: &'a Program) -> Result<Translation<'a>, Untranslatable> {
        match self.vocabulary {
            Some(spoken) => passes::retarget(program, spoken),
            // What an order of C11 means to such a model is what compilers make of it.
            None if program.vocabulary == Vocabulary::C11 && self.is_of_the_catalogue() => {
                let compiled = passes::retarget(program, Vocabulary::Generic)?;
                let reading = Reading { compiled: true, ..self.reading() };
                let read = passes::read_as(&compiled.program, &reading);
                let changes = compiled.changes.iter().cloned().chain(read.changes).collect();
                Ok(Translation { program: Cow::Owned(read.program.into_owned()), changes })
            }
            None => Ok(passes::read_as(program, &self.reading())),
        }
    }

    fn reading(&self) -> Reading {
        let barrier_and_full = || Some(vec![Fence::of_orders(Orders::WW), Fence::full()]);
        let (fences, keeps) = match &*self.name {
            "tso" => (None, Orders::LIGHT),
            // A fence that waits for a store waits for all of them, so there is nothing between the two.
            "pso" => (barrier_and_full(), Orders::READS),
            "rmo" => (None, Orders::NONE),
            // The architecture's `wmb` and `mb`.
            "alpha" => (barrier_and_full(), Orders::NONE),
            // Under sc fences have nothing to order, and of a user's own model it is not known what its program
            // order keeps: fences stay as they are written.
            _ => (None, Orders::ALL),
        };
        Reading {
            fences,
            keeps,
            locks_updates: self.machine.is_some_and(Machine::buffers_stores),
            release_is_barrier: self.machine == Some(Machine::Pso),
            compiled: false,
        }
    }

    /// How threads that are created start and end under this model, in a program that is in its words; `None`: the
    /// model does not say.
    pub fn handshake(&self, program: &Program) -> Option<Handshake> {
        if matches!(self.machine, Some(Machine::Rma { .. })) {
            return None;
        }
        if self.vocabulary.is_none() && self.is_of_the_catalogue() {
            return Some(Handshake::Locked);
        }
        let full = || program.vocabulary.fences().into_iter().find(|fence| fence.orders == Orders::ALL);
        Some(match program.vocabulary {
            Vocabulary::C11 => Handshake::Marks,
            _ => Handshake::Fences(full().unwrap_or_else(Fence::full)),
        })
    }

    /// What of the program has no meaning under this model.
    pub fn refuses(&self, program: &Program) -> Option<Unsupported> {
        let remote = |op: &Op| {
            matches!(op, Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } | Op::Flush { .. })
        };
        let edges = || program.processes.iter().flat_map(|process| &process.cfg.edges);
        let refuse = |what: String, edge: Option<&Edge>| {
            let span = edge.map(|edge| edge.origin.0).filter(|span| !span.is_nowhere());
            Some(Unsupported { what, span })
        };
        if let (true, Some(edge)) = (
            self.machine.is_some_and(Machine::buffers_stores),
            edges().find(|edge| edge.ops.iter().any(remote)),
        ) {
            let what = format!("remote operations (put, get, flush) have no meaning under {}", self.name);
            return refuse(what, Some(edge));
        }
        if !matches!(self.machine, Some(Machine::Sc { .. } | Machine::Tso))
            && let Some(joint) = joint_step(program)
        {
            return Some(Unsupported { what: format!("{}, under {}", joint.what, self.name), ..joint });
        }
        let spoken = match self.vocabulary {
            Some(spoken) => program.vocabulary == spoken,
            None => program.vocabulary != Vocabulary::C11 || self.keeps_marks(),
        };
        if !spoken {
            let (from, to) = (program.vocabulary.name(), &self.name);
            return refuse(format!("{from} programs are not translated to {to}"), None);
        }
        if self.vocabulary.is_none() && !self.keeps_marks() {
            let (edge, mark) = edges().find_map(|edge| marked(edge).map(|mark| (edge, mark)))?;
            return refuse(format!("accesses marked {mark} have no meaning under {}", self.name), Some(edge));
        }
        None
    }

    /// Are acquire and release marks kept because plain accesses are as strong already? Not even under
    /// tso: a store-release before a load-acquire is ordered where the marks come from. A user's own
    /// model gets the marks as they are written.
    fn keeps_marks(&self) -> bool {
        !matches!(&*self.name, "tso" | "pso" | "rmo" | "alpha")
    }
}

/// A mark of some architecture on an access of the edge. The language's own marks mean the same
/// everywhere, and `fenced` is a note of a front end about where fences stand.
fn marked(edge: &Edge) -> Option<Name> {
    const PLAIN: [&str; 7] = ["X", "AMO", "NoRet", "acq", "rel", passes::ORDERED, "fenced"];
    edge.ops.iter().find_map(|op| match op {
        Op::Load { tags, .. }
        | Op::Store { tags, .. }
        | Op::LoadExclusive { tags, .. }
        | Op::StoreConditional { tags, .. } => tags.iter().find(|tag| !PLAIN.contains(&&***tag)).cloned(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_read_without_a_word() {
        for (name, text, ..) in ENTRIES {
            if let Some(text) = text {
                let read = axioms(name, text);
                assert!(read.is_ok(), "{name}: {read:?}");
            }
        }
        assert!(CATALOGUE.iter().all(|model| model.axioms.is_some() || model.machine.is_some()));
        assert_eq!(CATALOGUE.iter().filter(|model| model.axioms.is_some()).count(), 11);
    }
}
