//! From a repair back to the text.
//!
//! A fence gets a row of its own in the table, in which all other columns are empty: that leaves
//! every other instruction where it is. Labels before the instruction that it stands before go with
//! it. A fence that is taken out leaves its cell empty. Threads in C have an editor of their own.

use wattle_frontend::Edits;
use wattle_frontend::lines::line_start;
use wattle_program::passes::{Insertion, Spot, kind_name};
use wattle_program::{Program, Vocabulary};
use wattle_source::{FileId, Sources, Span, TextEdit};

use super::asm::{Table, find_cells};
use super::lex::Cursor;
use super::names::Names;
use super::{header, information, init};

pub(crate) fn edit(sources: &Sources, file: FileId, program: &Program, insertions: &[Insertion]) -> Edits {
    if program.vocabulary == Vocabulary::C11 {
        return super::c::edit::edit(sources, file, program, insertions);
    }
    let table = find_table(sources, file)?;
    let columns = table.threads.len();
    let mut edits: Vec<TextEdit> = Vec::new();
    for insertion in insertions {
        let fence = mnemonic(program.vocabulary, &kind_name(&insertion.op))?;
        let (after, origin) = match insertion.place.spot {
            Spot::After(origin) => (true, origin.0),
            Spot::Before(point) => {
                (false, program.process(insertion.place.process).cfg.point(point).origin.0)
            }
        };
        let holds = |(start, end): &(usize, usize)| (*start..*end).contains(&(origin.start as usize));
        let cell = table.cells.iter().position(holds).filter(|_| !origin.is_nowhere());
        let cell = cell.ok_or("the text has no instruction at this place")?;
        let (row, column) = (cell / columns, cell % columns);
        let labels = &sources.text(file)[table.cells[cell].0..origin.start as usize];
        let mut said = fence;
        if !after && labels.contains(':') {
            // The labels go with the fence, so that whoever jumps there passes it.
            let start = table.cells[cell].0 + labels.len() - labels.trim_start().len();
            let moved = TextEdit { span: Span::new(file, start, origin.start as usize), text: String::new() };
            if !edits.contains(&moved) {
                said = format!("{} {said}", labels.trim());
                edits.push(moved);
            }
        }
        let row_text = row_of(columns, column, &said);
        let (at, text) = match after {
            true => (table.cells[(row + 1) * columns - 1].1 + 1, format!("\n{row_text}")),
            false => {
                let start = table.cells[row * columns].0;
                let line = line_start(sources.text(file), start);
                let alone = sources.text(file)[line..start].trim().is_empty();
                (if alone { line } else { start }, format!("{row_text}\n"))
            }
        };
        let edit = TextEdit { span: Span::new(file, at, at), text };
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    Ok(edits)
}

pub(crate) fn remove(_: &Sources, _: FileId, spans: &[Span]) -> Edits {
    Ok(spans.iter().map(|span| TextEdit { span: *span, text: String::new() }).collect())
}

fn find_table(sources: &Sources, file: FileId) -> Result<Table, String> {
    let mut cursor = Cursor::new(sources.text(file), file);
    let mut read = || {
        let (language, _) = header(&mut cursor)?;
        let mut names = Names::new(language.canonical, false);
        information(&mut cursor)?;
        init::read(&mut cursor, &mut names)?;
        find_cells(&mut cursor, &mut names)
    };
    read().map_err(|problem| problem.message)
}

/// How a fence is written. `fence` is the strongest there is.
fn mnemonic(vocabulary: Vocabulary, tag: &str) -> Result<String, String> {
    let tag = match (vocabulary, tag) {
        (Vocabulary::X86, "fence") => "MFENCE",
        (Vocabulary::Ppc, "fence") => "SYNC",
        (Vocabulary::Arm, "fence") => "DMB",
        (Vocabulary::Aarch64, "fence") => "DMB.SY",
        (Vocabulary::Riscv, "fence") => "Fence.rw.rw",
        (_, tag) => tag,
    };
    Ok(match vocabulary {
        Vocabulary::X86 => tag.to_owned(),
        Vocabulary::Ppc => tag.to_lowercase(),
        Vocabulary::Arm | Vocabulary::Aarch64 => tag.replacen('.', " ", 1),
        Vocabulary::Riscv => match tag.strip_prefix("Fence.").and_then(|sides| sides.split_once('.')) {
            Some((before, after)) => format!("fence {before},{after}"),
            None => tag.to_lowercase(),
        },
        _ => return Err(format!("`{tag}` cannot be written in this language")),
    })
}

fn row_of(columns: usize, column: usize, fence: &str) -> String {
    let cells: Vec<&str> = (0..columns).map(|other| if other == column { fence } else { "" }).collect();
    format!(" {} ;", cells.join(" | "))
}
