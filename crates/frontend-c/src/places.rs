//! Where a piece of preprocessed text stands in the text that the user wrote.
//!
//! Line markers say which line of which file a line came from. Within the line, words and signs that both lines have
//! in the same order are the same; what a macro made gets the place of the macro's call. Nothing of a file that is
//! not the user's own text is ever edited.

use std::collections::{HashMap, HashSet};

use wattle_source::{FileId, Loader, Sources, Span};

use crate::prefilter::{Filtered, Layout};

/// The places of all files of a program, each behind the one before: spans of the parser count on over all of them.
pub(crate) struct Places<'a> {
    parts: Vec<(usize, Part<'a>)>,
}

/// The places of one file.
pub(crate) struct Part<'a> {
    filtered: &'a Filtered,
    /// The text that was filtered, if line markers lead elsewhere.
    processed: Option<Processed>,
    file: FileId,
    /// By line: the words of it.
    cache: std::sync::Mutex<HashMap<usize, Vec<(usize, Span)>>>,
}

struct Processed {
    text: String,
    line_starts: Vec<usize>,
    /// For each line, the file and the line there.
    origins: Vec<Option<(FileId, u32)>>,
    /// The user's files by number.
    texts: HashMap<FileId, Vec<(usize, String)>>,
    /// Macros that stand for several statements, or for a block.
    blocks: HashSet<String>,
}

impl<'a> Places<'a> {
    /// Files whose filtered texts begin at these offsets, in order.
    pub(crate) fn new(parts: Vec<(usize, Part<'a>)>) -> Places<'a> {
        Places { parts }
    }

    /// The file that a span is in, and the span there.
    fn part(&self, span: lang_c::span::Span) -> Option<(&Part<'a>, lang_c::span::Span)> {
        let number = self.parts.partition_point(|(base, _)| *base <= span.start).checked_sub(1)?;
        let (base, part) = &self.parts[number];
        let end = span.end.saturating_sub(*base).min(part.filtered.text.len());
        Some((part, lang_c::span::Span::span(span.start - base, end)))
    }

    pub(crate) fn span(&self, span: lang_c::span::Span) -> Span {
        match self.part(span) {
            Some((part, own)) if !span.is_none() => part.span(own),
            _ => Span::NOWHERE,
        }
    }

    /// What attributes inside of a piece of text, or directly behind it, say of layouts, and where.
    pub(crate) fn layouts(&self, span: lang_c::span::Span) -> Vec<(usize, Layout)> {
        let Some((part, own)) = self.part(span).filter(|_| !span.is_none()) else { return vec![] };
        let base = span.start - own.start;
        let text = &part.filtered.text;
        let belongs = |at: usize| {
            at >= own.start
                && (at <= own.end || text.get(own.end..at).is_some_and(|gap| gap.trim().is_empty()))
        };
        let layouts = part.filtered.layouts.iter().filter(|(at, _)| belongs(*at));
        layouts.map(|(at, layout)| (base + at, *layout)).collect()
    }

    /// The place of a statement. Of one that a macro makes together with others it is the name of the macro alone: there is
    /// no place between them.
    pub(crate) fn statement(&self, span: lang_c::span::Span) -> Span {
        match self.part(span) {
            Some((part, own)) if !span.is_none() => part.statement(own),
            _ => Span::NOWHERE,
        }
    }
}

impl<'a> Part<'a> {
    /// Of a text that stands for itself (`.i`, or nothing was preprocessed).
    pub(crate) fn direct(filtered: &'a Filtered, file: FileId) -> Part<'a> {
        Part { filtered, processed: None, file, cache: Default::default() }
    }

    /// Of a text that a preprocessor made of `file`.
    pub(crate) fn through(
        filtered: &'a Filtered,
        text: String,
        sources: &mut Sources,
        file: FileId,
        loader: &dyn Loader,
    ) -> Part<'a> {
        let line_starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut files: HashMap<String, Option<FileId>> = HashMap::new();
        files.insert(sources.name(file).to_owned(), Some(file));
        let mut origins = Vec::with_capacity(line_starts.len());
        let mut markers = filtered.markers.iter().peekable();
        let mut current: Option<(FileId, u32)> = None;
        for start in &line_starts {
            while let Some(marker) = markers.next_if(|marker| marker.at <= *start) {
                let known = files.entry(marker.file.clone()).or_insert_with(|| {
                    let text = loader.original(&marker.file)?;
                    Some(sources.add(&marker.file, &text))
                });
                current = known.map(|file| (file, marker.line));
            }
            origins.push(current);
            if let Some((_, line)) = &mut current {
                *line += 1;
            }
        }
        let named: Vec<FileId> = files.into_values().flatten().collect();
        let lines = |file: FileId| {
            let text = sources.text(file);
            let mut start = 0;
            (text.split('\n'))
                .map(|line| {
                    let begin = start;
                    start += line.len() + 1;
                    (begin, line.to_owned())
                })
                .collect()
        };
        let blocks = named.iter().flat_map(|file| block_macros(sources.text(*file))).collect();
        let texts = named.into_iter().map(|file| (file, lines(file))).collect();
        let processed = Some(Processed { text, line_starts, origins, texts, blocks });
        Part { filtered, processed, file, cache: Default::default() }
    }

    fn span(&self, span: lang_c::span::Span) -> Span {
        let (start, end) = (self.filtered.before(span.start), self.filtered.before(span.end));
        let Some(processed) = &self.processed else {
            return Span::new(self.file, start, end.max(start));
        };
        let first = self.place(processed, start);
        let last = self.place(processed, end.saturating_sub(1).max(start));
        match first.file == last.file && last.end >= first.start {
            true => Span { end: last.end, ..first },
            false => first,
        }
    }

    fn statement(&self, span: lang_c::span::Span) -> Span {
        let whole = self.span(span);
        let Some(processed) = self.processed.as_ref().filter(|_| !whole.is_nowhere()) else { return whole };
        let first = self.place(processed, self.filtered.before(span.start));
        let word = |text: &str| text.chars().take_while(|letter| is_word(*letter)).collect::<String>();
        let made = word(self.filtered.text.get(span.start..).unwrap_or_default());
        let lines = &processed.texts[&first.file];
        let line = lines.partition_point(|(start, _)| *start <= first.start as usize) - 1;
        let (start, text) = &lines[line];
        let written = word(&text[(first.start as usize - start).min(text.len())..]);
        match written != made && processed.blocks.contains(&written) {
            true => first,
            false => whole,
        }
    }

    /// The word at an offset of the preprocessed text, in the user's text.
    fn place(&self, processed: &Processed, offset: usize) -> Span {
        let line = processed.line_starts.partition_point(|start| *start <= offset) - 1;
        let from = processed.line_starts[line];
        let Ok(mut cache) = self.cache.lock() else { return Span::NOWHERE };
        let words = cache.entry(line).or_insert_with(|| aligned(processed, line));
        let word = words.partition_point(|(at, _)| from + at <= offset).saturating_sub(1);
        words.get(word).map_or(Span::NOWHERE, |(_, span)| *span)
    }
}

/// Where each word of a preprocessed line stands, by its column.
fn aligned(processed: &Processed, line: usize) -> Vec<(usize, Span)> {
    let Some((file, number)) = processed.origins[line] else { return vec![] };
    let lines = processed.texts.get(&file).and_then(|lines| lines.get((number as usize).wrapping_sub(1)));
    let Some((start, original)) = lines else { return vec![] };
    let from = processed.line_starts[line];
    let to = processed.line_starts.get(line + 1).map_or(processed.text.len(), |next| next - 1);
    let (made, written) = (words(&processed.text[from..to.max(from)]), words(original));
    let text = |words: &[(usize, &str)]| words.iter().map(|(_, word)| (*word).to_owned()).collect::<Vec<_>>();
    let partners = partners(&text(&made), &text(&written));
    let span = |partner: Option<usize>| match partner.and_then(|partner| written.get(partner)) {
        Some((column, word)) => Span::new(file, start + column, start + column + word.len()),
        None => Span::new(file, *start, *start + original.len()),
    };
    made.iter().zip(partners).map(|((at, _), partner)| (*at, span(partner))).collect()
}

/// For each word of a line that was made, the written one that it comes from: those of a longest common subsequence
/// are themselves, what lies between comes from the macro there.
fn partners(made: &[String], written: &[String]) -> Vec<Option<usize>> {
    /// Beyond this, a line is what a generator wrote, and its beginning is place enough.
    const MOST: usize = 1 << 20;
    let (rows, columns) = (made.len(), written.len());
    if (rows + 1) * (columns + 1) > MOST {
        return vec![None; rows];
    }
    // How many words the rests from here on have in common.
    let mut common = vec![0u16; (rows + 1) * (columns + 1)];
    let at = |row: usize, column: usize| row * (columns + 1) + column;
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            common[at(row, column)] = match made[row] == written[column] {
                true => common[at(row + 1, column + 1)] + 1,
                false => common[at(row + 1, column)].max(common[at(row, column + 1)]),
            };
        }
    }
    let mut same = vec![None; rows];
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        if made[row] == written[column] {
            same[row] = Some(column);
            (row, column) = (row + 1, column + 1);
        } else if common[at(row + 1, column)] >= common[at(row, column + 1)] {
            row += 1;
        } else {
            column += 1;
        }
    }
    let is_name = |word: &str| word.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    let macros: Vec<usize> =
        (0..columns).filter(|column| is_name(&written[*column]) && !same.contains(&Some(*column))).collect();
    let from_macro = |row: usize| {
        let before = same[..row].iter().rev().find_map(|partner| *partner);
        let after = same[row..].iter().find_map(|partner| *partner).unwrap_or(columns);
        let between =
            macros.iter().find(|column| **column < after && before.is_none_or(|before| **column > before));
        let earlier = || macros.iter().rev().find(|column| before.is_some_and(|before| **column < before));
        between.or_else(earlier).copied().or(before).or((columns > 0).then_some(0))
    };
    (0..rows).map(|row| same[row].or_else(|| from_macro(row))).collect()
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The macros of a text whose definitions hold the end of a statement.
fn block_macros(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", " ");
    let named = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
        let name: String = rest.chars().take_while(|letter| is_word(*letter)).collect();
        rest.contains([';', '{']).then_some(name)
    };
    text.lines().filter_map(named).collect()
}

/// Words and signs of a line, with their columns.
fn words(line: &str) -> Vec<(usize, &str)> {
    let mut result = Vec::new();
    let bytes = line.as_bytes();
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if word(bytes[at]) {
            while at < bytes.len() && word(bytes[at]) {
                at += 1;
            }
        } else {
            at += 1;
            while !line.is_char_boundary(at) {
                at += 1;
            }
        }
        result.push((start, &line[start..at]));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partner(made: &str, written: &str, word: &str) -> String {
        let text = |line: &str| words(line).iter().map(|(_, word)| (*word).to_owned()).collect::<Vec<_>>();
        let (made, written) = (text(made), text(written));
        let at = made.iter().position(|made| made == word).unwrap();
        partners(&made, &written)[at].map(|at| written[at].clone()).unwrap_or_default()
    }

    #[test]
    fn what_a_macro_makes_is_at_its_call() {
        let (made, written) = ("int sum = ((1) + (2) + missing);", "int sum = ADD(1, 2);");
        assert_eq!(partner(made, written, "missing"), "ADD");
        assert_eq!(partner(made, written, "2"), "2");
        assert_eq!(partner(made, written, "sum"), "sum");
        let (made, written) = ("f(0x10, y); g(((z) + 0x20));", "f(ONE, y); g(TWO(z));");
        assert_eq!(partner(made, written, "0x10"), "ONE");
        assert_eq!(partner(made, written, "0x20"), "TWO");
        assert_eq!(partner("x = 1; y = 1;", "BOTH;", "y"), "BOTH");
    }
}
