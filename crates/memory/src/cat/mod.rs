//! The .cat language: memory models as text.
//!
//! [`read`] turns text into [`Axioms`]: the syntax tree with its includes, which the naive evaluator
//! of `axiomatic` walks, and the typed [`Core`], which engines see. Sets of events and relations
//! between them that a model may name without defining them are listed in [`base`]; `prelude.cat`
//! defines what follows from those. docs/cat.md describes the language for users.
//!
//! The language is herd's, as far as models of processors and of C11 need it. `co` is part of an
//! execution, so `with co from …` needs no sets of relations; that is why those are left out.

pub mod analysis;
pub mod base;
mod build;
mod codes;
mod core;
mod lex;
mod library;
mod load;
mod lower;
mod parse;
mod specialise;
pub mod syntax;
#[cfg(test)]
mod tests;

pub use codes::CODES;
pub use core::{Axiom, Core, Group, Node, NodeId, Role, Test, Type};
pub use syntax::Tree;

use wattle_source::{Diagnostic, FileId, Loader, Sources};

/// A model's axioms, twice: as written, and as engines see them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axioms {
    /// What the text calls itself.
    pub title: Option<String>,
    pub tree: Tree,
    pub core: Core,
}

/// Read a model. Included files are added to `sources`; `loader` finds them, or else our own library
/// does. `variants` are what `if "variant"` finds set.
pub fn read(
    sources: &mut Sources,
    file: FileId,
    loader: &dyn Loader,
    variants: &[String],
) -> Result<Axioms, Vec<Diagnostic>> {
    let loaded = load::load(sources, file, loader, variants)?;
    let core = lower::lower(&loaded.tree)?;
    Ok(Axioms { title: loaded.title, tree: loaded.tree, core })
}
