//! All tests of the tables of expected answers, if they are at hand, can be read.

use std::path::{Path, PathBuf};

use super::checked;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/litmus").join(name)
}

/// How many of a folder's tests are read, and the problems of the others.
fn read_all(name: &str) -> Option<(usize, Vec<String>)> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder(name)).ok()?.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "litmus"));
    files.sort();
    let mut read = 0;
    let mut refused = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        match checked(&text) {
            Ok(_) => read += 1,
            Err(problems) => {
                let name = file.file_name().unwrap().to_string_lossy().into_owned();
                let problem = &problems[0];
                refused.push(format!("{name}: {}: {}", problem.code, problem.message));
            }
        }
    }
    Some((read, refused))
}

fn all_but(name: &str, unsupported: &[&str]) {
    let Some((read, refused)) = read_all(name) else {
        println!("ignored: the tests of {name} are not here ({})", folder(name).display());
        return;
    };
    assert_eq!(refused, unsupported, "{read} are read");
}

#[test]
fn x86() {
    all_but("x86", &[]);
    all_but("x86-diy", &[]);
}

#[test]
fn ppc() {
    all_but("ppc", &[]);
    all_but("ppc-diy", &[]);
}

#[test]
fn arm() {
    all_but("arm", &[]);
}

#[test]
fn riscv() {
    // Bytes of one word: mixed sizes.
    all_but(
        "riscv",
        &[
            "MP+fence.rw.rw+pos-si1.litmus: litmus-unsupported: mixed sizes: an access to a part of `x` is not supported",
            "MP+fence.rw.rw+si1.litmus: litmus-unsupported: mixed sizes: an access to a part of `x` is not supported",
        ],
    );
}

const AARCH64_REFUSED: [&str; 4] = [
    "A248.litmus: litmus-unsupported: a tagged location is not supported",
    "A257.litmus: litmus-unsupported: a call is not supported",
    "L022.litmus: litmus-unsupported: an address in the code is not supported",
    "L024.litmus: litmus-unsupported: a call is not supported",
];

#[test]
fn aarch64() {
    all_but("aarch64", &AARCH64_REFUSED);
}

#[test]
fn c11() {
    all_but("c11", &[]);
}
