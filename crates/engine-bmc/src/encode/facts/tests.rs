//! Facts of small structures, and of every operator against the evaluator.

use wattle_logic::{Binary, Sort};

use super::*;
use crate::encode::candidates::candidates;
use crate::pulse::Pulse;
use crate::testing::shape;
use crate::testing::sketch::Sketch;

fn facts(sketch: &Sketch<'_>, thin_air_free: bool) -> Facts {
    let options = Options { coherence: Coherence::Acyclic, thin_air_free };
    Facts::new(
        &sketch.structure,
        &candidates(&sketch.structure, options.coherence, &Pulse::default()).unwrap(),
        options,
    )
}

/// Two threads that add one to `x`, `rounds` times each; the sum, and a last read.
fn counters(sketch: &mut Sketch<'_>, sort: Sort, rounds: usize) -> EventId {
    let one = sketch.constant(1);
    for thread in 0..2 {
        for _ in 0..rounds {
            let (_, value) = sketch.read(thread, 0);
            let sum = sketch.structure.arena.binary(Binary::Add, sort, value, one);
            sketch.write(thread, 0, sum);
        }
    }
    sketch.read(2, 0).0
}

#[test]
fn a_counter_is_at_most_the_number_of_its_writes() {
    let shape = shape();
    for rounds in [3, 20] {
        let mut sketch = Sketch::new(&shape);
        let last = counters(&mut sketch, Sort::Int, rounds);
        let facts = facts(&sketch, true);
        assert_eq!(facts.read(last).bounds(), Some((0, 2 * rounds as i64)));
        assert!(!facts.settled);
    }
}

#[test]
fn without_an_axiom_a_value_that_may_depend_on_itself_is_anything() {
    let shape = shape();
    let mut sketch = Sketch::new(&shape);
    let last = counters(&mut sketch, Sort::Int, 3);
    assert_eq!(facts(&sketch, false).read(last), &Fact::Unbounded);
    let mut sketch = Sketch::new(&shape);
    let last = counters(&mut sketch, Sort::Bits { width: 8, signed: false }, 3);
    assert_eq!(facts(&sketch, false).read(last), &Fact::Between(0, 255));
}

#[test]
fn what_depends_on_constants_only_settles() {
    let shape = shape();
    let mut sketch = Sketch::new(&shape);
    let five = sketch.constant(5);
    sketch.write(0, 0, five);
    let (_, value) = sketch.read(1, 0);
    let sum = sketch.structure.arena.binary(Binary::Multiply, Sort::Int, value, value);
    sketch.write(1, 1, sum);
    let (read, _) = sketch.read(2, 1);
    for thin_air_free in [true, false] {
        let facts = facts(&sketch, thin_air_free);
        assert_eq!(facts.read(read), &Fact::among(vec![0, 25]));
    }
}

#[test]
fn a_guard_that_never_holds_writes_nothing() {
    let shape = shape();
    let mut sketch = Sketch::new(&shape);
    let (one, seven) = (sketch.constant(1), sketch.constant(7));
    sketch.write(0, 0, one);
    let (_, value) = sketch.read(1, 0);
    let never = sketch.structure.arena.binary(Binary::Equal, Sort::Bool, value, seven);
    sketch.write_if(1, never, 1, seven);
    let (read, _) = sketch.read(2, 1);
    assert_eq!(facts(&sketch, true).read(read), &Fact::one(0));
}

/// Intervals of every operator hold what the operator makes of the values inside.
#[test]
fn intervals_hold_all_results() {
    let shape = shape();
    let sorts = [
        Sort::Int,
        Sort::Bits { width: 4, signed: true },
        Sort::Bits { width: 5, signed: false },
        Sort::Bits { width: 64, signed: true },
    ];
    use Binary::*;
    let operators = [
        Add, Subtract, Multiply, Divide, Remainder, BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight, Equal, Less,
    ];
    let mut sketch = Sketch::new(&shape);
    let cells: Vec<Expr> = (0..2).map(|cell| sketch.structure.arena.cell(cell)).collect();
    let mut exprs = vec![];
    for sort in sorts {
        for operator in operators {
            exprs.push(sketch.structure.arena.binary(operator, sort, cells[0], cells[1]));
        }
    }
    let bounds = [(-3, 20), (0, 17), (-30, -5), (5, 40), (-20, 20)];
    for (low, high) in bounds {
        for (from, to) in bounds {
            use crate::unroll::structure::Input;
            sketch.structure.inputs = vec![Input { low, high }, Input { low: from, high: to }];
            let facts = facts(&sketch, true);
            for expr in &exprs {
                for a in low..=high {
                    for b in from..=to {
                        if let Ok(value) = sketch.structure.arena.evaluate(*expr, &[], &[a, b]) {
                            let fact = facts.of(*expr).unwrap();
                            let node = sketch.structure.arena.node(*expr);
                            assert!(fact.may_be(value), "{node:?} of {a} and {b}: {value}, not {fact:?}");
                        }
                    }
                }
            }
        }
    }
}
