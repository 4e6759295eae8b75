//! `limits`: are limits of time kept, and what is work worth?
//!
//! Every engine gets programs that are too much for it (`wattle_testing::heavy`), alone and through the commands `check`
//! and `fix`, with a limit of time. The table says how far each went beyond it, and how many seconds a nominal second of
//! work took: engines count work by rough costs of their steps, and this is where these costs are compared with a clock.

use std::time::{Duration, Instant};

use wattle_driver::check::{Check, check};
use wattle_driver::engines::{ENGINES, Settings};
use wattle_driver::fix::{Fix, fix};
use wattle_driver::{Goal, Input, Watch, load, models, prepare};
use wattle_engine::{Budget, Property, Run, Verdict};
use wattle_smt::Library;
use wattle_testing::heavy;

const MODELS: [&str; 4] = ["sc", "tso", "power", "aarch64"];

/// Arguments: the limit in milliseconds (1000).
pub fn run(arguments: &[String]) -> Result<bool, String> {
    let limit = match arguments.first() {
        None => 1000,
        Some(text) => text.parse().map_err(|_| format!("`{text}` is no number of milliseconds"))?,
    };
    let limit = Duration::from_millis(limit);
    let allowed = limit + limit / 10 + Duration::from_millis(200);
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let settings = Settings { smt: Library::beside(&executable), ..Settings::default() };
    let mut kept = true;
    println!(
        "{:28} {:8} {:12} {:>8} {:>8} {:>10} {:>8}",
        "program", "model", "who", "seconds", "work s", "s per work", "stretch"
    );
    for (name, text) in heavy::programs(1.0) {
        let input = Input::text("heavy.wtl", "wtl", &text);
        let loaded = load(&input).map_err(|refused| format!("{name}: {}", refused.diagnostics[0].message))?;
        for model in MODELS {
            let memory = models::resolve(model, false)?;
            let Ok(prepared) = prepare(&loaded, &memory, Goal::Verdict) else { continue };
            let task = prepared.task(Property::Stated);
            let budget = Budget { time: Some(limit), memory: Some(4 << 30), ..Budget::default() };
            for constructor in ENGINES {
                let engine = (constructor.build)(&settings);
                let begun = Instant::now();
                let run = Watch::default().run(budget);
                if engine.accepts(&task).is_err() {
                    kept &= within(begun.elapsed(), limit / 2, name, model, constructor.name);
                    continue;
                }
                let answer = engine.check(&task, &run).expect("no contradiction");
                let seconds = begun.elapsed();
                row(name, model, constructor.name, seconds, &run, &answer.verdict);
                kept &= within(seconds, allowed, name, model, constructor.name);
            }
            let begun = Instant::now();
            let request = Check {
                model: memory.clone(),
                property: Property::Stated,
                engine: None,
                settings: settings.clone(),
                budget,
                certify: true,
                atomic_copy: false,
                blame_weak_memory: true,
                litmus: false,
            };
            check(&request, &input, &Watch::default())?;
            kept &= within(begun.elapsed(), allowed, name, model, "check");
            let begun = Instant::now();
            let request = Fix { settings: settings.clone(), budget, ..Fix::new(memory.clone()) };
            fix(&request, &input, &Watch::default())?;
            kept &= within(begun.elapsed(), allowed, name, model, "fix");
        }
    }
    Ok(kept)
}

fn row(name: &str, model: &str, who: &str, time: Duration, run: &Run, verdict: &Verdict) {
    let (seconds, work) = (time.as_secs_f64(), run.worked().seconds());
    let word = match verdict {
        Verdict::Safe { .. } => "safe".to_owned(),
        Verdict::SafeUpTo { .. } => "bounded".to_owned(),
        Verdict::Unsafe { .. } => "unsafe".to_owned(),
        Verdict::Unknown { reason } => reason.to_string(),
    };
    println!(
        "{name:28} {model:8} {who:12} {seconds:8.2} {work:8.2} {:10.2} {:8.3}  {word}",
        seconds / work.max(1e-9),
        run.longest_stretch().seconds()
    );
}

fn within(time: Duration, allowed: Duration, name: &str, model: &str, who: &str) -> bool {
    let kept = time <= allowed;
    if !kept {
        println!(
            "OVERRUN {name}, {model}, {who}: {:.2} s, {:.2} s allowed",
            time.as_secs_f64(),
            allowed.as_secs_f64()
        );
    }
    kept
}
