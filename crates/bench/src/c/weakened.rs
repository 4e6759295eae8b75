//! The programs of `../shared/data/c/atomics`, each with every single memory order weakened by one step: engines `enumerate` and
//! `bmc`, which share no encoding, must agree. The ones that are *unsafe* then are listed.
//!
//! Orders are weakened in the preprocessed text, so that those in files that a program includes are weakened too.

use std::collections::BTreeMap;
use std::time::Duration;

use wattle_driver::check::{Check, check};
use wattle_driver::engines::Settings;
use wattle_driver::{Input, Watch, models};
use wattle_engine::Budget;

use super::{rows, shown};

/// Where an order stands in a text, and what it becomes.
type Weaker = (std::ops::Range<usize>, &'static str);

/// `weakened [--limit SECONDS]`: `true` if the engines agree wherever both decide.
pub(super) fn run(arguments: &[String]) -> Result<bool, String> {
    let limit = super::limit(arguments)?;
    let (mut agree, mut open, mut differ) = (0, BTreeMap::<String, usize>::new(), 0);
    for row in rows("atomics")?.into_iter().filter(|row| row.model == "rc11") {
        let name = shown(&row.file);
        let Ok(text) = row.input().preprocessed() else {
            println!("not read\t{name}");
            continue;
        };
        for (number, (place, order)) in weaker(&text).into_iter().enumerate() {
            let title = format!("{name} #{} {} → {order}", number + 1, &text[place.clone()]);
            let weak = format!("{}{order}{}", &text[..place.start], &text[place.end..]);
            let says = |engine: &str| says(&weak, engine, row.unroll, limit);
            let (one, other) = (says("bmc")?, says("enumerate")?);
            match (one.as_str(), other.as_str()) {
                ("unsafe", "unsafe") => {
                    println!("unsafe\t{title}");
                    agree += 1;
                }
                ("safe" | "bounded", "safe" | "bounded") => agree += 1,
                ("unsafe", "safe") | ("safe", "unsafe") => {
                    println!("DIFFERENT\t{title}: bmc {one}, enumerate {other}");
                    differ += 1;
                }
                _ => *open.entry(format!("bmc {one}, enumerate {other}")).or_default() += 1,
            }
        }
    }
    for (what, count) in &open {
        println!("{count} × {what}");
    }
    println!("{agree} agree, {differ} differ, {} not decided by both", open.values().sum::<usize>());
    Ok(differ == 0)
}

fn says(text: &str, engine: &str, unroll: Option<u32>, limit: Duration) -> Result<String, String> {
    let mut settings = Settings::default();
    if let Some(unroll) = unroll {
        settings.enumerate.unwind = unroll;
        settings.bmc.unwind = Some(unroll);
    }
    let request = Check {
        engine: Some(engine.to_owned()),
        settings,
        budget: Budget { time: Some(limit), ..Budget::default() },
        ..Check::new(models::resolve("rc11", false)?)
    };
    let report = check(&request, &Input::text("weakened.i", "c", text), &Watch::default())?.report;
    Ok(report.verdict.word().to_owned())
}

/// All orders of a preprocessed text that can be weakened.
fn weaker(text: &str) -> Vec<Weaker> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        for (at, word) in line.match_indices("memory_order_") {
            let rest = &line[at + word.len()..];
            let order: String =
                rest.chars().take_while(|letter| letter.is_ascii_lowercase() || *letter == '_').collect();
            // In our header they are numbers of an enumeration.
            let defines = rest[order.len()..].trim_start().starts_with('=');
            let next = step(&order, &line[..at]).filter(|_| !defines);
            let end = start + at + word.len() + order.len();
            found.extend(next.map(|next| (start + at..end, next)));
        }
        start += line.len();
    }
    found
}

/// The next weaker order that such an access may have.
fn step(order: &str, before: &str) -> Option<&'static str> {
    // The name of the call that the order stands in.
    let call = |name: &str| before.rfind("atomic_").is_some_and(|at| before[at..].starts_with(name));
    Some(match order {
        "seq_cst" if call("atomic_load") => "memory_order_acquire",
        "seq_cst" if call("atomic_store") => "memory_order_release",
        "seq_cst" => "memory_order_acq_rel",
        "acq_rel" => "memory_order_relaxed",
        "acquire" | "release" | "consume" => "memory_order_relaxed",
        _ => return None,
    })
}
