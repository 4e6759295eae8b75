//! What a program may do under one model and may not under another: the risk of porting it.

use wattle_engine::Reason;
use wattle_source::{Diagnostic, Sources};

use crate::{Link, Rests, Translated};

#[derive(Clone, Debug)]
pub struct PortReport {
    pub file: String,
    pub test: String,
    pub from: String,
    pub to: String,
    pub verdict: PortVerdict,
    /// What is not as it was written, under the old model and under the new one.
    pub translated: [Translated; 2],
    pub seconds: f64,
    pub diagnostics: Vec<Diagnostic>,
    pub sources: Sources,
}

#[derive(Clone, Debug)]
pub enum PortVerdict {
    Compared {
        /// What a state shows.
        names: Vec<String>,
        /// The final states that are new under the target.
        fresh: Vec<Fresh>,
        /// How many of the old ones cannot happen any more.
        gone: usize,
    },
    Unknown {
        /// The model under which the states could not be listed.
        model: String,
        reason: Reason,
    },
    Error,
    Internal {
        what: String,
    },
}

/// A final state that only the target allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fresh {
    pub values: Vec<String>,
    /// Does the test's condition hold there?
    pub holds: bool,
    /// The axiom of the source model that forbids an execution which ends so, and where it fails.
    pub axiom: Option<String>,
    pub cycle: Vec<Link>,
}

impl PortReport {
    /// What the answer rests on that was not written so: a new state on what is weaker under the new
    /// model or stronger under the old one, the absence of any on the opposite.
    pub fn rests(&self) -> Option<Rests> {
        let [old, new] = &self.translated;
        match &self.verdict {
            PortVerdict::Compared { fresh, .. } if fresh.is_empty() => {
                new.behind_absence().or(old.behind_presence())
            }
            PortVerdict::Compared { .. } => new.behind_presence().or(old.behind_absence()),
            _ => None,
        }
    }
}

impl PortVerdict {
    pub fn word(&self) -> &'static str {
        match self {
            PortVerdict::Compared { fresh, .. } if fresh.is_empty() => "same",
            PortVerdict::Compared { .. } => "new",
            PortVerdict::Unknown { .. } => "unknown",
            PortVerdict::Error | PortVerdict::Internal { .. } => "error",
        }
    }
}
