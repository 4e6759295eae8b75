//! Programs on which a plausible mistake gives a wrong answer.

use wattle_engine::Verdict;

use crate::{parse, verdict};

/// The first step of the section is local, but others may move before it.
#[test]
fn an_atomic_section_does_not_go_first() {
    let program = parse(
        "shared x: 0..1 = 0;
         thread p {
           local a: 0..3, r: 0..1;
           a = 0;
           atomic {
             while (a < 2) { a = a + 1; }
             r = x;
           }
           assert r == 0;
         }
         thread q { x = 1; }",
    );
    for model in ["sc", "tso", "pso"] {
        assert!(matches!(verdict(&program, model), Verdict::Unsafe { .. }), "{model}");
    }
}
