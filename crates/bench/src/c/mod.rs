//! The tables of C programs under `../shared/data/c`: what of them wattle finds, proves and leaves open, and what it costs.
//!
//! Expected *unsafe*: only a replayed violation counts. Expected *safe*: a proof, and beside it what holds up to a
//! bound. Anything else is *unknown*, by its reason, or wrong.

mod executions;
mod weakened;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use wattle_driver::check::{Check, check};
use wattle_driver::{Compiler, Input, Watch, models};
use wattle_engine::Budget;
use wattle_report::CheckVerdict;

use crate::tables::root;

/// A row: a program, a memory model, and the verdict of others.
#[derive(Clone, Debug)]
pub struct Row {
    /// `svcomp/pthread`, by which rows are counted together.
    pub group: String,
    pub file: PathBuf,
    pub model: String,
    pub expected: String,
    data_model: &'static str,
    /// How many complete executions others count, and how often loops go round then.
    pub executions: Option<u64>,
    pub unroll: Option<u32>,
}

impl Row {
    /// The program, as it is read for this table.
    pub fn input(&self) -> Input {
        let settings = vec![("data-model".to_owned(), self.data_model.to_owned())];
        // Variants stand in a folder of their own below the headers that are theirs.
        let folder = self.file.parent().filter(|folder| folder.ends_with("variants"));
        let above = folder.and_then(Path::parent);
        let flags = above.map(|above| format!("-I{}", above.display())).into_iter().collect();
        Input::file(&self.file).read_with(Compiler { flags, ..Compiler::default() }, settings)
    }

    /// The verdict that is right here, where it is not that of the table, and why.
    pub fn right(&self) -> &str {
        let differs =
            |(file, model, ..): &&(&str, &str, &str, &str)| self.file.ends_with(file) && self.model == *model;
        DIFFERENCES.iter().find(differs).map_or(&self.expected, |(_, _, verdict, _)| verdict)
    }
}

/// Rows on which wattle and the table differ on purpose: file, model, wattle's verdict, and the argument.
pub const DIFFERENCES: [(&str, &str, &str, &str); 1] = [(
    "atomics/data-structures/buf_ring/variants/buf_ring0.c",
    "rc11",
    "unsafe",
    "two threads use `volatile` variables, one of them without atomics, which is a data race in C11 (5.1.2.4); the table takes volatile accesses for \
     relaxed atomic ones. With atomic loads and stores in their place it is safe.",
)];

/// The folders that have a table.
pub const FOLDERS: [&str; 3] = ["litmus", "atomics", "svcomp"];

pub fn data() -> PathBuf {
    root().join("../shared/data/c")
}

/// The rows of a folder's table.
pub fn rows(folder: &str) -> Result<Vec<Row>, String> {
    let path = data().join(folder);
    let table = path.join("expected.tsv");
    let text = std::fs::read_to_string(&table).map_err(|error| format!("{}: {error}", table.display()))?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| head.iter().position(|column| *column == name);
    let mut rows = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |name: &str| column(name).and_then(|at| cells.get(at)).copied();
        let file = cell("file").ok_or_else(|| format!("not a row: {line}"))?;
        let group = match file.split('/').next() {
            Some(first) if first != file => format!("{folder}/{first}"),
            _ => folder.to_owned(),
        };
        let data_model = if folder == "svcomp" { "ILP32" } else { "LP64" };
        let executions = cell("complete_executions").and_then(|count| count.parse().ok());
        let unroll = cell("unroll").and_then(|rounds| rounds.parse().ok());
        let mut add = |model: &str, expected: &str| {
            let (group, file) = (group.clone(), path.join(file));
            let (model, expected) = (model.to_owned(), expected.to_owned());
            rows.push(Row { group, file, model, expected, data_model, executions, unroll });
        };
        match (cell("model"), cell("expected")) {
            (Some(model), Some(expected)) => add(model, expected),
            // A column a model; of those of litmus tests these are sure.
            _ => {
                for model in ["sc", "tso", "pso"] {
                    let expected = cell(model).ok_or_else(|| format!("not a row: {line}"))?;
                    add(model, expected);
                }
            }
        }
    }
    Ok(rows)
}

/// What wattle says of a row within a budget: the word, and a reason.
pub fn answer(row: &Row, budget: Budget) -> Result<(String, String), String> {
    let request = Check { budget, ..Check::new(models::resolve(&row.model, false)?) };
    let report = check(&request, &row.input(), &Watch::default())?.report;
    let reason = match &report.verdict {
        CheckVerdict::Unknown { reason } => reason.to_string(),
        CheckVerdict::Bounded { bound } => bound.to_string(),
        CheckVerdict::Internal { what } => return Err(format!("{}: {what}", row.file.display())),
        _ => report.diagnostics.first().map(|problem| problem.message.clone()).unwrap_or_default(),
    };
    Ok((report.verdict.word().to_owned(), reason))
}

#[derive(Default)]
struct Tally {
    rows: usize,
    found: usize,
    proved: usize,
    bounded: usize,
    reasons: BTreeMap<String, usize>,
    wrong: Vec<String>,
    seconds: f64,
}

/// `c [FOLDER…] [--limit SECONDS] [--list]`, `c executions` or `c weakened`: `true` if nothing is wrong.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    match arguments.split_first() {
        Some((first, rest)) if first == "executions" => return executions::run(rest),
        Some((first, rest)) if first == "weakened" => return weakened::run(rest),
        _ => {}
    }
    let (mut folders, mut limit, mut list) = (Vec::new(), 20, false);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--list" => list = true,
            "--limit" => {
                let seconds = arguments.next().and_then(|seconds| seconds.parse().ok());
                limit = seconds.ok_or("--limit needs a number of seconds")?;
            }
            folder => folders.push(folder.to_owned()),
        }
    }
    let mut groups: BTreeMap<String, Tally> = BTreeMap::new();
    // `svcomp/pthread` is a part of `svcomp`.
    let wanted =
        |row: &Row| folders.is_empty() || folders.iter().any(|folder| row.group.starts_with(folder.as_str()));
    for folder in FOLDERS {
        for row in rows(folder)?.iter().filter(|row| wanted(row)) {
            let budget = Budget { time: Some(Duration::from_secs(limit)), ..Budget::default() };
            let before = cpu();
            let answered = answer(row, budget);
            let tally = groups.entry(row.group.clone()).or_default();
            tally.rows += 1;
            let seconds = cpu() - before;
            tally.seconds += seconds;
            let name = shown(&row.file);
            let (word, reason) = answered.unwrap_or_else(|what| ("internal error".into(), what));
            match (word.as_str(), row.right()) {
                ("unsafe", "unsafe") => tally.found += 1,
                ("safe", "safe") => tally.proved += 1,
                ("bounded", "safe") => tally.bounded += 1,
                ("unknown" | "error" | "bounded", _) => {
                    *tally.reasons.entry(reason.clone()).or_default() += 1
                }
                _ => tally.wrong.push(format!("{name} {}: {word}, expected {}", row.model, row.right())),
            }
            if list && word != row.right() {
                println!("{name}\t{}\t{}\t{word}\t{reason}\t{seconds:.1} s", row.model, row.right());
            }
        }
    }
    println!(
        "{:<32} {:>4} {:>5} {:>4} {:>7} {:>7} {:>5} {:>8}",
        "", "rows", "found", "safe", "bounded", "unknown", "wrong", "CPU s"
    );
    for (name, tally) in &groups {
        println!(
            "{name:<32} {:>4} {:>5} {:>4} {:>7} {:>7} {:>5} {:>8.1}",
            tally.rows,
            tally.found,
            tally.proved,
            tally.bounded,
            tally.reasons.values().sum::<usize>(),
            tally.wrong.len(),
            tally.seconds
        );
        for (reason, count) in &tally.reasons {
            println!("    {count} × {reason}");
        }
        for wrong in &tally.wrong {
            println!("    WRONG {wrong}");
        }
    }
    match groups.is_empty() {
        true => Err("no such folder".into()),
        false => Ok(groups.values().all(|tally| tally.wrong.is_empty())),
    }
}

/// `--limit SECONDS`, of what has no other arguments.
fn limit(arguments: &[String]) -> Result<Duration, String> {
    match arguments {
        [] => Ok(Duration::from_secs(10)),
        [limit, seconds] if limit == "--limit" => {
            let seconds = seconds.parse().map_err(|_| "--limit needs a number of seconds")?;
            Ok(Duration::from_secs(seconds))
        }
        _ => Err("only --limit SECONDS is known here".into()),
    }
}

/// A path below the data.
pub fn shown(file: &Path) -> String {
    file.strip_prefix(data()).unwrap_or(file).display().to_string()
}

/// Seconds that this process has used.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    // utime and stime, in hundredths of a second.
    let ticks: f64 =
        after.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<f64>().ok()).sum();
    ticks / 100.0
}
