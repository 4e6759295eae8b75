//! `agree`: bounded model checking against the other engines.
//!
//! * On every litmus test of the corpus and of the tables, under every model of the catalogue: is the
//!   condition reachable? `enumerate`, `bmc` by its theory, and `bmc` by clocks where that exists.
//! * `--loops COUNT [SEED]`: random programs with loops and branches under sc, tso and pso, against
//!   `explore`.
//! * `--branching COUNT [SEED]`: random programs with branches, fences and read-modify-writes inside
//!   them, under sc, tso, pso, power and aarch64, against `enumerate`.
//! * `--atomics COUNT [SEED]`: tests with exclusives and atomics, see `atomics/`.
//! * `--c COUNT [SEED]`: random tests in C, as litmus tests and as programs with threads, see `written.rs`.
//! * `--any COUNT [SEED]`: random systems for any number of processes, see `backward.rs`.
//! * `--extrapolate COUNT [SEED]`, `--refine COUNT [SEED]`, `--remote COUNT [SEED]`: other engines, see `predicates.rs`.
//!
//! Every other random program gets two rounds of each loop, the others more and more.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use wattle_driver::{Input, load};
use wattle_engine::{Engine, Property, Task, Work};
use wattle_engine_bmc::{Bmc, Formulated};
use wattle_engine_enumerate::Enumerate;
use wattle_engine_explore::Explore;
use wattle_generate::{Flavour, Profile};
use wattle_memory::CATALOGUE;
use wattle_program::passes;
use wattle_testing::agree::{Effort, agree, engines_agree};
use wattle_testing::laws::{self, Law};

use crate::closing::close;
use crate::predicates::Tried;

pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let number = |at: usize, usual: u64| {
        arguments.get(at).map_or(Ok(usual), |text| text.parse().map_err(|_| format!("{text}: not a number")))
    };
    match arguments.first().map(String::as_str) {
        Some("--loops") => {
            let other = Explore::default();
            random(&other, &["sc", "tso", "pso"], &with_loops, number(1, 10_000)?, number(2, 4_000_000)?)
        }
        Some("--branching") => {
            let other = Enumerate::default();
            let models = ["sc", "tso", "pso", "power", "aarch64"];
            random(&other, &models, &branching, number(1, 10_000)?, number(2, 5_000_000)?)
        }
        Some("--atomics") => crate::atomics::run(number(1, 2_000)? as usize, number(2, 1)?),
        Some("--c") => Ok(crate::written::run(number(1, 1_000)?, number(2, 1)?)),
        Some("--atomics-table") => crate::atomics::rows(number(1, 80)? as usize, number(2, 1)?),
        Some("--extrapolate") => {
            crate::predicates::run(Tried::Extrapolate, number(1, 10_000)?, number(2, 6_000_000)?)
        }
        Some("--any") => crate::backward::agree(number(1, 2_000)?, number(2, 10_000_000)?),
        Some("--remote") => crate::predicates::run(Tried::Remote, number(1, 10_000)?, number(2, 9_000_000)?),
        Some("--refine") => crate::predicates::run(Tried::Refine, number(1, 10_000)?, number(2, 7_000_000)?),
        _ => {
            let folders: Vec<PathBuf> = match arguments {
                [] => vec![crate::tables::root().join("corpus/litmus"), crate::tables::data()],
                folders => folders.iter().map(PathBuf::from).collect(),
            };
            let mut compared = Compared::default();
            for folder in folders.iter().filter(|folder| folder.exists()) {
                compare_all(folder, &mut compared)?;
            }
            Ok(compared.show())
        }
    }
}

/// The engines under test: by its theory, and by clocks.
fn subjects() -> [Bmc; 2] {
    let order = Bmc { unwind: Some(2), ..Bmc::default() };
    [order.clone(), Bmc { formulated: Formulated::Clocks, ..order }]
}

/// With more and more rounds.
fn deepening() -> [Bmc; 2] {
    subjects().map(|subject| Bmc { unwind: None, ..subject })
}

fn with_loops(seed: u64) -> Profile {
    let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Sc];
    let small = Profile::small(flavours[(seed % 3) as usize]);
    Profile { loops: 200, litmus: 0, unsupported: 0, ..small }
}

fn branching(seed: u64) -> Profile {
    let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Sc];
    let small = Profile::small(flavours[(seed % 3) as usize]);
    Profile { loops: 0, litmus: 100, unsupported: 0, ..small }
}

fn random(
    other: &dyn Engine,
    models: &[&str],
    profile: &dyn Fn(u64) -> Profile,
    count: u64,
    seed: u64,
) -> Result<bool, String> {
    let (fixed, deepening) = (subjects(), deepening());
    let law: Law<'_> = &|program, seed| {
        // Clocks have their turn less often: they are slower.
        let which = usize::from(seed.is_multiple_of(8));
        let usual = Effort::default();
        let (subjects, effort) = match seed.is_multiple_of(2) {
            // It would go on until the effort is spent.
            true => (&deepening, Effort { work: Work::milliseconds(5), ..usual }),
            false => (&fixed, usual),
        };
        engines_agree(other, &subjects[which], models, effort, program)
    };
    Ok(close(laws::test(law, profile, seed..seed + count), count, seed))
}

/// What was compared, and what was not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compared {
    pub tests: usize,
    /// Pairs of a test and a model, for each formulation.
    pub answers: [usize; 2],
    pub without: BTreeMap<String, usize>,
    pub wrong: Vec<String>,
}

impl Compared {
    fn show(&self) -> bool {
        self.wrong.iter().for_each(|line| println!("{line}"));
        for (reason, count) in &self.without {
            println!("{count} not compared: {reason}");
        }
        let [order, clocks] = self.answers;
        println!("{} tests: {order} answers by order, {clocks} by clocks", self.tests);
        println!("{} passed, {} failed", order + clocks - self.wrong.len(), self.wrong.len());
        self.wrong.is_empty()
    }
}

pub(crate) fn compare_all(path: &Path, compared: &mut Compared) -> Result<(), String> {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        return paths.iter().try_for_each(|path| compare_all(path, compared));
    }
    if path.extension().is_some_and(|extension| extension == "litmus") {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        compare_one(&path.display().to_string(), &text, compared);
    }
    Ok(())
}

fn compare_one(name: &str, text: &str, compared: &mut Compared) {
    let mut without = |why: String| *compared.without.entry(why).or_default() += 1;
    let Ok(loaded) = load(&Input::text(name, "litmus", text)) else {
        return without("not read (a construct that is not supported)".into());
    };
    compared.tests += 1;
    let program = passes::forget_dead(&loaded.parsed.program);
    let enumerate = Enumerate::default();
    let subjects = subjects();
    for memory in CATALOGUE.iter().filter(|memory| memory.axioms.is_some()) {
        let task = Task { program: &program, memory, property: Property::Stated, hints: None };
        if memory.refuses(&program).is_some() {
            continue;
        }
        for (number, subject) in subjects.iter().enumerate() {
            if let Err(why) = subject.accepts(&task) {
                if number == 0 {
                    *compared.without.entry(why.to_string()).or_default() += 1;
                }
                continue;
            }
            let effort = Effort { states: u64::MAX, work: Work::milliseconds(100_000) };
            match agree(&enumerate, subject, effort, &task) {
                Ok(obeyed) if obeyed.compared => compared.answers[number] += 1,
                Ok(_) => *compared.without.entry("no definite answer".into()).or_default() += 1,
                Err(what) => {
                    compared.answers[number] += 1;
                    compared.wrong.push(format!("{name} under {}: {what}", memory.name));
                }
            }
        }
    }
}
