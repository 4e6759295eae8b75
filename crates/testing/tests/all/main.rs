//! One binary for all integration tests of this crate.

mod agreement;
mod bmc;
mod conformance;
mod laws;
