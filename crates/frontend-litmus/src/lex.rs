//! Reading a test from left to right: a place in the bytes of the text, and the few shapes of tokens.
//!
//! No token is ever stored: the callers ask for what they expect, and names are slices of the text.
//! A litmus test is some hundred bytes and whole suites are read at once, so this is where the time
//! of the front end goes.

use wattle_frontend::lex::{continues_word, starts_word};
use wattle_source::{Code, Diagnostic, FileId, Span};

/// What a part of the text stands for, or what is wrong with it.
pub(crate) type Read<T> = Result<T, Box<Diagnostic>>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    pub text: &'a str,
    pub file: FileId,
    pub at: usize,
    /// Nothing is read from here on.
    pub end: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str, file: FileId) -> Cursor<'a> {
        Cursor { text, file, at: 0, end: text.len() }
    }

    /// The same text between two places.
    pub(crate) fn within(self, at: usize, end: usize) -> Cursor<'a> {
        Cursor { at, end, ..self }
    }

    /// The byte here, or 0 at the end.
    pub(crate) fn peek(&self) -> u8 {
        self.ahead(0)
    }

    pub(crate) fn ahead(&self, by: usize) -> u8 {
        let at = self.at + by;
        if at < self.end { self.text.as_bytes()[at] } else { 0 }
    }

    /// Nothing but blanks and comments is left.
    pub(crate) fn done(&mut self) -> bool {
        self.blank();
        self.at >= self.end
    }

    /// Go past blanks and nested comments. A comment that is not closed ends the text.
    pub(crate) fn blank(&mut self) {
        let bytes = self.text.as_bytes();
        while self.at < self.end {
            match bytes[self.at] {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'(' if self.ahead(1) == b'*' => self.at = comment_end(bytes, self.at, self.end),
                _ => return,
            }
        }
    }

    /// Go past this byte, if it is the next one that counts.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        self.blank();
        let here = self.peek() == byte && self.at < self.end;
        self.at += usize::from(here);
        here
    }

    /// Go past this text, if it comes next.
    pub(crate) fn eat_text(&mut self, expected: &str) -> bool {
        self.blank();
        let here = self.text.as_bytes()[self.at..self.end].starts_with(expected.as_bytes());
        if here {
            self.at += expected.len();
        }
        here
    }

    /// Go past this word, if it comes next as a whole word, in capitals or not.
    pub(crate) fn eat_word(&mut self, expected: &str) -> bool {
        let before = self.at;
        let here = self.word().is_some_and(|word| word.eq_ignore_ascii_case(expected));
        if !here {
            self.at = before;
        }
        here
    }

    pub(crate) fn expect(&mut self, byte: u8) -> Read<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.expected(&format!("`{}`", char::from(byte)))) }
    }

    fn run(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while self.at < self.end && belongs(bytes[self.at]) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// A name: letters, digits and `_`, not a digit first; `%` may come before.
    pub(crate) fn word(&mut self) -> Option<&'a str> {
        self.blank();
        let start = self.at;
        let prefix = usize::from(self.peek() == b'%');
        if !starts_word(self.ahead(prefix)) {
            return None;
        }
        self.at += prefix;
        self.run(continues_word);
        Some(&self.text[start..self.at])
    }

    /// What an instruction is called: a name with dots.
    pub(crate) fn mnemonic(&mut self) -> Option<&'a str> {
        self.blank();
        if !starts_word(self.peek()) {
            return None;
        }
        Some(self.run(|byte| continues_word(byte) || byte == b'.'))
    }

    /// Decimal or hexadecimal, with a sign or without. Hexadecimal numbers of 64 bits wrap.
    pub(crate) fn number(&mut self) -> Option<i64> {
        self.blank();
        let start = self.at;
        let negative = self.peek() == b'-';
        if negative || self.peek() == b'+' {
            self.at += 1;
        }
        let hexadecimal = self.peek() == b'0' && matches!(self.ahead(1), b'x' | b'X');
        let value = if hexadecimal {
            self.at += 2;
            let digits = self.run(|byte| byte.is_ascii_hexdigit() || byte == b'_');
            digits.bytes().filter(|digit| *digit != b'_').try_fold(0u64, |value, digit| {
                let digit = char::from(digit).to_digit(16)?;
                value.checked_mul(16).map(|value| value + u64::from(digit))
            })
        } else {
            let digits = self.run(|byte| byte.is_ascii_digit() || byte == b'_');
            digits
                .bytes()
                .filter(|digit| *digit != b'_')
                .try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
        };
        let digits = &self.text[start..self.at];
        let sensible = digits.ends_with(|last: char| last.is_ascii_hexdigit()) && !starts_word(self.peek());
        match value {
            Some(value) if sensible => {
                Some(if negative { (value as i64).wrapping_neg() } else { value as i64 })
            }
            _ => {
                self.at = start;
                None
            }
        }
    }

    /// The thread of `0:` or `P0:`, if that comes next.
    pub(crate) fn thread(&mut self) -> Option<u32> {
        self.blank();
        let start = self.at;
        self.at += usize::from(self.peek() == b'P');
        let digits = self.run(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok();
        self.blank();
        let colon = self.peek() == b':';
        match number {
            Some(number) if colon => {
                self.at += 1;
                Some(number)
            }
            _ => {
                self.at = start;
                None
            }
        }
    }

    /// To the end of the line.
    pub(crate) fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.at..self.end];
        self.at += rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
    }

    pub(crate) fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at.max(start))
    }

    /// The place of whatever comes next.
    pub(crate) fn here(&self) -> Span {
        let rest = &self.text[floor(self.text, self.at)..];
        let word = rest.bytes().take_while(|byte| continues_word(*byte) || *byte == b'.').count();
        let length = if word > 0 { word } else { rest.chars().next().map_or(0, char::len_utf8) };
        Span::new(self.file, self.at, (self.at + length).min(self.text.len()))
    }

    pub(crate) fn error(&self, start: usize, code: Code, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(code, self.span(start), message))
    }

    /// Something else should come next.
    pub(crate) fn expected(&mut self, what: &str) -> Box<Diagnostic> {
        self.blank();
        let here = self.here();
        let message = match self.text.get(here.start as usize..here.end as usize) {
            _ if self.at >= self.text.len() => "the test ends too early".to_owned(),
            Some(found) if self.at < self.end => format!("`{}` does not belong here", found.escape_debug()),
            _ => "something is missing here".to_owned(),
        };
        Box::new(Diagnostic::error(super::codes::SYNTAX, here, message).expecting(format!("expected {what}")))
    }
}

/// The nearest character boundary at or before a place.
pub(crate) fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// One past the comment that starts here; the end if nothing closes it.
pub(crate) fn comment_end(bytes: &[u8], start: usize, end: usize) -> usize {
    let (mut at, mut depth) = (start, 0u32);
    while at + 1 < end {
        match (bytes[at], bytes[at + 1]) {
            (b'(', b'*') => {
                depth += 1;
                at += 2;
            }
            (b'*', b')') => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    end
}
