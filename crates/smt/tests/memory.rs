//! A solver without memory says so, and the process lives. The limit is one of the process, so that
//! these questions have a process of their own.

#![allow(clippy::unwrap_used)]

use wattle_logic::{Binary, Sort, Term};
use wattle_smt::{
    Decide, Decision, Interpolate, Interpolation, Library, Limits, Lit, Models, Solver, Step, Stop,
    StraightLine,
};

fn variable(number: u32) -> Term {
    Term::local(number, Sort::Int)
}

/// Pigeons that do not fit into holes, which takes long to find out.
fn hard() -> Vec<Term> {
    let mut terms = Vec::new();
    for one in 0..=60 {
        let at_least = Term::binary(Binary::LessEqual, Term::int(0), variable(one));
        terms.push(at_least.and(Term::binary(Binary::Less, variable(one), Term::int(60))));
        terms.extend((0..one).map(|other| Term::binary(Binary::NotEqual, variable(one), variable(other))));
    }
    terms
}

/// Sixty steps over thirty cells.
fn long() -> StraightLine {
    let steps = (0..60).map(|step: u32| Step {
        guard: Term::binary(Binary::Less, variable(step % 30), variable((step + 7) % 30)),
        updates: vec![(
            step as usize * 11 % 30,
            Term::binary(Binary::Add, variable(step % 30), Term::int(3)),
        )],
    });
    StraightLine {
        cells: (0..30).map(variable).collect(),
        init: variable(0).equals(Term::int(0)),
        steps: steps.collect(),
        bad: Term::binary(Binary::Less, Term::int(1000), variable(0)),
    }
}

#[test]
fn too_little_memory_is_an_answer() {
    let executable = std::env::current_exe().unwrap();
    let library = Library::find(&Library::beside(&executable)).unwrap_or_else(|why| panic!("{why}"));
    let (hard, long) = (hard(), long());
    for megabytes in [1, 8, 24, 32] {
        let mut solver = Solver::new(&library, Limits { memory: Some(megabytes << 20) }).unwrap();
        let lits: Vec<Lit> = hard.iter().map(|term| solver.literal(term).unwrap()).collect();
        assert_eq!(solver.check(&lits), Decision::Stopped(Stop::Memory), "{megabytes} MB");
        assert_eq!(solver.holds(&hard[0]), None);
        let interpolation = solver.interpolants(&long);
        assert!(matches!(interpolation, Interpolation::Stopped(_)), "{megabytes} MB: {interpolation:?}");
    }
    // It is not a state of the process: with more memory, there are answers again.
    for memory in [Some(4 << 30), None] {
        let mut small = Solver::new(&library, Limits { memory: Some(1 << 20) }).unwrap();
        let lits: Vec<Lit> = hard.iter().map(|term| small.literal(term).unwrap()).collect();
        assert_eq!(small.check(&lits), Decision::Stopped(Stop::Memory));
        let mut solver = Solver::new(&library, Limits { memory }).unwrap();
        let easy = solver.literal(&variable(0).equals(Term::int(3))).unwrap();
        assert_eq!(solver.check(&[easy]), Decision::Sat);
        assert_eq!(solver.integer(&variable(0)), Some(3));
    }
}
