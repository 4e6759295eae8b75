//! The result of checking one file under one model.

use wattle_engine::{Bound, Certificate, Property, Reason, Statistics};

use crate::head::has_head;
use crate::{Head, Rests, Story};

#[derive(Clone, Debug)]
pub struct CheckReport {
    pub head: Head,
    pub property: Property,
    pub verdict: CheckVerdict,
    /// An *unsafe* verdict was replayed on the reference machine.
    pub confirmed: bool,
    /// A *safe* verdict was re-checked by other code.
    pub certified: bool,
    pub statistics: Statistics,
    /// Can `fix` change texts of this language?
    pub repairs: bool,
    /// Where the text leaves it open: how many copies of which process the verdict is about.
    pub copies: Vec<(String, u32)>,
    /// Shown with `-v`: which engine was chosen and why.
    pub remarks: Vec<String>,
    /// The litmus test of a counterexample's cycle, where one was asked for.
    pub litmus: Option<String>,
}

has_head!(CheckReport);

impl CheckReport {
    /// Nothing is known yet.
    pub fn new(head: Head, property: Property) -> CheckReport {
        CheckReport {
            head,
            property,
            verdict: CheckVerdict::Error,
            confirmed: false,
            certified: false,
            statistics: Statistics::default(),
            repairs: true,
            copies: vec![],
            remarks: vec![],
            litmus: None,
        }
    }
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
