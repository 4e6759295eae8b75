//! The engine contradicts nobody: not explicit search, not `extrapolate`, not itself with hints, and no search for
//! fences. `wattle-bench agree --refine` does the same in any number.

use std::cell::RefCell;

use wattle_engine::Work;
use wattle_engine_explore::Explore;
use wattle_engine_extrapolate::Extrapolate;
use wattle_engine_refine::Refine;
use wattle_memory::find;
use wattle_smt::Library;
use wattle_testing::agree::Effort;
use wattle_testing::laws::{self, Law};
use wattle_testing::proofs::{Ledger, Trial, rest, with_loops_of_stores};
use wattle_testing::{Limits, Tally, compare};

#[test]
fn nobody_is_contradicted_on_random_programs() {
    let smt = Library::beside(&std::env::current_exe().unwrap());
    let library = &Library::find(&smt).unwrap_or_else(|why| panic!("{why}"));
    let (ledger, tally) = (&Ledger::default(), RefCell::new(Tally::default()));
    let extrapolate = Extrapolate { smt: smt.clone(), ..Extrapolate::default() };
    let models: Vec<_> = ["sc", "tso", "pso"].into_iter().filter_map(find).collect();
    let limits = Limits { deadlock: false, ..Limits::default() };
    let law: Law<'_> = &|program, seed| {
        tally.borrow_mut().add(&compare(program, &models, &[], &limits)?);
        let rest = rest(seed);
        let (smt, contents, keeps) = (smt.clone(), rest.contents, rest.keeps);
        let refine = Refine { smt, contents, keeps, ..Refine::default() };
        let effort = Effort { states: 5_000, work: Work::milliseconds(100) };
        let others = &[&Explore::default() as &dyn wattle_engine::Engine, &extrapolate];
        Trial { subject: &refine, others, effort, library, ledger, seed }.obeys(program)
    };
    let record =
        laws::test(law, &with_loops_of_stores, 100..160).unwrap_or_else(|failure| panic!("{failure}"));
    let tally = tally.into_inner();
    println!("{tally}\n{ledger}{record:?}");
}
