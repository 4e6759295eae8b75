//! The texts of the corpus.

use std::fs;
use std::path::{Path, PathBuf};

use wattle_program::Program;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn program(path: &str) -> Program {
    let text = fs::read_to_string(root().join(path)).unwrap();
    wattle_frontend_wtl::FRONTEND.read(path, &text).unwrap().program
}

/// Every `.wtl` program, by path.
pub fn programs() -> Vec<(String, Program)> {
    fn walk(path: &Path, found: &mut Vec<PathBuf>) {
        for path in fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "wtl") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join("corpus"), &mut found);
    found.sort();
    let name = |path: &PathBuf| path.strip_prefix(root()).unwrap().display().to_string();
    let all: Vec<_> = found.iter().map(|path| (name(path), program(&name(path)))).collect();
    assert!(all.len() > 100, "{}", all.len());
    all
}
