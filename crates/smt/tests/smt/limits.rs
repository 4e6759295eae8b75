//! A solver that may not go on says so. (Memory is tested in a process of its own.)

use wattle_logic::{Binary, Sort, Symbol, Term};
use wattle_smt::{Decide, Decision, Interpolate, Interpolation, Lit, Step, Stop, StraightLine};

use crate::solver;

/// Pigeons in holes, with integers: it takes Z3 long.
fn pigeons(holes: i64) -> Vec<Term> {
    let pigeon = |number: i64| Term::local(number as u32, Sort::Int);
    let mut terms = Vec::new();
    for one in 0..=holes {
        let at_least = Term::binary(Binary::LessEqual, Term::int(0), pigeon(one));
        terms.push(at_least.and(Term::binary(Binary::Less, pigeon(one), Term::int(holes))));
        terms.extend((0..one).map(|other| Term::binary(Binary::NotEqual, pigeon(one), pigeon(other))));
    }
    terms
}

#[test]
fn a_long_check_ends_when_it_is_told_to() {
    let mut solver = solver();
    let hard: Vec<Lit> = pigeons(14).iter().map(|term| solver.literal(term).unwrap()).collect();
    // Asked while the check goes on, which takes minutes otherwise.
    solver.stop_when(|| true);
    assert_eq!(solver.check(&hard), Decision::Stopped(Stop::Asked));
    assert_eq!(solver.check(&hard[..1]), Decision::Stopped(Stop::Asked), "a no is final");
    assert!(solver.implies(&[], &Term::bool(true)).is_err());
}

/// Numbers that grow by inputs of their own, in a circle, and a condition about all of them.
fn circle(length: usize) -> StraightLine {
    let cell = |number: usize| Term::local(number as u32, Sort::Int);
    let input = Term::symbol(Symbol::Bound(0), Sort::Int);
    let sum = (0..12).map(cell).reduce(|a, b| Term::binary(Binary::Add, a, b)).unwrap();
    let steps = (0..length).map(|step| Step {
        guard: Term::binary(
            Binary::Less,
            cell(step % 12),
            Term::binary(Binary::Add, input.clone(), cell((step + 5) % 12)),
        ),
        updates: vec![(
            step % 12,
            Term::binary(
                Binary::Add,
                cell((step + 7) % 12),
                Term::binary(Binary::Multiply, Term::int(2), input.clone()),
            ),
        )],
    });
    StraightLine {
        cells: (0..12).map(cell).collect(),
        init: Term::conjunction(
            (0..12).map(|number| {
                Term::binary(Binary::Remainder, cell(number), Term::int(2)).equals(Term::int(0))
            }),
        ),
        steps: steps.collect(),
        bad: Term::binary(Binary::Remainder, sum, Term::int(2)).equals(Term::int(1)),
    }
}

#[test]
fn a_long_interpolation_ends_when_it_is_told_to() {
    let mut solver = solver();
    solver.stop_when(|| true);
    assert_eq!(solver.interpolants(&circle(60)), Interpolation::Stopped(Stop::Asked));
}
