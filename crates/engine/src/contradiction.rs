//! Wattle contradicts itself: two parts of it say opposite things, so that one of them has a bug.
//!
//! Such a result must never become a verdict, nor an *unknown* after which another engine might be believed.
//! So it has a type of its own, which engines, judges and repair hand upwards until the command ends with an
//! internal error (exit code 101) that tells what both sides said.

use std::fmt;

use crate::Reason;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    pub claim: Statement,
    pub denial: Statement,
}

/// Who says what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub who: String,
    pub words: String,
}

impl Statement {
    pub fn new(who: impl Into<String>, words: impl Into<String>) -> Statement {
        Statement { who: who.into(), words: words.into() }
    }
}

impl Contradiction {
    /// `who` says `words`; `judge` denies it, for the reason given.
    pub fn new(who: &str, words: impl Into<String>, judge: &str, denial: impl Into<String>) -> Contradiction {
        Contradiction { claim: Statement::new(who, words), denial: Statement::new(judge, denial) }
    }

    /// The same, where it is known who made the claim.
    #[must_use]
    pub fn claimed_by(mut self, who: &str) -> Contradiction {
        self.claim.who = format!("engine {who}");
        self
    }

    /// Something was found inside an engine that cannot be so.
    pub fn within(engine: &str, found: impl Into<String>, but: impl Into<String>) -> Contradiction {
        Contradiction::new(&format!("engine {engine}"), found, &format!("engine {engine}"), but)
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.who, self.words)
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; but {}", self.claim, self.denial)
    }
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// A limit was met, or something is not handled: somebody else may know.
    Unknown(Reason),
    Contradiction(Contradiction),
}

impl From<Reason> for Halt {
    fn from(reason: Reason) -> Halt {
        Halt::Unknown(reason)
    }
}

impl From<Contradiction> for Halt {
    fn from(contradiction: Contradiction) -> Halt {
        Halt::Contradiction(contradiction)
    }
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Halt::Unknown(reason) => reason.fmt(f),
            Halt::Contradiction(contradiction) => contradiction.fmt(f),
        }
    }
}
