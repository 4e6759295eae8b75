//! One program in two languages: a random test in C is asked about as a litmus test, whose final states engine `enumerate` lists,
//! and as a program with threads, which asserts that it does not end in a given state.
//!
//! The two share neither front end nor, as a rule, engine: the program has a heap of its own, creates threads and joins them, and goes
//! through pointers. So a state that the test can end in must violate the assertion, and one that it cannot must not.

use std::collections::BTreeSet;

use wattle_driver::check::{Check, check};
use wattle_driver::engines::Settings;
use wattle_driver::{Input, Watch};
use wattle_engine::{Budget, Property, Work};
use wattle_generate::{C11, Rng};
use wattle_memory::find;
use wattle_report::CheckVerdict;

use crate::compiled::{HARDWARE, listing};

/// What a question may cost.
const EFFORT: Work = Work::milliseconds(20_000);

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Questions about states that are reached, and about those that are not.
    pub reached: usize,
    pub unreached: usize,
    /// The program was not decided.
    pub undecided: Vec<String>,
    pub wrong: Vec<String>,
}

pub(crate) fn run(count: u64, seed: u64) -> bool {
    let mut written = Written::default();
    for seed in seed..seed + count {
        compare(seed, &mut written);
    }
    let Written { reached, unreached, undecided, wrong } = &written;
    wrong.iter().chain(undecided).for_each(|line| println!("{line}"));
    println!("{reached} states that are reached, {unreached} that are not, {} undecided", undecided.len());
    println!("{} passed, {} failed", reached + unreached - wrong.len(), wrong.len());
    wrong.is_empty()
}

/// Compare one random test under one model, each model in its turn.
pub fn compare(seed: u64, written: &mut Written) {
    let models = HARDWARE.len() as u64 + 1;
    let model = HARDWARE.get((seed % models) as usize).copied().unwrap_or("rc11");
    if let Err(problem) = try_compare(seed, model, written) {
        written.wrong.push(format!("seed {seed} under {model}: {problem}"));
    }
}

fn try_compare(seed: u64, model: &str, written: &mut Written) -> Result<(), String> {
    let test = C11::new(seed);
    let rng = &mut Rng::new(seed);
    let memory = find(model).ok_or("no such model")?;
    let listing = listing(memory, "a.litmus", &test.litmus())?;
    let shown = |state: &wattle_report::FinalState| state.values.iter().map(ToString::to_string).collect();
    let states: BTreeSet<Vec<String>> = listing.states.iter().map(shown).collect();
    let all: Vec<&Vec<String>> = states.iter().collect();
    if all.is_empty() {
        return Err("the test has no final state".into());
    }
    // At first each value is one that its location or register can have, so that only their combination is impossible.
    let mut invented = |attempt: u32| -> Vec<String> {
        let value = |at: usize, rng: &mut Rng| match attempt {
            0..20 => rng.pick(&all).get(at).cloned().unwrap_or_default(),
            _ => rng.below(3).to_string(),
        };
        (0..listing.names.len()).map(|at| value(at, rng)).collect()
    };
    let mut candidates: Vec<Vec<String>> = (0..40).map(&mut invented).collect();
    candidates.retain(|state| !states.contains(state));
    let named = |state: &[String]| -> Vec<(String, String)> {
        listing.names.iter().cloned().zip(state.iter().cloned()).collect()
    };
    let reached = rng.pick(&all);
    for (state, is_reached) in
        [(*reached, true)].into_iter().chain(candidates.first().map(|one| (one, false)))
    {
        let text = test.program(&named(state));
        let request = Check {
            model: memory.clone(),
            property: Property::Stated,
            engine: None,
            settings: Settings::default(),
            budget: Budget { work: Some(EFFORT), ..Budget::default() },
            certify: false,
            atomic_copy: false,
            blame_weak_memory: false,
            litmus: false,
        };
        let report = check(&request, &Input::text("a.c", "c", &text), &Watch::default())?.report;
        *if is_reached { &mut written.reached } else { &mut written.unreached } += 1;
        match (report.verdict, is_reached) {
            (CheckVerdict::Unsafe { .. }, true) | (CheckVerdict::Safe { .. }, false) => {}
            (CheckVerdict::Unknown { reason }, _) => {
                written.undecided.push(format!("seed {seed} under {model}: {reason}"));
            }
            (CheckVerdict::Bounded { bound }, false) => {
                written.undecided.push(format!("seed {seed} under {model}: {bound}"));
            }
            (verdict, _) => {
                let can = if is_reached { "can" } else { "cannot" };
                return Err(format!(
                    "the litmus test {can} end in {state:?}, but the program is {verdict:?}\n{text}"
                ));
            }
        }
    }
    Ok(())
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
        assert!(written.unreached > 30, "{written:?}");
    }
}
