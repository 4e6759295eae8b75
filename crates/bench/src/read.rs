//! How fast litmus tests and preprocessed C programs are read, and that damaged ones do not bring the front end down.

use std::path::{Path, PathBuf};
use std::time::Instant;

use wattle_frontend::{Frontend, Options};
use wattle_generate::{Rng, mutant};
use wattle_program::validate;
use wattle_source::{FileId, NoLoader, Sources};

const FOLDERS: [&str; 2] = ["../shared/data/litmus/x86-diy", "../shared/data/litmus/ppc-diy"];

/// Languages, and the extension of texts that need nothing else.
const LANGUAGES: [(&Frontend, &str); 2] =
    [(&wattle_frontend_litmus::FRONTEND, "litmus"), (&wattle_frontend_c::FRONTEND, "i")];

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
        for (frontend, extension) in LANGUAGES {
            let texts = texts(&folder, extension)?;
            some |= !texts.is_empty();
            match (texts.is_empty(), mutants) {
                (true, _) => {}
                (false, 0) => measure(&folder, frontend, &texts),
                (false, _) => mutate(&folder, frontend, &texts, mutants)?,
            }
        }
    }
    Ok(some)
}

/// The files of a folder and of those in it.
fn texts(folder: &Path, wanted: &str) -> Result<Vec<String>, String> {
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).map_err(problem)? {
            let path = entry.map_err(problem)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == wanted) {
                files.push(path);
            }
        }
    }
    files.sort();
    files.iter().map(|file| std::fs::read_to_string(file).map_err(problem)).collect()
}

/// The best of several rounds: others use the machine too.
fn measure(folder: &Path, frontend: &Frontend, texts: &[String]) {
    let mut sources = Sources::new();
    let files: Vec<FileId> = texts.iter().map(|text| sources.add(&name(frontend), text)).collect();
    let options = Options { loader: &NoLoader, settings: &[], linked: &[] };
    let mut best = f64::INFINITY;
    let mut refused = 0;
    for _ in 0..10 {
        let start = Instant::now();
        refused =
            files.iter().filter(|file| (frontend.parse)(&mut sources, **file, &options).is_err()).count();
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

/// A name by which texts are not preprocessed.
fn name(frontend: &Frontend) -> String {
    format!("test.{}", frontend.extensions.last().unwrap_or(&"txt"))
}

/// What a front end accepts must be a program. The text that is being read stands in a file, because a stack that overflows
/// ends everything.
fn mutate(folder: &Path, frontend: &Frontend, texts: &[String], count: u64) -> Result<(), String> {
    let mut rng = Rng::new(1);
    let mut good = 0;
    let mut slowest = 0.0;
    let kept = std::env::temp_dir().join(format!("wattle-mutant-{}-{}", std::process::id(), name(frontend)));
    for round in 0..count {
        let Some(text) = texts.get(round as usize % texts.len().max(1)) else { break };
        let text = mutant(text, &mut rng);
        std::fs::write(&kept, &text).map_err(|error| format!("{}: {error}", kept.display()))?;
        let start = Instant::now();
        if let Ok(parsed) = frontend.read(&name(frontend), &text) {
            validate(&parsed.program).map_err(|invalid| format!("mutant {round}: {invalid}"))?;
            good += 1;
        }
        slowest = f64::max(slowest, start.elapsed().as_secs_f64());
    }
    drop(std::fs::remove_file(&kept));
    println!(
        "{}: {count} mutants, {good} of them still programs, no panic; the slowest took {:.0} ms",
        folder.display(),
        slowest * 1e3
    );
    Ok(())
}
