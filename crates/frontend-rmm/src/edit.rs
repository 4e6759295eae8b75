//! From a repair back to the text.
//!
//! Memorax's own way to put a fence after a write is to make it `locked write`. Elsewhere `fence` is
//! put before the statement that starts at the point; a lone statement after `then`, `else` or `do`
//! gets braces for it, and a loop gets it at the end of its body too, because its point is reached
//! from there as well. A text is one for all copies of its process, and the body of a macro one for
//! all its uses, so a fence for some of them only cannot be written.

use wattle_frontend::Edits;
use wattle_frontend::lines::line_alone;
use wattle_program::passes::{Insertion, Spot, kind_name};
use wattle_program::{Op, Orders, Origin, PointInfo, ProcessId, Program};
use wattle_source::{FileId, Sources, Span, TextEdit};

use super::ast::{File, Statement, StatementKind, Surroundings, visit};
use super::lower::has_errors;
use super::parse;

pub(crate) fn edit(sources: &Sources, file: FileId, program: &Program, insertions: &[Insertion]) -> Edits {
    let tree = tree(sources, file)?;
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut done: Vec<(bool, Span)> = Vec::new();
    for insertion in insertions {
        let full = matches!(&insertion.op, Op::Fence(fence)
            if fence.orders.contains(Orders::WR) && fence.location.is_none());
        if !full {
            return Err(format!("`{}` cannot be written in this language", kind_name(&insertion.op)));
        }
        let place = &insertion.place;
        let (after, origin) = match place.spot {
            Spot::After(origin) => (true, origin),
            Spot::Before(point) => (false, program.process(place.process).cfg.point(point).origin),
        };
        if origin.0.is_nowhere() {
            return Err("the text has no statement at this place".into());
        }
        everywhere(sources, program, insertions, insertion, origin)?;
        if done.contains(&(after, origin.0)) {
            continue;
        }
        done.push((after, origin.0));
        let Some((statement, surroundings)) = find(&tree, origin.0) else {
            return Err("the text has no statement at this place".into());
        };
        match (&statement.kind, after) {
            (StatementKind::Write { .. }, true) => edits.push(at(statement.span.start, file, "locked ")),
            (_, true) => put(&mut edits, statement, surroundings, "", "; fence"),
            (StatementKind::While { body, .. }, false) => {
                put(&mut edits, statement, surroundings, "fence; ", "");
                let alone = Surroundings { alone: true, before: None };
                put(&mut edits, body, alone, "", "; fence");
            }
            (_, false) => put(&mut edits, statement, surroundings, "fence; ", ""),
        }
    }
    Ok(edits)
}

/// The fence must be wanted in all copies of all processes whose text this is.
fn everywhere(
    sources: &Sources,
    program: &Program,
    insertions: &[Insertion],
    wanted: &Insertion,
    origin: Origin,
) -> Result<(), String> {
    for process in program.process_ids() {
        let cfg = &program.process(process).cfg;
        let has = match wanted.place.spot {
            Spot::After(_) => cfg.edges.iter().any(|edge| edge.origin == origin),
            Spot::Before(_) => cfg.points.iter().any(|info: &PointInfo| info.origin == origin),
        };
        let same = |one: &&Insertion| {
            one.place.process == process
                && one.op == wanted.op
                && match (one.place.spot, wanted.place.spot) {
                    (Spot::After(one), Spot::After(wanted)) => one == wanted,
                    (Spot::Before(point), Spot::Before(_)) => cfg.point(point).origin == origin,
                    _ => false,
                }
        };
        let here: Vec<Option<u32>> = insertions.iter().filter(same).map(|one| one.place.copy).collect();
        let copies = program.process(process).replicas.count().unwrap_or(u32::MAX);
        let in_all =
            here.contains(&None) || copies < u32::MAX && (0..copies).all(|copy| here.contains(&Some(copy)));
        if has && !in_all {
            let place = sources.start(origin.0);
            return Err(format!(
                "the statement at {}:{} is one text for several processes, and the fence is not for all of them \
                 ({} has none)",
                place.line,
                place.column,
                name_of(program, process)
            ));
        }
    }
    Ok(())
}

fn name_of(program: &Program, process: ProcessId) -> String {
    match program.process(process).replicas.count() {
        Some(1) => program.process(process).name.to_string(),
        _ => format!("some copy of {}", program.process(process).name),
    }
}

/// Text before and after a statement, in braces where it stands alone.
fn put(
    edits: &mut Vec<TextEdit>,
    statement: &Statement,
    surroundings: Surroundings<'_>,
    before: &str,
    after: &str,
) {
    let (open, close) = if surroundings.alone { ("{ ", " }") } else { ("", "") };
    // Inside the braces of a block that is there already.
    let block = surroundings.alone && matches!(statement.kind, StatementKind::Block(_));
    let (start, end) = match block {
        true => (statement.span.start + 1, statement.span.end - 1),
        false => (statement.span.start, statement.span.end),
    };
    let (open, close) = if block { (" ", " ") } else { (open, close) };
    let file = statement.span.file;
    let texts = [(start, format!("{open}{before}")), (end, format!("{after}{close}"))];
    for (position, text) in texts {
        if !text.trim().is_empty() {
            edits.push(at(position, file, if block { text.trim_start() } else { &text }));
        }
    }
}

pub(crate) fn remove(sources: &Sources, file: FileId, spans: &[Span]) -> Edits {
    let tree = tree(sources, file)?;
    let text = sources.text(file);
    let mut edits: Vec<TextEdit> = Vec::new();
    for span in spans {
        let Some((statement, surroundings)) = find(&tree, *span) else {
            return Err("the text has no fence at this place".into());
        };
        let mut cut = |start: u32, end: u32, text: &str| {
            let edit = TextEdit { span: Span { file, start, end }, text: text.into() };
            if !edits.contains(&edit) {
                edits.push(edit);
            }
        };
        match &statement.kind {
            StatementKind::LockedWrite { write, .. } => cut(statement.span.start, write.start, ""),
            StatementKind::Fence => {
                let before = surroundings.before.and_then(|before| before.semicolon);
                match (statement.semicolon, before) {
                    _ if surroundings.alone || !statement.labels.is_empty() => {
                        cut(statement.span.start, statement.span.end, "nop");
                    }
                    (Some(semicolon), _) => {
                        let (start, end) = whole_line(text, statement.span.start, semicolon.end);
                        cut(start, end, "");
                    }
                    (None, Some(semicolon)) => {
                        cut(semicolon.start, semicolon.end, "");
                        let (start, end) = whole_line(text, statement.span.start, statement.span.end);
                        cut(start, end, "");
                    }
                    (None, None) => cut(statement.span.start, statement.span.end, "nop"),
                }
            }
            _ => return Err("the statement at this place is no fence".into()),
        }
    }
    Ok(edits)
}

/// With the rest of the line if nothing else stands on it, or else with the blanks that follow.
fn whole_line(text: &str, start: u32, end: u32) -> (u32, u32) {
    let (start, end) = (start as usize, end as usize);
    if let Some((start, end)) = line_alone(text, start, end) {
        return (start as u32, end as u32);
    }
    let blanks = text[end..].len() - text[end..].trim_start_matches(' ').len();
    (start as u32, (end + blanks) as u32)
}

fn at(position: u32, file: FileId, text: &str) -> TextEdit {
    TextEdit { span: Span { file, start: position, end: position }, text: text.into() }
}

fn tree(sources: &Sources, file: FileId) -> Result<File, String> {
    let (tree, problems) = parse::parse(sources.text(file), file);
    if has_errors(&problems) { Err("the text has errors".into()) } else { Ok(tree) }
}

/// The statement that an origin stands for.
fn find(tree: &File, head: Span) -> Option<(&Statement, Surroundings<'_>)> {
    let mut found = None;
    visit(tree, &mut |statement, surroundings| {
        let block = matches!(statement.kind, StatementKind::Block(_));
        if found.is_none() && statement.head == head && !block {
            found = Some((statement, surroundings));
        }
    });
    found
}
