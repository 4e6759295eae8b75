//! `bmc deepen`: two bounds that share a solver, against a solver for each bound.
//!
//! CPU seconds until a bound is completed, or until there is an answer, on looping programs. Each is asked
//! both ways in turn, in this process, and the best of three counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wattle_driver::{Goal, Input, load, models, prepare};
use wattle_engine::{Engine, Figure, Property, Run, Task, Verdict};
use wattle_engine_bmc::Bmc;

use crate::bmc::{processor, workers};

/// A program, the models that judge it, and the bound to be completed.
type Row = (&'static str, &'static [&'static str], u32);

/// Without fences that they need, programs are unsafe: then it is the time to the violation.
const ROWS: [Row; 15] = [
    ("dekker/dekker_fenced", &["tso", "pso"], 4),
    ("peterson/peterson_fenced_pso", &["tso", "pso"], 9),
    ("szymanski/szymanski_2_fenced", &["tso", "pso"], 4),
    ("lamport_fast/lamport_fast_fenced_pso", &["tso", "pso"], 2),
    ("burns/burns_fenced", &["tso", "pso"], 9),
    ("filter/filter_2_fenced", &["tso", "pso"], 9),
    ("ticket/ticket_data_fenced_pso", &["tso", "pso"], 4),
    ("pgsql/pgsql_fenced_pso", &["tso", "pso"], 9),
    ("workers:3", &["sc", "tso"], 9),
    ("fibonacci/fibonacci_2", &["tso", "power"], 9),
    ("dekker/dekker", &["tso", "power"], 4),
    ("peterson/peterson", &["tso", "power"], 4),
    ("szymanski/szymanski_2", &["tso", "power"], 4),
    ("lamport_fast/lamport_fast", &["tso", "power"], 4),
    ("workers:3", &["pso", "power"], 4),
];

pub fn run(quick: bool) -> Result<bool, String> {
    println!("\nDeepening, CPU seconds");
    println!(
        "| program | model | ends with | a solver for each bound | shared | ratio |\n|---|---|---|---|---|---|"
    );
    let mut good = true;
    let (mut all, mut all_shared, mut logarithms, mut count) = (0.0, 0.0, 0.0, 0u32);
    for (name, names, bound) in ROWS {
        let input = match name.strip_prefix("workers:").and_then(|count| count.parse().ok()) {
            Some(count) => Input::text(name, "wtl", &workers(count)),
            None => Input::file(crate::tables::root().join("corpus").join(format!("{name}.wtl"))),
        };
        let Ok(loaded) = load(&input) else { return Err(format!("{name}: not read")) };
        for model in names {
            let memory = models::resolve(model, false)?;
            let prepared = prepare(&loaded, &memory, Goal::Verdict);
            let prepared = prepared.map_err(|_| format!("{name}: not under {model}"))?;
            let task = prepared.task(Property::Stated);
            let [fresh, shared] = best(&task, if quick { bound.min(2) } else { bound });
            good &= fresh.1 == shared.1;
            println!(
                "| {name} | {model} | {} | {:.3} | {:.3} | {:.2} |",
                shared.1,
                fresh.0,
                shared.0,
                shared.0 / fresh.0
            );
            (all, all_shared) = (all + fresh.0, all_shared + shared.0);
            // Shorter times say nothing.
            if fresh.0 > 0.01 {
                logarithms += (shared.0 / fresh.0).ln();
                count += 1;
            }
        }
    }
    let mean = (logarithms / f64::from(count.max(1))).exp();
    println!("| all | | | {all:.2} | {all_shared:.2} | {:.2} |", all_shared / all);
    println!("geometric mean of the ratios of {count} rows above 10 ms: {mean:.2}");
    Ok(good)
}

/// For a solver each and for shared ones: the time that it took, and what came out.
fn best(task: &Task<'_>, bound: u32) -> [(f64, String); 2] {
    let mut best = [true, false].map(|fresh| once(task, bound, fresh));
    for _ in 0..2 {
        for (number, fresh) in [true, false].into_iter().enumerate() {
            let again = once(task, bound, fresh);
            if again.0 < best[number].0 {
                best[number] = again;
            }
        }
    }
    best
}

fn once(task: &Task<'_>, bound: u32, fresh: bool) -> (f64, String) {
    let over = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&over);
    let run = Run::default().cancelled_by(over).listener(Arc::new(move |progress| {
        told.fetch_or(progress.depth > u64::from(bound), Ordering::Relaxed);
    }));
    let start = processor();
    let answer = Bmc { fresh, ..Bmc::default() }.check(task, &run).expect("no contradiction");
    let seconds = processor() - start;
    let outcome = match (answer.verdict, answer.statistics.get("rounds completed")) {
        (Verdict::Unsafe { .. }, _) => "unsafe".to_owned(),
        (Verdict::Safe { .. }, _) => "safe".to_owned(),
        (Verdict::SafeUpTo { bound }, _) => bound.to_string(),
        (Verdict::Unknown { .. }, Some(Figure::Count(rounds))) => format!("{rounds} rounds"),
        (Verdict::Unknown { reason }, _) => reason.to_string(),
    };
    (seconds, outcome)
}
