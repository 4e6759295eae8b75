//! Files and places in them.

use std::sync::Arc;

/// The number of a file in [`Sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A range of bytes in one file. The default span (empty, at the start of file 0) stands for
/// "nowhere": code that no source text produced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        // Texts of 4 GB or more are refused before they are read, so positions fit.
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    pub fn is_nowhere(self) -> bool {
        self == Span::NOWHERE
    }
}

/// A position as people count: lines and columns from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub file: FileId,
    pub line: u32,
    pub column: u32,
}

/// The texts of a run. A `FileId` is valid in the `Sources` that made it.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<File>,
}

#[derive(Clone, Debug)]
struct File {
    name: Arc<str>,
    text: Arc<str>,
    line_starts: Vec<u32>,
}

impl Sources {
    pub fn new() -> Sources {
        Sources::default()
    }

    /// A table of one file, and that file's number.
    pub fn single(name: &str, text: &str) -> (Sources, FileId) {
        let mut sources = Sources::new();
        let file = sources.add(name, text);
        (sources, file)
    }

    pub fn add(&mut self, name: &str, text: &str) -> FileId {
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1)).collect();
        self.files.push(File { name: name.into(), text: text.into(), line_starts });
        FileId(self.files.len() as u32 - 1)
    }

    pub fn name(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |file| &file.name)
    }

    pub fn text(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |file| &file.text)
    }

    /// Line and column of a byte offset; offsets past the end count as the end.
    pub fn place(&self, file: FileId, offset: u32) -> Position {
        let Some(content) = self.files.get(file.0 as usize) else {
            return Position { file, line: 1, column: 1 };
        };
        let line = content.line_starts.partition_point(|&start| start <= offset) - 1;
        let start = content.line_starts[line] as usize;
        let mut end = (offset as usize).min(content.text.len());
        while !content.text.is_char_boundary(end) {
            end -= 1;
        }
        let column = content.text.get(start..end).map_or(0, |text| text.chars().count());
        Position { file, line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// A line as people name it: by its number alone in the first file, with the file in others.
    pub fn line_name(&self, place: Position) -> String {
        match place.file == FileId::default() {
            true => place.line.to_string(),
            false => format!("{}:{}", last_part(self.name(place.file)), place.line),
        }
    }

    pub fn start(&self, span: Span) -> Position {
        self.place(span.file, span.start)
    }

    /// The names of all files.
    pub fn names(&self) -> Vec<String> {
        self.files.iter().map(|file| file.name.to_string()).collect()
    }

    /// The text under a span.
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.file).get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// A whole line without its line break; lines count from 1.
    pub fn line(&self, file: FileId, line: u32) -> &str {
        let Some(file) = self.files.get(file.0 as usize) else { return "" };
        let Some(&start) = file.line_starts.get(line as usize - 1) else { return "" };
        file.text[start as usize..].lines().next().unwrap_or("")
    }
}

/// A file's name without folders.
fn last_part(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Replace the text under `span` (empty: insert there).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    pub span: Span,
    pub text: String,
}

impl TextEdit {
    /// Apply edits to one text. Edits at the same place keep the order in which they are given.
    pub fn apply(text: &str, edits: &[TextEdit]) -> String {
        let mut order: Vec<&TextEdit> = edits.iter().collect();
        order.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let mut out = String::with_capacity(text.len() + 64);
        let mut at = 0;
        for edit in order {
            let (start, end) = (edit.span.start as usize, edit.span.end as usize);
            out.push_str(&text[at.min(start)..start]);
            out.push_str(&edit.text);
            at = end.max(at);
        }
        out.push_str(&text[at..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let (sources, file) = Sources::single("a", "ab\nçd\n");
        let at = |offset| {
            let place = sources.place(file, offset);
            (place.line, place.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(2), (1, 3));
        assert_eq!(at(3), (2, 1));
        assert_eq!(at(5), (2, 2), "ç is two bytes and one column");
        assert_eq!(at(99), (3, 1));
        assert_eq!(sources.line(file, 2), "çd");
    }

    #[test]
    fn edits_apply_from_left_to_right() {
        let file = FileId(0);
        let insert = |at, text: &str| TextEdit { span: Span::new(file, at, at), text: text.into() };
        let edits = [insert(3, "X"), insert(1, "Y"), insert(3, "Z")];
        assert_eq!(TextEdit::apply("abcd", &edits), "aYbcXZd");
    }
}
