//! herd's answers and ours are equal, row by row, or our two lists say why not (`wattle_bench::tables`).

use std::sync::Arc;

use libtest_mimic::Trial;
use wattle_bench::tables::{Lists, Ours, Row, answer, data, known_folders, root, rows};

use crate::{Checked, LITMUS, case};

/// The lists that everything else rests on are themselves exact.
pub fn lists() -> Vec<Trial> {
    let folders = case("every folder with a table is known".into(), || {
        let found = known_folders()?;
        if found == LITMUS { Ok(()) } else { Err(format!("{found:?}").into()) }
    });
    let entries = case("every entry of our lists has a row in the tables".into(), || {
        let without = Lists::read(&root())?.without_rows(&known_folders()?);
        if without.is_empty() { Ok(()) } else { Err(without.join("\n").into()) }
    });
    vec![folders, entries]
}

pub fn rows_of(folder: &'static str) -> Result<Vec<Trial>, String> {
    let lists = Arc::new(Lists::read(&root())?);
    let one = |row: Row| {
        let lists = lists.clone();
        case(format!("herd {folder}/{} {}", row.file, row.model), move || agrees(&lists, folder, &row))
    };
    Ok(rows(&data().join(folder))?.into_iter().map(one).collect())
}

fn agrees(lists: &Lists, folder: &str, row: &Row) -> Checked {
    let name = format!("{folder}/{}", row.file);
    let ours = answer(&data().join(&name), &row.model);
    match (lists.whole_folder(folder), &ours) {
        (Some(construct), Ours::Answered(answer)) => {
            Err(format!("{answer}, although all of {folder} is listed as unsupported: {construct}").into())
        }
        (Some(_), _) => Ok(()),
        (None, _) => match lists.judge(&name, row, &ours).0 {
            Some(line) if line.open => Err(line.text.into()),
            _ => Ok(()),
        },
    }
}
