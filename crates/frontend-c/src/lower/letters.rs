//! Characters and texts: escapes, the bytes of a string, and the memory in which these lie.

use std::sync::Arc;

use lang_c::span::Span;
use wattle_logic::Term;
use wattle_program::Init;

use super::Unit;
use super::value::Value;
use crate::refusal::{Low, refuse};
use crate::types::{Kind, Type};

/// What a text is in an expression.
pub(super) fn array_of(bytes: &[i64]) -> Type {
    Type::plain(Kind::Array(Arc::new(Type::integer(1, true)), Some(bytes.len() as u64)))
}

impl Unit<'_> {
    /// The memory of a text; equal texts share theirs, as C allows.
    pub(super) fn text_object(&mut self, bytes: Vec<i64>, span: Span) -> Low<usize> {
        if let Some(object) = self.texts.get(&bytes) {
            return Ok(*object);
        }
        let name = format!("text'{}", self.texts.len() + 1);
        let of = array_of(&bytes);
        let letters: Vec<Term> =
            bytes.iter().map(|byte| Value::constant(*byte, Type::integer(1, true)).term).collect();
        let made = self.object(&name, &of, &[], &|_, _| Init::Values(letters.clone()));
        let object = made.or_else(|what| refuse(what, span))?;
        self.texts.insert(bytes, object);
        Ok(object)
    }
}

/// The bytes of a text, with the zero at its end. Each part has its quotes.
pub(super) fn bytes(parts: &[String], span: Span) -> Low<Vec<i64>> {
    let mut bytes = Vec::new();
    for part in parts {
        let inner = part.strip_prefix("u8").unwrap_or(part);
        let inner = inner.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        match inner.and_then(decoded) {
            Some(more) => bytes.extend(more),
            None => return refuse("a text of wide characters", span),
        }
    }
    bytes.push(0);
    Ok(bytes.into_iter().map(|byte| i64::from(byte as i8)).collect())
}

/// The number of a character, which has its quotes.
pub(super) fn character(text: &str, span: Span) -> Low<i64> {
    let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    match inner.and_then(decoded).as_deref() {
        Some([byte]) => Ok(i64::from(*byte as i8)),
        _ => refuse("a constant of several or of wide characters", span),
    }
}

/// What stands between quotes, or `None` for an escape that makes no byte.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let (&code, after) = rest.split_first()?;
        let digits = |from: &[u8], radix: u32, most: usize| {
            from.iter().take(most).take_while(|digit| char::from(**digit).is_digit(radix)).count()
        };
        let number = |digits: &[u8], radix| {
            u8::from_str_radix(std::str::from_utf8(digits).unwrap_or_default(), radix).ok()
        };
        let (made, used) = match code {
            b'n' => (b'\n', 1),
            b't' => (b'\t', 1),
            b'r' => (b'\r', 1),
            b'a' => (7, 1),
            b'b' => (8, 1),
            b'f' => (12, 1),
            b'v' => (11, 1),
            b'e' => (27, 1),
            b'\\' | b'\'' | b'"' | b'?' => (code, 1),
            b'x' => {
                let count = digits(after, 16, usize::MAX);
                (number(&after[..count], 16)?, 1 + count)
            }
            b'0'..=b'7' => {
                let count = digits(rest, 8, 3);
                (number(&rest[..count], 8)?, count)
            }
            _ => return None,
        };
        bytes.push(made);
        rest = &rest[used..];
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_c() {
        let span = Span::none();
        let text = |text: &str| bytes(&[text.to_owned()], span).ok();
        assert_eq!(text(r#""a\n\x41\101\0\"""#), Some(vec![97, 10, 65, 65, 0, 34, 0]));
        assert_eq!(text(r#""\377""#), Some(vec![-1, 0]));
        assert_eq!(text(r#"L"a""#), None);
        let one = |text: &str| character(text, span).ok();
        let found = [r"'a'", r"'\''", r"'\\'", r"'\x80'", r"'\0'"].map(one);
        assert_eq!(found, [Some(97), Some(39), Some(92), Some(-128), Some(0)]);
        assert_eq!([one("'ab'"), one("L'a'"), one(r"'\u00e9'")], [None; 3]);
    }
}
