//! The lines of a text, for edits that read well: new statements on lines of their own with the
//! indentation of their neighbours, and no blank line where a statement was.

/// Where the line of a place begins.
pub fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |found| found + 1)
}

/// Where the line of a place ends, without its line break.
pub fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |found| at + found);
    if end > at && text[..end].ends_with('\r') { end - 1 } else { end }
}

/// The blanks at the beginning of the line of a place, as far as it.
pub fn indentation(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..at];
    &line[..line.len() - line.trim_start().len()]
}

/// The line break that a text uses.
pub fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The whole line with its line break, if nothing but blanks stands on it beside these bytes.
pub fn line_alone(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let first = line_start(text, start);
    let next = text[end..].find('\n').map_or(text.len(), |found| end + found + 1);
    let alone = text[first..start].trim().is_empty() && text[end..next].trim().is_empty();
    alone.then_some((first, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_kinds_of_text() {
        let text = "a;\r\n  b; c;\r\n\td;";
        let at = text.find('b').unwrap();
        assert_eq!(&text[line_start(text, at)..line_end(text, at)], "  b; c;");
        assert_eq!((indentation(text, at), newline(text)), ("  ", "\r\n"));
        assert_eq!(line_alone(text, at, at + 2), None);
        let last = text.find('\t').unwrap();
        assert_eq!(line_alone(text, last + 1, text.len()), Some((last, text.len())));
        assert_eq!(newline("a;\n"), "\n");
    }
}
