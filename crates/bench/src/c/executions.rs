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

/// `executions [--limit SECONDS]`: `true` if all numbers that are counted are equal, or differ for a reason that is known.
pub(super) fn run(arguments: &[String]) -> Result<bool, String> {
    let limit = super::limit(arguments)?;
    let (mut equal, mut open) = (0, 0);
    let mut different = Vec::new();
    for row in rows("atomics")? {
        let Some(expected) = row.executions else { continue };
        let name = format!("{} {}", shown(&row.file), row.model);
        match count(&row, limit)? {
            Ok(found) if found == expected => equal += 1,
            Ok(found) => different.push(format!("{name}: {found}, others count {expected}")),
            Err(reason) => {
                open += 1;
                println!("not counted\t{name}\t{reason}");
            }
        }
    }
    different.iter().for_each(|line| println!("DIFFERENT\t{line}"));
    println!("{equal} equal, {} different, {open} not counted", different.len());
    Ok(different.is_empty())
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
