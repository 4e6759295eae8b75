//! What is wrong with a text: collected, capped, and with suggestions.
//!
//! A run reports every error it can stand behind, and no more: words inside text that could not be
//! parsed are *poisoned*, so that a declaration with a slip in it does not make each use of its name
//! an error too, and one place is never reported twice.

use std::collections::BTreeSet;

use wattle_source::{Code, Diagnostic, FileId, Span};

/// More errors than this help nobody.
const MOST: usize = 20;

#[derive(Debug)]
pub struct Problems {
    pub file: FileId,
    pub errors: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
    poisoned: BTreeSet<String>,
}

impl Problems {
    pub fn new(file: FileId) -> Problems {
        Problems { file, errors: Vec::new(), warnings: Vec::new(), poisoned: BTreeSet::new() }
    }

    pub fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::error(code, span, message));
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        let known = self.errors.iter().any(|other| other.span().start == diagnostic.span().start);
        if !known && !self.is_full() {
            self.errors.push(diagnostic);
        }
    }

    pub fn warn(&mut self, diagnostic: Diagnostic) {
        if self.warnings.len() < MOST && !self.warnings.contains(&diagnostic) {
            self.warnings.push(diagnostic);
        }
    }

    pub fn is_full(&self) -> bool {
        self.errors.len() >= MOST
    }

    pub fn any(&self) -> bool {
        !self.errors.is_empty()
    }

    /// A word of text that could not be parsed: say nothing about it.
    pub fn poison(&mut self, word: &str) {
        self.poisoned.insert(word.to_owned());
    }

    /// A name that means nothing here. `what` says what would have been welcome.
    pub fn unknown<'n>(
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
            Diagnostic::error("wtl-unknown-name", span, format!("there is no {what} `{}`", shorten(name)));
        if let Some(nearest) = nearest(name, candidates) {
            diagnostic = diagnostic.help(format!("did you mean `{nearest}`?"));
        }
        self.push(diagnostic);
    }
}

/// Long names and expressions, as messages and hidden locals show them.
pub fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    let one_line = text.chars().take(4 * LONGEST).collect::<String>();
    let one_line = one_line.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.chars().count() <= LONGEST && text.len() <= 4 * LONGEST {
        return one_line;
    }
    one_line.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// The candidate that a slip of the finger away from `name` would have been.
fn nearest<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let length = name.chars().count();
    if length > 64 {
        return None;
    }
    let allowed = (length / 3).clamp(1, 3);
    candidates
        .filter(|candidate| candidate.len() <= 80)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, delete, replace or swap with their neighbour; case counts half a letter, so
/// it is ignored here.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (above[j] + usize::from(x != y)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_a_slip_away() {
        let names = ["flag", "turn", "x"];
        assert_eq!(nearest("flga", names.into_iter()), Some("flag"));
        assert_eq!(nearest("FLAG", names.into_iter()), Some("flag"));
        assert_eq!(nearest("turns", names.into_iter()), Some("turn"));
        assert_eq!(nearest("y", names.into_iter()), None, "one letter is not a slip of another");
        assert_eq!(nearest("number", names.into_iter()), None);
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shorten("a\n  +  b"), "a + b");
        assert_eq!(shorten(&"x".repeat(1_000_000)).chars().count(), 40);
    }
}
