//! The verdicts of Cubicle-W, and what instances of its systems must show.
//!
//! A row says *safe* or *unsafe* for any number of processes. A safe system has no violation with 2, 3 or 4; an unsafe
//! one shows it with few, which the table below says by an argument: two processes are enough for mutual exclusion to fail.

use std::path::Path;

use libtest_mimic::Trial;
use wattle_driver::{Copies, Input};

use crate::case;
use crate::memorax::agrees;

/// With four copies these take more than a moment.
const LARGE: [&str; 3] = ["lamport_N.cub", "arbiter_v1_N.cub", "arbiter_v2_N.cub"];

/// Safe, but stores may pile up: the search goes only so far.
const BOUNDED: [&str; 1] = ["lamport_N.cub"];

/// What `rwc_us` calls unsafe does not ask for weak memory: it names a register that nobody has written (`R1[r]`, not
/// `R2[r]`), which may be 0 from the start.
const UNSAFE_UNDER_SC: [&str; 1] = ["rwc_us.cub"];

pub fn rows_of(folder: &Path) -> Result<Vec<Trial>, String> {
    let table = std::fs::read_to_string(folder.join("expected.tsv")).map_err(|error| error.to_string())?;
    let mut trials = Vec::new();
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [file, model, expected, ..] = cells[..] else { return Err(format!("not a row: {row}")) };
        let text = std::fs::read_to_string(folder.join(file)).map_err(|error| format!("{file}: {error}"))?;
        let copies: &[u32] = match text.contains("number_procs") {
            true => &[0],
            false if LARGE.contains(&file) => &[2, 3],
            false => &[2, 3, 4],
        };
        for count in copies {
            let under_sc = if UNSAFE_UNDER_SC.contains(&file) { "unsafe" } else { "safe" };
            let weak = if BOUNDED.contains(&file) { "bounded" } else { expected };
            for (model, expected) in [(model, weak), ("sc", under_sc)] {
                let input = Input::file(folder.join(file));
                let input = match count {
                    0 => input,
                    count => input.with_copies(vec![Copies { process: None, count: *count }]),
                };
                let (model, expected) = (model.to_owned(), expected.to_owned());
                trials.push(case(format!("cubicle {file} {count} {model}"), move || {
                    agrees(&input, &model, Some("explore"), &expected)
                }));
            }
        }
        // For any number, or the number that the text fixes.
        let input = Input::file(folder.join(file));
        let (model, expected) = (model.to_owned(), expected.to_owned());
        trials.push(case(format!("cubicle {file} any {model}"), move || {
            agrees(&input, &model, Some("backward"), &expected)
        }));
    }
    Ok(trials)
}
