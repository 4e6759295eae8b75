//! `everyday`: what a new user's first programs get, as one table.
//!
//! The programs of `corpus/everyday` (a ring buffer, a sequence lock, a stack, locks, a barrier, a deque, a publication, each for
//! two and three threads) under the models that people ask about, with the settings that `wattle check` and `wattle fix` have
//! without options but for a limit of time. A cell says the verdict with its bound, the engine that gave it and the processor
//! seconds; where the program is unsafe, what `fix` puts in, how that is proved, by which engine, and its seconds. A cell without an
//! answer has its reason.

use std::collections::BTreeMap;
use std::time::Duration;

use wattle_driver::check::{Check, check};
use wattle_driver::fix::{Fix, fix};
use wattle_driver::{Input, Watch, gather, models};
use wattle_engine::{Bound, Budget};
use wattle_report::{CheckReport, CheckVerdict, FixReport, FixVerdict, Proof};

use crate::explore::own_cpu;

const MODELS: [&str; 6] = ["tso", "pso", "power", "aarch64", "riscv", "rc11"];
/// For a question, by the clock.
const SECONDS: u64 = 30;

pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let (mut seconds, mut wanted) = (SECONDS, Vec::new());
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--limit" => {
                let number = rest.next().and_then(|number| number.parse().ok());
                seconds = number.ok_or("--limit needs a number of seconds")?;
            }
            name => wanted.push(name.to_owned()),
        }
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/everyday");
    let mut inputs = gather(&[folder.to_owned()], None, &mut std::io::empty());
    inputs.retain(|input| {
        wanted.is_empty() || wanted.iter().any(|name| input.stem().starts_with(name.as_str()))
    });
    inputs.sort_by(|a, b| a.stem().cmp(b.stem()));
    println!("| program | {} |", MODELS.join(" | "));
    println!("|---|{}", "---|".repeat(MODELS.len()));
    let mut errors = 0;
    for input in &inputs {
        let cells: Result<Vec<String>, String> =
            MODELS.iter().map(|model| cell(input, model, seconds)).collect();
        let cells = cells?;
        errors += cells.iter().filter(|cell| cell.contains("INTERNAL")).count();
        println!("| {} | {} |", input.stem(), cells.join(" | "));
    }
    Ok(errors == 0 && !inputs.is_empty())
}

fn cell(input: &Input, model: &str, seconds: u64) -> Result<String, String> {
    let model = models::resolve(model, false)?;
    let budget = Budget { time: Some(Duration::from_secs(seconds)), ..Budget::default() };
    let request = Check { budget, ..Check::new(model.clone()) };
    let started = own_cpu();
    let report = check(&request, input, &Watch::default())?.report;
    let checked = format!("{} ({}, {:.2})", verdict(&report), engine(&report.engine), own_cpu() - started);
    if !matches!(report.verdict, CheckVerdict::Unsafe { .. }) {
        return Ok(checked);
    }
    let started = own_cpu();
    let report = fix(&Fix { budget, ..Fix::new(model) }, input, &Watch::default())?;
    Ok(format!("{checked}: {} ({}, {:.2})", repair(&report), engine(&report.engine), own_cpu() - started))
}

fn engine(name: &Option<String>) -> &str {
    name.as_deref().unwrap_or("none")
}

fn verdict(report: &CheckReport) -> String {
    match &report.verdict {
        CheckVerdict::Safe { .. } => "safe".into(),
        CheckVerdict::Unsafe { .. } => "unsafe".into(),
        CheckVerdict::Bounded { bound: Bound::Unwinding(rounds) } => format!("{rounds} rounds"),
        CheckVerdict::Bounded { bound } => format!("bounded, {bound}"),
        CheckVerdict::Unknown { reason } => format!("unknown, {reason}"),
        CheckVerdict::Error => "INTERNAL: not read".into(),
        CheckVerdict::Internal { what } => format!("INTERNAL: {what}"),
    }
}

/// The kinds that are put in, with their numbers in the text.
fn repair(report: &FixReport) -> String {
    match &report.verdict {
        FixVerdict::Repaired { sets, proof, minimal, .. } => {
            let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
            for placement in sets.first().into_iter().flatten() {
                *kinds.entry(&placement.kind).or_default() += 1;
            }
            let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            let checked = report.notes.iter().find_map(|note| note.strip_prefix("checked with at most "));
            let worth = match (proof, minimal) {
                (Proof::Safe, true) => "fewest, proved".into(),
                (Proof::Safe, false) => "proved".into(),
                (Proof::Bounded, _) => checked.unwrap_or("up to a bound").replace(" of each loop", ""),
            };
            format!("{}, {worth}", kinds.join(" + "))
        }
        FixVerdict::Unrepairable { why } => format!("no repair, {why}"),
        FixVerdict::Unknown { reason } => format!("no repair known, {reason}"),
        FixVerdict::Internal { what } => format!("INTERNAL: {what}"),
        other => other.word().into(),
    }
}
