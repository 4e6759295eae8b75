//! One binary for all integration tests of this crate.

mod agreement;
mod conformance;
mod laws;
