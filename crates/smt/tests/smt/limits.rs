//! Time and memory: a solver that may not go on says so, and the process lives.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use wattle_logic::{Binary, Sort, Term};
use wattle_smt::{Decide, Lit, Outcome, Stop};

use crate::solver;

/// Pigeons in holes, with integers: it takes Z3 long.
pub fn pigeons(holes: i64) -> Vec<Term> {
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
fn a_long_check_ends_soon_after_it_is_told_to() {
    let mut solver = solver();
    let hard: Vec<Lit> = pigeons(14).iter().map(|term| solver.literal(term).unwrap()).collect();
    let flag = Arc::new(AtomicBool::new(false));
    let seen = flag.clone();
    solver.stop_when(move || seen.load(Ordering::Relaxed));
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        flag.store(true, Ordering::Relaxed);
        Instant::now()
    });
    let outcome = solver.check(&hard);
    let ended = Instant::now();
    let told = setter.join().unwrap();
    assert_eq!(outcome, Outcome::Stopped(Stop::Asked));
    let late = ended.duration_since(told);
    // 0.03 s when nobody else wants the processor.
    assert!(late < Duration::from_secs(2), "{late:?}");
    assert_eq!(solver.check(&hard[..1]), Outcome::Stopped(Stop::Asked), "a no is final");
    assert!(solver.implies(&[], &Term::bool(true)).is_err());
}
