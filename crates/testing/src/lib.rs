//! What tests of engines share: a naive search to compare with, the conformance suite that every
//! engine passes, the laws of the memory models, and a shrinker for what goes wrong.
//!
//! Nothing here knows an engine; tests hand one in. The naive search is
//! [`wattle_judge::certify::explore_all`], breadth first over the reference machine and plain on
//! purpose. A disagreement is reported as a [`Failure`]: seed, memory model, what was said on both
//! sides, and the program, shrunk until nothing can be taken away.

#![warn(unreachable_pub)]

pub mod agree;
pub mod any;
mod barriers;
pub mod build;
pub mod compare;
pub mod conformance;
mod failure;
pub mod heavy;
pub mod laws;
pub mod proofs;
pub mod reduction;
pub mod rest;
mod sections;
mod shrink;
mod tally;

pub use compare::{Limits, Subject, compare};
pub use failure::Failure;
pub use sections::with_sections;
pub use shrink::shrink;
pub use tally::Tally;
