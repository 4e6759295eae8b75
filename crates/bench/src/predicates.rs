//! `agree --extrapolate COUNT [SEED]` and `agree --refine COUNT [SEED]`: proofs by predicates against explicit
//! search (and `refine` against `extrapolate`).
//!
//! Random finite programs under sc, tso and pso: no engine may contradict another, counterexamples
//! must replay, and every proof must pass its checker, on the program before any pass. Some of the programs
//! get atomic sections of several steps: some of their points are marked as inside.
//!
//! `refine` takes turns with its options, and most of its programs have loops that store without a fence, so that
//! explicit search says no more than *bounded*. Beside that: hints do not change a verdict, and where a program needs
//! fences, a search with `refine` alone does not contradict one with `explore` (`wattle_testing::proofs`).
//!
//! `agree --remote COUNT [SEED]`: `extrapolate` on random programs with remote operations, under rma. Two laws are asked of
//! explicit search on the same programs: keeping operations in order allows no more, and all flushes make them sequentially
//! consistent.
//!
//! What came of the tasks is counted by what each engine said, with the smallest program that shows it.

use std::cell::RefCell;
use std::fmt;

use wattle_engine::{Engine, Work};
use wattle_engine_explore::Explore;
use wattle_engine_extrapolate::{Extrapolate, Method};
use wattle_engine_refine::Refine;
use wattle_memory::find;
use wattle_smt::Library;
use wattle_testing::agree::Effort;
use wattle_testing::laws::{self, Asked, Law, Obeyed};
use wattle_testing::proofs::{Ledger, Trial, WITH_BUFFERS, finite, remote, rest, with_loops_of_stores};
use wattle_testing::{Limits, Tally, compare, with_sections};

use crate::closing::close;

/// What is tried, and against whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tried {
    Extrapolate,
    Refine,
    /// `extrapolate` under rma.
    Remote,
}

pub(crate) fn run(tried: Tried, count: u64, seed: u64) -> Result<bool, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let smt = Library::beside(&executable);
    let library = &Library::find(&smt).map_err(|why| why.to_string())?;
    let (ledger, tally) = (&Ledger::default(), RefCell::new(Tally::default()));
    let laws = RefCell::new(Laws::default());
    let explore = Explore::default();
    let extrapolate = Extrapolate { smt: smt.clone(), ..Extrapolate::default() };
    let models: &[&str] = if tried == Tried::Remote { &["sc", "rma"] } else { &WITH_BUFFERS };
    let models: Vec<_> = models.iter().filter_map(|name| find(name)).collect();
    let limits = Limits { deadlock: false, ..Limits::default() };
    let trial = |subject: &dyn Engine, others: &[&dyn Engine], work, seed, law: &dyn Fn(Trial<'_>) -> _| {
        let effort = Effort { states: 50_000, work: Work::milliseconds(work) };
        let models = if tried == Tried::Remote { &["rma"][..] } else { &WITH_BUFFERS };
        law(Trial { subject, others, models, effort, library, ledger, seed })
    };
    let law: Law<'_> = &|program, seed| {
        tally.borrow_mut().add(&compare(program, &models, &[], &limits)?);
        match tried {
            Tried::Extrapolate => trial(&extrapolate, &[&explore], 2_000, seed, &|trial| match seed % 2 {
                0 => trial.agrees(program),
                _ => trial.agrees(&with_sections(program, seed)),
            }),
            Tried::Remote => {
                let search = Asked { engine: &explore, states: 50_000 };
                laws.borrow_mut()
                    .add(laws::weaker_allows_more(&search, program)?, laws::flushed_is_sc(&search, program)?);
                // Every other program of a kind is proved without questions about the reduced program.
                let method = if seed / 4 % 2 == 0 { Method::Auto } else { Method::Ebp };
                let subject = Extrapolate { method, ..extrapolate.clone() };
                trial(&subject, &[&explore], 300, seed, &|trial| match seed % 4 {
                    0 => trial.agrees(&with_sections(program, seed)),
                    _ => trial.agrees(program),
                })
            }
            Tried::Refine => {
                let rest = rest(seed);
                let (smt, contents, keeps) = (smt.clone(), rest.contents, rest.keeps);
                let refine = Refine { smt, contents, keeps, ..Refine::default() };
                // `extrapolate` takes as long as `refine`, and decides little that `explore` does not.
                let both: [&dyn Engine; 2] = [&explore, &extrapolate];
                let others = if seed / 12 % 3 == 0 { &both[..] } else { &both[..1] };
                trial(&refine, others, 200, seed, &|trial| trial.obeys(program))
            }
        }
    };
    let tested = match tried {
        Tried::Extrapolate => laws::test(law, &finite, seed..seed + count),
        Tried::Remote => laws::test(law, &remote, seed..seed + count),
        Tried::Refine => laws::test(law, &with_loops_of_stores, seed..seed + count),
    };
    println!("{}", tally.borrow());
    print!("{ledger}");
    if tried == Tried::Remote {
        println!("{}", laws.borrow());
    }
    Ok(close(tested, count, seed))
}

/// On how many programs the laws of remote operations had answers to compare.
#[derive(Default)]
struct Laws {
    weaker: u64,
    flushed: u64,
}

impl Laws {
    fn add(&mut self, weaker: Obeyed, flushed: Obeyed) {
        self.weaker += u64::from(weaker.compared);
        self.flushed += u64::from(flushed.compared);
    }
}

impl fmt::Display for Laws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Laws { weaker, flushed } = self;
        write!(
            f,
            "sc allows no more than in order, and that no more than unordered: {weaker} compared; all flushes make sc: {flushed}"
        )
    }
}
