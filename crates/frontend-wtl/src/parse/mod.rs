//! From tokens to the tree: recursive descent, with recovery at `;` and `}`.
//!
//! A rule that fails has reported why and returns [`Failed`]; the nearest list of statements or
//! items skips to where the next one can start and goes on, so one run shows all slips. The words
//! that were skipped are poisoned (see [`Problems`]). Nesting and the height of expressions are
//! bounded here, which is what makes plain recursion over the tree safe everywhere else.

mod expression;
mod habits;
mod item;
mod statement;

use wattle_source::{Diagnostic, Span};

use super::ast::{File, Ident};
use super::lex::{Kind, Token, is_reserved, lex};
use super::problems::{Problems, shorten};
use crate::codes;

/// How deep statements and parentheses may nest.
pub(crate) const DEEPEST: u32 = 200;
/// How high the tree of an expression may grow; `a + a + …` grows by one a term.
pub(crate) const TALLEST: u32 = 500;

/// The rule does not apply; the reason has been reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed;

pub(crate) type Parsed<T> = Result<T, Failed>;

pub(crate) fn parse(text: &str, problems: &mut Problems) -> File {
    let tokens = lex(text, problems);
    let mut parser = Parser { text, tokens, at: 0, depth: 0, problems };
    parser.file()
}

pub(crate) struct Parser<'t, 'p> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    at: usize,
    depth: u32,
    problems: &'p mut Problems,
}

impl<'t> Parser<'t, '_> {
    fn token(&self) -> Token<'t> {
        self.tokens[self.at]
    }

    fn kind(&self) -> Kind<'t> {
        self.token().kind
    }

    /// The kind of the token `ahead` places further on.
    fn ahead(&self, ahead: usize) -> Kind<'t> {
        self.tokens.get(self.at + ahead).map_or(Kind::End, |token| token.kind)
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// From `start` to the end of the last token taken.
    fn since(&self, start: Span) -> Span {
        let last = self.at.checked_sub(1).map_or(start, |last| self.tokens[last].span);
        Span { end: last.end.max(start.start), ..start }
    }

    fn advance(&mut self) {
        // The last token is `End` and stays.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.kind(), Kind::Sign(other) if other == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        self.kind() == Kind::Word(word)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, sign: &'static str) -> Parsed<()> {
        if self.eat(sign) {
            return Ok(());
        }
        let failed = self.expected(&format!("`{sign}`"));
        // After a `;` that is missing at the end of a line, parsing goes on as if it were there.
        if sign == ";" && self.at_new_line() { Ok(()) } else { failed }
    }

    /// Does the token stand on a later line than the one before it?
    fn at_new_line(&self) -> bool {
        let Some(before) = self.at.checked_sub(1) else { return false };
        let (from, to) = (self.tokens[before].span.end as usize, self.span().start as usize);
        self.kind() != Kind::End && self.text[from..to].contains('\n')
    }

    /// A new name.
    fn name(&mut self, what: &str) -> Parsed<Ident> {
        match self.kind() {
            Kind::Word(word) if is_reserved(word) => {
                let message = format!("`{word}` is a word of the language and cannot be a name");
                let diagnostic = Diagnostic::error(codes::SYNTAX, self.span(), message);
                self.problems.push(diagnostic.expecting(format!("expected {what}")));
                Err(Failed)
            }
            Kind::Word(_) => self.word(what),
            _ => self.expected(what),
        }
    }

    /// Any word: labels may be called as they like.
    fn word(&mut self, what: &str) -> Parsed<Ident> {
        let Kind::Word(word) = self.kind() else { return self.expected(what) };
        let span = self.span();
        self.advance();
        Ok(Ident { name: word.into(), span })
    }

    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let diagnostic = self.missing(what);
        self.fail(diagnostic)
    }

    fn expected_with<T>(&mut self, what: &str, help: &str) -> Parsed<T> {
        let diagnostic = self.missing(what).help(help);
        self.fail(diagnostic)
    }

    fn missing(&self, what: &str) -> Diagnostic {
        let token = self.token();
        let found = match token.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => {
                let (start, end) = (token.span.start as usize, token.span.end as usize);
                format!("`{}`", shorten(&self.text[start..end]))
            }
        };
        // What a line lacks is missed at its end, not at the start of the next.
        let span = match self.at.checked_sub(1) {
            Some(before) if what == "`;`" && self.at_new_line() => {
                let before = self.tokens[before].span;
                Span { start: before.end, ..before }
            }
            _ => token.span,
        };
        Diagnostic::error(codes::SYNTAX, span, format!("expected {what}, found {found}"))
            .expecting(format!("expected {what}"))
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        self.problems.push(diagnostic);
        Err(Failed)
    }

    /// One level deeper.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let message = format!("this is nested more than {DEEPEST} levels deep");
            let span = self.span();
            return self.fail(Diagnostic::error(codes::NESTING, span, message));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// `rule` one or more times, with commas between.
    fn list<T>(&mut self, mut rule: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut list = vec![rule(self)?];
        while self.eat(",") {
            list.push(rule(self)?);
        }
        Ok(list)
    }

    /// After a failure in something that began at token `start`: skip to where a statement can
    /// start. What was skipped is not spoken of again.
    fn recover(&mut self, start: usize) {
        let mut failed_at = self.at;
        loop {
            match self.kind() {
                Kind::Sign(";") => {
                    self.advance();
                    break;
                }
                Kind::Sign("{") if self.at > start => break,
                Kind::Sign("}") | Kind::End => break,
                _ => self.advance(),
            }
        }
        failed_at = failed_at.max(self.at);
        for token in &self.tokens[start..failed_at] {
            if let Kind::Word(word) = token.kind {
                self.problems.poison(word);
            }
        }
    }
}
