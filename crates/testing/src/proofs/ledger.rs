//! What came of tasks, counted in words.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use wattle_memory::MemoryModel;
use wattle_program::{Name, Program};

/// Each with the smallest program that shows it.
#[derive(Debug, Default)]
pub struct Ledger(RefCell<BTreeMap<String, Entry>>);

#[derive(Clone, Debug)]
pub struct Entry {
    pub count: u64,
    /// How many edges the smallest program has.
    pub edges: usize,
    pub seed: u64,
    pub model: Option<Name>,
}

impl Ledger {
    pub fn count(&self, what: impl Into<String>, seed: u64, program: &Program, memory: Option<&MemoryModel>) {
        let edges = program.processes.iter().map(|process| process.cfg.edges.len()).sum();
        let found = Entry { count: 0, edges, seed, model: memory.map(|memory| memory.name.clone()) };
        let mut entries = self.0.borrow_mut();
        let entry = entries.entry(what.into()).or_insert_with(|| found.clone());
        if found.edges < entry.edges {
            *entry = Entry { count: entry.count, ..found };
        }
        entry.count += 1;
    }

    /// How many tasks came to something that begins like this?
    pub fn counted(&self, beginning: &str) -> u64 {
        let entries = self.0.borrow();
        entries.iter().filter(|(what, _)| what.starts_with(beginning)).map(|(_, entry)| entry.count).sum()
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, Entry { count, seed, model, edges }) in self.0.borrow().iter() {
            let under = model.as_ref().map(|model| format!(" under {model}")).unwrap_or_default();
            writeln!(f, "{count:8} {what} (smallest: seed {seed}{under}, {edges} edges)")?;
        }
        Ok(())
    }
}
