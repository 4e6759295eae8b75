//! Checkers of certificates, one file a form. They import no engine.
//!
//! Every claim is checked: that the property holds, what the certificate says of itself, and what the answer says
//! of coverage, since warnings about vacuous proofs rest on it. A claim that is not so is a contradiction;
//! a limit that is met on the way leaves the proof unchecked.

pub mod abstraction;
mod coverage;
pub mod cubes;
mod executions;
pub mod refutation;
mod state_space;

use wattle_engine::{
    Certificate, Contradiction, Coverage, Halt, Reason, Run, Spent, Task, Unsupported, Work, one_location,
    reached_cuts,
};
use wattle_memory::operational::initial_states;
use wattle_smt::Library;

pub use executions::{Survey, survey};
pub use state_space::{Closure, explore_all};

/// What was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certified {
    /// What was counted on the way, by the name of the statistic.
    pub counts: Vec<(&'static str, u64)>,
    /// What the check does not cover, in words for people.
    pub caveats: Vec<String>,
}

/// Re-checks a proof with code that is not the engine's, on the program as it was read.
pub fn certify(
    task: &Task<'_>,
    certificate: &Certificate,
    coverage: Option<&Coverage>,
    library: impl FnOnce() -> Result<Library, String>,
    run: &Run,
) -> Result<Certified, Halt> {
    let mut certified = Certified::default();
    // A refutation is of all cuts at once, and says nothing of edges where the time was up before they were asked about.
    let told = coverage.is_some() || !matches!(certificate, Certificate::Refutation(_));
    if let Some(cut) = reached_cuts(task.program, coverage).first().filter(|_| told) {
        return Err(wrong(format!("an execution may get to what is cut off ({})", cut.what)));
    }
    match certificate {
        Certificate::StateSpace { capacity } => {
            let sc = task.memory.machine.is_none().then(|| one_location::as_under_sc(task)).flatten();
            let task = &Task { memory: sc.unwrap_or(task.memory), ..*task };
            let states = state_space::state_space(task, *capacity, coverage, run)?;
            certified.counts.push(("certified states", states));
            if sc.is_some() {
                let what =
                    "the check covers the states under sc; that one location is as under sc is not checked";
                certified.caveats.push(what.into());
            }
        }
        Certificate::Executions { executions } => {
            let executions = executions::executions(task, *executions, coverage, run)?;
            certified.counts.push(("certified executions", executions));
        }
        Certificate::Abstraction(proof) => {
            let library = library().map_err(Reason::Solver)?;
            let (triples, states) = abstraction::abstraction(task, proof, coverage, &library, run)?;
            certified.counts.extend([("certified triples", triples), ("certified states", states)]);
            if let Some((discipline, _)) = proof.reduction {
                let what = if discipline.is_remote() { "remote operations" } else { "buffers" };
                certified.caveats.push(format!(
                    "the check covers the program with its {what} written into it, not that writing"
                ));
            }
        }
        Certificate::Cubes(proof) => {
            let library = library().map_err(Reason::Solver)?;
            let (cubes, steps) = cubes::cubes(task, proof, &library, run)?;
            certified.counts.extend([("certified cubes", cubes), ("certified steps", steps)]);
            if coverage.is_some() {
                return Err(wrong("a proof for any number of processes says nothing of coverage"));
            }
        }
        Certificate::Refutation(None) => {
            return Err(Reason::Solver("the solver did not write its proof down".into()).into());
        }
        Certificate::Refutation(Some(proof)) => {
            starts(task, run)?;
            certified.counts.push(("certified steps", refutation::refutation(proof, run)?));
            certified.caveats.push("the check covers solving, not how the program became a formula".into());
            certified.caveats.extend(coverage::by_listing(task, coverage, run)?);
        }
    }
    Ok(certified)
}

/// The certificate, or the coverage beside it, is wrong.
fn wrong(what: impl std::fmt::Display) -> Halt {
    Contradiction::new(
        "certificate",
        "the property holds",
        "checker",
        format!("the certificate is wrong: {what}"),
    )
    .into()
}

/// Is there an initial state? Of a program without one anything can be proved.
fn starts(task: &Task<'_>, run: &Run) -> Result<(), Halt> {
    if task.program.init.is_none() {
        return Ok(());
    }
    let unsupported = |why: String| Reason::Unsupported(Unsupported::new(why));
    let shape = task.shape().map_err(Reason::Unsupported)?;
    for (number, start) in initial_states(task.program, &shape).map_err(unsupported)?.enumerate() {
        if number % 512 == 0 {
            run.poll(START * 512, Spent::default())?;
        }
        if start.map_err(unsupported)?.is_some() {
            return Ok(());
        }
    }
    Err(nothing_to_start_from())
}

/// What making an initial state costs.
const START: Work = Work::nanoseconds(600);

fn nothing_to_start_from() -> Halt {
    wrong(Reason::NoInitialState)
}
