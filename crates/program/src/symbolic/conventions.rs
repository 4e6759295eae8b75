//! What vocabularies say differently about events and dependencies.
//!
//! Engines ask this table and never for a vocabulary. The judge (`memory/src/events.rs`) has its own
//! answers, so that a mistake here shows as an execution that does not replay.

use crate::Vocabulary;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conventions {
    /// Selections are dependencies of a kind of their own, *pick*: the condition of an `if` inside a term
    /// decides which side is used, and a comparison inside an instruction decides what the instruction
    /// writes, and is no branch. Elsewhere a condition and both sides are plain uses.
    pub selects: bool,
    /// The two halves of a read-modify-write are one event.
    pub updates: bool,
    /// What a store-conditional tells its thread depends on the store.
    pub tells: bool,
}

impl Conventions {
    pub fn of(vocabulary: Vocabulary) -> Conventions {
        let plain = Conventions::default();
        match vocabulary {
            Vocabulary::Aarch64 => Conventions { selects: true, ..plain },
            Vocabulary::C11 => Conventions { updates: true, ..plain },
            Vocabulary::Riscv => Conventions { tells: true, ..plain },
            Vocabulary::Generic | Vocabulary::X86 | Vocabulary::Ppc | Vocabulary::Arm | Vocabulary::Rma => {
                plain
            }
        }
    }
}
