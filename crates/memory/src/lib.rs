//! Memory models.
//!
//! A [`MemoryModel`] is an operational machine, axioms, or both. The machines here are the
//! reference ones ([`operational`]): a successor function on plain structs, written to be obviously
//! right. They replay counterexamples, serve the naive search, and are what the packed machine of
//! `engine-explore` is compared with. [`reduction`] writes store buffers into the program instead.
//! [`observe`] turns a schedule into an event graph.
//! [`relation`] has the bit matrices on which engines evaluate axioms.

pub mod axiomatic;
pub mod candidates;
pub mod cat;
mod catalogue;
pub mod events;
mod execution;
mod observe;
pub mod operational;
pub mod reduction;
pub mod relation;
mod twin;

pub use catalogue::{CATALOGUE, Machine, MemoryModel, find, text};
pub use execution::{Access, Event, EventKind, Execution};
pub use observe::observe;
pub use twin::{has_twins, speaks_of_threads};
