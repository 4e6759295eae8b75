//! The verdicts that Memorax gives, if its inputs are at hand (`../shared/data/rmm`).

use std::path::Path;

use super::{Verdict, parsed, verdict};

/// Rows that a search over single states cannot decide. They must be read all the same.
const NOT_SEARCHED: [(&str, &str); 2] = [
    ("bakery.rmm", "unbounded integers: the numbers drawn grow for ever"),
    ("ticket_spin_lock.rmm", "unbounded integers: the tickets grow for ever"),
];

/// Safe, but a store in a loop without a fence fills any buffer: the search never closes.
const NOT_CLOSED: [&str; 1] = ["burns_2.rmm"];

#[test]
fn verdicts_agree_with_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/rmm");
    let Ok(table) = std::fs::read_to_string(folder.join("expected.tsv")) else {
        println!("ignored: the table of verdicts is not here ({})", folder.display());
        return;
    };
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let (mut run, mut listed, mut wrong) = (0, 0, Vec::new());
    for row in &rows {
        let (file, model, expected) = (row[0], row[1], row[2]);
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let program = parsed(&text);
        if NOT_SEARCHED.iter().any(|(name, _)| *name == file) {
            listed += 1;
            continue;
        }
        run += 1;
        let mut check = |model: &str, expected: Verdict| {
            let found = verdict(&program, model, 4);
            if found != expected {
                wrong.push(format!("{file} under {model}: expected {expected:?}, found {found:?}"));
            }
        };
        check(
            model,
            match expected {
                "unsafe" => Verdict::Unsafe,
                "safe" if NOT_CLOSED.contains(&file) => Verdict::Bounded(4),
                "safe" => Verdict::Safe,
                other => panic!("{file}: `{other}`?"),
            },
        );
        match row[4] {
            "" => {}
            "0" => check("pso", Verdict::Safe),
            _ => check("pso", Verdict::Unsafe),
        }
    }
    assert_eq!(run + listed, rows.len());
    assert_eq!(listed, NOT_SEARCHED.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
