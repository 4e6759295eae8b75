//! Every text of `corpus/` and `examples/` parses, and what its comments expect holds in the plainest
//! search there is: breadth first, without reduction, on the reference machine.
//!
//! Expected answers stand in the files as `// wattle: MODEL[,MODEL] VERDICT[, KEY VALUE]*`; `corpus/README.md`
//! says what the keys mean and where the answers come from. `fix` and `source` are for the search for
//! fences and are only read here.

#![allow(clippy::unwrap_used)] // a test: to stop is right

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use wattle_engine::certify::{Closure, explore_all};
use wattle_engine::{Budget, Property, Reason, Run, Task};
use wattle_memory::{Machine, MemoryModel};
use wattle_program::passes::forget_dead;
use wattle_program::{Program, validate};
use wattle_source::{NoLoader, Sources};

/// Buffers are searched up to this many pending operations a thread.
const MAX_CAPACITY: usize = 5;

/// A plain search gives up after this many polls of 256 states each.
const MAX_POLLS: u64 = 160;

/// Rows that are too large for the plain search; `wattle test corpus` covers them with the fast one.
const TOO_LARGE: &[(&str, &str, &str)] = &[
    ("corpus/barrier/barrier_3.wtl", "tso", "3 threads, 40,936 states"),
    ("corpus/barrier/barrier_3.wtl", "pso", "3 threads, 40,936 states"),
    ("corpus/filter/filter_3.wtl", "sc", "3 threads, 86,941 states under SC"),
    ("corpus/filter/filter_3.wtl", "tso", "3 threads, 86,941 states under SC"),
    ("corpus/filter/filter_3.wtl", "pso", "3 threads, 86,941 states under SC"),
    ("corpus/filter/filter_3_fenced.wtl", "sc", "3 threads"),
    ("corpus/filter/filter_3_fenced.wtl", "tso", "3 threads"),
    ("corpus/filter/filter_3_fenced.wtl", "pso", "3 threads"),
    ("corpus/filter/filter_4.wtl", "sc", "4 threads, a benchmark"),
    ("corpus/filter/filter_4.wtl", "tso", "4 threads, a benchmark"),
    ("corpus/filter/filter_4.wtl", "pso", "4 threads, a benchmark"),
    ("corpus/szymanski/szymanski_3.wtl", "sc", "3 threads, 127,751 states under SC"),
    ("corpus/szymanski/szymanski_3.wtl", "tso", "3 threads, 127,751 states under SC"),
    ("corpus/szymanski/szymanski_3.wtl", "pso", "3 threads, 127,751 states under SC"),
    ("corpus/szymanski/szymanski_rma_apart.wtl", "sc", "212,481 states"),
    ("corpus/two_phase/two_phase_peers_3.wtl", "sc", "3 threads, 79,419 states under SC"),
    ("corpus/two_phase/two_phase_peers_3.wtl", "tso", "3 threads, 79,419 states under SC"),
    ("corpus/two_phase/two_phase_peers_3.wtl", "pso", "3 threads, 79,419 states under SC"),
];

const MODELS: [&str; 4] = ["sc", "tso", "pso", "rma"];
const VERDICTS: [&str; 4] = ["safe", "unsafe", "bounded", "unknown"];
const KEYS: [&str; 5] = ["fix", "source", "states", "capacity", "deadlock"];

/// One `// wattle:` comment.
#[derive(Debug)]
struct Row {
    models: Vec<String>,
    verdict: String,
    keys: Vec<(String, String)>,
}

impl Row {
    fn key(&self, name: &str) -> Option<&str> {
        self.keys.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.key(name).and_then(|value| value.parse().ok())
    }
}

fn parse_row(text: &str) -> Result<Row, String> {
    let mut parts = text.split(", ");
    let first = parts.next().unwrap_or_default().trim();
    let (models, verdict) = first.split_once(' ').ok_or("a row is `MODELS VERDICT, KEY VALUE, ..`")?;
    let models: Vec<String> = models.split(',').map(str::to_owned).collect();
    if let Some(unknown) = models.iter().find(|model| !MODELS.contains(&model.as_str())) {
        return Err(format!("unknown model `{unknown}`"));
    }
    if !VERDICTS.contains(&verdict) {
        return Err(format!("unknown verdict `{verdict}`"));
    }
    let mut keys = Vec::new();
    for part in parts {
        let (key, value) = part.trim().split_once(' ').ok_or(format!("`{part}` is not `KEY VALUE`"))?;
        let fits = match key {
            "deadlock" => ["safe", "unsafe"].contains(&value),
            _ => KEYS.contains(&key) && value.parse::<u64>().is_ok(),
        };
        if !fits {
            return Err(format!("`{part}` is not an expectation"));
        }
        keys.push((key.to_owned(), value.to_owned()));
    }
    Ok(Row { models, verdict: verdict.to_owned(), keys })
}

/// The rows of a text, and those for engines that are still to come (`// later:`).
fn rows(text: &str) -> Result<(Vec<Row>, Vec<Row>), String> {
    let read = |mark: &str| -> Result<Vec<Row>, String> {
        text.lines().filter_map(|line| line.strip_prefix(mark)).map(|row| parse_row(row.trim())).collect()
    };
    Ok((read("// wattle: ")?, read("// later: ")?))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All `.wtl` files below a folder, by name, with their texts.
fn texts(folder: &str) -> Vec<(String, String)> {
    fn walk(path: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(path) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "wtl") {
                found.push(path);
            }
        }
    }
    let root = root();
    let mut found = Vec::new();
    walk(&root.join(folder), &mut found);
    found.sort();
    (found.iter())
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(path).display().to_string().replace('\\', "/");
            (name, fs::read_to_string(path).unwrap())
        })
        .collect()
}

fn parse(name: &str, text: &str) -> Result<Program, String> {
    let (sources, file) = Sources::single(name, text);
    let frontend = wattle_frontend::for_extension("wtl").unwrap();
    let parsed = (frontend.parse)(&sources, file, &NoLoader).map_err(|errors| {
        let error = &errors[0];
        format!("{}: {} (line {})", error.code, error.message, sources.start(error.span()).line)
    })?;
    validate(&parsed.program).map_err(|invalid| invalid.to_string())?;
    Ok(parsed.program)
}

#[test]
fn every_text_is_well_formed() {
    let mut wrong = Vec::new();
    let corpus = texts("corpus");
    assert!(corpus.len() > 150, "the corpus has gone");
    for (name, text) in corpus.iter().chain(&texts("examples")) {
        if let Err(error) = parse(name, text) {
            wrong.push(format!("{name}: {error}"));
        }
        match rows(text) {
            Err(error) => wrong.push(format!("{name}: {error}")),
            Ok((now, later)) if now.is_empty() && later.is_empty() => {
                wrong.push(format!("{name}: expects nothing"));
            }
            Ok(_) => {}
        }
        if name.starts_with("corpus") && !(text.starts_with("// ") && text.contains("Known:")) {
            wrong.push(format!("{name}: does not open with what it is and what is known"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the plain search says.
#[derive(Debug)]
enum Found {
    Safe {
        states: u64,
        capacity: usize,
    },
    Unsafe,
    /// Every capacity was too small.
    Bounded,
    /// The search refuses the program.
    Refused,
    TooLarge,
}

fn search(program: &Program, memory: &MemoryModel, property: Property) -> Found {
    let run = Run::new(Budget { polls: Some(MAX_POLLS), ..Budget::default() });
    let task = Task { program, memory, property };
    for capacity in 1..=MAX_CAPACITY {
        match explore_all(&task, Some(capacity), true, &run) {
            Err(Reason::Unsupported(_)) => return Found::Refused,
            Err(_) => return Found::TooLarge,
            Ok(Closure { violation: Some(_), .. }) => return Found::Unsafe,
            Ok(Closure { cut: false, states, .. }) => return Found::Safe { states, capacity },
            Ok(_) => {}
        }
    }
    Found::Bounded
}

/// What is wrong with one row under one of its models.
fn disagreement(program: &Program, row: &Row, memory: &MemoryModel) -> Option<String> {
    let found = search(program, memory, Property::Stated);
    let fits = match (&found, row.verdict.as_str()) {
        (Found::Safe { states, capacity }, "safe") => {
            // Under SC nothing is pending but the halves of one remote operation.
            let sequential = matches!(memory.machine, Some(Machine::Sc { .. }));
            row.number("states").is_none_or(|expected| expected == *states)
                && (sequential || row.number("capacity").is_none_or(|expected| expected == *capacity as u64))
        }
        (Found::Unsafe, "unsafe") | (Found::Bounded, "bounded") | (Found::Refused, "unknown") => true,
        _ => false,
    };
    if !fits {
        return Some(format!("{found:?}"));
    }
    let deadlock = row.key("deadlock")?;
    match (search(program, memory, Property::NoDeadlock), deadlock) {
        (Found::Safe { .. }, "safe") | (Found::Unsafe, "unsafe") => None,
        (found, _) => Some(format!("deadlock: {found:?}")),
    }
}

#[test]
fn expected_answers_hold_in_the_plain_search() {
    let texts: Vec<(String, String)> = texts("corpus").into_iter().chain(texts("examples")).collect();
    let left_out: BTreeSet<(&str, &str)> = TOO_LARGE.iter().map(|(name, model, _)| (*name, *model)).collect();
    let skipped: Mutex<BTreeSet<(String, String)>> = Mutex::default();
    let wrong: Mutex<Vec<String>> = Mutex::default();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((name, text)) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Ok(program) = parse(name, text) else { continue };
            let program = forget_dead(&program);
            for row in rows(text).map(|(now, _)| now).unwrap_or_default() {
                for model in &row.models {
                    if left_out.contains(&(name.as_str(), model.as_str())) {
                        skipped.lock().unwrap().insert((name.clone(), model.clone()));
                        continue;
                    }
                    let memory = wattle_memory::find(model).unwrap();
                    if let Some(found) = disagreement(&program, &row, memory) {
                        wrong.lock().unwrap().push(format!("{name}: {model} {row:?}: found {found}"));
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(
        skipped.into_inner().unwrap().len(),
        TOO_LARGE.len(),
        "TOO_LARGE names rows that do not exist"
    );
}
