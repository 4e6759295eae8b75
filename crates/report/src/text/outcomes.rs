//! All final states, line by line as herd prints them, because scripts read such logs.
//!
//! ```text
//! Test SB Allowed
//! States 4
//! 0:EAX=0; 1:EAX=0;
//! …
//! Ok
//! Witnesses
//! Positive: 1 Negative: 3
//! Condition exists (0:EAX=0 /\ 1:EAX=0)
//! Observation SB Sometimes 1 3
//! Time SB 0.00
//! ```
//!
//! Only the lines of a listing have that form. What could not be listed gets a line of its own that
//! no script takes for a result.

use std::fmt::Write;

use wattle_program::Question;

use super::{Detail, Options, Shown};
use crate::{Listing, OutcomesReport, OutcomesVerdict};

pub fn outcomes(report: &OutcomesReport, options: &Options) -> Shown {
    let style = options.style;
    let mut out = match &report.verdict {
        OutcomesVerdict::Listed(listing) => listed(report, listing, options),
        OutcomesVerdict::Unknown { reason } => format!(
            "{}: {} under {} ({reason})\n",
            style.strong(&report.file),
            style.doubtful("unknown"),
            report.model
        ),
        OutcomesVerdict::Error => format!("{}: {}\n", style.strong(&report.file), style.bad("error")),
        OutcomesVerdict::Internal { what } => format!(
            "{}: {} {what}\n  This is a bug in wattle and not an answer about your test. Please report it.\n",
            style.strong(&report.file),
            style.bad("INTERNAL ERROR:")
        ),
    };
    if matches!(report.verdict, OutcomesVerdict::Error) {
        return Shown::refused(&out, &report.sources, &report.diagnostics, options);
    }
    if options.detail != Detail::Quiet {
        for caution in &report.cautions {
            let _ = writeln!(out, "Warning {caution}");
        }
    } else if let Some(rests) = report.rests() {
        let _ = writeln!(out, "Warning {} was translated {rests}", report.test);
    }
    if options.detail == Detail::Verbose {
        for note in &report.notes {
            let _ = writeln!(out, "  {} {note}", style.strong("note:"));
        }
    }
    if report.verdict.listing().is_some() && options.detail != Detail::Quiet {
        out.push('\n');
    }
    // Suites have thousands of tests: warnings beside a listing are printed only with `-v`.
    let told = report.verdict.listing().is_none() || options.detail == Detail::Verbose;
    let diagnostics = if told { &report.diagnostics[..] } else { &[] };
    Shown::new(out, &report.sources, diagnostics, options)
}

fn listed(report: &OutcomesReport, listing: &Listing, options: &Options) -> String {
    // Writing to a string cannot fail.
    let mut out = String::with_capacity(256 + listing.states.len() * 32);
    let test = &report.test;
    let (positive, negative) = listing.witnesses();
    let observation = listing.observation();
    if options.detail == Detail::Quiet {
        let _ = writeln!(out, "Observation {test} {observation} {positive} {negative}");
        return out;
    }
    let kind = match listing.question {
        Question::Exists => "Allowed",
        Question::Never => "Forbidden",
        Question::Forall => "Required",
    };
    let _ = writeln!(out, "Test {test} {kind}");
    let _ = writeln!(out, "States {}", listing.states.len());
    for state in &listing.states {
        for (number, (name, value)) in listing.names.iter().zip(&state.values).enumerate() {
            if number > 0 {
                out.push(' ');
            }
            out.push_str(name);
            let _ = write!(out, "={value};");
        }
        out.push('\n');
    }
    if listing.bound.is_some() {
        out.push_str("Loop ");
    }
    out.push_str(report.verdict.word());
    // A witness is an execution that supports the answer which the question hopes for.
    let witnesses = match listing.question {
        Question::Never => (negative, positive),
        Question::Exists | Question::Forall => (positive, negative),
    };
    let _ = writeln!(out, "\nWitnesses\nPositive: {} Negative: {}", witnesses.0, witnesses.1);
    for flag in &listing.flags {
        let _ = writeln!(out, "Flag {flag}");
    }
    let _ = writeln!(out, "Condition {}", listing.condition);
    let _ = writeln!(out, "Observation {test} {observation} {positive} {negative}");
    if options.timing {
        let _ = writeln!(out, "Time {test} {:.2}", report.seconds);
    }
    if let Some(hash) = &listing.hash {
        let _ = writeln!(out, "Hash={hash}");
    }
    out
}
