//! The .cat language: memory models as text.
//!
//! [`read`] turns text into [`Axioms`]: the syntax tree with its includes, which the naive evaluator
//! of `axiomatic` walks, and the typed [`Core`], which engines see. Sets of events and relations
//! between them that a model may name without defining them are listed in [`base`].

pub mod base;
mod core;

pub use core::{Axiom, Core, Group, Node, NodeId, Role, Test, Type};

/// A model's axioms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axioms {
    pub core: Core,
}
