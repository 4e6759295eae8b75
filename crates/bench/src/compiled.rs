//! Compilation is correct: whatever a C11 program does on hardware, after the mapping of `passes/c11`, RC11 allows.
//!
//! There are two exceptions, and both are argued. RC11 forbids that program order and reads-from have a cycle (its axiom
//! *no-thin-air*), which the standard mappings do not keep up: relaxed loads and later stores change places on all but
//! x86's kin. What is beyond RC11 must therefore be allowed by RC11 without that axiom. And `power-2012` is weaker than Power: its
//! `lwsync` does not reach through a read (docs/power.md), so that not even release and acquire forbid MP; it is left out.
//! Programs with a data race mean nothing in C11, and are counted.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use wattle_driver::engines::Settings;
use wattle_driver::outcomes::{Outcomes, outcomes};
use wattle_driver::{Input, Watch};
use wattle_engine::Budget;
use wattle_memory::{MemoryModel, cat, find, text};
use wattle_report::{Listing, OutcomesVerdict, Shown};
use wattle_source::{NoLoader, Sources};

/// The models that C11 is compiled to.
pub const HARDWARE: [&str; 9] = ["sc", "tso", "pso", "rmo", "alpha", "power", "arm", "aarch64", "riscv"];

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    /// Pairs of a test and a model.
    pub compared: usize,
    /// Pairs that show what only the axiom no-thin-air forbids.
    pub beyond: usize,
    pub racy: usize,
    pub wrong: Vec<String>,
}

/// Names and values of each final state; `None`: there is a data race.
type States = Option<BTreeSet<Vec<String>>>;

/// All final states of a test.
pub(crate) fn listing(model: &MemoryModel, name: &str, text: &str) -> Result<Listing, String> {
    let request = Outcomes {
        model: Some(model.clone()),
        engine: None,
        settings: Settings::default(),
        budget: Budget::default(),
        atomic_copy: false,
    };
    let report = outcomes(&request, &Input::text(name, "litmus", text), &Watch::default())?;
    match report.verdict {
        OutcomesVerdict::Listed(listing) if listing.bound.is_some() => Err("not all executions".into()),
        OutcomesVerdict::Listed(listing) => Ok(listing),
        other => Err(format!("{other:?}")),
    }
}

fn states(model: &MemoryModel, name: &str, text: &str) -> Result<States, String> {
    let listing = listing(model, name, text)?;
    let one = |values: &[Shown]| {
        listing.names.iter().zip(values).map(|(name, value)| format!("{name}={value}")).collect()
    };
    let states = || listing.states.iter().map(|state| one(&state.values)).collect();
    Ok((!listing.undefined).then(states))
}

/// RC11 without the axiom that hardware does not keep.
static WITHOUT: LazyLock<Option<MemoryModel>> = LazyLock::new(|| {
    let own = text("rc11")?;
    let lines: Vec<&str> = own.lines().filter(|line| !line.ends_with("as no-thin-air")).collect();
    let (mut sources, file) = Sources::single("rc11-without.cat", &lines.join("\n"));
    let axioms = cat::read(&mut sources, file, &NoLoader, &[]).ok()?;
    let name = "rc11 without no-thin-air".into();
    (lines.len() + 1 == own.lines().count()).then(|| find("rc11")).flatten().map(|rc11| MemoryModel {
        name,
        axioms: Some(Arc::new(axioms)),
        ..rc11.clone()
    })
});

/// Compare one test.
pub fn compare(name: &str, text: &str, compiled: &mut Compiled) {
    if let Err(problem) = try_compare(name, text, compiled) {
        compiled.wrong.push(format!("{name}: {problem}"));
    }
}

fn try_compare(name: &str, text: &str, compiled: &mut Compiled) -> Result<(), String> {
    let rc11 = find("rc11").ok_or("no rc11")?;
    let Some(allowed) = states(rc11, name, text)? else {
        compiled.racy += 1;
        return Ok(());
    };
    for model in HARDWARE {
        let hardware = find(model).ok_or("no such model")?;
        let seen = states(hardware, name, text).map_err(|problem| format!("{model}: {problem}"))?;
        let seen = seen.unwrap_or_default();
        compiled.compared += 1;
        if seen.is_subset(&allowed) {
            continue;
        }
        let without = WITHOUT.as_ref().ok_or("no axiom no-thin-air")?;
        let more = states(without, name, text)?.unwrap_or_default();
        match seen.difference(&more).next() {
            None => compiled.beyond += 1,
            Some(state) => return Err(format!("{model} shows {state:?}, which RC11 forbids\n{text}")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use wattle_generate::c11;
    use wattle_generate::cycle::{Architecture, Family, test};

    use super::*;

    #[test]
    fn random_tests_show_on_hardware_what_rc11_allows() {
        let mut compiled = Compiled::default();
        (0..120).for_each(|seed| compare(&format!("random-{seed}"), &c11(seed), &mut compiled));
        assert!(compiled.wrong.is_empty(), "{}", compiled.wrong.join("\n"));
        assert_eq!((compiled.compared, compiled.racy), (120 * HARDWARE.len(), 0));
        assert!(compiled.beyond > 0, "{compiled:?}");
    }

    #[test]
    fn critical_cycles_show_on_hardware_what_rc11_allows() {
        let mut compiled = Compiled::default();
        for cycle in Family::usual(Architecture::C).sample(11, 60) {
            let test = test(&cycle);
            compare(&test.name, &test.text, &mut compiled);
        }
        assert!(compiled.wrong.is_empty(), "{}", compiled.wrong.join("\n"));
        assert_eq!(compiled.compared, 60 * HARDWARE.len());
        assert!(compiled.beyond > 0, "{compiled:?}");
    }
}
