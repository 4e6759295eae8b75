//! `agree --extrapolate COUNT [SEED]`: proofs by predicates against explicit search.
//!
//! Random finite programs under sc, tso and pso: neither engine may contradict the other, counterexamples
//! must replay, and every proof must pass its checker, on the program before any pass. Every other program
//! gets atomic sections of several steps: some of its points are marked as inside. What was not decided
//! is counted by its reason.

use std::cell::RefCell;
use std::collections::BTreeMap;

use wattle_engine::{Answer, Budget, Certificate, Engine, Halt, Reason, Run, Task, Verdict, Work};
use wattle_engine_explore::Explore;
use wattle_engine_extrapolate::Extrapolate;
use wattle_generate::{Flavour, Profile};
use wattle_judge::certify::certify;
use wattle_smt::Library;
use wattle_testing::agree::{Effort, engines_agree_and};
use wattle_testing::laws::{self, Law};
use wattle_testing::with_sections;

use crate::closing::close;

const WORK: Work = Work::milliseconds(2_000);
const MODELS: [&str; 3] = ["sc", "tso", "pso"];

pub fn run(count: u64, seed: u64) -> Result<bool, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let smt = Library::beside(&executable);
    let library = Library::find(&smt).map_err(|why| why.to_string())?;
    let (explore, extrapolate) = (Explore::default(), Extrapolate { smt, ..Extrapolate::default() });
    let effort = Effort { states: 50_000, work: WORK };
    let tally: RefCell<BTreeMap<String, u64>> = RefCell::default();
    let also = |task: &Task<'_>, answer: Option<&Answer>| {
        let what = match answer {
            None => match extrapolate.accepts(task) {
                // Whose sort it is does not matter.
                Err(why) => match why.what.split_once(" of sort ") {
                    Some((_, sort)) => format!("refused: sort {}", sort.trim_end_matches(char::is_numeric)),
                    None => format!("refused: {why}"),
                },
                Ok(()) => "refused by explore".into(),
            },
            Some(answer) => look(task, answer, &library)?,
        };
        *tally.borrow_mut().entry(what).or_default() += 1;
        Ok(())
    };
    let law: Law<'_> = &|program, seed| {
        let program = match seed % 2 {
            0 => program.clone(),
            _ => with_sections(program, seed),
        };
        engines_agree_and(&explore, &extrapolate, &MODELS, effort, &program, &also)
    };
    let tested = laws::test(law, &profile, seed..seed + count);
    for (what, count) in tally.borrow().iter() {
        println!("{count:8} {what}");
    }
    Ok(close(tested, count, seed))
}

fn profile(seed: u64) -> Profile {
    let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Sc];
    let small = Profile::small(flavours[(seed % 3) as usize]);
    Profile { loops: 150, litmus: 0, unsupported: 0, ..small }
}

/// What became of a task, in words. `Err`: a proof that does not pass.
fn look(task: &Task<'_>, answer: &Answer, library: &Library) -> Result<String, String> {
    Ok(match &answer.verdict {
        Verdict::Safe { certificate: certificate @ Certificate::Abstraction(_) } => {
            let run = Run::new(Budget { work: Some(WORK * 5), ..Budget::default() });
            match certify(task, certificate, answer.coverage.as_ref(), || Ok(library.clone()), &run) {
                Ok(_) => "safe, certified".into(),
                Err(Halt::Contradiction(contradiction)) => {
                    return Err(format!("a proof does not pass its checker: {contradiction}"));
                }
                Err(Halt::Unknown(reason)) => format!("safe, not certified: {reason}"),
            }
        }
        Verdict::Safe { .. } => return Err("a proof of another kind".into()),
        Verdict::SafeUpTo { .. } => "bounded".into(),
        Verdict::Unsafe { .. } => "unsafe, replayed".into(),
        // The rest of the text is about one program.
        Verdict::Unknown { reason: Reason::Undecided(why) | Reason::TooLarge(why) | Reason::Solver(why) } => {
            format!("unknown: {}", why.split([':', ',']).next().unwrap_or(why))
        }
        Verdict::Unknown { reason } => format!("unknown: {reason}"),
    })
}
