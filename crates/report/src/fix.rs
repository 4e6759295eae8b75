//! The result of repairing one file under one model.

use std::collections::BTreeMap;

use similar::TextDiff;
use wattle_engine::{Property, Reason, Statistics};
use wattle_source::FileId;

use crate::head::has_head;
use crate::{Head, Rests};

#[derive(Clone, Debug)]
pub struct FixReport {
    pub head: Head,
    pub property: Property,
    pub verdict: FixVerdict,
    pub statistics: Statistics,
    pub remarks: Vec<String>,
}

has_head!(FixReport);

impl FixReport {
    /// Nothing is known yet.
    pub fn new(head: Head, property: Property) -> FixReport {
        let (verdict, statistics) = (FixVerdict::Error, Statistics::default());
        FixReport { head, property, verdict, statistics, remarks: vec![] }
    }

    /// What a repair changes in the text, as a unified diff.
    pub fn diff(&self) -> Option<String> {
        let (FixVerdict::Repaired { edited: Some(edited), .. }
        | FixVerdict::Relaxed { edited: Some(edited), .. }) = &self.verdict
        else {
            return None;
        };
        let mut all = String::new();
        for (file, text) in edited {
            let name = self.sources.name(*file);
            let diff = TextDiff::from_lines(self.sources.text(*file), text);
            all.push_str(&diff.unified_diff().context_radius(3).header(name, name).to_string());
        }
        Some(all)
    }

    /// What the verdict rests on that was not written so.
    pub fn rests(&self) -> Option<Rests> {
        match self.verdict {
            FixVerdict::AlreadySafe { .. } | FixVerdict::Repaired { .. } | FixVerdict::Relaxed { .. } => {
                self.translated.behind_absence()
            }
            FixVerdict::Unrepairable { .. } => self.translated.behind_presence(),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum FixVerdict {
    AlreadySafe {
        proof: Proof,
    },
    Repaired {
        proof: Proof,
        /// Fewest fences, copies of a replicated thread counted one by one.
        count: usize,
        /// Fewest statements of the text, where all copies get the same fences; those of `edited`, if there is one.
        source_count: Option<usize>,
        /// Every smaller set has a replayed counterexample and the final check is *safe*.
        minimal: bool,
        /// The sets found: one, or all of them if that was asked for.
        sets: Vec<Vec<Placement>>,
        /// The texts with the fences of the first set in them, re-read and re-checked: those of the files that change.
        edited: Option<BTreeMap<FileId, String>>,
    },
    /// Of the fences that the text has, these must stay and those can go together.
    Relaxed {
        proof: Proof,
        keep: Vec<Placement>,
        remove: Vec<Placement>,
        /// Every smaller set to keep has a replayed counterexample.
        minimal: bool,
        edited: Option<BTreeMap<FileId, String>>,
    },
    /// Fences cannot help, for this reason.
    Unrepairable {
        why: String,
    },
    Unknown {
        reason: Reason,
    },
    Error,
    Internal {
        what: String,
    },
}

impl FixVerdict {
    /// Is there a proof of something?
    pub(crate) fn is_proved(&self) -> bool {
        matches!(
            self,
            FixVerdict::AlreadySafe { .. } | FixVerdict::Repaired { .. } | FixVerdict::Relaxed { .. }
        )
    }

    pub fn word(&self) -> &'static str {
        match self {
            FixVerdict::AlreadySafe { .. } => "already_safe",
            FixVerdict::Repaired { .. } => "repaired",
            FixVerdict::Relaxed { .. } => "relaxed",
            FixVerdict::Unrepairable { .. } => "unrepairable",
            FixVerdict::Unknown { .. } => "unknown",
            FixVerdict::Error | FixVerdict::Internal { .. } => "error",
        }
    }
}

/// What the last check of the repaired program said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    Safe,
    Bounded,
}

impl Proof {
    pub fn word(self) -> &'static str {
        match self {
            Proof::Safe => "safe",
            Proof::Bounded => "bounded",
        }
    }
}

impl Placement {
    /// The line as people name it.
    pub(crate) fn line_name(&self) -> Option<String> {
        let line = self.line?;
        Some(match self.file.as_deref().map(|file| file.rsplit('/').next().unwrap_or(file)) {
            Some(file) => format!("{file}:{line}"),
            None => line.to_string(),
        })
    }
}

/// One fence or flush.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The name of the process.
    pub thread: String,
    /// In this copy only.
    pub copy: Option<u32>,
    pub line: Option<u32>,
    /// The file of the line, if it is not the first.
    pub file: Option<String>,
    /// What it stands after, such as `store x`; for a control point, `line 7`.
    pub after: String,
    /// `fence`, `flush`, …
    pub kind: String,
    /// Whom a flush waits for.
    pub target: Option<String>,
}
