//! What abstract buffers know, and what they forget (docs/refine.md, *Limits*). What is forgotten is *unknown*: neither
//! safe nor unsafe.

use wattle_engine_refine::Refine;
use wattle_memory::reduction::{Contents, Keeps};

use super::{MODELS, answer, refine, word};

fn all() -> impl Iterator<Item = (Contents, Keeps)> {
    let both = [Contents::Set, Contents::Havoc].into_iter();
    both.flat_map(|contents| [Keeps::Oldest, Keeps::Newest].map(|keeps| (contents, keeps)))
}

/// Any number of stores is pending, of numbers without end, and each is at least as large as those before.
#[test]
fn the_order_in_a_rest_is_not_known() {
    let text = "shared x = 0; thread w { local n = 0; while (true) { n = n + 1; x = n; } }
                thread r { local a, b; a = x; b = x; assert a <= b; }";
    for model in MODELS {
        // As many slots as it takes: none suffice.
        for slots in [None, Some(0), Some(1)] {
            let answer = answer(text, model, &refine(Refine { slots, ..Refine::default() }));
            assert_eq!(word(&answer), "unknown", "{model}, {slots:?} slots");
            assert!(answer.suspicion.is_some(), "{model}, {slots:?} slots");
        }
    }
}

/// Only with the set is it known that nothing but 1 and 2 comes out of the buffer.
#[test]
fn values_that_were_never_stored_come_out_without_the_set() {
    let text = "shared x = 0; thread w { while (true) { x = 1; x = 2; } }
                thread r { local a; while (true) { a = x; assert a <= 2; } }";
    for model in MODELS {
        for (contents, keeps) in all() {
            let answer = answer(text, model, &refine(Refine { contents, keeps, ..Refine::default() }));
            let expected = if contents == Contents::Set { "safe" } else { "unknown" };
            assert_eq!(word(&answer), expected, "{model} {contents:?} {keeps:?}");
        }
    }
}

/// Numbers and buffers without bound.
#[test]
fn what_holds_of_every_store_holds_of_the_rest() {
    let text = "shared x = 0; thread w { local n = 0; while (true) { n = n + 1; x = n; } }
                thread r { local a; while (true) { a = x; assert a >= 0; } }";
    let wrong = text.replace("a >= 0", "a <= 3");
    for model in MODELS {
        for keeps in [Keeps::Oldest, Keeps::Newest] {
            let engine = refine(Refine { keeps, ..Refine::default() });
            assert_eq!(word(&answer(text, model, &engine)), "safe", "{model} {keeps:?}");
            assert_eq!(word(&answer(&wrong, model, &engine)), "unsafe", "{model} {keeps:?}");
        }
    }
}
