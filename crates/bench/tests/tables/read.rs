//! Every test of the tables can be read, but for those that use a construct that is not supported.

use wattle_driver::{Input, load};
use wattle_program::text;
use wattle_source::Sources;

use crate::Checked;

/// The tests that are refused, and in which words.
const REFUSED: [(&str, &str); 6] = [
    ("aarch64/A248.litmus", "litmus-unsupported: a tagged location is not supported"),
    ("aarch64/A257.litmus", "litmus-unsupported: a call is not supported"),
    ("aarch64/L022.litmus", "litmus-unsupported: an address in the code is not supported"),
    ("aarch64/L024.litmus", "litmus-unsupported: a call is not supported"),
    // Bytes of one word.
    (
        "riscv/MP+fence.rw.rw+pos-si1.litmus",
        "litmus-unsupported: mixed sizes: an access to a part of `x` is not supported",
    ),
    (
        "riscv/MP+fence.rw.rw+si1.litmus",
        "litmus-unsupported: mixed sizes: an access to a part of `x` is not supported",
    ),
];

/// What is read is well formed (`load` validates it) and comes back from its printed form.
pub fn is_read(name: &str, litmus: &str) -> Checked {
    let refused = match load(&Input::text(name, "litmus", litmus)) {
        Ok(loaded) => {
            let printed = text::print(&loaded.parsed.program);
            let (sources, file) = Sources::single("test.wir", &printed);
            if text::parse(&sources, file).as_ref() != Ok(&loaded.parsed.program) {
                return Err(format!("does not come back from its printed form:\n{printed}").into());
            }
            None
        }
        Err(refused) => {
            let first = refused.diagnostics.first();
            Some(first.map_or(String::new(), |problem| format!("{}: {}", problem.code, problem.message)))
        }
    };
    let expected = REFUSED.iter().find(|(test, _)| *test == name).map(|(_, words)| *words);
    if refused.as_deref() == expected {
        Ok(())
    } else {
        Err(format!("refused: {refused:?}, expected: {expected:?}").into())
    }
}
