//! What became of a program on the way to the vocabulary of a model, as far as a verdict rests on it.

use std::fmt;

/// The steps that order more or less than they were written to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translated {
    pub changes: Vec<Changed>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Such as `` `fence ww` ``.
    pub written: String,
    /// Where it stands first.
    pub line: Option<u32>,
    pub became: String,
    pub stronger: bool,
    pub weaker: bool,
}

/// What an answer rests on that was not written so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rests {
    Stronger,
    Weaker,
}

impl Rests {
    pub fn word(self) -> &'static str {
        match self {
            Rests::Stronger => "stronger",
            Rests::Weaker => "weaker",
        }
    }
}

impl fmt::Display for Rests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} than written", self.word())
    }
}

impl Translated {
    /// That something cannot happen may be due to what became stronger.
    pub(crate) fn behind_absence(&self) -> Option<Rests> {
        self.changes.iter().any(|change| change.stronger).then_some(Rests::Stronger)
    }

    /// That something can happen may be due to what became weaker.
    pub(crate) fn behind_presence(&self) -> Option<Rests> {
        self.changes.iter().any(|change| change.weaker).then_some(Rests::Weaker)
    }
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match (self.stronger, self.weaker) {
            (true, true) => "stronger than written in some respects and weaker in others",
            (true, false) => "stronger than written",
            _ => "weaker than written",
        };
        let line = self.line.map(|line| format!(" (line {line})")).unwrap_or_default();
        write!(f, "{}{line} became {}: {how}", self.written, self.became)
    }
}
