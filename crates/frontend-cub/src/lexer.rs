//! Tokens. Names are told apart by their first letter, as the language asks; comments nest.

use wattle_frontend::lex::{starts_word, word_length};
use wattle_source::{Diagnostic, FileId, Span};

use crate::codes;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name with a small first letter: processes, types, transitions.
    Small,
    /// A name with a capital first letter: variables, constructors.
    Capital,
    Keyword,
    Integer,
    Real,
    /// `#3`
    Process,
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
        matches!(self.kind, Kind::Keyword | Kind::Symbol) && self.text == text
    }

    pub(crate) fn describe(&self) -> String {
        match self.kind {
            Kind::End => "the end of the text".into(),
            _ => format!("`{}`", self.text),
        }
    }
}

/// Words that are no names.
pub(crate) const KEYWORDS: [&str; 26] = [
    "array",
    "case",
    "const",
    "else",
    "exists",
    "exists_other",
    "false",
    "fence",
    "forall",
    "forall_other",
    "if",
    "in",
    "init",
    "invariant",
    "let",
    "not",
    "number_procs",
    "predicate",
    "requires",
    "then",
    "transition",
    "true",
    "type",
    "unsafe",
    "var",
    "weak",
];

/// Longest first.
const SYMBOLS: [&str; 32] = [
    "<=>", "&&", "||", "=>", "<=", ">=", "<>", ":=", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "?",
    "|", "=", "<", ">", "+", "-", "*", "@", "/", "!", "&", "%", "'",
];

/// The tokens of a text, the last of them `End`, and what no token is made of.
pub(crate) fn lex(text: &str, file: FileId) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut tokens = Vec::new();
    let mut problems = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let span = |length: usize| Span::new(file, at, at + length);
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("(*") {
            match comment(rest) {
                Some(length) => at += length,
                None => {
                    problems.push(
                        Diagnostic::error(codes::COMMENT, span(2), "this comment never ends")
                            .expecting("begins here"),
                    );
                    at = text.len();
                }
            }
            continue;
        }
        let (kind, length) = if first == '_' && word_length(rest) == 1 {
            (Kind::Symbol, 1)
        } else if first.is_ascii() && starts_word(first as u8) {
            let length = word_length(rest);
            let kind = match first.is_ascii_uppercase() {
                true => Kind::Capital,
                false if KEYWORDS.contains(&&rest[..length]) => Kind::Keyword,
                false => Kind::Small,
            };
            (kind, length)
        } else if first.is_ascii_digit() {
            number(rest)
        } else if first == '#' {
            (Kind::Process, 1 + digits(&rest[1..]))
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            (Kind::Symbol, symbol.len())
        } else {
            let message = format!("`{first}` means nothing here");
            problems.push(Diagnostic::error(codes::LEXICAL, span(first.len_utf8()), message));
            at += first.len_utf8();
            continue;
        };
        tokens.push(Token { kind, text: rest[..length].to_owned(), span: span(length) });
        at += length;
    }
    tokens.push(Token {
        kind: Kind::End,
        text: String::new(),
        span: Span::new(file, text.len(), text.len()),
    });
    (tokens, problems)
}

fn digits(text: &str) -> usize {
    text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len())
}

fn number(text: &str) -> (Kind, usize) {
    let whole = digits(text);
    match text[whole..].strip_prefix('.').map(digits) {
        Some(fraction) if fraction > 0 => (Kind::Real, whole + 1 + fraction),
        _ => (Kind::Integer, whole),
    }
}

/// The length of the comment with which the text begins; `None` if it has no end.
fn comment(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    loop {
        let rest = &text.as_bytes()[at..];
        match rest {
            [b'(', b'*', ..] => {
                depth += 1;
                at += 2;
            }
            [b'*', b')', ..] => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            [] => return None,
            _ => at += 1,
        }
    }
}
