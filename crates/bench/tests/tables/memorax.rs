//! The verdicts that Memorax gives.

use std::path::Path;

use libtest_mimic::Trial;
use wattle_driver::check::{Check, check};
use wattle_driver::{Input, Watch, load, models};

use crate::{Checked, case};

/// Rows that take a proof by predicates, whose time nobody can promise. They must be read all the same.
const NOT_SEARCHED: [(&str, &str); 2] = [
    ("bakery.rmm", "unbounded integers: the numbers drawn grow for ever"),
    ("ticket_spin_lock.rmm", "unbounded integers: the tickets grow for ever"),
];

pub fn rows_of(folder: &Path) -> Result<Vec<Trial>, String> {
    let table = std::fs::read_to_string(folder.join("expected.tsv")).map_err(|error| error.to_string())?;
    let mut trials = Vec::new();
    let mut not_searched = 0;
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [file, model, expected, _, fences_pso, ..] = cells[..] else {
            return Err(format!("not a row: {row}"));
        };
        let input = Input::file(folder.join(file).display().to_string());
        if NOT_SEARCHED.iter().any(|(name, _)| *name == file) {
            not_searched += 1;
            let read = move || load(&input).map(|_| ()).map_err(|_| "is refused".into());
            trials.push(case(format!("memorax {file} is read"), read));
            continue;
        }
        let pso = match fences_pso {
            "" => None,
            "0" => Some(("pso", "safe")),
            _ => Some(("pso", "unsafe")),
        };
        for (model, expected) in [(model, expected)].into_iter().chain(pso) {
            let (input, model, expected) = (input.clone(), model.to_owned(), expected.to_owned());
            let name = format!("memorax {file} {model}");
            trials.push(case(name, move || agrees(&input, &model, None, &expected)));
        }
    }
    if not_searched != NOT_SEARCHED.len() {
        return Err(format!("{not_searched} rows of {NOT_SEARCHED:?}"));
    }
    Ok(trials)
}

/// Is this the verdict of an engine, or of those that wattle chooses?
pub(super) fn agrees(input: &Input, model: &str, engine: Option<&str>, expected: &str) -> Checked {
    let request = Check { engine: engine.map(str::to_owned), ..Check::new(models::resolve(model, false)?) };
    let found = check(&request, input, &Watch::default())?.report.verdict;
    if found.word() == expected {
        Ok(())
    } else {
        Err(format!("expected {expected}, found {}", found.word()).into())
    }
}
