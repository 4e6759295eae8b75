//! The suite that every engine passes: small programs with answers that can be argued in a line.
//!
//! A [`Case`] is a program, a question and the answer under each memory model. [`run`] asks an engine all of
//! them, replays what it calls unsafe and re-checks the certificate of what it calls safe. No engine is
//! excused from a case: one that refuses a question, or leaves it open, loses a point in its [`Score`], and
//! the test that runs the suite says how many points each engine must have. Everything that is wrong is
//! listed, so a failing engine shows all its faults at once. What concerns budgets and cancellation is in
//! [`budget`], because there the engine's *reason* is the answer.

mod budget;
mod order;
mod property;
mod remote;
mod score;
mod shapes;

use std::path::PathBuf;

use wattle_engine::{Budget, Certificate, Engine, Outcomes, Property, Reason, Run, Task, Verdict, Work};
use wattle_judge::confirm;
use wattle_memory::find;
use wattle_program::Program;

pub use score::Score;

use score::{Said, certified};

/// What an engine must answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    Safe,
    /// Safe, but no capacity of buffers closes the state space: a bounded answer, or none, or a proof of another
    /// kind.
    Bounded,
    Unsafe,
    /// Unsupported, with this in the reason.
    Unsupported(&'static str),
}

pub struct Case {
    pub name: String,
    pub program: Program,
    pub property: Property,
    /// Memory model and answer.
    pub expected: Vec<(&'static str, Expected)>,
    /// Why.
    pub because: &'static str,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl Case {
    /// Safe or not under sc, tso and pso.
    fn stated(program: Program, safe: [bool; 3], because: &'static str) -> Case {
        let answer = |safe: bool| if safe { Expected::Safe } else { Expected::Unsafe };
        let expected =
            ["sc", "tso", "pso"].into_iter().zip(safe).map(|(model, safe)| (model, answer(safe))).collect();
        Case { name: program.name.to_string(), program, property: Property::Stated, expected, because }
    }
}

/// Every case there is.
pub fn cases() -> Vec<Case> {
    let mut cases = shapes::cases();
    cases.extend(order::cases());
    cases.extend(property::cases());
    cases.extend(remote::cases());
    cases
}

/// What an engine may do for one question: more than any of them needs, and an end for engines that would
/// unroll loops for ever.
const ENOUGH: Work = Work::milliseconds(200);

/// Ask an engine everything. `smt`: where Z3 may be, for certificates that are checked by it.
pub fn run(engine: &dyn Engine, smt: &[PathBuf]) -> Score {
    let mut score = Score::default();
    for case in cases() {
        for (model, expected) in &case.expected {
            let said = ask(engine, &case, model, expected, smt);
            score.count(said, || format!("{} under {model} ({})", case.name, case.because));
        }
    }
    budget::run(engine, smt, &mut score);
    score
}

fn ask(engine: &dyn Engine, case: &Case, model: &str, expected: &Expected, smt: &[PathBuf]) -> Said {
    let Some(memory) = find(model) else { return Said::Wrong("no such memory model".into()) };
    let task = Task { program: &case.program, memory, property: case.property, hints: None };
    if let Err(refused) = engine.accepts(&task) {
        return match expected {
            Expected::Unsupported(what) if refused.what.contains(what) => Said::Refused(None),
            _ => Said::Refused(Some(refused.to_string())),
        };
    }
    let run = Run::new(Budget { work: Some(ENOUGH), ..Budget::default() });
    let answer = match engine.check(&task, &run) {
        Ok(answer) => answer,
        Err(contradiction) => return Said::Wrong(contradiction.to_string()),
    };
    let instead = |what: &str| Said::Wrong(format!("{what} instead of {expected:?}"));
    match (&answer.verdict, expected) {
        (Verdict::Unsafe { counterexample }, Expected::Unsafe) => {
            match confirm::confirm(&task, counterexample) {
                Ok(_) => Said::Right,
                Err(error) => Said::Wrong(format!("not confirmed: {error}")),
            }
        }
        (Verdict::Safe { .. }, Expected::Safe) => certified(&task, &answer, smt),
        (Verdict::Safe { certificate: Certificate::Abstraction(_) }, Expected::Bounded) => {
            certified(&task, &answer, smt)
        }
        (Verdict::Unsafe { .. }, _) => instead("unsafe"),
        (Verdict::Safe { .. }, _) => instead("safe"),
        (Verdict::SafeUpTo { .. }, Expected::Bounded) => Said::Right,
        (Verdict::Unknown { reason: Reason::Vacuous { .. } }, Expected::Bounded) => Said::Right,
        (Verdict::Unknown { reason: Reason::Unsupported(found) }, Expected::Unsupported(what))
            if found.what.contains(what) =>
        {
            Said::Right
        }
        (Verdict::SafeUpTo { bound }, _) => Said::Open(format!("only {bound}")),
        (Verdict::Unknown { reason }, _) => Said::Open(format!("unknown: {reason}")),
    }
}

/// The outcomes of the shapes, for engines that list them: how many there are under each model is
/// known from the literature or counted by hand.
pub fn run_outcomes(engine: &dyn Outcomes) -> Vec<String> {
    let mut wrong = Vec::new();
    for (program, counts) in shapes::counted() {
        for (model, count) in ["sc", "tso", "pso"].into_iter().zip(counts) {
            let Some(memory) = find(model) else { continue };
            let task = Task { program: &program, memory, property: Property::Stated, hints: None };
            match engine.outcomes(&task, &Run::default()) {
                Ok(found) if found.len() == count => {}
                Ok(found) => wrong.push(format!(
                    "{} under {model}: {} outcomes, not {count}",
                    program.name,
                    found.len()
                )),
                Err(reason) => wrong.push(format!("{} under {model}: {reason}", program.name)),
            }
        }
    }
    wrong
}
