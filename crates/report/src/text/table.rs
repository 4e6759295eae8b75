//! Several models side by side: tests and programs are rows and models are columns.
//!
//! Rows are printed as they come, so the widths are settled before the first one.

use std::path::Path;

use wattle_engine::{Bound, Reason};

use super::story::wrap;
use super::{Options, Style};
use crate::{CheckReport, CheckVerdict, OutcomesReport, OutcomesVerdict};

/// `Sometimes 12 weaker`
const CELL: usize = 19;
const LONGEST_NAME: usize = 48;

#[derive(Clone, Debug)]
pub struct Table {
    models: Vec<String>,
    name: usize,
}

impl Table {
    /// For tests with names about as long as these.
    pub fn new<'a>(
        models: impl IntoIterator<Item = &'a str>,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Table {
        let longest = names.into_iter().map(|name| name.chars().count()).max().unwrap_or(0);
        Table {
            models: models.into_iter().map(ToOwned::to_owned).collect(),
            name: longest.clamp("test".len(), LONGEST_NAME),
        }
    }

    pub fn header(&self, options: &Options) -> String {
        let mut line = format!("{:<width$}", "test", width = self.name);
        for model in &self.models {
            line.push_str(&format!("  {model:<CELL$}"));
        }
        format!("{}\n", options.style.strong(line.trim_end()))
    }

    /// One report a model.
    pub fn row(&self, reports: &[OutcomesReport], options: &Options) -> String {
        let name = reports.iter().map(|report| report.test.as_str()).find(|name| !name.is_empty());
        let name = name.or(reports.first().map(|report| report.file.as_str())).unwrap_or("");
        self.line(name, reports.iter().map(cell), options)
    }

    /// The verdicts of one program, one a model. What is open says why below.
    pub fn verdicts(&self, reports: &[&CheckReport], options: &Options) -> String {
        let name = reports.first().map_or("", |report| &report.file);
        let stem = Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
        let mut out = self.line(&stem, reports.iter().map(|report| verdict(report)), options);
        for report in reports {
            let why = match &report.verdict {
                CheckVerdict::Unknown { reason } => reason.to_string(),
                CheckVerdict::Internal { what } => what.clone(),
                _ => continue,
            };
            let why = format!("{}: {why}", report.model);
            for (number, line) in wrap(&why, options.width.saturating_sub(6)).iter().enumerate() {
                out.push_str(&format!("{}{line}\n", if number == 0 { "  " } else { "      " }));
            }
        }
        out
    }

    fn line(&self, name: &str, cells: impl Iterator<Item = (String, Paint)>, options: &Options) -> String {
        let mut line = format!("{name:<width$}", width = self.name);
        for (text, paint) in cells {
            let padding = " ".repeat(CELL.saturating_sub(text.chars().count()));
            line.push_str(&format!("  {}{padding}", paint(options.style, &text)));
        }
        format!("{}\n", line.trim_end())
    }
}

type Paint = fn(Style, &str) -> String;

/// How often the condition holds, and how many states there are.
fn cell(report: &OutcomesReport) -> (String, Paint) {
    match &report.verdict {
        OutcomesVerdict::Listed(listing) => {
            let what = if listing.undefined { "Undef" } else { listing.observation() };
            // Where longer executions were left out there may be more.
            let more = if listing.bound.is_some() { "+" } else { "" };
            let paint: Paint = if listing.undefined { Style::doubtful } else { |_, text| text.to_owned() };
            // What the answer rests on, where that was not written so.
            let rests = report.rests().map(|rests| format!(" {}", rests.word())).unwrap_or_default();
            (format!("{what} {}{more}{rests}", listing.states.len()), paint)
        }
        OutcomesVerdict::Unknown { reason: wattle_engine::Reason::Unsupported(_) } => {
            ("unsupported".into(), Style::doubtful)
        }
        OutcomesVerdict::Unknown { .. } => ("unknown".into(), Style::doubtful),
        OutcomesVerdict::Error | OutcomesVerdict::Internal { .. } => ("error".into(), Style::bad),
    }
}

/// A verdict and what it is worth, in a few words.
fn verdict(report: &CheckReport) -> (String, Paint) {
    let (mut text, paint): (String, Paint) = match &report.verdict {
        CheckVerdict::Safe { .. } if crate::vacuous(&report.diagnostics).is_some() => {
            ("safe VACUOUS".into(), Style::doubtful)
        }
        CheckVerdict::Safe { .. } => ("safe".into(), Style::good),
        CheckVerdict::Bounded { bound } => {
            let bound = match bound {
                Bound::Capacity(capacity) => format!("bounded, {capacity} stores"),
                Bound::Unwinding(rounds) => format!("bounded, {rounds} rounds"),
                Bound::Covered => "bounded".into(),
            };
            (bound, Style::doubtful)
        }
        CheckVerdict::Unsafe { .. } => ("unsafe".into(), Style::bad),
        CheckVerdict::Unknown { reason: Reason::Unsupported(_) } => ("unsupported".into(), Style::doubtful),
        CheckVerdict::Unknown { .. } => ("unknown".into(), Style::doubtful),
        CheckVerdict::Error | CheckVerdict::Internal { .. } => ("error".into(), Style::bad),
    };
    // What the answer rests on, where that was not written so.
    if let Some(rests) = report.rests() {
        text.push_str(&format!(" {}", rests.word()));
    }
    (text, paint)
}
