//! `bmc`: bounded model checking on the programs of Alglave, Kroening and Tautschnig 2013.
//!
//! * Fibonacci (Prog. 1): N = 5 to 12 with the exact bound (safe) and one less (unsafe); larger N with
//!   the fixed bound 144, under sc, tso and the two Powers. `clocks` is the paper's encoding, `order`
//!   ours.
//! * Facts about programs (the rows of the paper's Fig. 7), with the time that one fixed interleaving
//!   takes.
//! * The worker synchronisation of PostgreSQL, n workers in a ring, and the fewest fences that mend it.
//! * All diy tests of x86 and Power: mean time a test, in one process.
//! * Deepening with one solver for several bounds, and with one for each (`deepen.rs`).
//!
//! Each program is checked in a process of its own, so that memory is that row's: CPU seconds and the
//! largest resident size are the system's figures.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use wattle_driver::check::{Check, check};
use wattle_driver::engines::Settings;
use wattle_driver::fix::{Fix, fix};
use wattle_driver::{Input, Watch, load, models};
use wattle_engine::{Budget, Engine, Figure, Property, Run, Task};
use wattle_engine_bmc::{Bmc, Formulated};
use wattle_report::{CheckReport, CheckVerdict, FixVerdict};

/// Prog. 1 with a bound.
fn fibonacci(rounds: u32, bound: u64) -> String {
    let mut text = String::from("shared x: i32 = 1, y: i32 = 1;\n");
    for (thread, to, with) in [("thr1", "x", "y"), ("thr2", "y", "x")] {
        let _ = writeln!(
            text,
            "thread {thread} {{ local k = 0; while (k < {rounds}) {{ {to} = {to} + {with}; k = k + 1; }} }}"
        );
    }
    let _ = writeln!(text, "thread main {{ assert x <= {bound} && y <= {bound}; }}");
    text
}

/// The largest number that `rounds` additions a thread can reach.
fn largest(rounds: u32) -> u64 {
    (0..2 * rounds).fold((1u64, 1u64), |(a, b), _| (b, a + b)).1
}

/// `n` workers, each waking the next.
pub(crate) fn workers(n: u32) -> String {
    let first = |value: &str| {
        let rest = (1..n).map(|_| ", 0").collect::<String>();
        format!("{{{value}{rest}}}")
    };
    format!(
        "shared latch[{n}]: 0..1 = {0}, flag[{n}]: 0..1 = {0};
thread worker[{n}] {{
  local next: 0..{1} = (me + 1) % {n};
  await latch[me] == 1;
  while (true) {{
    assert latch[me] == 0 || flag[me] == 1;
    latch[me] = 0;
    if (flag[me] == 1) {{ flag[me] = 0; flag[next] = 1; latch[next] = 1; }}
    await latch[me] == 1;
  }}
}}
",
        first("1"),
        n - 1
    )
}

/// The same additions, one thread after the other: what is left when nothing runs beside anything.
fn sequential(rounds: u32, bound: u64) -> String {
    let one =
        |to: &str, with: &str| format!("k = 0; while (k < {rounds}) {{ {to} = {to} + {with}; k = k + 1; }}");
    format!(
        "shared x: i32 = 1, y: i32 = 1;\nthread main {{ local k = 0; {} {} assert x <= {bound} && y <= {bound}; }}\n",
        one("x", "y"),
        one("y", "x")
    )
}

/// What one process does: a program by name, a model, a formulation, a limit on its time.
#[derive(Clone, Debug)]
struct Job {
    program: String,
    model: &'static str,
    clocks: bool,
    unwind: Option<u32>,
    seconds: u64,
}

impl Job {
    fn new(program: String, model: &'static str, seconds: u64) -> Job {
        Job { program, model, clocks: false, unwind: None, seconds }
    }

    fn text(&self) -> Result<String, String> {
        let mut parts = self.program.split(':');
        let kind = parts.next().unwrap_or_default();
        let numbers: Vec<u64> = parts.filter_map(|part| part.parse().ok()).collect();
        match (kind, &numbers[..]) {
            ("fibonacci", [rounds, bound]) => Ok(fibonacci(*rounds as u32, *bound)),
            ("sequential", [rounds, bound]) => Ok(sequential(*rounds as u32, *bound)),
            ("workers", [n]) => Ok(workers(*n as u32)),
            _ => Err(format!("unknown program {}", self.program)),
        }
    }

    /// In a process of its own.
    fn run(&self) -> Result<Row, String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(own);
        command.args(["bmc", "--one", &self.program, self.model, &self.seconds.to_string()]);
        command.arg(if self.clocks { "clocks" } else { "order" });
        command.args(self.unwind.map(|unwind| unwind.to_string()));
        let output = command.output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let figures = text.split_whitespace().filter_map(|word| {
            let (name, value) = word.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        });
        match figures.collect::<Vec<_>>() {
            figures if figures.is_empty() => Err(format!("{self:?}: no answer\n{text}")),
            figures => Ok(Row(figures)),
        }
    }
}

/// Figures of one process, by name.
struct Row(Vec<(String, String)>);

impl Row {
    fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(other, _)| other == name).map_or("–", |(_, value)| value)
    }

    fn seconds(&self) -> f64 {
        self.get("cpu").parse().unwrap_or(f64::NAN)
    }
}

/// The child's side: check, and print figures.
fn one(arguments: &[String]) -> Result<bool, String> {
    let [program, model, seconds, formulated, unwind @ ..] = arguments else {
        return Err("a program, a model, a time and a formulation".into());
    };
    let model = models::resolve(model, false)?;
    let seconds: u64 = seconds.parse().map_err(|_| "a time in seconds")?;
    let unwind = unwind.first().and_then(|text| text.parse().ok());
    let formulated = if formulated == "clocks" { Formulated::Clocks } else { Formulated::Order };
    let job = Job::new(program.clone(), "", seconds);
    let bmc = Bmc { unwind, formulated, ..Bmc::default() };
    let request = Check {
        engine: Some("bmc".into()),
        settings: Settings { bmc, ..Settings::default() },
        budget: Budget { time: Some(Duration::from_secs(seconds)), ..Budget::default() },
        ..Check::new(model)
    };
    let checked = check(&request, &Input::text("bench", "wtl", &job.text()?), &Watch::default())?;
    print!("verdict={} cpu={:.3} mb={:.0}", verdict(&checked.report), processor(), resident());
    for (name, figure) in &checked.report.statistics.0 {
        if let Figure::Count(count) = figure {
            print!(" {}={count}", name.replace(' ', "_"));
        }
    }
    println!();
    Ok(true)
}

fn verdict(report: &CheckReport) -> String {
    match &report.verdict {
        CheckVerdict::Safe { .. } => "safe".into(),
        CheckVerdict::Bounded { .. } => "bounded".into(),
        CheckVerdict::Unsafe { .. } => "unsafe".into(),
        CheckVerdict::Unknown { reason } => format!("unknown({})", reason.to_string().replace(' ', "-")),
        _ => "error".into(),
    }
}

/// CPU seconds of this process so far.
pub(crate) fn processor() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1e9
}

/// The most megabytes that this process held.
pub(crate) fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) / 1024.0
}

/// Arguments: nothing for all of it, or some of `exact fixed facts workers litmus deepen`; `--quick` for small ones.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    if let [first, rest @ ..] = arguments
        && first == "--one"
    {
        return one(rest);
    }
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let asked: Vec<&str> = arguments.iter().map(String::as_str).filter(|name| *name != "--quick").collect();
    let wanted = |name: &str| asked.is_empty() || asked.contains(&name);
    let mut good = true;
    if wanted("exact") {
        good &= exact(quick)?;
    }
    if wanted("fixed") {
        good &= fixed(quick)?;
    }
    if wanted("facts") {
        facts()?;
    }
    if wanted("workers") {
        good &= ring(quick)?;
    }
    if wanted("litmus") {
        litmus()?;
    }
    if wanted("deepen") {
        good &= crate::deepen::run(quick)?;
    }
    Ok(good)
}

/// N with the exact bound and one less.
fn exact(quick: bool) -> Result<bool, String> {
    println!("Fibonacci, exact bound (safe) and one less (unsafe), CPU seconds / MB");
    println!(
        "| N | model | formulation | unsafe | MB | safe | MB | conflicts (safe) |\n|---|---|---|---|---|---|---|---|"
    );
    let mut good = true;
    for model in ["sc", "tso", "power"] {
        for clocks in [false, true] {
            if clocks && model == "power" {
                continue;
            }
            for rounds in 5..=if quick { 6 } else { 12 } {
                let bound = largest(rounds);
                let limit = if clocks { 120 } else { 300 };
                let of = |bound: u64| {
                    let job = Job::new(format!("fibonacci:{rounds}:{bound}"), model, limit);
                    Job { clocks, ..job }.run()
                };
                let (reached, kept) = (of(bound - 1)?, of(bound)?);
                let expected = |row: &Row, verdict: &str| {
                    let found = row.get("verdict");
                    found == verdict || found.starts_with("unknown")
                };
                good &= expected(&reached, "unsafe") && expected(&kept, "safe");
                let cell = |row: &Row, verdict: &str| match row.get("verdict") {
                    found if found == verdict => format!("{:.2}", row.seconds()),
                    found => found.to_owned(),
                };
                println!(
                    "| {rounds} | {model} | {} | {} | {} | {} | {} | {} |",
                    if clocks { "clocks" } else { "order" },
                    cell(&reached, "unsafe"),
                    reached.get("mb"),
                    cell(&kept, "safe"),
                    kept.get("mb"),
                    kept.get("conflicts"),
                );
                if reached.get("verdict").starts_with("unknown") && kept.get("verdict").starts_with("unknown")
                {
                    break;
                }
            }
        }
    }
    Ok(good)
}

/// The fixed bound 144, any counterexample.
fn fixed(quick: bool) -> Result<bool, String> {
    println!("\nFibonacci, bound 144 (unsafe), CPU seconds");
    println!(
        "| N | model | formulation | seconds | MB | verdict | growth (exponent) |\n|---|---|---|---|---|---|---|"
    );
    let mut good = true;
    for model in ["sc", "tso", "power-2012", "power"] {
        for clocks in [false, true] {
            if clocks && model == "power" {
                continue;
            }
            let mut before: Option<(u32, f64)> = None;
            for rounds in if quick { vec![10, 20] } else { vec![50, 100, 200, 300] } {
                let limit = if clocks { 300 } else { 600 };
                let job = Job::new(format!("fibonacci:{rounds}:144"), model, limit);
                let row = Job { clocks, ..job }.run()?;
                let verdict = row.get("verdict").to_owned();
                good &= verdict == "unsafe" || verdict.starts_with("unknown");
                let seconds = row.seconds();
                let growth = before.map_or_else(String::new, |(smaller, less)| {
                    let exponent = (seconds / less).ln() / (f64::from(rounds) / f64::from(smaller)).ln();
                    format!("{exponent:.1}")
                });
                before = Some((rounds, seconds));
                println!(
                    "| {rounds} | {model} | {} | {seconds:.2} | {} | {verdict} | {growth} |",
                    if clocks { "clocks" } else { "order" },
                    row.get("mb"),
                );
                if verdict.starts_with("unknown") {
                    break;
                }
            }
        }
    }
    Ok(good)
}

/// The rows of Fig. 7.
fn facts() -> Result<(), String> {
    println!("\nFacts (Fig. 7 of the paper), sc, by clocks / by order");
    let figures = [
        "addresses",
        "shared_accesses",
        "accesses_to_one_address",
        "constraints",
        "constraints_of_read-from",
        "constraints_of_coherence",
        "constraints_of_from-read",
        "constraints_of_program_order",
        "constraints_of_fences",
        "cpu",
    ];
    let programs = [
        ("Fibonacci 5", "fibonacci:5:143", Some("sequential:5:143"), None),
        ("Fibonacci 50, bound 144", "fibonacci:50:144", Some("sequential:50:144"), None),
        ("PostgreSQL, 2 workers, 2 rounds", "workers:2", None, Some(2)),
    ];
    for (name, program, alone, unwind) in programs {
        let job = |program: &str, clocks: bool| {
            Job { clocks, unwind, ..Job::new(program.to_owned(), "sc", 120) }.run()
        };
        let (clocks, order) = (job(program, true)?, job(program, false)?);
        println!("{name}");
        for figure in figures {
            println!(
                "  {:32} {:>12} {:>12}",
                figure.replace('_', " "),
                clocks.get(figure),
                order.get(figure)
            );
        }
        if let Some(alone) = alone {
            println!(
                "  {:32} {:>12} {:>12}",
                "one fixed interleaving, cpu",
                "",
                job(alone, false)?.get("cpu")
            );
        }
    }
    Ok(())
}

/// PostgreSQL's workers: broken under pso and power, and mended.
fn ring(quick: bool) -> Result<bool, String> {
    println!("\nWorkers in a ring, 3 rounds of each loop, CPU seconds");
    println!("| workers | sc | tso | pso | power | fix pso | fix power |\n|---|---|---|---|---|---|---|");
    let mut good = true;
    for n in 2..=if quick { 3 } else { 10 } {
        let mut line = format!("| {n} ");
        for (model, expected) in
            [("sc", "bounded"), ("tso", "bounded"), ("pso", "unsafe"), ("power", "unsafe")]
        {
            let row = Job { unwind: Some(3), ..Job::new(format!("workers:{n}"), model, 300) }.run()?;
            good &= row.get("verdict") == expected;
            let _ = write!(line, "| {} {:.2} ", row.get("verdict"), row.seconds());
        }
        for (model, each) in [("pso", 1), ("power", 2)] {
            let start = processor();
            let count = fences(n, model)?;
            good &= count == Some(each * n as usize);
            let count = count.map_or("–".into(), |count| count.to_string());
            let _ = write!(line, "| {count} {:.2} ", processor() - start);
        }
        println!("{line}|");
    }
    Ok(good)
}

/// How many fences `n` workers need, one round of each loop.
fn fences(n: u32, model: &str) -> Result<Option<usize>, String> {
    let bmc = Bmc { unwind: Some(1), ..Bmc::default() };
    let request = Fix {
        settings: Settings { bmc, ..Settings::default() },
        budget: Budget { time: Some(Duration::from_secs(300)), ..Budget::default() },
        ..Fix::new(models::resolve(model, false)?)
    };
    let report = fix(&request, &Input::text("bench", "wtl", &workers(n)), &Watch::default())?;
    Ok(match report.verdict {
        FixVerdict::Repaired { count, .. } => Some(count),
        _ => None,
    })
}

/// All diy tests, one after the other in this process.
fn litmus() -> Result<(), String> {
    println!("\nAll diy tests, mean milliseconds a test in one process");
    println!("| tests | model | count | by order | by clocks |\n|---|---|---|---|---|");
    for (folder, model, clocks) in [("x86-diy", "tso", "tso"), ("ppc-diy", "power", "power-2012")] {
        let path = crate::tables::data().join(folder);
        if !path.is_dir() {
            println!("{}: not there", path.display());
            continue;
        }
        let programs = programs(&path)?;
        let mean = |formulated: Formulated, model: &str| -> Result<f64, String> {
            let engine = Bmc { formulated, ..Bmc::default() };
            let memory = models::resolve(model, false)?;
            let start = processor();
            for program in &programs {
                let task = Task { program, memory: &memory, property: Property::Stated, hints: None };
                engine.check(&task, &Run::default()).expect("no contradiction");
            }
            Ok((processor() - start) * 1000.0 / programs.len() as f64)
        };
        println!(
            "| {folder} | {model} (clocks: {clocks}) | {} | {:.2} | {:.2} |",
            programs.len(),
            mean(Formulated::Order, model)?,
            mean(Formulated::Clocks, clocks)?
        );
    }
    Ok(())
}

fn programs(folder: &Path) -> Result<Vec<wattle_program::Program>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let tests = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "litmus"));
    tests
        .map(|path| match load(&Input::file(path)) {
            Ok(loaded) => Ok(loaded.parsed.program),
            Err(_) => Err(format!("{}: refused", path.display())),
        })
        .collect()
}
