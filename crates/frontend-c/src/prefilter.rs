//! From a text that a preprocessor made to one that the parser takes, and where its pieces came from.
//!
//! The parser knows neither line markers nor `$` in names nor some words of gcc. They are replaced here, piece by
//! piece, and the list of pieces leads every offset back to the text before.

use std::collections::BTreeSet;

use lang_c::ast::{TS18661FloatFormat, TS18661FloatType};
use wattle_source::{Diagnostic, FileId, Span};

use crate::codes;

/// Deeper nesting would end the parser's stack.
const DEEPEST: usize = 256;
/// An expression of more words and signs than this would end a stack later.
const LONGEST: usize = 4096;

pub(crate) struct Filtered {
    pub text: String,
    /// Where pieces begin: in the filtered text, and in the one before.
    pieces: Vec<(usize, usize)>,
    /// The line markers: the offset at which a line begins, the number of that line, the name of its file.
    pub markers: Vec<Marker>,
    /// What stands for `$` in names.
    pub dollar: char,
    /// What attributes say of the layout of structs, and where they stood. The text does not have them any more.
    pub layouts: Vec<(usize, Layout)>,
}

/// `packed`, `aligned(8)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    pub packed: bool,
    pub aligned: Alignment,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Alignment {
    #[default]
    Usual,
    /// That of `long`.
    Long,
    To(u64),
}

impl Layout {
    pub(crate) fn and(self, other: Layout) -> Layout {
        Layout { packed: self.packed || other.packed, aligned: self.aligned.max(other.aligned) }
    }

    /// Of an attribute with its brackets, or of `_Alignas(…)`; `None` if it says nothing of a layout.
    fn of(text: &str) -> Option<Layout> {
        let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let aligned = text.find("aligned").map(|at| at + "aligned".len());
        let aligned = aligned.or(text.strip_prefix("_Alignas").map(|_| "_Alignas".len()));
        let packed = text.contains("packed");
        let to = |at: usize| {
            let rest = text[at..].trim_start_matches('_');
            let number = rest.trim_start_matches('(').trim_start_matches("sizeof(");
            let digits = |text: &str| -> Option<u64> {
                let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
                text[..end].parse().ok()
            };
            match digits(number) {
                Some(base) => {
                    let shift =
                        number.split_once("<<").and_then(|(_, by)| digits(by.trim_start_matches('(')));
                    Alignment::To(
                        base.checked_shl(shift.unwrap_or(0) as u32).unwrap_or(base).clamp(1, 1 << 20),
                    )
                }
                None if number.starts_with("void*") || number.starts_with("long") => Alignment::Long,
                // The most that the machine asks for.
                None if !rest.starts_with('(') => Alignment::To(16),
                None => Alignment::Usual,
            }
        };
        (packed || aligned.is_some())
            .then(|| Layout { packed, aligned: aligned.map_or(Alignment::Usual, to) })
    }
}

pub(crate) struct Marker {
    pub at: usize,
    pub line: u32,
    pub file: String,
}

impl Filtered {
    /// The offset in the text before.
    pub(crate) fn before(&self, offset: usize) -> usize {
        let piece = self.pieces.partition_point(|(start, _)| *start <= offset);
        match piece.checked_sub(1).map(|piece| self.pieces[piece]) {
            Some((start, before)) => {
                // A piece that was replaced is shorter or longer than what stood there.
                let end = self.pieces.get(piece).map_or(usize::MAX, |(_, next)| *next);
                (before + (offset - start)).min(end)
            }
            None => offset,
        }
    }
}

/// Words of gcc that the parser does not know, and what says the same.
const WORDS: [(&str, &str); 14] = [
    ("asm", "__asm__"),
    ("__asm", "__asm__"),
    ("__thread", "_Thread_local"),
    ("__extension__", ""),
    ("__restrict", "restrict"),
    ("__restrict__", "restrict"),
    ("__const", "const"),
    ("__volatile", "volatile"),
    ("__inline", "inline"),
    ("__inline__", "inline"),
    ("__signed__", "signed"),
    ("__int128", "_Decimal128x"),
    ("__auto_type", "_Decimal64x"),
    ("_Float128", "double"),
];

/// What stands for `__int128`: a type that nobody uses, so that it can be refused where it is.
pub(crate) const INT128: TS18661FloatType =
    TS18661FloatType { format: TS18661FloatFormat::DecimalExtended, width: 128 };
/// What stands for `__auto_type`.
pub(crate) const AUTO: TS18661FloatType =
    TS18661FloatType { format: TS18661FloatFormat::DecimalExtended, width: 64 };

pub(crate) fn filter(text: &str, file: FileId) -> Result<Filtered, Diagnostic> {
    let mut out = Filtered {
        text: String::with_capacity(text.len()),
        pieces: vec![(0, 0)],
        markers: Vec::new(),
        dollar: stand_in(text),
        layouts: Vec::new(),
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut depth = 0usize;
    // Since the last sign that ends an expression.
    let mut words = 0usize;
    let mut line_begins = true;
    while at < bytes.len() {
        let rest = &text[at..];
        let byte = bytes[at];
        match byte {
            b'\n' => {
                out.text.push('\n');
                at += 1;
                line_begins = true;
                continue;
            }
            b' ' | b'\t' | b'\r' | 0x0c => {
                out.text.push(' ');
                at += 1;
                continue;
            }
            b'#' if line_begins => {
                let length = rest.find('\n').unwrap_or(rest.len());
                if let Some((line, name)) = marker(&rest[..length]) {
                    out.markers.push(Marker { at: at + length + 1, line, file: name });
                }
                at += length;
                out.jump(at);
                continue;
            }
            b'/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                out.jump(at);
            }
            b'/' if rest.starts_with("/*") => {
                let length = rest[2..].find("*/").map_or(rest.len(), |end| end + 4);
                at += length;
                out.text.push(' ');
                out.jump(at);
            }
            b'"' | b'\'' => {
                let length = literal(rest, byte);
                out.text.push_str(&rest[..length]);
                at += length;
            }
            _ if is_word(byte) => {
                let length = rest.bytes().position(|byte| !is_word(byte)).unwrap_or(rest.len());
                let word = &rest[..length];
                if let Some(length) = out.attribute(rest, word, at) {
                    at += length;
                    continue;
                }
                match WORDS.iter().find(|(from, _)| *from == word) {
                    Some((_, to)) => {
                        out.text.push_str(to);
                        at += length;
                        out.jump(at);
                    }
                    None => {
                        let letters =
                            word.chars().map(|letter| if letter == '$' { out.dollar } else { letter });
                        let word: String = letters.collect();
                        out.text.push_str(&word);
                        at += length;
                    }
                }
            }
            _ => {
                match byte {
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if matches!(byte, b',' | b';' | b'{' | b'}') {
                    words = 0;
                }
                let letter = rest.chars().next().unwrap_or(' ');
                let refused = match (depth > DEEPEST, words > LONGEST) {
                    (true, _) => Some(format!("brackets are nested more than {DEEPEST} deep here")),
                    (_, true) => Some(format!("an expression of more than {LONGEST} words and signs")),
                    _ => None,
                };
                if let Some(message) = refused {
                    return Err(Diagnostic::error(codes::NESTING, Span::new(file, at, at + 1), message));
                }
                out.text.push(letter);
                at += letter.len_utf8();
            }
        }
        line_begins = false;
        words += 1;
    }
    out.text.push('\n');
    Ok(out)
}

impl Filtered {
    /// Take out an attribute that says something of a layout, and remember it. How long it is.
    fn attribute(&mut self, rest: &str, word: &str, at: usize) -> Option<usize> {
        if !matches!(word, "__attribute__" | "__attribute" | "_Alignas") {
            return None;
        }
        let length = word.len() + brackets(&rest[word.len()..])?;
        let layout = Layout::of(&rest[..length])?;
        self.layouts.push((self.text.len(), layout));
        // `_Alignas` begins what it is said of, as this does, which means nothing here.
        self.text.push_str(if word == "_Alignas" { "const " } else { " " });
        // Lines stay where they are.
        self.text.push_str(&"\n".repeat(rest[..length].matches('\n').count()));
        self.jump(at + length);
        Some(length)
    }

    /// What comes next stands there in the text before.
    fn jump(&mut self, before: usize) {
        self.pieces.push((self.text.len(), before));
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// Where brackets that begin here end.
fn brackets(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ if letter.is_whitespace() || depth > 0 => {}
            _ => return None,
        }
    }
    None
}

/// How long a string or character is, with its quotes.
fn literal(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    let mut end = at.min(bytes.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    end
}

/// `# 12 "file.c" 2`, `#line 12 "file.c"`
fn marker(line: &str) -> Option<(u32, String)> {
    let line = line.strip_prefix('#')?.trim_start();
    let line = line.strip_prefix("line").unwrap_or(line).trim_start();
    let (number, rest) = line.split_once(' ')?;
    let name = rest.trim_start().strip_prefix('"')?;
    let name = &name[..name.rfind('"')?];
    Some((number.parse().ok()?, name.replace("\\\\", "\\").replace("\\\"", "\"")))
}

/// A letter that can stand for `$` without making two names equal.
fn stand_in(text: &str) -> char {
    if !text.contains('$') {
        return '_';
    }
    let words: BTreeSet<&str> =
        text.split(|letter: char| !letter.is_ascii() || !is_word(letter as u8)).collect();
    let with: Vec<&&str> = words.iter().filter(|word| word.contains('$')).collect();
    let fits = |letter: &char| {
        with.iter().all(|word| !words.contains(word.replace('$', &letter.to_string()).as_str()))
    };
    "_SDQXZsdqxz".chars().find(fits).unwrap_or('_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_to_the_text_before() {
        let text = "# 1 \"a.c\"\n__thread int x$y; /* note */ int z; // end\n";
        let filtered = filter(text, FileId(0)).unwrap();
        assert_eq!(filtered.text.trim(), "_Thread_local int x_y;   int z;");
        let at = |word: &str| filtered.before(filtered.text.find(word).unwrap());
        assert_eq!(at("x_y"), text.find("x$y").unwrap());
        assert_eq!(at("z;"), text.find("z;").unwrap());
        let first = &filtered.markers[0];
        assert_eq!((first.line, first.file.as_str(), first.at), (1, "a.c", 10));
    }

    #[test]
    fn names_stay_different() {
        let filtered = filter("int a$b; int a_b;", FileId(0)).unwrap();
        assert_eq!(filtered.text.trim(), "int aSb; int a_b;");
    }

    #[test]
    fn deep_nesting_is_refused() {
        let problem = filter(&"(".repeat(1000), FileId(0)).err().unwrap();
        assert_eq!(problem.code, "c-nesting");
        let problem = filter(&format!("int a = {}1;", "(int) - ".repeat(2000)), FileId(0)).err().unwrap();
        assert_eq!(problem.code, "c-nesting");
        assert!(filter(&format!("int a[] = {{{}}};", "1, ".repeat(20_000)), FileId(0)).is_ok());
    }
}
