//! How fast the SMT solver answers the questions of predicate abstraction.
//!
//! Predicates over eight cells of the shapes that programs have (`x < y`, `x == 2`, `x - y <= 1`), and
//! their weakest preconditions over steps that add 1 to a cell. A question is a cube of up to three
//! predicates and one precondition, true or false. Each line has a solver of its own; a solver has four
//! activation literals a predicate, and two more for each further step.
//!
//! Then interpolants: two cells that run after each other, in traces of growing length.

use std::time::Instant;

use wattle_logic::{Binary, Sort, Term};
use wattle_smt::{
    Decide, Decision, Interpolate, Interpolation, Library, Limits, Lit, Models, Solver, Step, StraightLine,
};

const CHECKS: u32 = 20_000;

pub(crate) fn run(_: &[String]) -> Result<bool, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let library = Library::find(&Library::beside(&executable)).map_err(|why| why.to_string())?;
    println!("Z3 {}, {CHECKS} checks a line", library.version());
    for (predicates, steps) in [(30, 1), (30, 8), (100, 1), (100, 8)] {
        abstraction(&library, predicates, steps)?;
    }
    for length in [4, 16, 64] {
        interpolation(&library, length)?;
    }
    Ok(true)
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}

fn cell(number: u32) -> Term {
    Term::content(Term::address(number, vec![]), Sort::Int)
}

fn plus(term: Term, number: i64) -> Term {
    Term::binary(Binary::Add, term, Term::int(number))
}

fn predicate(dice: &mut Dice) -> Term {
    let (a, b) = (cell(dice.below(8) as u32), cell(dice.below(8) as u32));
    let constant = Term::int(dice.below(5) as i64 - 1);
    match dice.below(4) {
        0 => Term::binary(Binary::Less, a, b),
        1 => a.equals(constant),
        2 => Term::binary(Binary::LessEqual, Term::binary(Binary::Subtract, a, b), constant),
        _ => a.equals(b),
    }
}

/// The literals of a term and of its negation.
fn both(solver: &mut Solver, term: &Term) -> Result<[Lit; 2], String> {
    let mut literal = |term: &Term| solver.literal(term).map_err(|what| what.to_string());
    Ok([literal(term)?, literal(&term.negated())?])
}

fn abstraction(library: &Library, count: usize, steps: u32) -> Result<(), String> {
    let mut dice = Dice(99);
    let mut solver = Solver::new(library, Limits::default()).map_err(|why| why.to_string())?;
    solver.stop_when(|| false);
    let terms: Vec<Term> = (0..count).map(|_| predicate(&mut dice)).collect();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for term in &terms {
        before.push(both(&mut solver, term)?);
        for step in 0..steps {
            let moved = term.map(&mut |part| if part == cell(step) { plus(part, 1) } else { part });
            after.push(both(&mut solver, &moved)?);
        }
    }
    let started = Instant::now();
    let mut cores = 0;
    for _ in 0..CHECKS {
        let mut cube: Vec<Lit> =
            (0..1 + dice.below(3)).map(|_| before[dice.below(count)][dice.below(2)]).collect();
        cube.push(after[dice.below(after.len())][dice.below(2)]);
        match solver.check(&cube) {
            Decision::Unsat => cores += solver.core().len(),
            Decision::Sat => {}
            Decision::Stopped(why) => return Err(why.to_string()),
        }
    }
    let each = started.elapsed().as_secs_f64() * 1e6 / f64::from(CHECKS);
    let counters = solver.counters();
    let started = Instant::now();
    const MODELS: usize = 200;
    for _ in 0..MODELS {
        solver.check(&[before[dice.below(count)][0]]);
        for term in &terms {
            solver.holds(term);
        }
    }
    println!(
        "{count:>4} predicates, {steps} steps: {each:6.1} µs a check ({} sat, {} unsat, cores of {:.2}), \
         {:6.1} µs a check with the values of all predicates",
        counters.sat,
        counters.unsat,
        cores as f64 / counters.unsat.max(1) as f64,
        started.elapsed().as_secs_f64() * 1e6 / MODELS as f64,
    );
    Ok(())
}

fn interpolation(library: &Library, length: usize) -> Result<(), String> {
    let mut solver = Solver::new(library, Limits::default()).map_err(|why| why.to_string())?;
    let (x, y) = (cell(0), cell(1));
    let steps = (0..length).map(|step| match step % 2 {
        0 => Step { guard: Term::bool(true), updates: vec![(1, plus(y.clone(), 1))] },
        _ => Step {
            guard: Term::binary(Binary::Less, x.clone(), y.clone()),
            updates: vec![(0, plus(x.clone(), 1))],
        },
    });
    let line = StraightLine {
        cells: (0..8).map(cell).collect(),
        init: Term::binary(Binary::LessEqual, x.clone(), y.clone()),
        steps: steps.collect(),
        bad: Term::binary(Binary::Less, y, x),
    };
    let started = Instant::now();
    match solver.interpolants(&line) {
        Interpolation::Interpolants(_) => {}
        other => return Err(format!("a trace of {length} steps: {other:?}")),
    }
    println!("interpolants of {length:>2} steps: {:6.1} ms", started.elapsed().as_secs_f64() * 1e3);
    Ok(())
}
