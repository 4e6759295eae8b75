//! From text to tokens.
//!
//! Every token is a word, a number or a sign. Which words are reserved is the parser's business;
//! the list stands here because messages name it. Characters that belong to no token give one error
//! for each run of them, so that a binary file does not drown the reader.

use wattle_frontend::lex::{block_comment, starts_word, word_length};
use wattle_source::{Diagnostic, Span};

use super::problems::{Problems, shorten};
use crate::codes;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind<'t> {
    Word(&'t str),
    /// Up to 2^63, because `-9223372036854775808` is a sign and a number.
    Number(u64),
    Sign(&'static str),
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub kind: Kind<'t>,
    pub span: Span,
}

/// Longer signs first.
const SIGNS: [&str; 35] = [
    "..", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "{", "}", "(", ")", "[", "]", ",", ";", ":", "?",
    "=", "<", ">", "+", "-", "*", "/", "%", "!", "~", "&", "|", "^", ".", "@", "#",
];

/// Words that name nothing else. Words with a meaning in one place only (`in`, `or`, `buffered`,
/// types, and those that start an item, such as `init`) stay free.
const RESERVED: [&str; 39] = [
    "shared",
    "const",
    "enum",
    "thread",
    "process",
    "local",
    "if",
    "else",
    "while",
    "either",
    "goto",
    "break",
    "continue",
    "skip",
    "await",
    "assume",
    "assert",
    "fence",
    "atomic",
    "acquire",
    "release",
    "put",
    "get",
    "remote_add",
    "remote_swap",
    "remote_cas",
    "flush",
    "true",
    "false",
    "me",
    "copies",
    "nondet",
    "cas",
    "exchange",
    "fetch_add",
    "forall",
    "exists",
    "forbid",
    "finally",
];

pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// The tokens of a text, closed by one `End`.
pub(crate) fn lex<'t>(text: &'t str, problems: &mut Problems) -> Vec<Token<'t>> {
    let file = problems.file;
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if problems.is_full() {
            break;
        }
        let start = at;
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if text[at..].starts_with("//") {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
            continue;
        }
        if let Some(comment) = block_comment(&text[at..]) {
            at += comment.length;
            if !comment.closed {
                let span = Span::new(file, start, start + 2);
                let problem = Diagnostic::error(codes::COMMENT, span, "this comment does not end");
                problems.push(problem.expecting("expected `*/`"));
            }
            continue;
        }
        let kind = if starts_word(byte) {
            at += word_length(&text[at..]);
            Kind::Word(&text[start..at])
        } else if byte.is_ascii_digit() {
            at += word_length(&text[at..]);
            Kind::Number(number(&text[start..at], Span::new(file, start, at), problems))
        } else if let Some(sign) = SIGNS.iter().find(|sign| text[at..].starts_with(**sign)) {
            at += sign.len();
            Kind::Sign(sign)
        } else {
            at = strange(text, at, problems);
            continue;
        };
        tokens.push(Token { kind, span: Span::new(file, start, at) });
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(file, text.len(), text.len()) });
    tokens
}

/// One error for a run of characters that no token has; the position after it.
fn strange(text: &str, start: usize, problems: &mut Problems) -> usize {
    let belongs = |c: char| {
        c.is_ascii_alphanumeric()
            || c.is_ascii_whitespace()
            || c == '_'
            || SIGNS.iter().any(|sign| sign.starts_with(c))
    };
    let length = text[start..].find(belongs).unwrap_or(text.len() - start);
    let run = &text[start..start + length];
    let first = run.chars().next().unwrap_or(' ');
    let what = match (first, run.chars().nth(1)) {
        ('\0', _) => "a NUL byte: this is not a text".to_owned(),
        (c, _) if c.is_control() => format!("a control character (U+{:04X})", u32::from(c)),
        (c, None) => format!("the character `{c}`"),
        (c, Some(_)) => format!("characters like `{c}`"),
    };
    let span = Span::new(problems.file, start, start + length);
    let mut diagnostic = Diagnostic::error(codes::CHARACTER, span, format!("{what} cannot stand here"));
    if first.is_alphabetic() {
        diagnostic = diagnostic.help("names are made of the letters a to z, digits and `_`");
    }
    problems.push(diagnostic);
    start + length
}

fn number(text: &str, span: Span, problems: &mut Problems) -> u64 {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        problems.error(codes::NUMBER, span, format!("`{}` is not a number", shorten(text)));
        return 0;
    }
    match u64::from_str_radix(digits, radix) {
        Ok(value) if value <= 1 << 63 => value,
        _ => {
            too_large(text, span, problems);
            0
        }
    }
}

pub(crate) fn too_large(text: &str, span: Span, problems: &mut Problems) {
    let message = format!("the number {} does not fit into 64 bits", shorten(text));
    problems.push(Diagnostic::error(codes::NUMBER, span, message).help("the largest is 9223372036854775807"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_source::FileId;

    fn kinds(text: &str) -> (Vec<Kind<'_>>, Vec<String>) {
        let mut problems = Problems::new(FileId(0));
        let kinds = lex(text, &mut problems).iter().map(|token| token.kind).collect();
        (kinds, problems.errors.into_iter().map(|error| error.message).collect())
    }

    #[test]
    fn words_numbers_and_signs() {
        use Kind::*;
        let (kinds, errors) = kinds("x:0..0x1F // c\n/* d\n*/ <= _a1");
        let expected =
            vec![Word("x"), Sign(":"), Number(0), Sign(".."), Number(31), Sign("<="), Word("_a1"), End];
        assert_eq!(kinds, expected);
        assert!(errors.is_empty());
    }

    #[test]
    fn a_run_of_strange_characters_is_one_error() {
        let (found, errors) = kinds("x \0\0\0 ←→ y");
        assert_eq!(found.len(), 3);
        assert_eq!(errors.len(), 2);
        assert_eq!(errors[0], "a NUL byte: this is not a text cannot stand here");
        assert_eq!(kinds("12ab").1, ["`12ab` is not a number"]);
        assert_eq!(
            kinds("9223372036854775809").1,
            ["the number 9223372036854775809 does not fit into 64 bits"]
        );
        assert_eq!(kinds("/* never").1, ["this comment does not end"]);
    }
}
