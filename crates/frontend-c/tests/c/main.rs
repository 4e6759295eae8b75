//! Tests of the front end of C. `values` compares expressions with what the machine's compiler computes, `language` runs the
//! programs of the corpus with it, `wrong` is about texts that are no C or that wattle refuses, `mutants` about texts
//! that were damaged at random, `edits` about fences that are put into a text, `creation` about how many threads there are.
//!
//! What concurrent programs mean (locks, conditions, orders, fences in assembly) is said by the rows of `corpus/c`, which
//! `wattle test` checks under each model.

#![allow(clippy::unwrap_used)]

mod creation;
mod edits;
mod language;
mod mutants;
mod values;
mod wrong;

use std::path::{Path, PathBuf};
use std::process::Command;

use wattle_frontend::{Options, Reading};
use wattle_frontend_c::FRONTEND;
use wattle_source::{LoadError, Loader, Sources};

/// The machine's compiler as a preprocessor, with the headers of wattle in `folder` and what is beside it.
#[derive(Debug)]
struct Machine {
    folder: Folder,
}

impl Machine {
    fn new(name: &str) -> Machine {
        let folder = Folder::new(name);
        for (header, text) in wattle_frontend_c::HEADERS {
            folder.write(header, text);
        }
        Machine { folder }
    }

    fn read(&self, text: &str) -> (Sources, Reading) {
        let (mut sources, file) = Sources::single("test.c", text);
        let reading =
            (FRONTEND.parse)(&mut sources, file, &Options { loader: self, settings: &[], linked: &[] });
        (sources, reading)
    }
}

impl Loader for Machine {
    fn include(&self, name: &str) -> Result<String, LoadError> {
        Err(LoadError(name.into()))
    }

    fn preprocess(&self, name: &str, text: &str) -> Result<String, LoadError> {
        let path = self.folder.write("input", &format!("# 1 \"{name}\"\n{text}"));
        let made = Command::new("cc")
            .args(["-E", "-x", "c", "-I"])
            .arg(&self.folder.path)
            .arg(path)
            .output()
            .map_err(|error| LoadError(error.to_string()))?;
        match made.status.success() {
            true => Ok(String::from_utf8_lossy(&made.stdout).into_owned()),
            false => Err(LoadError(String::from_utf8_lossy(&made.stderr).into_owned())),
        }
    }

    fn original(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(name).ok()
    }
}

/// A folder for the files of one test.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("wattle-c-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder { path }
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.path));
    }
}

/// What a program prints when it is compiled by the machine's compiler. Signed overflow wraps.
fn run(source: &Path, folder: &Folder) -> String {
    let program = folder.path.join("program");
    let compiled = Command::new("cc")
        .args(["-fwrapv", "-pthread", "-w", "-o"])
        .arg(&program)
        .arg(source)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(program).output().unwrap();
    assert!(ran.status.success(), "{}: {}", source.display(), String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

/// Numbers from a seed (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 11) as usize % limit
    }

    fn choose<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}
