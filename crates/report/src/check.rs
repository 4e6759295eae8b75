//! The result of checking one file under one model.

use wattle_engine::{Bound, Certificate, Property, Reason, Statistics};
use wattle_source::{Diagnostic, Sources};

use crate::{Rests, Story, Translated};

#[derive(Clone, Debug)]
pub struct CheckReport {
    pub file: String,
    pub model: String,
    pub property: Property,
    /// The engine that answered, if one did.
    pub engine: Option<String>,
    pub verdict: CheckVerdict,
    /// An *unsafe* verdict was replayed on the reference machine.
    pub confirmed: bool,
    /// A *safe* verdict was re-checked by other code.
    pub certified: bool,
    pub seconds: f64,
    pub statistics: Statistics,
    /// What is wrong with the input, and what the user should know about a proof.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that diagnostics point into.
    pub sources: Sources,
    /// Can `fix` change texts of this language?
    pub repairs: bool,
    /// Where the text leaves it open: how many copies of which process the verdict is about.
    pub copies: Vec<(String, u32)>,
    /// Always shown.
    pub notes: Vec<String>,
    /// Shown with `-v`: which engine was chosen and why.
    pub remarks: Vec<String>,
    /// What is not as it was written.
    pub translated: Translated,
    /// The litmus test of a counterexample's cycle, where one was asked for.
    pub litmus: Option<String>,
}

#[derive(Clone, Debug)]
pub enum CheckVerdict {
    Safe {
        certificate: Certificate,
    },
    Bounded {
        bound: Bound,
    },
    Unsafe {
        story: Box<Story>,
    },
    Unknown {
        reason: Reason,
    },
    /// The input is at fault; `diagnostics` say why.
    Error,
    /// An internal error of wattle.
    Internal {
        what: String,
    },
}

impl CheckReport {
    /// What the verdict rests on that was not written so.
    pub fn rests(&self) -> Option<Rests> {
        match self.verdict {
            CheckVerdict::Safe { .. } | CheckVerdict::Bounded { .. } => self.translated.behind_absence(),
            CheckVerdict::Unsafe { .. } => self.translated.behind_presence(),
            _ => None,
        }
    }
}

impl CheckVerdict {
    /// The word for it in JSON, expectations and text.
    pub fn word(&self) -> &'static str {
        match self {
            CheckVerdict::Safe { .. } => "safe",
            CheckVerdict::Bounded { .. } => "bounded",
            CheckVerdict::Unsafe { .. } => "unsafe",
            CheckVerdict::Unknown { .. } => "unknown",
            CheckVerdict::Error | CheckVerdict::Internal { .. } => "error",
        }
    }
}
