//! What can be chosen.

use std::path::PathBuf;

use wattle_memory::reduction::{Capacity, Contents, Keeps, Rest};

/// The engine, with its options.
#[derive(Clone, Debug, Default)]
pub struct Refine {
    /// Where the SMT library may be.
    pub smt: Vec<PathBuf>,
    /// The slots of each buffer; `None`: as many as it takes.
    pub slots: Option<u32>,
    /// What is known of the values beyond them.
    pub contents: Contents,
    /// Which entries are in slots.
    pub keeps: Keeps,
    /// Find all predicates, also where the text gives some.
    pub ignore_given: bool,
}

impl Refine {
    /// The k-abstraction with so many slots.
    pub(crate) fn abstract_buffers(&self, slots: u32) -> Capacity {
        let rest = Rest { contents: self.contents, keeps: self.keeps };
        Capacity { rest: Some(rest), ..Capacity::all(slots) }
    }
}
