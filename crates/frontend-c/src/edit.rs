//! Fences into a text in C: calls of `atomic_thread_fence`, or assembly where the text has such.

use std::collections::BTreeSet;

use wattle_frontend::Edits;
use wattle_frontend::lines::line_start;
use wattle_program::passes::{Insertion, Spot, kind_name, takes_fence};
use wattle_program::{Edge, Fence, Op, ProcessId, Program, Vocabulary};
use wattle_source::{FileId, Sources, Span, TextEdit};

/// What C says for the fences of its own vocabulary.
const FENCES: [(&str, &str); 4] = [
    ("ACQ", "memory_order_acquire"),
    ("REL", "memory_order_release"),
    ("ACQ_REL", "memory_order_acq_rel"),
    ("SC", "memory_order_seq_cst"),
];

/// What the assembly of an architecture says: a word that its fences begin with, what orders everything but a store before a
/// later load, and what orders all.
const ASSEMBLY: [(&str, &str, &str); 4] = [
    ("fence", "fence.tso", "fence rw,rw"),
    ("dmb", "dmb ish", "dmb ish"),
    ("mfence", "mfence", "mfence"),
    ("sync", "lwsync", "sync"),
];

/// A text whose fences are assembly gets such ones, by its first.
fn assembly(program: &Program, kind: &str) -> Option<String> {
    // `lwsync` and `isync` are of one architecture with `sync`.
    let belongs = |tag: &str, word: &str| tag.starts_with(word) || word == "sync" && tag.ends_with(word);
    let edges = program.processes.iter().flat_map(|process| &process.cfg.edges);
    let tags = edges.flat_map(|edge| &edge.ops).filter_map(|op| match op {
        Op::Fence(fence) => Some(fence.tag.to_ascii_lowercase()),
        _ => None,
    });
    let mut known = tags.filter_map(|tag| ASSEMBLY.iter().find(|(word, _, _)| belongs(&tag, word)));
    let (_, light, full) = known.next()?;
    let word = if kind == "SC" { full } else { light };
    Some(format!("__asm__ volatile(\"{word}\" ::: \"memory\");"))
}

pub(crate) fn fences(vocabulary: Vocabulary) -> Vec<Fence> {
    vocabulary.fences()
}

/// A fence goes before or after the statement of its place, on a line of its own.
pub(crate) fn edit(sources: &Sources, file: FileId, program: &Program, insertions: &[Insertion]) -> Edits {
    let text = sources.text(file);
    let mut edits = Vec::new();
    for insertion in insertions {
        let kind = kind_name(&insertion.op);
        let said = match FENCES.iter().find(|(tag, _)| *tag == &*kind) {
            Some((tag, order)) => {
                assembly(program, tag).unwrap_or_else(|| format!("atomic_thread_fence({order});"))
            }
            None => return Err(format!("C has no word for the fence `{kind}`")),
        };
        let (after, origin) = match insertion.place.spot {
            Spot::After(origin) => (true, origin.0),
            Spot::Before(point) => {
                (false, program.process(insertion.place.process).cfg.point(point).origin.0)
            }
        };
        if origin.is_nowhere() || origin.file != file {
            return Err("the place is in a header or made by a macro; wattle edits neither".into());
        }
        let start = origin.start as usize;
        // A statement that stores is never a word alone: that is the name of a macro that makes several
        // (`Places::statement`).
        let own = sources.slice(origin);
        if own.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err(format!("the place is made by the macro `{own}`; wattle edits no macro"));
        }
        if after && stores_twice(program, insertion.place.process, origin) {
            return Err("the statement stores several times, and no fence can stand inside of it".into());
        }
        let line = line_start(text, start);
        let own_line = text[line..start].trim().is_empty();
        let indent: String = text[line..start].chars().take_while(|letter| letter.is_whitespace()).collect();
        let between = if own_line { format!("\n{indent}") } else { " ".to_owned() };
        let end = || match text[..origin.end as usize].ends_with([';', '}']) {
            true => Ok(origin.end as usize),
            false => match text[origin.end as usize..].find(';') {
                Some(at) => Ok(origin.end as usize + at + 1),
                None => Err("the statement has no end".to_owned()),
            },
        };
        let insert = |at: usize, text: String| TextEdit { span: Span::new(file, at, at), text };
        let made = match (after, is_whole_body(&text[..start])) {
            (true, false) => vec![insert(end()?, format!("{between}{said}"))],
            (false, false) => vec![insert(start, format!("{said}{between}"))],
            (true, true) => vec![insert(start, "{ ".into()), insert(end()?, format!("{between}{said} }}"))],
            (false, true) => vec![insert(start, format!("{{ {said}{between}")), insert(end()?, " }".into())],
        };
        if made.iter().all(|edit| edits.contains(edit)) {
            continue;
        }
        if made.len() > 1 && made.iter().any(|edit| edits.contains(edit)) {
            return Err("two fences at a statement that is a branch by itself".into());
        }
        edits.extend(made);
    }
    Ok(edits)
}

/// Is the statement behind this text all that a branch or a loop does, without braces around it?
fn is_whole_body(before: &str) -> bool {
    let mut rest = before;
    let mut last = "";
    while !rest.is_empty() {
        let letter = rest.chars().next().map_or(1, char::len_utf8);
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if rest.starts_with('#') && before[..before.len() - rest.len()].ends_with(['\n', ' ', '\t']) {
            directive(rest)
        } else if rest.starts_with(['"', '\'']) {
            last = &rest[..1];
            literal(rest)
        } else if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            last = &rest[..end];
            end
        } else {
            if !rest.starts_with(char::is_whitespace) {
                last = &rest[..letter];
            }
            letter
        };
        rest = &rest[skipped..];
    }
    matches!(last, ")" | "else" | "do")
}

/// The length of a directive of the preprocessor, with the lines that it goes on to.
fn directive(text: &str) -> usize {
    let mut at = 0;
    loop {
        match text[at..].find('\n') {
            None => return text.len(),
            Some(end) if text[at..at + end].ends_with('\\') => at += end + 1,
            Some(end) => return at + end,
        }
    }
}

/// The length of a string or character that begins here.
fn literal(text: &str) -> usize {
    let quote = text.chars().next();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            _ if Some(letter) == quote => return at + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Do two steps of one statement store, one directly after the other?
fn stores_twice(program: &Program, process: ProcessId, origin: Span) -> bool {
    let edges = &program.process(process).cfg.edges;
    let own = || edges.iter().filter(|edge| edge.origin.0 == origin);
    let stores = |edge: &&Edge| takes_fence(edge);
    own().filter(stores).any(|first| {
        let (mut open, mut seen) = (vec![first.to], BTreeSet::new());
        while let Some(point) = open.pop() {
            seen.insert(point.0);
            for edge in own().filter(|edge| edge.from == point && !std::ptr::eq(*edge, first)) {
                if takes_fence(edge) {
                    return true;
                }
                if !seen.contains(&edge.to.0) {
                    open.push(edge.to);
                }
            }
        }
        false
    })
}

pub(crate) fn remove(_: &Sources, _: FileId, _: &[Span]) -> Edits {
    Err("wattle does not take fences out of C texts yet".into())
}
