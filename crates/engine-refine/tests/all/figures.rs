//! The figures that the paper's table has.

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
