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
use wattle_testing::laws::{self, Law, Record};
use wattle_testing::proofs::{Ledger, Trial, WITH_BUFFERS, rest, with_loops_of_stores};
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
        Trial { subject: &refine, others, models: &WITH_BUFFERS, effort, library, ledger, seed }
            .obeys(program)
    };
    // Twelve programs with hints, two dozen with repairs, and a dozen with sections.
    let mut all = Record::default();
    for seeds in [0..36, 96..108] {
        let Record { programs, compared, telling } =
            laws::test(law, &with_loops_of_stores, seeds).unwrap_or_else(|failure| panic!("{failure}"));
        all.programs += programs;
        all.compared += compared;
        all.telling += telling;
    }
    let tally = tally.into_inner();
    let said = format!("{tally}\n{ledger}{all:?}");
    // Not trivial ones only.
    assert!(tally.share(tally.trivial) < 30.0 && tally.share(tally.sensitive) > 8.0, "{said}");
    assert!(all.compared >= 46 && all.telling >= 16, "{said}");
    assert!(ledger.counted("programs that fill buffers without end") >= 12, "{said}");
    // And not without an answer.
    assert!(ledger.counted("safe, certified") >= 75 && ledger.counted("unsafe") >= 50, "{said}");
    assert!(ledger.counted("safe, certified; explore: bounded") >= 6, "{said}");
    assert_eq!(ledger.counted("safe, not certified"), 0, "{said}");
    assert!(ledger.counted("unknown") <= 6, "{said}");
    assert!(ledger.counted("hints: the same with hints") >= 40, "{said}");
    assert!(ledger.counted("repair: minimal; explore: exact") >= 4, "{said}");
}
