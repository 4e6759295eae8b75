//! One binary for all integration tests of this crate.

#![allow(clippy::unwrap_used)]

mod agreement;
mod bmc;
mod conformance;
mod corpus;
mod deadlock;
mod faults;
mod in_order;
mod instantiate;
mod joint;
mod laws;
mod one_location;
mod reduction;
mod rest;
mod sections;
mod sets;
