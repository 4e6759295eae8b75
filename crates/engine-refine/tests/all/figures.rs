//! How far the engine goes: by its figures, and by what it can decide.

use wattle_engine_refine::Refine;

use super::{MODELS, answer, refine, word};

/// One predicate, said of memory, of slots and of rests, for two flags: the paper counts it once, and so do we.
#[test]
fn instances_of_a_predicate_count_once() {
    let text = "shared flag[2]: 0..1 = {0, 0};
                thread p[2] { local other: 0..1 = 1 - me;
                  while (true) { flag[me] = 1; fence; await flag[other] == 0; cs: skip; flag[me] = 0; } }
                forbid p[0]@cs && p[1]@cs;";
    for model in MODELS {
        let answer = answer(text, model, &refine(Refine::default()));
        assert_eq!(word(&answer), "safe", "{model}");
        let [all, templates] =
            ["predicates", "parameterised predicates"].map(|name| answer.statistics.counted(name).unwrap());
        assert!(templates == 1 && all > 2, "{model}: {templates} of {all}");
    }
}

/// What fails with every store in memory at once is replayed on the machine before any buffer is abstracted. (With
/// buffers a thread takes one move more to its end, which `finally` asks for.)
#[test]
fn what_fails_under_sc_needs_no_slots() {
    for property in ["finally x == 1;", "always x != 2;", "forbid p@end && q@end;"] {
        let text = format!("shared x = 0; thread p {{ x = 1; }} thread q {{ x = 2; }} {property}");
        for model in MODELS {
            let answer = answer(&text, model, &refine(Refine::default()));
            assert_eq!(word(&answer), "unsafe", "{property} {model}");
            assert_eq!(answer.statistics.counted("slots"), None, "{property} {model}");
        }
    }
}

/// `~a` is `-1 - a`.
#[test]
fn a_complement_is_linear() {
    let text = |least: i64| {
        format!(
            "shared x = 0; thread p {{ while (true) {{ x = 2; }} }}
             thread q {{ local r = 0; r = x; r = ~r; assert r >= {least}; }}"
        )
    };
    for model in ["sc", "tso", "pso"] {
        let says = |least: i64| word(&answer(&text(least), model, &refine(Refine::default())));
        assert_eq!([says(-3), says(-2)], ["safe", "unsafe"], "{model}");
    }
}

/// Fifty times round the loop, in a proof that goes round a few times: what counts together is related.
#[test]
fn constants_that_shift_become_relations() {
    let programs = [
        "thread t { local i, s; i = 0; s = 0; while (i < 50) { i = i + 1; s = s + 2; } assert s == 100; }",
        "shared c = 0;
         thread w { local i, a; i = 0; while (i < 50) { a = c; c = a + 1; fence; i = i + 1; } }
         thread r { local v; v = c; assert v <= 50; }",
    ];
    for text in programs {
        for model in MODELS {
            let answer = answer(text, model, &refine(Refine::default()));
            assert_eq!(word(&answer), "safe", "{model} {text}");
            let rounds = answer.statistics.counted("sc rounds").unwrap();
            assert!(rounds < 10, "{model}: {rounds} {text}");
        }
    }
}
