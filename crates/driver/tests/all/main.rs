//! Tests of the commands against data from outside.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod cycles;
mod engines;
mod fences;
mod limits;
mod memorax;
mod no_execution;
mod refusals;
mod translations;

use wattle_driver::check::Check;
use wattle_driver::engines::Settings;
use wattle_driver::models;
use wattle_engine::{Budget, Property};

/// Do the stated properties hold under this model?
fn request(model: &str) -> Check {
    Check {
        model: models::resolve(model, false).unwrap(),
        property: Property::Stated,
        engine: None,
        settings: Settings::default(),
        budget: Budget::default(),
        certify: false,
        atomic_copy: false,
        blame_weak_memory: false,
        litmus: false,
    }
}
