//! `extrapolate`: the seven programs of Dan, Meshman, Vechev and Yahav (SAS 2013) by their methods and ours.
//!
//! * `tables`: their Tables 1 and 2, column by column, theirs in brackets. Buffers of one, the fewest fences
//!   with which no buffer overflows, the given predicates and no others. Each row by their search (all cubes
//!   by growing size), by prime implicants of the same size, and by implicants of any size where a state asks.
//! * `fences`: the fewest fences for buffers of one, two and three.
//! * `found`: the same programs without given predicates, with buffers as large as it takes.
//!
//! Seconds are processor time of one process a row.

mod fences;
mod one;
mod paper;

use std::path::Path;

use wattle_driver::{Input, load};
use wattle_memory::reduction;
use wattle_program::Program;

use crate::child::Done;
use crate::tables::root;
use one::Job;
use paper::{ALGORITHMS, Algorithm};

/// Arguments: nothing for all of it, or some of `tables fences found` and names of programs; `--quick`, `--limit SECONDS`.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    if let [first, rest @ ..] = arguments
        && first == "--one"
    {
        return one::one(rest);
    }
    let mut asked: Vec<String> = Vec::new();
    let mut limit = 60;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--quick" => limit = 10,
            "--limit" => {
                limit = rest.next().and_then(|text| text.parse().ok()).ok_or("--limit needs a number")?;
            }
            name => asked.push(name.to_lowercase()),
        }
    }
    let parts = ["tables", "fences", "found"];
    let some = parts.iter().any(|part| asked.iter().any(|one| one == part));
    let wanted = |part: &str| !some || asked.iter().any(|one| one == part);
    let named: Vec<&String> = asked.iter().filter(|one| !parts.contains(&one.as_str())).collect();
    let chosen =
        |one: &&Algorithm| named.is_empty() || named.iter().any(|name| one.name.to_lowercase() == **name);
    let is_known = |name: &&&String| ALGORITHMS.iter().any(|one| one.name.to_lowercase() == ***name);
    if let Some(unknown) = named.iter().find(|name| !is_known(name)) {
        let names: Vec<&str> = ALGORITHMS.iter().map(|one| one.name).collect();
        return Err(format!(
            "`{unknown}` is none of {} and no program: {}",
            parts.join(", "),
            names.join(", ")
        ));
    }
    let algorithms: Vec<&Algorithm> = ALGORITHMS.iter().filter(chosen).collect();
    let mut good = true;
    if wanted("tables") {
        good &= tables(&algorithms, limit)?;
    }
    if wanted("fences") {
        placements(&algorithms)?;
    }
    if wanted("found") {
        good &= found(&algorithms, limit)?;
    }
    Ok(good)
}

fn path(name: &str) -> String {
    root().join("corpus").join(format!("{name}.wtl")).display().to_string()
}

fn program(name: &str) -> Result<Program, String> {
    let loaded = load(&Input::file(Path::new(&path(name)))).map_err(|_| format!("{name}: cannot be read"))?;
    Ok(loaded.parsed.program)
}

/// The fewest fences for buffers of this size; none under sc.
fn fences_for(algorithm: &Algorithm, model: &str, slots: u32) -> Result<Option<Vec<usize>>, String> {
    let memory = wattle_memory::find(model).ok_or("no such memory model")?;
    let Some(reduction) = memory.machine.and_then(reduction::of) else { return Ok(Some(vec![])) };
    fences::fewest(&program(algorithm.finite)?, memory, reduction, slots)
}

fn tables(algorithms: &[&Algorithm], limit: u64) -> Result<bool, String> {
    println!("Tables 1 and 2, buffers of one; the paper's figures in brackets");
    println!(
        "| program | model | method | search | fences | predicates | input cubes | calls (K) | build s | cubes | cube size \
         | states (K) | MB | check s | verdict |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut good = true;
    let mut default = Total::default();
    for algorithm in algorithms {
        for theirs in algorithm.rows {
            let Some(fences) = fences_for(algorithm, theirs.model, 1)? else {
                println!("| {} | {} | no set of fences suffices |", algorithm.name, theirs.model);
                continue;
            };
            let searches: &[&str] = if theirs.method.starts_with("ce") {
                &["implicants"]
            } else {
                &["cubes", "implicants", "lazy"]
            };
            for search in searches {
                let job = Job {
                    text: path(algorithm.text),
                    model: theirs.model.into(),
                    method: theirs.method.into(),
                    search: (*search).into(),
                    cube_size: algorithm.cube_size,
                    slots: 1,
                    fences: fences.clone(),
                    given: true,
                    seconds: limit,
                };
                let done = job.run()?;
                good &= done.verdict() != "unsafe";
                show(algorithm, theirs, search, fences.len(), &done);
                if *search == "lazy" {
                    default.add(algorithm, theirs, &done);
                }
            }
        }
    }
    default.show();
    Ok(good)
}

/// All rows by the default search, against the paper's best for the same program and model.
#[derive(Default)]
struct Total {
    rows: usize,
    proved: usize,
    seconds: f64,
    /// Ours as a part of theirs, with the row.
    parts: Vec<(f64, String)>,
}

impl Total {
    fn add(&mut self, algorithm: &Algorithm, theirs: &paper::Row, done: &Done) {
        self.rows += 1;
        self.proved += usize::from(done.verdict() == "safe");
        let Some(seconds) = done.number("cpu") else { return };
        self.seconds += seconds;
        let same = algorithm.rows.iter().filter(|row| row.model == theirs.model);
        let best = same.filter_map(paper::Row::seconds).min_by(f64::total_cmp);
        if let (Some(best), Some(working)) = (best, done.number("working")) {
            self.parts.push((working / best, format!("{} {}", algorithm.name, theirs.model)));
        }
    }

    fn show(&mut self) {
        let Total { rows, proved, seconds, .. } = *self;
        println!(
            "\nImplicants of any size: {proved} of {rows} rows proved, {seconds:.1} s of processor time together"
        );
        self.parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let part = |(part, name): &(f64, String)| format!("{name} {:.2} %", part * 100.0);
        let all: Vec<String> = self.parts.iter().map(part).collect();
        println!("Work as a part of the paper's best for the program and model: {}", all.join(", "));
    }
}

fn show(algorithm: &Algorithm, theirs: &paper::Row, search: &str, fences: usize, done: &Done) {
    let count = |name: &str| done.number(name).map_or("–".into(), |number| format!("{number}"));
    let thousands =
        |name: &str| done.number(name).map_or("–".into(), |number| format!("{:.1}", number / 1e3));
    let seconds = |name: &str| done.number(name).map_or("–".into(), |number| format!("{number:.2}"));
    let megabytes = done.number("mb").map_or("–".into(), |number| format!("{number:.0}"));
    let ours = [
        count("predicates"),
        count("input cubes"),
        thousands("calls"),
        seconds("building"),
        count("cubes"),
        thousands("states"),
        megabytes,
        seconds("checking"),
    ];
    let mut cells: Vec<String> =
        ours.iter().zip(theirs.cells).map(|(own, other)| format!("{own} ({other})")).collect();
    cells.insert(5, format!("{} ({})", count("cube size"), algorithm.cube_size));
    let how = match search {
        "lazy" => "implicants, any size",
        other => other,
    };
    let (name, model, method) = (algorithm.name, theirs.model, theirs.method);
    println!(
        "| {name} | {model} | {method} | {how} | {fences} | {} | {} |",
        cells.join(" | "),
        done.verdict()
    );
}

fn placements(algorithms: &[&Algorithm]) -> Result<(), String> {
    println!("\nFewest fences with which no buffer overflows and the property holds");
    println!("| program | model | k = 1 | k = 2 | k = 3 |\n|---|---|---|---|---|");
    for algorithm in algorithms {
        for model in ["tso", "pso"] {
            let mut cells = Vec::new();
            for slots in 1..=3 {
                let fences = fences_for(algorithm, model, slots)?;
                cells.push(fences.map_or("none".into(), |fences| fences.len().to_string()));
            }
            println!("| {} | {model} | {} |", algorithm.name, cells.join(" | "));
        }
    }
    Ok(())
}

fn found(algorithms: &[&Algorithm], limit: u64) -> Result<bool, String> {
    println!("\nWithout given predicates, buffers as large as it takes");
    println!(
        "| program | model | fences | verdict | CPU s | of the text | refined, sc | rounds, sc | lean proof | with buffers | refined \
         | rounds | slots |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut good = true;
    for algorithm in algorithms {
        for model in ["sc", "tso", "pso"] {
            let Some(fences) = fences_for(algorithm, model, 3)? else { continue };
            let job = Job {
                text: path(algorithm.text),
                model: model.into(),
                method: "auto".into(),
                search: "lazy".into(),
                cube_size: 0,
                slots: 0,
                fences: fences.clone(),
                given: false,
                seconds: limit,
            };
            let done = job.run()?;
            good &= done.verdict() != "unsafe";
            // Under sc there is one proof, and it is not made lean.
            let count = |name: &str| done.get(name).unwrap_or("–").to_owned();
            let names = match model {
                "sc" => ["text predicates", "refined predicates", "rounds", "", "predicates", "", "", ""],
                _ => [
                    "text predicates",
                    "sc refined predicates",
                    "sc rounds",
                    "sc predicates",
                    "predicates",
                    "refined predicates",
                    "rounds",
                    "buffer",
                ],
            };
            println!(
                "| {} | {model} | {} | {} | {} | {} |",
                algorithm.name,
                fences.len(),
                done.verdict(),
                done.number("cpu").map_or("–".into(), |cpu| format!("{cpu:.2}")),
                names.map(count).join(" | "),
            );
        }
    }
    Ok(good)
}
