//! `bmc deepen`: bounds that share a solver, against a solver for each bound.
//!
//! CPU seconds until a bound is completed, or until a violation is found, on looping programs. Each is
//! asked both ways, in this process, and the best of three counts.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wattle_driver::{Input, load, models};
use wattle_engine::{Engine, Property, Run, Task, Verdict};
use wattle_engine_bmc::Bmc;
use wattle_program::passes;

use crate::bmc::{processor, workers};

/// A program, the models that judge it, and the bound to be completed.
type Row = (&'static str, &'static [&'static str], u32);

const ROWS: [Row; 17] = [
    ("dekker/dekker_fenced", &["tso", "pso"], 4),
    ("peterson/peterson_fenced_pso", &["tso", "pso"], 4),
    ("szymanski/szymanski_2_fenced", &["tso", "pso"], 4),
    ("lamport_fast/lamport_fast_fenced_pso", &["tso", "pso"], 2),
    ("pgsql/pgsql", &["tso"], 9),
    ("pgsql/pgsql_fenced_pso", &["pso"], 9),
    ("dijkstra/dijkstra_fenced", &["tso", "pso"], 2),
    ("burns/burns_2_fenced", &["tso", "pso"], 2),
    ("workers:3", &["sc", "tso"], 9),
    ("fibonacci/fibonacci_5", &["tso", "power"], 9),
    ("queue/queue_fenced_pso", &["tso", "pso"], 4),
    ("ticket/ticket_data_fenced_pso", &["tso", "pso"], 4),
    ("dekker/dekker", &["tso", "power"], 9),
    ("peterson/peterson", &["tso", "power"], 9),
    ("szymanski/szymanski_2", &["tso", "power"], 9),
    ("lamport_fast/lamport_fast", &["tso", "power"], 9),
    ("workers:3", &["pso", "power"], 9),
];

pub fn run(quick: bool) -> Result<bool, String> {
    println!("\nDeepening: CPU seconds to a bound or a violation");
    println!(
        "| program | model | ends with | a solver for each bound | shared | ratio |\n|---|---|---|---|---|---|"
    );
    let mut good = true;
    let (mut all, mut shared_all) = (0.0, 0.0);
    let skip: usize = std::env::var("SKIP").map_or(0, |n| n.parse().unwrap());
    for (name, names, bound) in ROWS.into_iter().skip(skip) {
        let input = match name.strip_prefix("workers:").and_then(|count| count.parse().ok()) {
            Some(count) => Input::text(name, "wtl", &workers(count)),
            None => {
                let path: PathBuf = crate::tables::root().join("corpus").join(format!("{name}.wtl"));
                Input::file(&path)
            }
        };
        let Ok(loaded) = load(&input) else { return Err(format!("{name}: not read")) };
        for model in names {
            let memory = models::resolve(model, false)?;
            let mut program = loaded.parsed.program.clone();
            if let Some(spoken) = memory.vocabulary.filter(|spoken| *spoken != program.vocabulary) {
                program = passes::retarget(&program, spoken).map_err(|_| format!("{name}: not under {model}"))?;
            }
            let program = passes::forget_dead(&program);
            let task = Task { program: &program, memory: &memory, property: Property::Stated };
            let bound = if quick { 4 } else { bound };
            let (fresh, by_fresh) = best(&task, bound, true);
            let (shared, by_shared) = best(&task, bound, false);
            good &= by_fresh == by_shared;
            (all, shared_all) = (all + fresh, shared_all + shared);
            println!("| {name} | {model} | {by_shared} | {fresh:.3} | {shared:.3} | {:.2} |", shared / fresh);
        }
    }
    println!("| all | | | {all:.2} | {shared_all:.2} | {:.2} |", shared_all / all);
    Ok(good)
}

/// The time that it took, and what came out.
fn best(task: &Task<'_>, bound: u32, fresh: bool) -> (f64, String) {
    let mut best = (f64::INFINITY, String::new());
    for _ in 0..std::env::var("N").map_or(1, |n| n.parse().unwrap()) {
        let over = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&over);
        let run = Run::new(wattle_engine::Budget { time: Some(std::time::Duration::from_secs(20)), ..Default::default() }).cancelled_by(over).listener(Arc::new(move |progress| {
            if std::env::var("DETAIL").is_ok() { eprintln!("  {fresh} {} {:.3}", progress.depth, processor()); }
            if progress.depth > u64::from(bound) {
                told.store(true, Ordering::Relaxed);
            }
        }));
        let start = processor();
        let answer = Bmc { fresh, ..Bmc::default() }.check(task, &run);
        let seconds = processor() - start;
        let outcome = match answer.verdict {
            Verdict::Unsafe { .. } => "unsafe".to_owned(),
            Verdict::Safe { .. } => "safe".to_owned(),
            Verdict::SafeUpTo { bound } => bound.to_string(),
            Verdict::Unknown { reason } => match answer.statistics.get("rounds completed") {
                Some(figure) => format!("{figure:?} rounds"),
                None => reason.to_string(),
            },
        };
        if seconds < best.0 {
            best = (seconds, outcome);
        }
    }
    best
}
