//! Tokens of a C body.
//!
//! Not those of the envelope: in C, `(*x)` is no comment. Between functions `(* … *)` is one, as
//! everywhere else in a test.

use wattle_frontend::lex::{continues_word, starts_word};
use wattle_source::{Diagnostic, Span};

use super::super::codes;
use super::super::lex::{Cursor, Read, comment_end, floor};

/// A place in the text of the functions.
pub(crate) struct Scanner<'a> {
    pub cursor: Cursor<'a>,
}

impl<'a> Scanner<'a> {
    pub(crate) fn blank(&mut self) {
        let bytes = &self.cursor.text.as_bytes()[..self.cursor.end];
        let mut at = self.cursor.at;
        while at < bytes.len() {
            let rest = &bytes[at..];
            at += match rest[0] {
                b' ' | b'\t' | b'\n' | b'\r' => 1,
                b'/' if rest.starts_with(b"//") => {
                    rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
                }
                b'/' if rest.starts_with(b"/*") => {
                    rest[2..].windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |end| end + 4)
                }
                _ => break,
            };
        }
        self.cursor.at = at;
    }

    /// Blanks and the comments of both languages.
    pub(crate) fn blank_between_functions(&mut self) {
        loop {
            self.blank();
            if !self.cursor.text[..self.cursor.end][self.cursor.at..].starts_with("(*") {
                return;
            }
            self.cursor.at = comment_end(self.cursor.text.as_bytes(), self.cursor.at, self.cursor.end);
        }
    }

    /// The byte that comes next, or 0.
    pub(crate) fn next(&mut self) -> u8 {
        self.blank();
        self.cursor.peek()
    }

    /// Go past this symbol, if it comes next. A longer symbol that begins with it is another one.
    pub(crate) fn eat(&mut self, symbol: &str) -> bool {
        self.blank();
        let rest = &self.cursor.text.as_bytes()[self.cursor.at..self.cursor.end];
        let after = rest.get(symbol.len()).copied().unwrap_or(0);
        let longer = match symbol {
            "=" | "!" | "<" | ">" | "+" | "-" if after == b'=' => true,
            "<" | ">" | "&" | "|" => symbol.as_bytes()[0] == after,
            _ => false,
        };
        let here = rest.starts_with(symbol.as_bytes()) && !longer;
        self.cursor.at += if here { symbol.len() } else { 0 };
        here
    }

    pub(crate) fn expect(&mut self, symbol: &str) -> Read<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    /// The name that comes next, which stays there.
    pub(crate) fn peek_word(&mut self) -> Option<&'a str> {
        self.blank();
        let (text, start) = (self.cursor.text, self.cursor.at);
        let bytes = &text.as_bytes()[..self.cursor.end];
        if start >= bytes.len() || !starts_word(bytes[start]) {
            return None;
        }
        let length = bytes[start..].iter().take_while(|byte| continues_word(**byte)).count();
        Some(&text[start..start + length])
    }

    pub(crate) fn word(&mut self) -> Option<&'a str> {
        let word = self.peek_word()?;
        self.cursor.at += word.len();
        Some(word)
    }

    /// Go past this name, if it comes next.
    pub(crate) fn eat_word(&mut self, expected: &str) -> bool {
        let here = self.peek_word() == Some(expected);
        self.cursor.at += if here { expected.len() } else { 0 };
        here
    }

    /// A number without a sign, with or without C's suffixes.
    pub(crate) fn number(&mut self) -> Option<i64> {
        self.blank();
        if !self.cursor.peek().is_ascii_digit() {
            return None;
        }
        let bytes = &self.cursor.text.as_bytes()[self.cursor.at..self.cursor.end];
        let length = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let text = &self.cursor.text[self.cursor.at..self.cursor.at + length];
        let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
        let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(digits, 16).ok().map(|value| value as i64),
            None if text.len() > 1 && text.starts_with('0') => i64::from_str_radix(text, 8).ok(),
            None => text.parse().ok(),
        }?;
        self.cursor.at += length;
        Some(value)
    }

    pub(crate) fn span(&self, start: usize) -> Span {
        self.cursor.span(start)
    }

    /// Something else should come next.
    pub(crate) fn expected(&mut self, what: &str) -> Box<Diagnostic> {
        self.blank();
        if self.cursor.at >= self.cursor.end {
            let at = floor(self.cursor.text, self.cursor.at);
            let span = Span::new(self.cursor.file, at, at);
            let problem = Diagnostic::error(codes::SYNTAX, span, "the program ends too early");
            return Box::new(problem.expecting(format!("expected {what}")));
        }
        let here = self.cursor.here();
        let found = self.cursor.text.get(here.start as usize..here.end as usize).unwrap_or("");
        let message = format!("`{}` does not belong here", found.escape_debug());
        Box::new(Diagnostic::error(codes::SYNTAX, here, message).expecting(format!("expected {what}")))
    }

    pub(crate) fn unsupported(&self, start: usize, what: &str) -> Box<Diagnostic> {
        self.cursor.error(start, codes::UNSUPPORTED, format!("wattle does not support {what}"))
    }
}
