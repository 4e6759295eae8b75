//! C programs: the verdicts of others, row by row.
//!
//! Litmus tests are all run. Of the other tables the rows take minutes; they are ignored here and counted as such, and `cargo
//! xtask bench c` runs them and prints what is found, proved and left open.

use libtest_mimic::Trial;
use wattle_bench::c::{answer, rows, shown};
use wattle_engine::{Budget, Work};

use crate::case;

pub fn rows_of(folder: &'static str) -> Result<Vec<Trial>, String> {
    let is_quick = folder == "litmus";
    let trial = |row: wattle_bench::c::Row| {
        let name = format!("c {} {}", shown(&row.file), row.model);
        case(name, move || {
            let (word, reason) =
                answer(&row, Budget { work: Some(Work::milliseconds(20_000)), ..Budget::default() })?;
            match word == row.right() {
                true => Ok(()),
                false => Err(format!("expected {}, found {word} {reason}", row.right()).into()),
            }
        })
        .with_ignored_flag(!is_quick)
    };
    Ok(rows(folder)?.into_iter().map(trial).collect())
}
