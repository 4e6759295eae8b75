//! How fast litmus tests are read, and that damaged ones do not bring the front end down.

use std::path::{Path, PathBuf};
use std::time::Instant;

use wattle_frontend::Options;
use wattle_frontend_litmus::FRONTEND;
use wattle_generate::{Rng, mutant};
use wattle_source::{FileId, NoLoader, Sources};

const FOLDERS: [&str; 2] = ["../shared/data/litmus/x86-diy", "../shared/data/litmus/ppc-diy"];

/// `read [FOLDER…] [--mutants N]`: `true` if there was something to read.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut mutants = 0;
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--mutants" => {
                let count = arguments.next().and_then(|count| count.parse().ok());
                mutants = count.ok_or("--mutants needs a number")?;
            }
            folder => folders.push(folder.into()),
        }
    }
    if folders.is_empty() {
        folders.extend(FOLDERS.map(PathBuf::from));
    }
    let mut some = false;
    for folder in folders {
        let texts = texts(&folder)?;
        some |= !texts.is_empty();
        if mutants > 0 {
            mutate(&folder, &texts, mutants);
        } else {
            measure(&folder, &texts);
        }
    }
    Ok(some)
}

fn texts(folder: &Path) -> Result<Vec<String>, String> {
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(problem)? {
        files.push(entry.map_err(problem)?.path());
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "litmus"));
    files.sort();
    files.iter().map(|file| std::fs::read_to_string(file).map_err(problem)).collect()
}

/// The best of several rounds: others use the machine too.
fn measure(folder: &Path, texts: &[String]) {
    let mut sources = Sources::new();
    let files: Vec<FileId> = texts.iter().map(|text| sources.add("test.litmus", text)).collect();
    let options = Options { loader: &NoLoader };
    let mut best = f64::INFINITY;
    let mut refused = 0;
    for _ in 0..10 {
        let start = Instant::now();
        refused =
            files.iter().filter(|file| (FRONTEND.parse)(&mut sources, **file, &options).is_err()).count();
        best = best.min(start.elapsed().as_secs_f64());
    }
    let each = best * 1e6 / texts.len().max(1) as f64;
    println!(
        "{}: {} files, {refused} refused, {:.0} files/s, {each:.1} µs each",
        folder.display(),
        texts.len(),
        1e6 / each
    );
}

fn mutate(folder: &Path, texts: &[String], count: u64) {
    let mut rng = Rng::new(1);
    let mut good = 0;
    for round in 0..count {
        let Some(text) = texts.get(round as usize % texts.len().max(1)) else { break };
        let text = mutant(text, &mut rng);
        good += u64::from(FRONTEND.read("test.litmus", &text).is_ok());
    }
    println!("{}: {count} mutants, {good} of them still tests, no panic", folder.display());
}
