//! One program in two languages: a random test in C is asked about as a litmus test, whose final states engine `enumerate` lists,
//! and as a program with threads, which asserts that it does not end in a given state.
//!
//! The two share neither front end nor, as a rule, engine: the program has a heap of its own, creates threads and joins them, and goes
//! through pointers. So a state that the test can end in must violate the assertion, and one that it cannot must not. Against a state that
//! only weak memory reaches, both need the same number of fences. (`fix` checks the text that it changed before it shows it.)

use std::collections::BTreeSet;
use std::fmt::Display;

use wattle_driver::check::{Check, check};
use wattle_driver::fix::{Fix, fix};
use wattle_driver::{Input, Watch};
use wattle_engine::{Budget, Work};
use wattle_generate::{C11, Rng};
use wattle_memory::{MemoryModel, find};
use wattle_report::{CheckVerdict, FixVerdict, Proof, Shown};

use crate::compiled::{HARDWARE, listing};

/// What a question may cost.
const EFFORT: Work = Work::milliseconds(20_000);

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Questions about states that are reached, and about those that are not.
    pub reached: usize,
    pub unreached: usize,
    /// Questions for the fewest fences.
    pub repaired: usize,
    /// The program was not decided.
    pub undecided: Vec<String>,
    pub wrong: Vec<String>,
}

pub(crate) fn run(count: u64, seed: u64) -> bool {
    let mut written = Written::default();
    for seed in seed..seed + count {
        compare(seed, &mut written);
    }
    let Written { reached, unreached, repaired, undecided, wrong } = &written;
    wrong.iter().chain(undecided).for_each(|line| println!("{line}"));
    let open = undecided.len();
    println!(
        "{reached} states that are reached, {unreached} that are not, {repaired} repairs, {open} undecided"
    );
    println!("{} passed, {} failed", reached + unreached + repaired - wrong.len(), wrong.len());
    wrong.is_empty()
}

/// Compare one random test under one model, each model in its turn.
pub fn compare(seed: u64, written: &mut Written) {
    let models = HARDWARE.len() as u64 + 1;
    let model = HARDWARE.get((seed % models) as usize).copied().unwrap_or("rc11");
    let compared = Twice::new(seed, model).and_then(|twice| {
        twice.verdicts(written)?;
        twice.repairs(written)
    });
    if let Err(problem) = compared {
        written.wrong.push(format!("seed {seed} under {model}: {problem}"));
    }
}

type State = Vec<(String, String)>;

/// A test with its final states.
struct Twice {
    seed: u64,
    model: &'static MemoryModel,
    test: C11,
    states: BTreeSet<State>,
}

/// All final states of a test under a model.
fn states(test: &C11, model: &MemoryModel) -> Result<BTreeSet<State>, String> {
    let listing = listing(model, "a.litmus", &test.litmus())?;
    let one = |values: &[Shown]| -> State {
        let values = values.iter().map(ToString::to_string);
        listing.names.iter().cloned().zip(values).collect()
    };
    Ok(listing.states.iter().map(|state| one(&state.values)).collect())
}

/// What a question may cost.
fn budget() -> Budget {
    Budget { work: Some(EFFORT), ..Budget::default() }
}

impl Twice {
    fn new(seed: u64, model: &str) -> Result<Twice, String> {
        let model = find(model).ok_or("no such model")?;
        let test = C11::new(seed);
        let states = states(&test, model)?;
        if states.is_empty() {
            return Err("the test has no final state".into());
        }
        Ok(Twice { seed, model, test, states })
    }

    fn program(&self, state: &State) -> Input {
        Input::text("a.c", "c", &self.test.program(state))
    }

    /// Not decided, for this reason.
    fn undecided(&self, written: &mut Written, why: &dyn Display) {
        written.undecided.push(format!("seed {} under {}: {why}", self.seed, self.model.name));
    }

    /// A state that the test does not end in, if one was found.
    fn impossible(&self, rng: &mut Rng) -> Option<State> {
        let all: Vec<&State> = self.states.iter().collect();
        // At first each value is one that its location or register can have, so that only their combination is impossible.
        let mut invented = |attempt: u32| -> State {
            let mut state = (*rng.pick(&all)).clone();
            for (at, (_, value)) in state.iter_mut().enumerate() {
                *value = match attempt {
                    0..20 => rng.pick(&all)[at].1.clone(),
                    _ => rng.below(3).to_string(),
                };
            }
            state
        };
        (0..40).map(&mut invented).find(|state| !self.states.contains(state))
    }

    /// Can the program end in a state that the test ends in, and can it in another?
    fn verdicts(&self, written: &mut Written) -> Result<(), String> {
        let rng = &mut Rng::new(self.seed);
        let all: Vec<&State> = self.states.iter().collect();
        let reached = (*rng.pick(&all)).clone();
        let questions = [Some((reached, true)), self.impossible(rng).map(|state| (state, false))];
        for (state, is_reached) in questions.into_iter().flatten() {
            let request = Check { budget: budget(), ..Check::new(self.model.clone()) };
            let report = check(&request, &self.program(&state), &Watch::default())?.report;
            *if is_reached { &mut written.reached } else { &mut written.unreached } += 1;
            match (report.verdict, is_reached) {
                (CheckVerdict::Unsafe { .. }, true) | (CheckVerdict::Safe { .. }, false) => {}
                (CheckVerdict::Unknown { reason }, _) => self.undecided(written, &reason),
                (CheckVerdict::Bounded { bound }, false) => self.undecided(written, &bound),
                (verdict, _) => {
                    let can = if is_reached { "can" } else { "cannot" };
                    let text = self.test.program(&state);
                    return Err(format!(
                        "the test {can} end in {state:?}, but the program is {verdict:?}\n{text}"
                    ));
                }
            }
        }
        Ok(())
    }

    /// How many fences both texts need against a state that only weak memory reaches.
    fn repairs(&self, written: &mut Written) -> Result<(), String> {
        let sc = states(&self.test, find("sc").ok_or("no sc")?)?;
        let Some(weak) = self.states.difference(&sc).next() else { return Ok(()) };
        let litmus = Input::text("a.litmus", "litmus", &self.test.litmus_without(weak));
        let request = || Fix { budget: budget(), ..Fix::new(self.model.clone()) };
        let (test, program) = (
            fix(&request(), &litmus, &Watch::default())?,
            fix(&request(), &self.program(weak), &Watch::default())?,
        );
        written.repaired += 1;
        match (&test.verdict, &program.verdict) {
            (FixVerdict::Unknown { reason }, _) | (_, FixVerdict::Unknown { reason }) => {
                self.undecided(written, reason);
                Ok(())
            }
            (
                FixVerdict::Repaired { count: one, minimal: true, proof: Proof::Safe, .. },
                FixVerdict::Repaired {
                    count: other, minimal: true, proof: Proof::Safe, edited: Some(_), ..
                },
            ) if one == other => Ok(()),
            (FixVerdict::Unrepairable { .. }, FixVerdict::Unrepairable { .. }) => Ok(()),
            (test, program) => {
                let text = self.test.program(weak);
                Err(format!("repairs differ: {test:?} of the test, {program:?} of the program\n{text}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn litmus_tests_and_programs_in_c_agree() {
        let mut written = Written::default();
        (0..60).for_each(|seed| compare(seed, &mut written));
        assert!(written.wrong.is_empty(), "{}", written.wrong.join("\n"));
        assert!(written.undecided.is_empty(), "{}", written.undecided.join("\n"));
        assert_eq!(written.reached, 60);
        assert!(written.unreached > 50 && written.repaired > 1, "{written:?}");
    }
}
