//! Rules of the repository that no compiler checks.
//!
//! * Dependencies point up the table of crates in ARCHITECTURE.md: [`LAYERS`] is that table.
//! * No file is long: a file that needs 800 lines holds two ideas.
//! * Nobody below `cli` prints, exits or reads the environment, and nobody unwraps outside tests.
//!   (Clippy knows most of this; a forgotten `[lints]` table would silence it without a word.)
//! * Every crate has its row in ARCHITECTURE.md.

use std::fs;
use std::path::{Path, PathBuf};

const LONGEST: usize = 800;

/// A crate and what it may use directly; whatever those may use is allowed too.
const LAYERS: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("logic", &[]),
    ("sat", &[]),
    ("smt", &["logic"]),
    ("program", &["source", "logic"]),
    ("memory", &["program"]),
    ("frontend", &["program"]),
    ("abstraction", &["program", "smt"]),
    ("engine", &["memory"]),
    ("judge", &["engine", "abstraction"]),
    ("engine-explore", &["engine"]),
    ("engine-enumerate", &["engine"]),
    ("engine-bmc", &["engine", "sat"]),
    ("engine-extrapolate", &["engine", "abstraction"]),
    ("repair", &["judge"]),
    ("generate", &["program"]),
    ("report", &["engine", "repair"]),
    (
        "driver",
        &[
            "report",
            "frontend",
            "generate",
            "engine-explore",
            "engine-enumerate",
            "engine-bmc",
            "engine-extrapolate",
        ],
    ),
    ("cli", &["driver"]),
    ("testing", &["judge", "generate"]),
    ("bench", &["driver", "testing"]),
    ("xtask", &[]),
];

/// The crates that talk to people.
const MAY_PRINT: [&str; 3] = ["cli", "bench", "xtask"];

pub fn tidy(root: &Path) -> Result<(), String> {
    let mut problems = Vec::new();
    let crates = crates(root)?;
    layering(root, &crates, &mut problems);
    architecture(root, &crates, &mut problems);
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

fn layering(root: &Path, crates: &[String], problems: &mut Vec<String>) {
    for name in crates {
        let Some(allowed) = allowed(name) else {
            problems.push(format!("crate `{name}` has no row in the table of layers (xtask/src/tidy.rs)"));
            continue;
        };
        let manifest = root.join("crates").join(name).join("Cargo.toml");
        let text = fs::read_to_string(manifest).unwrap_or_default();
        for used in dependencies(&text) {
            if !allowed.contains(&used.as_str()) {
                problems.push(format!("crate `{name}` must not depend on `{used}`"));
            }
        }
    }
}

/// Everything that a crate may use, directly or not.
fn allowed(name: &str) -> Option<Vec<&'static str>> {
    let direct = LAYERS.iter().find(|(layer, _)| *layer == name)?.1;
    let mut all: Vec<&'static str> = Vec::new();
    for used in direct {
        all.push(used);
        all.extend(allowed(used)?);
    }
    Some(all)
}

/// The crates of ours under `[dependencies]`; tests may use what they like.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut used = Vec::new();
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.trim() == "[dependencies]";
        } else if let (true, Some(rest)) = (inside, line.trim().strip_prefix("wattle-")) {
            used.push(rest.split([' ', '.', '=']).next().unwrap_or(rest).to_owned());
        }
    }
    used
}

fn architecture(root: &Path, crates: &[String], problems: &mut Vec<String>) {
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap_or_default();
    for name in crates {
        if !text.contains(&format!("| `{name}` |")) {
            problems.push(format!("crate `{name}` has no row in ARCHITECTURE.md"));
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_dependencies_count() {
        let manifest = "[dependencies]\nwattle-logic.workspace = true\nclap = \"4\"\n\
                        wattle-engine = { path = \"x\" }\n[dev-dependencies]\nwattle-testing.workspace = true\n";
        assert_eq!(dependencies(manifest), ["logic", "engine"]);
    }

    #[test]
    fn layers_reach_through() {
        assert!(allowed("cli").is_some_and(|all| all.contains(&"logic")));
        assert!(allowed("memory").is_some_and(|all| !all.contains(&"engine")));
    }
}
