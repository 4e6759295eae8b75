//! `explore`: the explicit-state engine against SPIN, on the same program in the same run.
//!
//! Both get the filter lock for N processes (`models/filter.wtl`, `models/filter.pml`), written
//! statement by statement alike. CPU seconds to the full verdict are compared with and without
//! reduction; states per second only without, where both visit everything. SPIN is optional: where
//! it or gcc is missing, only our own figures are printed, and the table says so.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use wattle_engine::{Engine, Figure, Property, Run, Task, Verdict};
use wattle_engine_explore::Explore;
use wattle_program::{Program, passes};

const WTL: &str = include_str!("../models/filter.wtl");
const PML: &str = include_str!("../models/filter.pml");

/// One row of the table.
struct Row {
    tool: String,
    verdict: String,
    states: f64,
    seconds: f64,
    bytes: f64,
}

/// Arguments: the number of processes (4).
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let processes: u32 = match arguments.first() {
        None => 4,
        Some(text) => text.parse().map_err(|_| format!("`{text}` is not a number of processes"))?,
    };
    let sized = |text: &str, from: &str, to: String| text.replace(from, &to);
    let program = parse(&sized(WTL, "const N = 4;", format!("const N = {processes};")))?;
    println!("filter lock, {processes} processes, CPU seconds, one thread unless said");
    println!(
        "{:32} {:>8} {:>12} {:>8} {:>12} {:>8}",
        "tool", "verdict", "states", "CPU s", "states/s", "B/state"
    );
    let mut good = true;
    let mut rows = Vec::new();
    for (reduction, threads) in [(false, 1), (true, 1), (false, 2)] {
        rows.push(ours(&program, "sc", reduction, threads)?);
        good &= show(rows.last());
    }
    for (name, flags) in [("without reduction", "-DNOREDUCE"), ("with reduction", "-DNXT")] {
        match spin(&sized(PML, "#define N 4", format!("#define N {processes}")), name, flags) {
            Ok(row) => {
                good &= show(Some(&row));
                rows.push(row);
            }
            Err(why) => println!("SPIN {name}: not measured ({why})"),
        }
    }
    if let [all, reduced, _, spin_all, spin_reduced] = rows.as_slice() {
        let rate = |row: &Row| row.states / row.seconds;
        println!("states per second, ours over SPIN, unreduced: {:.2}", rate(all) / rate(spin_all));
        println!(
            "CPU to the verdict, SPIN over ours: unreduced {:.2}, reduced {:.2}",
            spin_all.seconds / all.seconds,
            spin_reduced.seconds / reduced.seconds
        );
    }
    println!("weak memory, 3 processes, reduced:");
    let small = parse(&sized(WTL, "const N = 4;", "const N = 3;".into()))?;
    for model in ["sc", "tso", "pso"] {
        show(Some(&ours(&small, model, true, 1)?));
    }
    Ok(good)
}

fn parse(text: &str) -> Result<Program, String> {
    let parsed = wattle_frontend_wtl::FRONTEND.read("filter.wtl", text);
    let parsed = parsed.map_err(|errors| format!("filter.wtl: {}", errors[0].message))?;
    Ok(passes::forget_dead(&parsed.program))
}

/// Prints a row; false if the verdict is not the expected *safe*.
fn show(row: Option<&Row>) -> bool {
    let Some(row) = row else { return false };
    println!(
        "{:32} {:>8} {:>12} {:>8.2} {:>12.0} {:>8.1}",
        row.tool,
        row.verdict,
        row.states,
        row.seconds,
        row.states / row.seconds,
        row.bytes
    );
    row.verdict == "safe"
}

fn ours(program: &Program, model: &str, reduction: bool, threads: usize) -> Result<Row, String> {
    let memory = wattle_memory::find(model).ok_or("no such memory model")?;
    let task = Task { program, memory, property: Property::Stated, hints: None };
    let (wall, before) = (Instant::now(), own_cpu());
    let answer = Explore { reduction, threads, ..Explore::default() }
        .check(&task, &Run::default())
        .expect("no contradiction");
    let seconds = own_cpu() - before;
    let figure = |name: &str| match answer.statistics.get(name) {
        Some(Figure::Count(value) | Figure::Bytes(value)) => value as f64,
        _ => 0.0,
    };
    let verdict = match answer.verdict {
        Verdict::Safe { .. } => "safe",
        Verdict::SafeUpTo { .. } => "bounded",
        Verdict::Unsafe { .. } => "unsafe",
        Verdict::Unknown { .. } => "unknown",
    };
    let reduced = if reduction { "reduced" } else { "unreduced" };
    let mut tool = format!("wattle {model}, {reduced}");
    if threads > 1 {
        tool += &format!(", {threads} threads, wall {:.1}", wall.elapsed().as_secs_f64());
    }
    let states = figure("states");
    Ok(Row { tool, verdict: verdict.into(), states, seconds, bytes: figure("memory") / states })
}

fn spin(model: &str, name: &str, flags: &str) -> Result<Row, String> {
    let folder = std::env::temp_dir().join(format!("wattle-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let result = spin_in(&folder, model, name, flags);
    drop(std::fs::remove_dir_all(&folder));
    result
}

fn spin_in(folder: &Path, model: &str, name: &str, flags: &str) -> Result<Row, String> {
    std::fs::write(folder.join("model.pml"), model).map_err(|error| error.to_string())?;
    let output = |program: &str, arguments: &[&str]| {
        let done = Command::new(program).args(arguments).current_dir(folder).output();
        let done = done.map_err(|error| format!("{program}: {error}"))?;
        Ok::<String, String>(String::from_utf8_lossy(&done.stdout).into_owned())
    };
    output("spin", &["-a", "model.pml"])?;
    output("gcc", &["-O3", "-DSAFETY", flags, "-o", "pan", "pan.c"])?;
    let before = children_cpu();
    let pan = folder.join("pan");
    let text = output(&pan.to_string_lossy(), &["-m2000000", "-w24"])?;
    let seconds = children_cpu() - before;
    let number = |mark: &str| {
        let line = text.lines().find(|line| line.contains(mark))?;
        line.split_whitespace().find_map(|word| word.parse::<f64>().ok())
    };
    let states = number("states, stored").ok_or("SPIN printed no number of states")?;
    let verdict = match text.contains("errors: 0") && !text.contains("max search depth too small") {
        true => "safe",
        false => "error",
    };
    let bytes = number("actual memory usage for states").unwrap_or(0.0) * 1024.0 * 1024.0 / states;
    Ok(Row { tool: format!("SPIN {name}"), verdict: verdict.into(), states, seconds, bytes })
}

/// CPU seconds of this process.
pub(crate) fn own_cpu() -> f64 {
    cpu("/proc/self/stat", 13)
}

/// CPU seconds of children that have ended.
fn children_cpu() -> f64 {
    cpu("/proc/self/stat", 15)
}

/// The sum of two neighbouring fields (user and system time, in hundredths) of a stat file.
fn cpu(file: &str, first: usize) -> f64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    // The second field, the name, may contain spaces; it ends with the last bracket.
    let rest: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |field: usize| rest.get(field - 2).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(first) + ticks(first + 1)) / 100.0
}
