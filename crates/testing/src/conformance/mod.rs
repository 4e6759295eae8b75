//! The suite that every engine passes: small programs with answers that can be argued in a line.
//!
//! A [`Case`] is a program, a question and the answer under each memory model. [`run`] asks an
//! engine, replays what it calls unsafe, re-explores what it calls safe, and lists everything that
//! went wrong; so a failing engine shows all its faults at once. What concerns budgets and
//! cancellation is in [`budget`], because there the engine's *reason* is the answer.

pub mod budget;
mod order;
mod property;
mod remote;
mod shapes;

use wattle_engine::{Certificate, Engine, Outcomes, Property, Reason, Run, Task, Verdict};
use wattle_judge::certify::certify;
use wattle_judge::confirm;
use wattle_memory::find;
use wattle_program::Program;

/// What an engine must answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    Safe,
    /// A bounded answer, or none: never *safe*.
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

/// Everything that an engine gets wrong, in words. Empty: it conforms.
pub fn run(engine: &dyn Engine) -> Vec<String> {
    let mut wrong = Vec::new();
    for case in cases() {
        for (model, expected) in &case.expected {
            if let Err(what) = check(engine, &case, model, expected) {
                wrong.push(format!("{} under {model}: {what} ({})", case.name, case.because));
            }
        }
    }
    wrong.extend(budget::run(engine));
    wrong
}

fn check(engine: &dyn Engine, case: &Case, model: &str, expected: &Expected) -> Result<(), String> {
    let memory = find(model).ok_or("no such memory model")?;
    let task = Task { program: &case.program, memory, property: case.property };
    if let Err(refused) = engine.accepts(&task) {
        return match expected {
            Expected::Unsupported(what) if refused.what.contains(what) => Ok(()),
            _ => Err(format!("refused: {refused}")),
        };
    }
    let answer = engine.check(&task, &Run::default()).map_err(|contradiction| contradiction.to_string())?;
    let said = match &answer.verdict {
        Verdict::Unsafe { counterexample } => {
            confirm::confirm(&task, counterexample).map_err(|error| format!("not confirmed: {error}"))?;
            Expected::Unsafe
        }
        Verdict::Safe { certificate: certificate @ Certificate::StateSpace { .. } } => {
            let no_solver = || Err("no solver is needed".into());
            let certified = certify(&task, certificate, answer.coverage.as_ref(), no_solver, &Run::default());
            certified.map_err(|error| format!("not certified: {error}"))?;
            Expected::Safe
        }
        Verdict::Safe { .. } => Expected::Safe,
        Verdict::SafeUpTo { .. } => Expected::Bounded,
        Verdict::Unknown { reason: Reason::Vacuous { .. } } => Expected::Bounded,
        Verdict::Unknown { reason: Reason::Unsupported(found) } => match expected {
            Expected::Unsupported(what) if found.what.contains(what) => return Ok(()),
            _ => return Err(format!("unsupported: {found}")),
        },
        Verdict::Unknown { reason } => return Err(format!("unknown: {reason}")),
    };
    if said == *expected { Ok(()) } else { Err(format!("{said:?} instead of {expected:?}")) }
}

/// The outcomes of the shapes, for engines that list them: how many there are under each model is
/// known from the literature or counted by hand.
pub fn run_outcomes(engine: &dyn Outcomes) -> Vec<String> {
    let mut wrong = Vec::new();
    for (program, counts) in shapes::counted() {
        for (model, count) in ["sc", "tso", "pso"].into_iter().zip(counts) {
            let Some(memory) = find(model) else { continue };
            let task = Task { program: &program, memory, property: Property::Stated };
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
