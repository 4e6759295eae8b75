//! Rules of the repository that no compiler checks.
//!
//! * The table of crates in ARCHITECTURE.md is true ([`layers`]), and so are the paths in CONTRIBUTING.md ([`pages`]).
//! * No file is long: a file that needs 800 lines holds two ideas.
//! * Nobody below `cli` prints, exits or reads the environment, and nobody unwraps outside tests.
//!   (Clippy knows most of this; a forgotten `[lints]` table would silence it without a word.)

use std::fs;
use std::path::{Path, PathBuf};

use crate::{layers, pages};

const LONGEST: usize = 800;

/// The crates that talk to people.
const MAY_PRINT: [&str; 3] = ["cli", "bench", "xtask"];

pub fn tidy(root: &Path) -> Result<(), String> {
    let mut problems = Vec::new();
    let crates = crates(root)?;
    layers::check(root, &crates, &mut problems);
    pages::check(root, &mut problems);
    for name in &crates {
        let mut files = Vec::new();
        rust_files(&root.join("crates").join(name), &mut files);
        files.sort();
        for file in files {
            let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            let shown = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            source(name, &shown, &text, &mut problems);
        }
    }
    if problems.is_empty() {
        println!("tidy: {} crates, nothing to report", crates.len());
        return Ok(());
    }
    Err(format!("{} problems\n  {}", problems.len(), problems.join("\n  ")))
}

fn crates(root: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(root.join("crates")).map_err(|error| error.to_string())?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("Cargo.toml").is_file())
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn source(name: &str, file: &str, text: &str, problems: &mut Vec<String>) {
    let lines = text.lines().count();
    if lines > LONGEST {
        problems.push(format!("{file}: {lines} lines; {LONGEST} are enough"));
    }
    if !text.starts_with("//!") {
        problems.push(format!("{file}: no opening comment that says what it is and why"));
    }
    let of_tests = |part: &str| part == "tests" || part == "tests.rs" || part == "testing";
    if file.split('/').any(of_tests) {
        return;
    }
    // What tests at the end of a file do is their own business.
    let code = text.split("#[cfg(test)]").next().unwrap_or(text);
    for (number, line) in code.lines().enumerate() {
        let line = line.trim_start();
        if line.starts_with("//") {
            continue;
        }
        let mut forbid = |word: &str| {
            if line.contains(word) {
                problems.push(format!("{file}:{}: `{word}` outside tests", number + 1));
            }
        };
        if name != "xtask" {
            forbid(".unwrap()");
        }
        if !MAY_PRINT.contains(&name) {
            ["println!(", "print!(", "eprint!(", "dbg!(", "process::exit(", "env::var"]
                .iter()
                .for_each(|word| forbid(word));
        }
    }
}
