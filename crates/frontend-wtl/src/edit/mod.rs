//! The way back: fences and flushes into the text, and out of it.
//!
//! A place is a statement, found again by its span: a step's origin is the span of its statement,
//! and so is the origin of the point where a statement starts. The text is parsed once more, each
//! statement gets a request of what to put before and after it, and one walk in the order of the
//! text turns requests into edits ([`layout`]). A fence before a loop's head is passed on every
//! round, so the text says it three times: before the loop, at the end of its body, and before each
//! `continue`.

mod layout;
mod speak;

use std::collections::BTreeMap;

use wattle_frontend::Edits;
use wattle_program::passes::{Insertion, Spot, takes_fence};
use wattle_program::{Fence, ProcessId, Program, Vocabulary};
use wattle_source::{FileId, Sources, Span};

use super::ast::{File, Item, Stmt, StmtKind};
use super::parse;
use super::problems::Problems;

/// What to put around one statement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub before: Vec<String>,
    pub after: Vec<String>,
    /// At the end of the block that the statement is.
    pub at_end: Vec<String>,
}

type Requests = BTreeMap<Span, Request>;

/// By the pairs that they order; and Power's `lwsync`, which orders through other threads too.
pub(crate) fn fences(vocabulary: Vocabulary) -> Vec<Fence> {
    vocabulary.fences().into_iter().chain([Fence::lwsync()]).collect()
}

pub(crate) fn edit(sources: &Sources, file: FileId, program: &Program, insertions: &[Insertion]) -> Edits {
    let text = sources.text(file);
    let tree = tree(text, file)?;
    let line = |span: Span| sources.start(span).line;
    let mut requests = Requests::new();
    for (number, one) in insertions.iter().enumerate() {
        let same = |other: &&Insertion| {
            other.place.process == one.place.process
                && other.place.spot == one.place.spot
                && other.op == one.op
        };
        if insertions[..number].iter().any(|other| same(&other)) {
            continue; // said with the first
        }
        let copies: Option<Vec<u32>> = insertions.iter().filter(same).map(|other| other.place.copy).collect();
        let process = one.place.process;
        let said = guarded(program, process, copies, speak::statement(program, process, &one.op)?);
        let cfg = &program.process(process).cfg;
        match one.place.spot {
            Spot::After(origin) => {
                if !cfg.edges.iter().any(|edge| edge.origin == origin && takes_fence(edge)) {
                    return Err(format!("nothing is pending after line {}", line(origin.0)));
                }
                find(&tree, origin.0, line(origin.0))?;
                requests.entry(origin.0).or_default().after.push(said);
            }
            Spot::Before(point) => {
                let origin = cfg.points.get(point.0 as usize).map(|info| info.origin.0);
                let Some(span) = origin.filter(|span| !span.is_nowhere()) else {
                    let name = &program.process(process).name;
                    return Err(format!("point {} of {name} is not the start of a statement", point.0));
                };
                let statement = find(&tree, span, line(span))?;
                requests.entry(span).or_default().before.push(said.clone());
                if let StmtKind::While { body, .. } = &statement.kind {
                    every_round(body, &said, &mut requests);
                }
            }
        }
    }
    Ok(layout::edits(text, &tree, &requests))
}

/// Take fences or flushes out. A fence that is a body of its own becomes `skip;`.
pub(crate) fn remove(sources: &Sources, file: FileId, spans: &[Span]) -> Edits {
    let text = sources.text(file);
    let tree = tree(text, file)?;
    let mut edits = Vec::new();
    for span in spans {
        let line = sources.start(*span).line;
        let statement = find(&tree, *span, line)?;
        if !matches!(statement.kind, StmtKind::Fence(_) | StmtKind::Flush(_)) {
            return Err(format!("there is no fence on line {line} at that place"));
        }
        edits.push(layout::removal(text, &tree, *span));
    }
    Ok(edits)
}

fn tree(text: &str, file: FileId) -> Result<File, String> {
    let mut problems = Problems::new(file);
    let tree = parse::parse(text, &mut problems);
    match problems.errors.first() {
        None => Ok(tree),
        Some(error) => Err(format!("the text does not parse: {}", error.message)),
    }
}

/// All statements at the top of threads.
fn bodies(tree: &File) -> impl Iterator<Item = &Stmt> {
    tree.items
        .iter()
        .filter_map(|item| match item {
            Item::Thread(thread) => Some(&thread.body),
            _ => None,
        })
        .flatten()
}

/// The statement with this span.
fn find(tree: &File, span: Span, line: u32) -> Result<&Stmt, String> {
    fn within(statement: &Stmt, span: Span) -> Option<&Stmt> {
        if statement.span == span && !matches!(statement.kind, StmtKind::Label(..)) {
            return Some(statement);
        }
        let covers = statement.span.start <= span.start && span.end <= statement.span.end;
        statement.children().into_iter().filter(|_| covers).find_map(|child| within(child, span))
    }
    bodies(tree)
        .find_map(|statement| within(statement, span))
        .ok_or_else(|| format!("there is no statement at that place on line {line}"))
}

fn guarded(program: &Program, process: ProcessId, copies: Option<Vec<u32>>, said: String) -> String {
    let Some(mut copies) = copies else { return said };
    copies.sort_unstable();
    copies.dedup();
    let all = program.process(process).replicas.count();
    if all.is_some_and(|all| copies.len() >= all as usize) {
        return said;
    }
    let tests: Vec<String> = copies.iter().map(|copy| format!("me == {copy}")).collect();
    format!("if ({}) {said}", tests.join(" || "))
}

/// The ways back to the head of a loop: the end of its body, and each `continue` that means it.
fn every_round(body: &Stmt, said: &str, requests: &mut Requests) {
    let mut last = body;
    while let StmtKind::Label(_, inner) = &last.kind {
        last = inner;
    }
    let request = requests.entry(last.span).or_default();
    match last.kind {
        StmtKind::Block(_) => request.at_end.push(said.to_owned()),
        _ => request.after.push(said.to_owned()),
    }
    fn continues(statement: &Stmt, said: &str, requests: &mut Requests) {
        match statement.kind {
            StmtKind::Continue => requests.entry(statement.span).or_default().before.push(said.to_owned()),
            // A loop inside has its own.
            StmtKind::While { .. } => {}
            _ => statement.children().into_iter().for_each(|child| continues(child, said, requests)),
        }
    }
    continues(body, said, requests);
}
