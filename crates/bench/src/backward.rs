//! `backward`: the table of Conchon, Declerck and Zaïdi (2017), and random systems for any number of processes.
//!
//! The files are Cubicle-W's own (`../shared/data/cub`), under tso. Columns of the paper: regular arrays, weak variables, weak arrays,
//! transitions, seconds; beside them Cubicle-W's processor time as measured for `expected.tsv`, and ours: time of the engine alone, then
//! of re-checking its proof. Without the data there is nothing to show.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use wattle_driver::engines::Settings;
use wattle_driver::{Input, load};
use wattle_engine::{Budget, Engine, Property, Run, Task, Verdict};
use wattle_engine_backward::Backward;
use wattle_engine_explore::Explore;
use wattle_frontend_cub::FRONTEND;
use wattle_logic::Kind;
use wattle_memory::find;
use wattle_program::{Op, Program};
use wattle_testing::any::{Decided, Effort, any_number};

use crate::explore::own_cpu;

/// All rows, or those whose file is named.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let folder = crate::tables::data().parent().map(|data| data.join("cub")).unwrap_or_default();
    let table = std::fs::read_to_string(folder.join("expected.tsv"));
    let Ok(table) = table else {
        println!("no table: {} is absent", folder.display());
        return Ok(true);
    };
    println!(
        "{:<20} {:>6} {:>5} {:>5} {:>5}  {:<8} {:>8} {:>9} {:>8} {:>6} {:>9}",
        "file",
        "arrays",
        "weak",
        "weak[]",
        "trans",
        "verdict",
        "paper s",
        "Cubicle s",
        "ours s",
        "nodes",
        "certify s"
    );
    let mut right = true;
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [file, model, expected, _, paper, cubicle, _] = cells[..] else {
            return Err(format!("not a row: {row}"));
        };
        if arguments.is_empty() || arguments.iter().any(|name| file.starts_with(name.as_str())) {
            right &= show(&folder, file, model, expected, paper, cubicle)?;
        }
    }
    Ok(right)
}

fn show(
    folder: &Path,
    file: &str,
    model: &str,
    expected: &str,
    paper: &str,
    cubicle: &str,
) -> Result<bool, String> {
    let input = Input::file(folder.join(file));
    let loaded = load(&input).map_err(|_| format!("{file} cannot be read"))?;
    let program: &Program = &loaded.parsed.program;
    let memory = find(model).ok_or("no such model")?;
    let task = Task { program, memory, property: Property::Stated, hints: None };
    let run = Run::new(Budget { time: Some(Duration::from_secs(120)), ..Budget::default() });
    let started = own_cpu();
    let answer = Backward::default().check(&task, &run).map_err(|contradiction| contradiction.to_string())?;
    let seconds = own_cpu() - started;
    let nodes = answer.statistics.counted("nodes").unwrap_or_default();
    let started = own_cpu();
    let (verdict, certified) = match &answer.verdict {
        Verdict::Safe { certificate } => {
            let library = || wattle_smt::Library::find(&smt()).map_err(|error| error.to_string());
            let certified = wattle_judge::certify::certify(&task, certificate, None, library, &run);
            ("safe", certified.map(|_| format!("{:.2}", own_cpu() - started)))
        }
        Verdict::Unsafe { counterexample } => {
            let replayed = wattle_judge::confirm::confirm(&task, counterexample);
            ("unsafe", replayed.map(|_| "replayed".into()))
        }
        _ => ("unknown", Ok("-".into())),
    };
    let edges = &program.processes[0].cfg.edges;
    let stored: Vec<u32> = (edges.iter().flat_map(|edge| &edge.ops))
        .flat_map(|op| match op {
            Op::Together { stores } => stores.clone(),
            _ => vec![],
        })
        .filter_map(|store| match store.address.kind() {
            Kind::Address { variable, .. } => Some(*variable),
            _ => None,
        })
        .collect();
    // Constants do not count.
    let count = |weak: bool, array: bool| {
        let of_kind = |(number, variable): &(usize, &wattle_program::Variable)| {
            variable.unbuffered != weak
                && variable.dimensions.is_empty() != array
                && stored.contains(&(*number as u32))
        };
        program.variables.iter().enumerate().filter(of_kind).count()
    };
    let shown = certified.as_ref().map_or_else(|_| "REFUSED".to_owned(), Clone::clone);
    println!(
        "{file:<20} {:>6} {:>5} {:>6} {:>5}  {verdict:<8} {paper:>8} {cubicle:>9} {seconds:>8.2} {nodes:>6} {shown:>9}",
        count(false, true),
        count(true, false),
        count(true, true),
        edges.len(),
    );
    Ok(verdict == expected && certified.is_ok())
}

/// Where Z3 may be.
fn smt() -> Vec<PathBuf> {
    let beside = std::env::current_exe().map(|path| wattle_smt::Library::beside(&path)).unwrap_or_default();
    Settings { smt: beside, ..Settings::default() }.smt
}

/// `agree --any COUNT [SEED]`: random systems under sc and tso, against instances.
pub(crate) fn agree(count: u64, first: u64) -> Result<bool, String> {
    let engine = Backward::default();
    let search = Explore { max_capacity: Some(3), ..Explore::default() };
    let mut tally: BTreeMap<String, u64> = BTreeMap::new();
    let (mut decided, mut worth, mut wrong) = (0u64, 0u64, 0u64);
    for seed in first..first + count {
        let text = wattle_generate::cub(seed);
        let program = FRONTEND
            .read("random.cub", &text)
            .map_err(|problems| format!("seed {seed}: {problems:?}"))?
            .program;
        for model in ["sc", "tso"] {
            let memory = find(model).ok_or("no such model")?;
            let word = match any_number(&engine, &search, &program, memory, Effort::default()) {
                Err(why) => {
                    wrong += 1;
                    println!("seed {seed} under {model}: {why}\n{text}");
                    "wrong".into()
                }
                Ok((answer, matters)) => {
                    worth += u64::from(matters);
                    decided += u64::from(matters && !matches!(answer, Decided::Undecided(_)));
                    match answer {
                        Decided::Safe(true) => "safe, all instances agree".into(),
                        Decided::Safe(false) => "safe, instances agree as far as they were searched".into(),
                        Decided::Unsafe { copies } => format!("unsafe with {copies} copies"),
                        Decided::Undecided(why) => format!("undecided: {why}"),
                    }
                }
            };
            *tally.entry(word).or_default() += 1;
        }
    }
    for (word, number) in &tally {
        println!("{number:>7} {word}");
    }
    println!("{decided} of {worth} that take more than two nodes are decided; {wrong} contradictions");
    Ok(wrong == 0)
}
