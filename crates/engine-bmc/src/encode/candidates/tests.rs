//! Who hides whom, on structures by hand.

use super::*;
use crate::pulse::Pulse;
use crate::testing::shape;
use crate::testing::sketch::Sketch;

#[test]
fn a_read_takes_its_value_from_the_last_write_of_its_thread_or_from_others() {
    let shape = shape();
    let mut sketch = Sketch::new(&shape);
    let one = sketch.constant(1);
    let first = sketch.write(0, 0, one);
    let second = sketch.write(0, 0, one);
    let (read, _) = sketch.read(0, 0);
    let third = sketch.write(0, 0, one);
    let elsewhere = sketch.write(0, 1, one);
    let other = sketch.write(1, 0, one);
    let all = candidates(&sketch.structure, Coherence::Acyclic, &Pulse::default()).unwrap();
    assert_eq!(all[read as usize], [second, other]);
    let all = candidates(&sketch.structure, Coherence::Unknown, &Pulse::default()).unwrap();
    assert_eq!(all[read as usize], [0, first, second, third, other]);
    assert!(!all[read as usize].contains(&elsewhere));
}

#[test]
fn a_write_that_may_not_happen_hides_only_from_those_that_it_is_sure_for() {
    let shape = shape();
    let mut sketch = Sketch::new(&shape);
    let (_, condition) = sketch.read(0, 1);
    let one = sketch.constant(1);
    let first = sketch.write_if(0, condition, 0, one);
    let second = sketch.write_if(0, condition, 0, one);
    let (read, _) = sketch.read(0, 0);
    let all = candidates(&sketch.structure, Coherence::Acyclic, &Pulse::default()).unwrap();
    // The first is hidden: where it happens, so does the second.
    assert_eq!(all[read as usize], [0, second]);
    assert!(!all[read as usize].contains(&first));
}

#[test]
fn guards_follow_by_their_shape() {
    let shape = shape();
    let mut sketch = Sketch::new(&shape);
    let (_, a) = sketch.read(0, 0);
    let (_, b) = sketch.read(0, 1);
    let (_, c) = sketch.read(0, 2);
    let arena = &mut sketch.structure.arena;
    let bool = wattle_logic::Sort::Bool;
    let both = arena.binary(Binary::And, bool, a, b);
    let more = arena.binary(Binary::And, bool, a, c);
    let either = arena.binary(Binary::Or, bool, both, more);
    let one = sketch.constant(1);
    for guard in [a, both, either] {
        sketch.write_if(0, guard, 0, one);
    }
    let guards = Guards::new(&sketch.structure);
    assert!(guards.implies(both, a));
    assert!(guards.implies(either, a));
    assert!(guards.implies(both, either) || !guards.implies(a, both));
    assert!(!guards.implies(a, either));
    assert!(guards.implies(a, one));
}
