//! The verdicts that Memorax gives, if its inputs are at hand (`../shared/data/rmm`).

use std::path::Path;

use wattle_driver::check::check;
use wattle_driver::{Input, Watch, load};

use super::request;

/// Rows that take a proof by predicates, whose time nobody can promise. They must be read all the same.
const NOT_SEARCHED: [(&str, &str); 2] = [
    ("bakery.rmm", "unbounded integers: the numbers drawn grow for ever"),
    ("ticket_spin_lock.rmm", "unbounded integers: the tickets grow for ever"),
];

#[test]
fn verdicts_agree_with_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/rmm");
    let Ok(table) = std::fs::read_to_string(folder.join("expected.tsv")) else {
        println!("ignored: the table of verdicts is not here ({})", folder.display());
        return;
    };
    let (mut run, mut listed, mut wrong) = (0, 0, Vec::new());
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let (file, model, expected) = (cells[0], cells[1], cells[2]);
        let input = Input::file(folder.join(file).display().to_string());
        if NOT_SEARCHED.iter().any(|(name, _)| *name == file) {
            assert!(load(&input).is_ok(), "{file}");
            listed += 1;
            continue;
        }
        let pso = match cells[4] {
            "" => None,
            "0" => Some(("pso", "safe")),
            _ => Some(("pso", "unsafe")),
        };
        for (model, expected) in [(model, expected)].into_iter().chain(pso) {
            let found = check(&request(model), &input, &Watch::default()).unwrap().report.verdict;
            if found.word() != expected {
                wrong.push(format!("{file} under {model}: expected {expected}, found {}", found.word()));
            }
            run += 1;
        }
    }
    assert_eq!(listed, NOT_SEARCHED.len());
    assert!(run >= 21, "{run}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
