//! From text to tokens.
//!
//! Names hold dots and dashes (`po-loc`, `fence.rw.rw`), so `a-b` is one name, and `-1` is a sign of
//! its own that only follows `^`. Comments are `(* … *)`, nested, and `//` or `#` to the end of a line.

use wattle_source::{Diagnostic, FileId, Span};

use crate::cat::codes;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind<'t> {
    Word(&'t str),
    /// `'tag`
    Tag,
    Text(&'t str),
    Sign(&'static str),
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub kind: Kind<'t>,
    pub span: Span,
}

/// Longer signs first.
const SIGNS: [&str; 24] = [
    "||", "&&", "++", "-1", "->", "(", ")", "{", "}", "[", "]", "_", "0", "|", "&", "*", "~", "+", "^", "\\",
    "?", "=", ";", ",",
];

/// The tokens of a text, closed by one `End`.
pub(crate) fn lex(text: &str, file: FileId) -> Result<Vec<Token<'_>>, Diagnostic> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let (start, rest) = (at, &text[at..]);
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if rest.starts_with("//") || byte == b'#' {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("(*") {
            at += comment(rest).ok_or_else(|| {
                let span = Span::new(file, start, start + 2);
                Diagnostic::error(codes::COMMENT, span, "this comment does not end")
                    .expecting("expected `*)`")
            })?;
            continue;
        }
        let kind = if let Some(length) = name(bytes, at) {
            at += length;
            Kind::Word(&text[start..at])
        } else if byte == b'"' {
            let Some(length) = rest[1..].find('"') else {
                let span = Span::new(file, start, start + 1);
                return Err(Diagnostic::error(codes::STRING, span, "this string does not end"));
            };
            at += length + 2;
            Kind::Text(&text[start + 1..at - 1])
        } else if let (b'\'', Some(length)) = (byte, name(bytes, at + 1)) {
            at += length + 1;
            Kind::Tag
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            at += sign.len();
            Kind::Sign(sign)
        } else {
            let strange = rest.chars().next().unwrap_or(' ');
            let span = Span::new(file, start, start + strange.len_utf8());
            let what = match strange.is_control() {
                true => format!("a control character (U+{:04X})", u32::from(strange)),
                false => format!("the character `{strange}`"),
            };
            return Err(Diagnostic::error(
                codes::CHARACTER,
                span,
                format!("{what} belongs to no word or sign"),
            ));
        };
        tokens.push(Token { kind, span: Span::new(file, start, at) });
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(file, text.len(), text.len()) });
    Ok(tokens)
}

/// The length of the comment that starts `text`.
fn comment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (2, 1);
    while depth > 0 {
        match bytes.get(at..at + 2)? {
            b"(*" => (at, depth) = (at + 2, depth + 1),
            b"*)" => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
    }
    Some(at)
}

/// The length of the name that starts at `at`, if one does.
fn name(bytes: &[u8], at: usize) -> Option<usize> {
    let byte = |offset: usize| bytes.get(at + offset).copied().unwrap_or(0);
    let mut length = usize::from(byte(0) == b'_');
    if !byte(length).is_ascii_alphabetic() {
        return None;
    }
    loop {
        match byte(length) {
            // `x->y` is a name and an arrow.
            b'-' if byte(length + 1) == b'>' => break,
            b'_' | b'.' | b'-' => length += 1,
            other if other.is_ascii_alphanumeric() => length += 1,
            _ => break,
        }
    }
    if byte(length) == b'\'' {
        length += 1;
    }
    Some(length)
}
