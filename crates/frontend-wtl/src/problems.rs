//! What is wrong with a text: collected, capped, and with suggestions.
//!
//! A run reports every error it can stand behind, and no more: words inside text that could not be
//! parsed are *poisoned*, so that a declaration with a slip in it does not make each use of its name
//! an error too, and one place is never reported twice.

use std::collections::BTreeSet;

use wattle_frontend::MOST_PROBLEMS;
use wattle_source::{Code, Diagnostic, FileId, Span, did_you_mean};

use crate::codes;

#[derive(Debug)]
pub(crate) struct Problems {
    pub file: FileId,
    pub errors: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
    poisoned: BTreeSet<String>,
}

impl Problems {
    pub(crate) fn new(file: FileId) -> Problems {
        Problems { file, errors: Vec::new(), warnings: Vec::new(), poisoned: BTreeSet::new() }
    }

    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::error(code, span, message));
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let known = self.errors.iter().any(|other| other.span().start == diagnostic.span().start);
        if !known && !self.is_full() {
            self.errors.push(diagnostic);
        }
    }

    pub(crate) fn warn(&mut self, diagnostic: Diagnostic) {
        if self.warnings.len() < MOST_PROBLEMS && !self.warnings.contains(&diagnostic) {
            self.warnings.push(diagnostic);
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.errors.len() >= MOST_PROBLEMS
    }

    pub(crate) fn any(&self) -> bool {
        !self.errors.is_empty()
    }

    /// A word of text that could not be parsed: say nothing about it.
    pub(crate) fn poison(&mut self, word: &str) {
        self.poisoned.insert(word.to_owned());
    }

    /// A name that means nothing here. `what` says what would have been welcome.
    pub(crate) fn unknown<'n>(
        &mut self,
        span: Span,
        name: &str,
        what: &str,
        candidates: impl Iterator<Item = &'n str>,
    ) {
        if self.poisoned.contains(name) {
            return;
        }
        let mut diagnostic =
            Diagnostic::error(codes::UNKNOWN_NAME, span, format!("there is no {what} `{}`", shorten(name)));
        diagnostic.help = did_you_mean(name, candidates);
        self.push(diagnostic);
    }
}

/// Long names and expressions, as messages and hidden locals show them.
pub(crate) fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    let one_line = text.chars().take(4 * LONGEST).collect::<String>();
    let one_line = one_line.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.chars().count() <= LONGEST && text.len() <= 4 * LONGEST {
        return one_line;
    }
    one_line.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shorten("a\n  +  b"), "a + b");
        assert_eq!(shorten(&"x".repeat(1_000_000)).chars().count(), 40);
    }
}
