//! Tokens of one line.

use wattle_source::{Diagnostic, FileId, Span};

use super::codes;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word, reserved or not.
    Word,
    /// A quoted name; the text is without quotes and escapes.
    Quoted,
    Number,
    Symbol,
    End,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub text: String,
    pub span: Span,
}

impl Token {
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Symbol) && self.text == text
    }

    pub(crate) fn describe(&self) -> String {
        match self.kind {
            Kind::End => "the end of the line".into(),
            _ => format!("`{}`", self.text),
        }
    }
}

/// Longest first.
const SYMBOLS: [&str; 37] = [
    "->", "=>", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "++", "..", "<", ">", "|", "^", "&", "+",
    "-", "*", "/", "%", "!", "~", "(", ")", "[", "]", "{", "}", ",", ";", ":", "=", "@", "#", "?",
];

/// The tokens of a line that begins at `start`, the last of them `End`.
pub(crate) fn lex(line: &str, file: FileId, start: usize) -> Result<Vec<Token>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let span = |from: usize, to: usize| Span::new(file, start + from, start + to);
    while let Some(first) = line[at..].chars().next() {
        let rest = &line[at..];
        let word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if rest.starts_with("//") {
            break;
        } else if first == '"' {
            let (text, length) = quoted(rest)
                .ok_or_else(|| Diagnostic::error(codes::SYNTAX, span(at, line.len()), "a bad quoted name"))?;
            tokens.push(Token { kind: Kind::Quoted, text, span: span(at, at + length) });
            at += length;
        } else if word(first) {
            let length = rest.find(|letter| !word(letter)).unwrap_or(rest.len());
            let kind = if first.is_ascii_digit() { Kind::Number } else { Kind::Word };
            tokens.push(Token { kind, text: rest[..length].to_owned(), span: span(at, at + length) });
            at += length;
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            let text = (*symbol).to_owned();
            tokens.push(Token { kind: Kind::Symbol, text, span: span(at, at + symbol.len()) });
            at += symbol.len();
        } else if first == '.' {
            tokens.push(Token { kind: Kind::Symbol, text: ".".into(), span: span(at, at + 1) });
            at += 1;
        } else {
            let here = span(at, at + first.len_utf8());
            return Err(Diagnostic::error(codes::SYNTAX, here, format!("`{first}` means nothing here")));
        }
    }
    tokens.push(Token { kind: Kind::End, text: String::new(), span: span(line.len(), line.len()) });
    Ok(tokens)
}

/// The name in quotes at the start of the text, and how long it is with them.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut letters = text.char_indices().skip(1);
    loop {
        match letters.next()? {
            (at, '"') => return Some((out, at + 1)),
            (_, '\\') => match letters.next()?.1 {
                'n' => out.push('\n'),
                letter @ ('"' | '\\') => out.push(letter),
                'u' => {
                    (letters.next()?.1 == '{').then_some(())?;
                    let digits: String =
                        letters.by_ref().map(|(_, letter)| letter).take_while(|l| *l != '}').collect();
                    out.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                }
                _ => return None,
            },
            (_, letter) => out.push(letter),
        }
    }
}
