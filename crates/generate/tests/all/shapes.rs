//! `docs/shapes.md` and `corpus/litmus` say the same.
//!
//! The page is the source: its answers were made by hand. The files are its rows, written out by the
//! generator; with WATTLE_BLESS set they are written again from the page, never the other way round.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use wattle_generate::cycle::{Architecture, Cycle, Edge, test};

/// Strong to weak: what one allows, the next allows.
const LIGHT: [&str; 3] = ["LwSync", "DMB.LD", "Fence.tso"];

const CHAIN: [&str; 5] = ["sc", "tso", "pso", "rmo", "alpha"];

/// In `corpus/litmus`, but no cycles.
const BY_HAND: [&str; 4] = ["ppc/CoRW1.litmus", "ppc/CoWW.litmus", "x86/CoRW1.litmus", "x86/CoWW.litmus"];

struct Row {
    architectures: Vec<Architecture>,
    name: String,
    cycle: String,
    /// Model, and whether it allows the cycle.
    answers: Vec<(String, bool)>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// All rows of the tables whose heading names architectures.
fn rows() -> Vec<Row> {
    let page = fs::read_to_string(root().join("docs/shapes.md")).unwrap();
    let (mut rows, mut architectures, mut models) = (Vec::new(), Vec::new(), Vec::new());
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let names = heading.split_once('(').map_or("", |(_, names)| names.trim_end_matches(')'));
            architectures = names.split(", ").filter_map(Architecture::find).collect();
            models.clear();
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        match &cells[..] {
            ["test", "cycle", rest @ ..] => models = rest.iter().map(ToString::to_string).collect(),
            [name, cycle, rest @ ..] if !models.is_empty() && cycle.starts_with('`') => {
                assert_eq!(rest.len(), models.len(), "{line}");
                let answer = |(model, word): (&String, &&str)| match *word {
                    "yes" => Some((model.clone(), true)),
                    "no" => Some((model.clone(), false)),
                    "" => None,
                    other => panic!("{line}: {other}"),
                };
                rows.push(Row {
                    architectures: architectures.clone(),
                    name: name.to_string(),
                    cycle: cycle.trim_matches('`').to_owned(),
                    answers: models.iter().zip(rest).filter_map(answer).collect(),
                });
            }
            _ => {}
        }
    }
    rows
}

/// Does the model speak about tests of the architecture?
fn speaks(model: &str, architecture: Architecture) -> bool {
    match architecture {
        Architecture::X86 => CHAIN.contains(&model),
        Architecture::Ppc => CHAIN.contains(&model) || model == "power",
        Architecture::C => model == "rc11",
        other => CHAIN.contains(&model) || model == other.name(),
    }
}

/// The file of a row: the test, with its answers after the header.
fn file(row: &Row, architecture: Architecture) -> (String, String) {
    let edges: Vec<Edge> =
        row.cycle.split(' ').map(|name| Edge::parse(name, architecture).expect(name)).collect();
    let cycle = Cycle::new(architecture, &edges).unwrap_or_else(|broken| panic!("{}: {broken}", row.name));
    let test = test(&cycle);
    assert_eq!(test.name, row.name, "{}", row.cycle);
    let mut comments = String::new();
    for (allowed, verdict) in [(false, "safe"), (true, "unsafe")] {
        let models: Vec<&str> = (row.answers.iter())
            .filter(|(model, answer)| *answer == allowed && speaks(model, architecture))
            .map(|(model, _)| model.as_str())
            .collect();
        if !models.is_empty() {
            comments.push_str(&format!("(* wattle: {} {verdict} *)\n", models.join(",")));
        }
    }
    let (header, body) = test.text.split_once("\n{").unwrap();
    let folder = if architecture == Architecture::C { "c11" } else { architecture.name() };
    (format!("{folder}/{}.litmus", test.name), format!("{header}\n{comments}{{{body}"))
}

#[test]
fn page_and_corpus_are_equal() {
    let rows = rows();
    let mut expected = BTreeMap::new();
    for row in &rows {
        for architecture in &row.architectures {
            let (path, text) = file(row, *architecture);
            assert!(expected.insert(path.clone(), text).is_none(), "{path} comes twice");
        }
    }
    assert!((200..=400).contains(&expected.len()), "{}", expected.len());
    let corpus = root().join("corpus/litmus");
    if std::env::var_os("WATTLE_BLESS").is_some() {
        for (path, text) in &expected {
            let path = corpus.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let mut found = BTreeMap::new();
    let folders = fs::read_dir(&corpus).unwrap().map(|entry| entry.unwrap().path());
    for folder in folders.filter(|path| path.is_dir()) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(&corpus).unwrap().display().to_string();
            found.insert(name, fs::read_to_string(path).unwrap());
        }
    }
    for name in BY_HAND {
        assert!(found.remove(name).is_some(), "{name} is missing");
    }
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&expected));
    for (name, text) in &expected {
        assert_eq!(&found[name], text, "{name}: bless it, if the page is right");
    }
}

/// Laws that hold whatever the answers are.
#[test]
fn weaker_models_allow_more() {
    let mut steps = 0;
    for row in rows() {
        let answer = |model: &str| row.answers.iter().find(|(one, _)| one == model).map(|(_, yes)| *yes);
        assert_ne!(answer("sc"), Some(true), "{}: sc forbids every cycle", row.name);
        for pair in CHAIN.windows(2) {
            // Alpha has no lighter fence for these than a full one.
            let stronger = pair[1] == "alpha" && LIGHT.iter().any(|fence| row.cycle.contains(fence));
            if let (Some(strong), Some(weak)) = (answer(pair[0]), answer(pair[1])) {
                assert!(!strong | weak | stronger, "{}: {} and {}", row.name, pair[0], pair[1]);
                steps += usize::from(!strong & weak);
            }
        }
    }
    assert!(steps > 100, "{steps} steps tell models apart");
}
