//! What every result can do: be shown to people, and be one line for programs.
//!
//! Commands make reports, which are plain data, and print whatever comes of them. So a format is written here once, and no
//! command knows what its results look like.

use serde_json::Value;

use crate::text::{Detail, Options, Shown};
use crate::{CheckReport, CheckVerdict, FixReport, OutcomesReport, PortReport, json, svcomp, text};

pub trait Report {
    fn text(&self, options: &Options) -> Shown;
    fn json(&self, options: &Options) -> Value;
    /// As SV-COMP wants it, where that says something about such results.
    fn svcomp(&self, options: &Options) -> Shown {
        self.text(options)
    }
}

/// With an empty line after a story, and the litmus test of its cycle.
impl Report for CheckReport {
    fn text(&self, options: &Options) -> Shown {
        let mut shown = text::check(self, options);
        if options.detail != Detail::Quiet && matches!(self.verdict, CheckVerdict::Unsafe { .. }) {
            shown.result.push('\n');
        }
        shown.result.push_str(self.litmus.as_deref().unwrap_or_default());
        shown
    }

    fn json(&self, options: &Options) -> Value {
        json::check(self, options.timing)
    }

    fn svcomp(&self, _: &Options) -> Shown {
        Shown { result: format!("{}\n", svcomp::check(self)), ..Shown::default() }
    }
}

impl Report for FixReport {
    fn text(&self, options: &Options) -> Shown {
        text::fix(self, options)
    }

    fn json(&self, options: &Options) -> Value {
        json::fix(self, options.timing)
    }
}

impl Report for OutcomesReport {
    fn text(&self, options: &Options) -> Shown {
        text::outcomes(self, options)
    }

    fn json(&self, options: &Options) -> Value {
        json::outcomes(self, options.timing)
    }
}

impl Report for PortReport {
    fn text(&self, options: &Options) -> Shown {
        text::port(self, options)
    }

    fn json(&self, options: &Options) -> Value {
        json::port(self, options.timing)
    }
}
