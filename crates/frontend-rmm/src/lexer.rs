//! Text to tokens.
//!
//! A token has two spans. `span` is where it stands in its statement, which is what origins and text
//! edits are made of. `blame` is the text that a message should point at. They differ only for
//! tokens that a macro call handed over as an argument: such a token stands where the macro's body
//! names the parameter, and is to blame where the user wrote it.

use wattle_frontend::lex::{block_comment, word_length};
use wattle_source::{Diagnostic, FileId, Span};

use crate::codes;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name that is not reserved.
    Name,
    /// A reserved word.
    Word,
    /// `$r`
    Register,
    Number,
    Symbol,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub span: Span,
    pub blame: Span,
}

impl Token<'_> {
    /// Is this the reserved word or symbol `text`?
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Symbol) && self.text == text
    }

    /// What a message calls it.
    pub(crate) fn describe(&self) -> String {
        match self.kind {
            Kind::End => "the end of the text".into(),
            _ => format!("`{}`", self.text),
        }
    }
}

/// Names that mean something. `macro` and `endmacro` are not among them, as in Memorax.
pub(crate) const RESERVED: [&str; 32] = [
    "if",
    "then",
    "else",
    "while",
    "do",
    "read",
    "write",
    "syncwr",
    "syncrd",
    "fence",
    "ssfence",
    "llfence",
    "locked",
    "slocked",
    "cas",
    "goto",
    "true",
    "false",
    "my",
    "me",
    "other",
    "process",
    "not",
    "nop",
    "text",
    "data",
    "either",
    "or",
    "forbidden",
    "assume",
    "predicates",
    "registers",
];

/// Longest first.
const SYMBOLS: [&str; 22] = [
    ":=", "||", "&&", "!=", "<=", ">=", "=", "(", ")", ",", "-", "*", ";", ":", "{", "}", "<", ">", "+", "[",
    "]", "@",
];

/// All tokens, the last of them `End`, and what is wrong.
pub(crate) fn lex<'a>(text: &'a str, file: FileId, problems: &mut Vec<Diagnostic>) -> Vec<Token<'a>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let token = |kind, start: usize, end: usize| {
        let span = Span::new(file, start, end);
        Token { kind, text: &text[start..end], span, blame: span }
    };
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() || first == '\u{feff}' {
            at += first.len_utf8();
        } else if let Some(comment) = block_comment(rest) {
            if !comment.closed {
                // Memorax reads such a file, so this is not an error.
                let span = Span::new(file, at, at + 2);
                let message = "this comment does not end, so the rest of the file is not read";
                problems.push(Diagnostic::warning(codes::COMMENT, span, message).help("add `*/`"));
            }
            at += comment.length;
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end = at + word_length(rest);
            let kind = if RESERVED.contains(&&text[at..end]) { Kind::Word } else { Kind::Name };
            tokens.push(token(kind, at, end));
            at = end;
        } else if first == '$' && word_length(&rest[1..]) > 0 {
            let end = at + 1 + word_length(&rest[1..]);
            tokens.push(token(Kind::Register, at, end));
            at = end;
        } else if first.is_ascii_digit() {
            let end = at + rest.bytes().take_while(u8::is_ascii_digit).count();
            tokens.push(token(Kind::Number, at, end));
            at = end;
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            tokens.push(token(Kind::Symbol, at, at + symbol.len()));
            at += symbol.len();
        } else {
            let span = Span::new(file, at, at + first.len_utf8());
            let mut problem =
                Diagnostic::error(codes::LEXICAL, span, format!("`{first}` means nothing in this language"));
            if rest.starts_with("//") {
                problem = problem.help("comments are written `/* ... */`");
                at += rest.find('\n').unwrap_or(rest.len());
            } else {
                at += first.len_utf8();
            }
            problems.push(problem);
        }
    }
    tokens.push(token(Kind::End, text.len(), text.len()));
    tokens
}
