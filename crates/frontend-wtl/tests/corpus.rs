//! Every text of the corpus and the examples is read, is well formed, says what it is, and survives
//! printing: the printed form parses back to an equal program. Their expected answers are checked
//! by `wattle test corpus examples`, which `cargo xtask test` runs.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use wattle_program::{Program, passes, text, validate};
use wattle_source::Sources;

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
    let name = |path: &PathBuf| path.strip_prefix(&root).unwrap_or(path).display().to_string();
    found.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

fn parse(name: &str, text: &str) -> Result<Program, String> {
    let parsed = wattle_frontend_wtl::FRONTEND.read(name, text).map_err(|errors| {
        let (sources, _) = Sources::single(name, text);
        let error = &errors[0];
        format!("{}: {} (line {})", error.code, error.message, sources.start(error.span()).line)
    })?;
    validate(&parsed.program).map_err(|invalid| invalid.to_string())?;
    Ok(parsed.program)
}

fn survives_printing(program: &Program) -> Result<(), String> {
    let printed = text::print(program);
    let (sources, file) = Sources::single("printed.wir", &printed);
    match text::parse(&sources, file) {
        Ok(back) if back == *program => Ok(()),
        Ok(_) => Err("reads back as another program".into()),
        Err(errors) => Err(format!("does not read back: {}", errors[0].message)),
    }
}

#[test]
fn every_text_is_well_formed_and_survives_printing() {
    let corpus = texts("corpus");
    assert!(corpus.len() > 150, "the corpus has gone");
    let examples = texts("examples");
    assert!(!examples.is_empty(), "the examples have gone");
    let mut wrong = Vec::new();
    for (name, text) in corpus.iter().chain(&examples) {
        match parse(name, text) {
            Err(error) => wrong.push(format!("{name}: {error}")),
            Ok(program) => {
                for program in [passes::forget_dead(&program), program] {
                    if let Err(error) = survives_printing(&program) {
                        wrong.push(format!("{name}: {error}"));
                    }
                }
            }
        }
        if name.starts_with("corpus") && !(text.starts_with("// ") && text.contains("Known:")) {
            wrong.push(format!("{name}: does not open with what it is and what is known"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
