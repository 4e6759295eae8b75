//! Random systems: whatever is decided for any number agrees with the search of instances.

use wattle_engine_backward::Backward;
use wattle_engine_explore::Explore;
use wattle_memory::find;
use wattle_testing::any::{Decided, Effort, any_number};

use super::program;

#[test]
fn agrees_with_instances() {
    let search = Explore { max_capacity: Some(3), ..Explore::default() };
    let effort = Effort { most_copies: 3, states: 4_000, ..Effort::default() };
    let (mut decided, mut worth) = (0, 0);
    for seed in 0..60 {
        let text = wattle_generate::cub(seed);
        let program = program(&text);
        for model in ["sc", "tso"] {
            let memory = find(model).unwrap();
            let found = any_number(&Backward::default(), &search, &program, memory, effort);
            let (answer, matters) =
                found.unwrap_or_else(|why| panic!("seed {seed} under {model}: {why}\n{text}"));
            worth += usize::from(matters);
            decided += usize::from(matters && !matches!(answer, Decided::Undecided(_)));
        }
    }
    assert!(worth > 40, "{worth} systems took more than two nodes");
    assert!(decided * 10 > worth * 6, "{decided} of {worth}");
}
