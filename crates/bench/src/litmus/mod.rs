//! `litmus`: how fast whole suites of litmus tests are, and how that grows.
//!
//! Three questions. How many tests a second does one core do, from file to printed log, in one process
//! (and where does the time go)? How long does one test take from a cold start? How do executions and
//! time grow with the number of threads? Where `herd7` is installed it runs on the same files in the
//! same run; otherwise its figures are those once measured on the machine that the tables come from.
//! Seconds are seconds of this thread on a processor where the system tells (Linux), so that other work
//! on the machine does not count; cold starts are by the clock.
//! Everything is printed as the tables of `docs/benchmarks.md`.

mod family;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use wattle_driver::engines::Settings;
use wattle_driver::outcomes::{Outcomes, outcomes};
use wattle_driver::{Input, Loaded, Watch, load, models};
use wattle_engine::{Budget, Census, Executions, Property, Run, Task};
use wattle_engine_enumerate::Enumerate;
use wattle_memory::MemoryModel;
use wattle_program::Shape;
use wattle_report::text::Options;
use wattle_report::{Head, OutcomesReport, OutcomesVerdict, list, text};

/// A folder, its model, and herd7's tests a second on the machine of the tables.
const FOLDERS: [(&str, &str, f64); 2] = [("x86-diy", "tso", 110.0), ("ppc-diy", "power", 161.0)];
/// herd7 from a cold start, in milliseconds, there.
const HERD_COLD: f64 = 18.0;
/// Each folder is gone through this often, and the fastest round counts.
const ROUNDS: usize = 5;
const COLD_STARTS: usize = 50;

/// Arguments: `--quick` for small families only.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let quick = match arguments {
        [] => false,
        [only] if only == "--quick" => true,
        _ => return Err("usage: wattle-bench litmus [--quick]".into()),
    };
    let data = crate::tables::data();
    if data.is_dir() {
        println!(
            "| folder | model | tests | tests/s | read µs | parse µs | enumerate µs | print µs | herd7 tests/s | ratio |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        for (folder, model, herd) in FOLDERS {
            println!("{}", throughput(&data.join(folder), folder, model, herd)?);
        }
        println!();
        cold_start(&data.join(FOLDERS[0].0))?;
    } else {
        println!("no folders to measure in {}\n", data.display());
    }
    scaling(quick)?;
    Ok(true)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "litmus")).collect();
    files.sort();
    Ok(files)
}

/// Seconds of this thread on a processor, or by the clock where that is not known.
struct Stopwatch {
    clock: Instant,
    processor: Option<u64>,
}

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch { clock: Instant::now(), processor: nanoseconds() }
    }

    fn seconds(&self) -> f64 {
        match (self.processor, nanoseconds()) {
            (Some(then), Some(now)) => (now - then) as f64 / 1e9,
            _ => self.clock.elapsed().as_secs_f64(),
        }
    }
}

/// What this thread has spent on a processor.
fn nanoseconds() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Seconds of the fastest round.
fn fastest(mut round: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Stopwatch::start();
        round()?;
        best = best.min(start.seconds());
    }
    Ok(best)
}

fn throughput(path: &Path, folder: &str, model: &str, herd: f64) -> Result<String, String> {
    let files = files(path)?;
    let memory = models::resolve(model, false)?;
    let request = Outcomes {
        model: Some(memory.clone()),
        engine: None,
        settings: Settings::default(),
        budget: Budget::default(),
        atomic_copy: false,
    };
    let (watch, options) = (Watch::default(), Options::default());
    let mut printed = 0;
    let whole = fastest(|| {
        for file in &files {
            let report = outcomes(&request, &Input::file(file), &watch)?;
            printed += text::outcomes(&report, &options).result.len();
        }
        Ok(())
    })?;
    // The same stage by stage; the sum is a little more, because results are kept.
    let mut texts = Vec::new();
    let read = fastest(|| {
        texts = files
            .iter()
            .map(std::fs::read_to_string)
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?;
        Ok(())
    })?;
    let mut programs: Vec<Loaded> = Vec::new();
    let parse = fastest(|| {
        let one = |text: &String| load(&Input::text("test", "litmus", text));
        programs =
            texts.iter().map(one).collect::<Result<_, _>>().map_err(|_| "a test of the folder is refused")?;
        Ok(())
    })?;
    let engine = Enumerate::default();
    let mut counted: Vec<Census> = Vec::new();
    let enumerate = fastest(|| {
        counted = programs.iter().map(|loaded| census(&engine, loaded, &memory)).collect::<Result<_, _>>()?;
        Ok(())
    })?;
    let print = fastest(|| {
        for (loaded, census) in programs.iter().zip(&counted) {
            printed += text::outcomes(&report(loaded, census.clone())?, &options).result.len();
        }
        Ok(())
    })?;
    let tests = files.len() as f64;
    let micro = |seconds: f64| seconds * 1e6 / tests;
    let (herd, how) = match herd7(path, model, &files) {
        Some(rate) => (rate, ""),
        None => (herd, " (elsewhere)"),
    };
    // What was printed is used, so that no compiler leaves it out.
    assert!(printed > 0, "nothing was printed");
    Ok(format!(
        "| {folder} | {model} | {} | {:.0} | {:.1} | {:.1} | {:.1} | {:.1} | {herd:.0}{how} | {:.0} |",
        files.len(),
        tests / whole,
        micro(read),
        micro(parse),
        micro(enumerate),
        micro(print),
        tests / whole / herd
    ))
}

fn census(engine: &Enumerate, loaded: &Loaded, memory: &MemoryModel) -> Result<Census, String> {
    let task = Task { program: &loaded.parsed.program, memory, property: Property::Stated, hints: None };
    engine.executions(&task, &Run::default()).map_err(|reason| reason.to_string())
}

fn report(loaded: &Loaded, census: Census) -> Result<OutcomesReport, String> {
    let program = &loaded.parsed.program;
    let shape = Shape::new(program).map_err(|error| error.to_string())?;
    let verdict = OutcomesVerdict::Listed(list(&loaded.sources, program, &shape, census, true));
    let head = Head { sources: loaded.sources.clone(), ..Head::default() };
    Ok(OutcomesReport { head, test: program.name.to_string(), verdict, cautions: vec![] })
}

/// Tests a second, if herd7 is installed.
fn herd7(folder: &Path, model: &str, files: &[PathBuf]) -> Option<f64> {
    let model = match model {
        "tso" => "x86tso.cat",
        _ => "ppc.cat",
    };
    let start = Instant::now();
    let mut herd = Command::new("herd7");
    herd.args(["-model", model]).args(files).current_dir(folder);
    let done = herd.stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    done.success().then(|| files.len() as f64 / start.elapsed().as_secs_f64())
}

/// One test, the whole program started anew each time.
fn cold_start(folder: &Path) -> Result<(), String> {
    let file = files(folder)?.into_iter().next().ok_or("no test to start with")?;
    let binary = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join("wattle")));
    let Some(binary) = binary.filter(|binary| binary.is_file()) else {
        println!("cold start: not measured, because there is no binary `wattle` beside this one\n");
        return Ok(());
    };
    let median = |program: &Path, arguments: &[&str]| -> Result<f64, String> {
        let mut times = Vec::new();
        for _ in 0..COLD_STARTS {
            let start = Instant::now();
            let done = Command::new(program).args(arguments).stdout(Stdio::null()).status();
            done.map_err(|error| format!("{}: {error}", program.display()))?;
            times.push(start.elapsed().as_secs_f64() * 1000.0);
        }
        times.sort_by(f64::total_cmp);
        Ok(times[times.len() / 2])
    };
    let file = file.to_string_lossy();
    println!("| one test from a cold start (median of {COLD_STARTS}) | ms |\n|---|---|");
    println!("| `wattle outcomes` | {:.1} |", median(&binary, &["outcomes", &file, "--model", "tso"])?);
    println!("| an empty program | {:.1} |", median(Path::new("/bin/true"), &[])?);
    match median(Path::new("herd7"), &["-model", "x86tso.cat", &file]) {
        Ok(time) => println!("| herd7 | {time:.1} |\n"),
        Err(_) => println!("| herd7 (elsewhere) | {HERD_COLD:.1} |\n"),
    }
    Ok(())
}

fn scaling(quick: bool) -> Result<(), String> {
    println!("| family | model | threads | executions | states | seconds | executions/s | growth |");
    println!("|---|---|---|---|---|---|---|---|");
    let engine = Enumerate::default();
    for family in family::FAMILIES {
        let mut before: Option<u64> = None;
        let largest = if quick { family.sizes.start() + 1 } else { *family.sizes.end() };
        for size in *family.sizes.start()..=largest {
            let memory = models::resolve(family.model, false)?;
            let source = (family.text)(size);
            let loaded = load(&Input::text(family.name, "litmus", &source)).map_err(|refused| {
                let why = refused.diagnostics.first().map(|diagnostic| diagnostic.message.clone());
                format!("{} {size}: {}", family.name, why.unwrap_or_default())
            })?;
            let start = Stopwatch::start();
            let mut runs = 0;
            let census = loop {
                let census = census(&engine, &loaded, &memory)?;
                runs += 1;
                // Small ones are repeated until the clock can see them.
                if start.seconds() > 0.1 {
                    break census;
                }
            };
            let seconds = start.seconds() / f64::from(runs);
            let executions = census.executions();
            let growth =
                before.map_or_else(String::new, |before| format!("{:.1}", executions as f64 / before as f64));
            println!(
                "| {} | {} | {} | {executions} | {} | {seconds:.6} | {:.0} | {growth} |",
                family.name,
                family.model,
                loaded.parsed.program.processes.len(),
                census.outcomes.len(),
                executions as f64 / seconds,
            );
            before = Some(executions);
        }
    }
    Ok(())
}
