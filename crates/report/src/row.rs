//! What came of one expected answer (`wattle test`).

use serde_json::{Value, json};

use crate::json::SCHEMA;
use crate::text::{Detail, Options, Shown};
use crate::{Exit, Report};

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub file: String,
    pub line: u32,
    pub model: Option<String>,
    /// What was compared: `verdict`, `states`, `fix` …
    pub what: String,
    pub status: Status,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    Passed,
    /// As expected, but the proof is about nothing.
    Vacuous,
    Failed(String),
    /// An internal error of wattle.
    Internal(String),
    Ignored(String),
}

const VACUOUS: &str =
    "warning: as expected, but no execution reaches anything that the property speaks about";

impl Row {
    fn place(&self) -> String {
        let model = self.model.as_ref().map(|model| format!(" {model}")).unwrap_or_default();
        format!("{}:{}:{model} {}", self.file, self.line, self.what)
    }

    /// What is said beside the results, whatever their form: that a proof is about nothing.
    pub fn warning(&self) -> Option<String> {
        (self.status == Status::Vacuous).then(|| format!("{}: {VACUOUS}", self.place()))
    }
}

/// What came of all rows.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    passed: usize,
    failed: usize,
    internal: usize,
    vacuous: usize,
    /// Why rows were ignored.
    ignored: Vec<String>,
}

impl Tally {
    pub fn count(&mut self, row: &Row) {
        match &row.status {
            Status::Passed => self.passed += 1,
            Status::Vacuous => {
                self.passed += 1;
                self.vacuous += 1;
            }
            Status::Failed(_) => self.failed += 1,
            Status::Internal(_) => {
                self.failed += 1;
                self.internal += 1;
            }
            Status::Ignored(why) => self.ignored.push(why.clone()),
        }
    }

    /// `strict`: a proof about nothing is not good enough.
    pub fn exit(&self, strict: bool) -> Exit {
        match self.failed {
            _ if self.internal > 0 => Exit::Internal,
            0 if self.vacuous > 0 && strict => Exit::Undecided,
            0 => Exit::Good,
            _ => Exit::Violated,
        }
    }

    /// The line that closes a text. For programs there is none: they count themselves.
    pub fn closing(&self) -> String {
        let mut closing = format!("{} passed, {} failed", self.passed, self.failed);
        if self.vacuous > 0 {
            closing.push_str(&format!(", {} of those that passed are vacuous", self.vacuous));
        }
        if !self.ignored.is_empty() {
            let mut why = self.ignored.clone();
            why.sort();
            why.dedup();
            closing.push_str(&format!(", {} ignored ({})", self.ignored.len(), why.join("; ")));
        }
        closing + "\n"
    }
}

/// In text, what is as expected is not worth a line.
impl Report for Row {
    fn text(&self, options: &Options) -> Shown {
        let place = self.place();
        let verbose = options.detail == Detail::Verbose;
        let result = match &self.status {
            Status::Failed(message) => format!("FAILED {place}: {message}\n"),
            Status::Internal(what) => format!("FAILED {place}: INTERNAL ERROR: {what}\n"),
            Status::Passed | Status::Vacuous if verbose => format!("passed {place}\n"),
            Status::Ignored(why) if verbose => format!("ignored {place}: {why}\n"),
            Status::Passed | Status::Vacuous | Status::Ignored(_) => String::new(),
        };
        Shown { result, ..Shown::default() }
    }

    fn json(&self, _: &Options) -> Value {
        let (status, message) = match &self.status {
            Status::Passed => ("passed", None),
            Status::Vacuous => ("passed", Some(VACUOUS)),
            Status::Failed(message) => ("failed", Some(message.as_str())),
            Status::Internal(what) => ("internal", Some(what.as_str())),
            Status::Ignored(why) => ("ignored", Some(why.as_str())),
        };
        json!({
            "schema": SCHEMA,
            "file": self.file,
            "line": self.line,
            "model": self.model,
            "what": self.what,
            "status": status,
            "message": message,
        })
    }
}
