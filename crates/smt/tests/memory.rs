//! A solver without memory says so, and the process lives. The limit is one of the process, so that
//! these questions have a process of their own.

#![allow(clippy::unwrap_used)]

use wattle_logic::{Binary, Sort, Term};
use wattle_smt::{Decide, Interpolate, Interpolation, Library, Limits, Lit, Models, Outcome, Solver, Step, Stop, Trace};

/// A sum of many variables that has no solution for a reason that takes long to find.
fn hard(size: u32) -> Vec<Term> {
    let variable = |number: u32| Term::local(number, Sort::Int);
    let mut terms = Vec::new();
    for one in 0..=size {
        let at_least = Term::binary(Binary::LessEqual, Term::int(0), variable(one));
        terms.push(at_least.and(Term::binary(Binary::Less, variable(one), Term::int(i64::from(size)))));
        terms.extend((0..one).map(|other| Term::binary(Binary::NotEqual, variable(one), variable(other))));
    }
    terms
}

#[test]
fn too_little_memory_is_an_answer() {
    let library = Library::find(&Library::beside(&std::env::current_exe().unwrap())).unwrap_or_else(|why| panic!("{why}"));
    let x = Term::local(0, Sort::Int);
    let trace = Trace {
        cells: (0..30).map(|number| Term::local(number, Sort::Int)).collect(),
        init: x.clone().equals(Term::int(0)),
        steps: (0..60)
            .map(|step| Step {
                guard: Term::binary(Binary::Less, Term::local(step % 30, Sort::Int), Term::local((step + 7) % 30, Sort::Int)),
                updates: vec![((step as usize * 11) % 30, Term::binary(Binary::Add, Term::local(step % 30, Sort::Int), Term::int(3)))],
            })
            .collect(),
        bad: Term::binary(Binary::Less, Term::int(1000), x.clone()),
    };
    for megabytes in [1, 2, 4, 8, 16, 20, 24, 32, 40, 64] {
        let limits = Limits { memory: Some(megabytes << 20) };
        let start = std::time::Instant::now();
        let told = match Solver::new(&library, limits) {
            Err(why) => format!("new: {why}"),
            Ok(mut solver) => {
                let start = std::time::Instant::now();
                solver.stop_when(move || start.elapsed().as_secs() > 6);
                let lits: Vec<Lit> = hard(60).iter().map(|term| solver.literal(term).unwrap()).collect();
                let out = solver.check(&lits);
                let holds = solver.holds(&hard(60)[0]);
                let inter = solver.interpolants(&trace);
                let second = solver.check(&lits[..3]);
                format!("{out:?} {holds:?} {} then {second:?}", match inter { Interpolation::Stopped(w) => w.to_string(), Interpolation::Interpolants(_) => "itp".into(), o => format!("{o:?}") })
            }
        };
        eprintln!("{megabytes} MB: {told} {:?}", start.elapsed());
        let _ = (Outcome::Sat, Stop::Memory);
    }
}
