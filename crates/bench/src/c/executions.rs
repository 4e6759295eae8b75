//! How many complete executions the programs of `../shared/data/c/atomics` have, compared with the numbers of the table.
//!
//! A complete execution is a consistent one in which every thread ends; engine `enumerate` counts those whatever the
//! program states. Rows with an unrolling are counted with it.

use std::time::Duration;

use wattle_driver::engines::Settings;
use wattle_driver::outcomes::{Outcomes, outcomes};
use wattle_driver::{Watch, models};
use wattle_engine::Budget;
use wattle_report::OutcomesVerdict;

use super::{Row, rows, shown};

/// In rc11 as it was published, and in C11, later stores of the same thread to the same location go on with a release sequence, so that
/// who acquires from one synchronizes with the release before it. In C++20 only read-modify-writes do, and so it is in the
/// table: it has executions in which such a reader sees an older value behind it.
const SEQUENCES: &str = "stores of the same thread continue a release sequence or not";
/// A defect and a definition. With `assume` for the inner loop and without a loop around the creation of threads there are 6 executions: for each
/// order of the two threads, the second looks and takes after the first has gone, looks before and takes after, or fails once between; the table
/// leaves the last out. Here rounds of the inner loop count too (twice as many), and so does it that a thread which is created in
/// a loop may look whether its creator has ended before it begins (twice as many for each of the two).
const RETRIES: &str = "retries, and two ways to begin for threads that a loop creates";

/// Rows whose numbers differ by a definition: file, model, the number here, and which definition.
const KNOWN: [(&str, &str, u64, &str); 9] = [
    ("data-structures/spinlock/variants/main0.c", "rc11", 48, RETRIES),
    ("data-structures/spinlock/variants/main0.c", "sc", 48, RETRIES),
    ("data-structures/ttaslock/variants/ttaslock0.c", "rc11", 48, RETRIES),
    ("data-structures/ttaslock/variants/ttaslock0.c", "sc", 48, RETRIES),
    ("litmus/MP+rels+acq/variants/mp+rels+acq0.c", "rc11", 3, SEQUENCES),
    ("litmus/MP+rels+acq/variants/mp+rels+acq1.c", "rc11", 3, SEQUENCES),
    ("litmus/MP+rels+acqf/variants/mp+rels+acqf0.c", "rc11", 3, SEQUENCES),
    ("litmus/MPU2+rels+acqf/variants/mpu2+rels+acqf0.c", "rc11", 35, SEQUENCES),
    ("litmus/relseq/variants/relseq0.c", "rc11", 16, SEQUENCES),
];

/// `executions [--limit SECONDS]`: `true` if all numbers that are counted are equal, or differ for a reason that is known.
pub(super) fn run(arguments: &[String]) -> Result<bool, String> {
    let limit = super::limit(arguments)?;
    let (mut equal, mut open, mut known) = (0, 0, 0);
    let mut different = Vec::new();
    for row in rows("atomics")? {
        let Some(expected) = row.executions else { continue };
        let name = format!("{} {}", shown(&row.file), row.model);
        match count(&row, limit)? {
            Ok(found) if found == expected => equal += 1,
            Ok(found) if let Some(why) = explained(&row, found) => {
                known += 1;
                println!("different\t{name}: {found}, others count {expected}: {why}");
            }
            Ok(found) => different.push(format!("{name}: {found}, others count {expected}")),
            Err(reason) => {
                open += 1;
                println!("not counted\t{name}\t{reason}");
            }
        }
    }
    different.iter().for_each(|line| println!("DIFFERENT\t{line}"));
    println!(
        "{equal} equal, {known} different for a known reason, {} different, {open} not counted",
        different.len()
    );
    Ok(different.is_empty())
}

fn explained(row: &Row, found: u64) -> Option<&'static str> {
    let is_it = |(file, model, number, _): &&(&str, &str, u64, &str)| {
        row.file.ends_with(format!("atomics/{file}")) && row.model == *model && found == *number
    };
    KNOWN.iter().find(is_it).map(|(_, _, _, why)| *why)
}

/// The number of complete executions, or why it is not known.
fn count(row: &Row, limit: Duration) -> Result<Result<u64, String>, String> {
    let mut settings = Settings::default();
    if let Some(unroll) = row.unroll {
        settings.enumerate.unwind = unroll;
    }
    let request = Outcomes {
        model: Some(models::resolve(&row.model, false)?),
        engine: Some("enumerate".into()),
        settings,
        budget: Budget { time: Some(limit), ..Budget::default() },
        atomic_copy: false,
    };
    let report = outcomes(&request, &row.input(), &Watch::default())?;
    Ok(match report.verdict {
        OutcomesVerdict::Listed(listing) if listing.counted => {
            Ok(listing.states.iter().map(|state| state.executions).sum())
        }
        OutcomesVerdict::Listed(_) => Err("states, but no executions".into()),
        OutcomesVerdict::Unknown { reason } => Err(reason.to_string()),
        OutcomesVerdict::Error => {
            Err(report.diagnostics.first().map(|problem| problem.message.clone()).unwrap_or_default())
        }
        OutcomesVerdict::Internal { what } => return Err(format!("{}: {what}", row.file.display())),
    })
}
