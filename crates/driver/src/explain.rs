//! `explain`: a memory model or a diagnostic code in a few sentences.

use wattle_memory::{CATALOGUE, cat, text};
use wattle_program::text as printed;
use wattle_source::{Code, did_you_mean};

use crate::codes;
use crate::frontends::FRONTENDS;
use crate::models::known_as;

/// What is no code: the memory models, and the word that comes with exit code 101.
const TEXTS: [(&str, &str); 14] = [
    (
        "sc",
        "Under sequential consistency the threads take turns, and every load sees the last store.\n\
         It is what most people have in mind when they read a program, and what no machine gives\n\
         without fences. Remote copies (put, get) are two steps, a read and then a write, done before\n\
         the thread goes on; --sc-copy atomic makes them one.",
    ),
    (
        "tso",
        "Every thread has one queue of stores (x86, SPARC TSO). A store enters the queue and reaches\n\
         memory later, in order; a load takes the newest store to its location from its own queue, or\n\
         else memory. So a load can overtake earlier stores to other locations:\n\
         \n\
             x = 1;       y = 1;\n\
             r = y;       s = x;       may end with r == 0 and s == 0.\n\
         \n\
         `fence` waits until the queue is empty. Atomic statements (cas, exchange, atomic { }) wait\n\
         for the same and act on memory directly.",
    ),
    (
        "pso",
        "Like tso, but with one queue a thread and location (SPARC PSO), so stores to different\n\
         locations overtake each other as well:\n\
         \n\
             data = 1;    await flag == 1;\n\
             flag = 1;    r = data;          may end with r == 0.\n\
         \n\
         `fence ww` keeps stores before it in front of stores after it; `fence` empties all queues.",
    ),
    (
        "rmo",
        "Relaxed memory order (SPARC V9, as Alglave et al. 2013 read it). Loads are out of order too, unless\n\
         one depends on the other: MP, SB and LB are allowed without fences or dependencies, and IRIW,\n\
         because nothing orders its loads. Writes are atomic: once one thread has seen another's store,\n\
         all have.",
    ),
    (
        "alpha",
        "The Alpha keeps only accesses of one location in order. Not even a load whose address depends on\n\
         another load comes after it, so MP with a fenced writer and a dependent reader is allowed. Writes\n\
         are atomic, and no value comes out of thin air.",
    ),
    (
        "aarch64",
        "64-bit ARM. Writes are atomic towards other threads. Within a thread, dependencies, barriers (dmb,\n\
         dsb, isb), load-acquire and store-release order; anything else may change places: SB, MP, LB and\n\
         2+2W are allowed without them.",
    ),
    (
        "riscv",
        "RISC-V weak memory order. Writes are atomic towards other threads; thirteen rules say which program\n\
         order is preserved: fences by their letters, dependencies, acquire and release marks, accesses of\n\
         one location. SB, MP, LB and 2+2W are allowed without these.",
    ),
    (
        "arm",
        "ARM before version 8. Writes reach other threads one by one, so IRIW with dependent loads is\n\
         allowed; dmb and dsb forbid it. Dependencies order what depends on a load.",
    ),
    (
        "power",
        "IBM Power. Writes reach other threads one by one: IRIW is allowed unless sync stands between the\n\
         loads, and WRC unless the middle thread has a fence. Loads and stores are out of order but for\n\
         dependencies and fences; lwsync orders all but a store before a load, eieio stores.",
    ),
    (
        "power-2012",
        "IBM Power as Alglave et al. 2013 check it: coherence at each location, no values out of thin air,\n\
         and one global order of what is not relaxed. Mostly weaker than power, because lwsync is less\n\
         cumulative; stronger in a few places.",
    ),
    (
        "rc11",
        "C and C++ atomics after Lahav et al. 2017. A release store synchronises with an acquire load that\n\
         takes its value; seq_cst accesses and fences agree on one order; relaxed accesses of one location\n\
         are coherent. LB is forbidden. A data race of non-atomic accesses makes the program undefined.",
    ),
    (
        "rma",
        "Remote memory access, as in networks with one-sided communication. Local accesses act on\n\
         memory at once. A put or get is two halves, a read and then a write, each of which happens at\n\
         any time after the statement, in any order with everything else, until `flush(p)` waits for\n\
         all operations of its thread whose remote side is p; `flush(*)` waits for all of them.",
    ),
    (
        "rma-in-order",
        "Like rma, over a network that keeps messages between two processes in order. Of the operations of p\n\
         with one target q, those halves that happen at q do so in the order of issue, and so do those that\n\
         happen at p. Nothing else is ordered: operations with different targets are not, nor is the\n\
         half at p of one operation with the half at q of another. So\n\
         \n\
             put(data, q, 1);     await flag == 1;\n\
             put(flag, q, 1);     r = data;            ends with r == 1, but\n\
         \n\
             put(data, q, X);     X = 2;               may send either value of X.\n\
         \n\
         `flush(q)` waits as under rma.",
    ),
    ("internal", "A bug in wattle: two of its parts contradict each other. Please report the input."),
];

/// Every code that a diagnostic can have, from the tables of those who raise them.
fn codes() -> impl Iterator<Item = Code> {
    let languages = FRONTENDS.iter().map(|frontend| frontend.codes);
    languages.chain([printed::CODES, cat::CODES, codes::CODES]).flatten().copied()
}

/// A model's paragraph is followed by its text. `Err`: what to try instead.
pub fn explain(subject: &str) -> Result<String, String> {
    let subject = known_as(subject);
    let texts = || TEXTS.iter().copied().chain(codes().map(|code| (code.name(), code.explanation())));
    if let Some((_, paragraph)) = texts().find(|(name, _)| *name == subject) {
        let head = CATALOGUE.iter().find(|model| &*model.name == subject);
        let head = head.map(|model| format!("{}: {}\n\n", model.name, model.summary)).unwrap_or_default();
        let axioms = text(subject).map(|text| format!("\nIts axioms:\n\n{text}")).unwrap_or_default();
        return Ok(format!("{head}{paragraph}\n{axioms}"));
    }
    Err(match did_you_mean(subject, texts().map(|(name, _)| name)) {
        Some(hint) => format!("nothing to explain about `{subject}`: {hint}"),
        None => format!("nothing to explain about `{subject}`; it is neither a memory model nor a code"),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    /// The files below a folder that are no tests.
    fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
        for path in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            if path.file_stem().is_some_and(|stem| stem == "tests") {
                continue;
            }
            if path.is_dir() {
                rust_files(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }

    /// Every table of every crate is collected, and every code of it is raised in its crate. (That a code
    /// stands in a table and has an explanation is the doing of `codes!`.)
    #[test]
    fn every_code_is_explained_and_raised() {
        let explained: Vec<&str> = codes().map(Code::name).collect();
        let different: BTreeSet<String> = explained.iter().map(ToString::to_string).collect();
        assert_eq!(different.len(), explained.len(), "a code stands in two tables");
        assert!(codes().all(|code| code.explanation().len() > 20 && code.explanation().ends_with('.')));
        let mut tabled = BTreeSet::new();
        let crates = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        for folder in crates.map(|entry| entry.unwrap().path().join("src")) {
            let mut files = Vec::new();
            rust_files(&folder, &mut files);
            let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
            let tables = texts.iter().flat_map(|text| text.split("\nwattle_source::codes! {").skip(1));
            let lines = tables.flat_map(|table| table.lines().take_while(|line| *line != "}"));
            for line in lines.filter(|line| line.ends_with("\":")) {
                let (constant, name) = line.trim().split_once(" = ").unwrap();
                let uses =
                    texts.iter().flat_map(|text| text.split(|c: char| !(c.is_alphanumeric() || c == '_')));
                assert!(uses.filter(|word| *word == constant).count() > 1, "{name} is never raised");
                tabled.insert(name.trim_matches(['"', ':']).to_owned());
            }
        }
        assert_eq!(different, tabled, "the tables that are collected here, and those of the crates");
    }

    #[test]
    fn every_model_is_explained() {
        for model in CATALOGUE.iter() {
            assert!(explain(&model.name).is_ok(), "{}", model.name);
        }
    }
}
