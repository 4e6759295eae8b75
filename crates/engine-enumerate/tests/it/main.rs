//! The engine against brute force and against numbers from the literature.
#![allow(clippy::unwrap_used)]

mod classic;
mod oracle;
mod random;

use std::borrow::Cow;
use std::sync::Arc;

use wattle_memory::{MemoryModel, cat};
use wattle_source::{NoLoader, Sources};

/// A model from its text, for programs of every vocabulary.
fn model(name: &str, text: &str) -> MemoryModel {
    let (mut sources, file) = Sources::single(&format!("{name}.cat"), text);
    let axioms = match cat::read(&mut sources, file, &NoLoader, &[]) {
        Ok(axioms) => axioms,
        Err(problems) => panic!("{name}: {problems:?}"),
    };
    MemoryModel {
        name: name.into(),
        machine: None,
        axioms: Some(Arc::new(axioms)),
        summary: Cow::Borrowed(""),
        vocabulary: None,
    }
}
