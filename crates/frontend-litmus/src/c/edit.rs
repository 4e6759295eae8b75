//! Fences into a thread written in C.
//!
//! A fence before a statement stands on a line of its own if the statement does, and so does one
//! after it. A statement that is the whole body of an `if`, `else`, `while` or `do` gets braces. The text is
//! not parsed again: a place knows where its statement begins, a simple statement ends with the next
//! `;`, and what stands before a statement tells whether another may.

use wattle_frontend::Edits;
use wattle_frontend::lines::line_start;
use wattle_program::Program;
use wattle_program::passes::{Insertion, Spot, kind_name};
use wattle_source::{FileId, Sources, Span, TextEdit};

use super::words::ORDERS;

pub(crate) fn edit(sources: &Sources, file: FileId, program: &Program, insertions: &[Insertion]) -> Edits {
    let text = sources.text(file);
    let mut edits = Vec::new();
    for insertion in insertions {
        let said = statement(&kind_name(&insertion.op))?;
        let (after, origin) = match insertion.place.spot {
            Spot::After(origin) => (true, origin.0),
            Spot::Before(point) => {
                (false, program.process(insertion.place.process).cfg.point(point).origin.0)
            }
        };
        if origin.is_nowhere() {
            return Err("the text has no statement at this place".into());
        }
        let start = origin.start as usize;
        let line = line_start(text, start);
        let indent = &text[line..start];
        let own_line = indent.trim().is_empty();
        let listed = match text[..start].trim_end().bytes().last() {
            Some(b'{' | b';' | b'}') => true,
            Some(b')') => false,
            Some(byte) if byte.is_ascii_alphanumeric() => false,
            _ => return Err("what stands before the statement is not understood".into()),
        };
        let end = || match &text[..origin.end as usize] {
            done if done.ends_with(';') => Some(done.len()),
            done => text[done.len()..].find(';').map(|at| done.len() + at + 1),
        };
        let mut insert = |at: usize, text: String| {
            let edit = TextEdit { span: Span::new(file, at, at), text };
            if !edits.contains(&edit) {
                edits.push(edit);
            }
        };
        match (after, listed) {
            (false, true) if own_line => insert(start, format!("{said}\n{indent}")),
            (false, true) => insert(start, format!("{said} ")),
            (true, true) => {
                let end = end().ok_or("the statement has no end")?;
                let rest = text[end..].lines().next().unwrap_or_default();
                match own_line && rest.trim().is_empty() {
                    true => insert(end, format!("\n{indent}{said}")),
                    false => insert(end, format!(" {said}")),
                }
            }
            (_, false) => {
                let head = ["if", "while", "do"].iter().any(|word| begins_with(&text[start..], word));
                if head {
                    return Err("a fence before a loop or branch that is the body of another".into());
                }
                let end = end().ok_or("the statement has no end")?;
                let (open, close) = if after {
                    ("{ ".into(), format!(" {said} }}"))
                } else {
                    (format!("{{ {said} "), " }".into())
                };
                insert(start, open);
                insert(end, close);
            }
        }
    }
    Ok(edits)
}

fn begins_with(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// `fence` is the strongest there is.
fn statement(tag: &str) -> Result<String, String> {
    let set = if tag == "fence" { "SC" } else { tag };
    let order = ORDERS.iter().find(|(_, known, _)| *known == set).map(|(order, _, _)| order);
    let order = order.ok_or_else(|| format!("C has no fence `{tag}`"))?;
    Ok(format!("atomic_thread_fence(memory_order_{order});"))
}
