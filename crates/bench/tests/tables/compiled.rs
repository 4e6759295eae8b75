//! What a litmus test in C does on hardware, RC11 allows.

use wattle_bench::compiled::{Compiled, HARDWARE, compare};

use crate::Checked;

pub fn is_allowed(name: &str, text: &str) -> Checked {
    let mut compiled = Compiled::default();
    compare(name, text, &mut compiled);
    if !compiled.wrong.is_empty() {
        return Err(compiled.wrong.join("\n").into());
    }
    assert!(compiled.racy == 1 || compiled.compared == HARDWARE.len());
    Ok(())
}
