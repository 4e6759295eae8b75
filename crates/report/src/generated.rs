//! Tests that were made (`wattle generate`).

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::Report;
use crate::json::SCHEMA;
use crate::text::{Detail, Options, Shown};

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// How many were made before it.
    pub number: usize,
    pub name: String,
    pub architecture: String,
    pub cycle: String,
    pub edges: usize,
    pub threads: usize,
    pub text: String,
    /// It was written here.
    pub file: Option<PathBuf>,
}

/// Its text, unless that is in a file; only its name, or its name and cycle, by the detail.
impl Report for Generated {
    fn text(&self, options: &Options) -> Shown {
        let result = match (options.detail, &self.file) {
            (Detail::Quiet, _) => format!("{}\n", self.name),
            (Detail::Verbose, _) => format!("{:<30} {}\n", self.name, self.cycle),
            (Detail::Normal, Some(_)) => String::new(),
            (Detail::Normal, None) => format!("{}{}", if self.number == 0 { "" } else { "\n" }, self.text),
        };
        Shown { result, ..Shown::default() }
    }

    fn json(&self, _: &Options) -> Value {
        json!({
            "schema": SCHEMA,
            "test": self.name,
            "architecture": self.architecture,
            "cycle": self.cycle,
            "edges": self.edges,
            "threads": self.threads,
            "file": self.file.as_ref().map(|file| file.display().to_string()),
            "text": self.text,
        })
    }
}
