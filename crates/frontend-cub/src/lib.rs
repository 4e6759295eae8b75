//! The language `.cub` of Cubicle and Cubicle-W: parameterised systems, with weak memory.
//!
//! Users run their files unchanged. The text goes through [`lexer`], [`parse`] (a tree, [`ast`]) and [`lower`] (the
//! program): one process with any number of copies and one control point, whose edges are the transitions. What
//! .cub calls weak is memory behind store buffers, everything else lies outside of them. `docs/cub.md` says how
//! wattle reads the language.

mod ast;
mod codes;
mod lexer;
mod lower;
mod parse;
#[cfg(test)]
mod tests;

use wattle_frontend::{Edits, Frontend, Options, Parsed, Reading};
use wattle_program::Program;
use wattle_program::passes::Insertion;
use wattle_source::{Diagnostic, FileId, Severity, Sources, Span};

pub const FRONTEND: Frontend = Frontend {
    name: "cub",
    extensions: &["cub"],
    summary: "the language of Cubicle and Cubicle-W: systems with any number of processes",
    links: false,
    codes: codes::CODES,
    parse,
    fences: |_| vec![],
    edit,
    remove,
};

fn parse(sources: &mut Sources, file: FileId, _: &Options<'_>) -> Reading {
    let (tree, problems) = parse::parse(sources.text(file), file);
    // Where a declaration could not be read, everything that uses it would be unknown.
    if !problems.is_empty() {
        return Err(sorted(problems));
    }
    let (program, problems) = lower::lower(&tree, sources.name(file).into(), file);
    match problems.iter().any(|problem| problem.severity == Severity::Error) {
        true => Err(sorted(problems)),
        false => Ok(Parsed { program, warnings: sorted(problems) }),
    }
}

fn sorted(mut problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    problems.sort_by_key(Diagnostic::span);
    problems.dedup();
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        problems.retain(|problem| problem.severity == Severity::Error);
    }
    problems.truncate(wattle_frontend::MOST_PROBLEMS);
    problems
}

fn edit(_: &Sources, _: FileId, _: &Program, _: &[Insertion]) -> Edits {
    Err("fences of .cub are conditions of transitions; wattle does not write them yet".into())
}

fn remove(_: &Sources, _: FileId, _: &[Span]) -> Edits {
    Err("fences of .cub are conditions of transitions; wattle does not take them out yet".into())
}
