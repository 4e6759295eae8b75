//! Z3 as wattle uses it, against code that tries all values.

#![allow(clippy::unwrap_used)]

mod brute;
mod difference;
mod finding;
mod interpolation;
mod limits;
mod random;
mod translation;

use wattle_smt::{Library, Limits, Solver};

/// A test that cannot run must fail, and say what to do.
fn library() -> Library {
    let executable = std::env::current_exe().unwrap();
    Library::find(&Library::beside(&executable)).unwrap_or_else(|why| panic!("{why}"))
}

fn solver() -> Solver {
    Solver::new(&library(), Limits::default()).unwrap()
}
