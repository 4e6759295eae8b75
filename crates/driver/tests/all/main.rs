//! One binary for the integration tests of this crate.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod copies;
mod cut;
mod engines;
mod fences;
mod lies;
mod limits;
mod linked;
mod no_execution;
mod races;
mod refusals;
mod sections;
mod threads;
mod translations;

use wattle_driver::check::Check;
use wattle_driver::models;

/// Where Z3 is, for engines that use it.
fn smt() -> Vec<std::path::PathBuf> {
    wattle_smt::Library::beside(&std::env::current_exe().unwrap())
}

/// Do the stated properties hold under this model?
fn request(model: &str) -> Check {
    Check::new(models::resolve(model, false).unwrap())
}
