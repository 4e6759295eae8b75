//! Words and comments, of which most languages have the same shape.

/// Can a name begin with this byte?
pub fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Can a name go on with this byte?
pub fn continues_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How many bytes at the beginning of a text could belong to one name.
pub fn word_length(text: &str) -> usize {
    text.bytes().position(|byte| !continues_word(byte)).unwrap_or(text.len())
}

/// A comment at the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// In bytes, with what opens and closes it; all that is left, if nothing closes it.
    pub length: usize,
    pub closed: bool,
}

/// The comment in `/* */` with which a text begins, if it does.
pub fn block_comment(text: &str) -> Option<Comment> {
    let inner = text.strip_prefix("/*")?;
    Some(match inner.find("*/") {
        Some(length) => Comment { length: length + 4, closed: true },
        None => Comment { length: text.len(), closed: false },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_comments_have_lengths() {
        assert_eq!(word_length("x_1+y"), 3);
        assert_eq!(word_length("+y"), 0);
        assert_eq!(block_comment("x /* */"), None);
        assert_eq!(block_comment("/* a */ b"), Some(Comment { length: 7, closed: true }));
        assert_eq!(block_comment("/*/ b"), Some(Comment { length: 5, closed: false }));
    }
}
