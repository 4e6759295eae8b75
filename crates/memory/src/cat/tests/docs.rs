//! docs/cat.md: its examples are read, and it lists what there is.

use super::super::base::{RELATIONS, SETS};
use super::axioms;

#[test]
fn the_examples_are_models_and_the_tables_are_complete() {
    let text = include_str!("../../../../../docs/cat.md");
    let examples: Vec<&str> =
        text.split("```cat\n").skip(1).filter_map(|part| part.split("```").next()).collect();
    let counts: Vec<usize> = examples.iter().map(|example| axioms(example).core.axioms.len()).collect();
    assert_eq!(counts, [3, 3, 3, 4]);
    for (name, _) in SETS.iter().chain(RELATIONS) {
        assert!(text.contains(&format!("`{name}`")), "{name}");
    }
}
