//! What came of one expected answer (`wattle test`).

use serde_json::{Value, json};

use crate::Report;
use crate::json::SCHEMA;
use crate::text::{Detail, Options, Shown};

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
