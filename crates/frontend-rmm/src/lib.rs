//! The language `.rmm` of Memorax 0.1.1.
//!
//! Users of Memorax run their files unchanged. The text goes through [`lexer`], [`macros`] (textual),
//! [`parse`] (a tree, [`ast`]), [`names`] (what names stand for) and [`lower`] (the program);
//! [`edit`] brings fences back into the text. `docs/rmm.md` says how wattle reads the language.

mod ast;
mod codes;
mod edit;
mod lexer;
mod locked;
mod lower;
mod macros;
mod names;
mod parse;
mod properties;
#[cfg(test)]
mod tests;

use wattle_frontend::{Frontend, Options, Parsed, Reading};
use wattle_source::{Diagnostic, FileId, Severity, Sources};

pub const FRONTEND: Frontend = Frontend {
    name: "rmm",
    extensions: &["rmm"],
    summary: "the language of Memorax",
    links: false,
    codes: codes::CODES,
    parse,
    fences: |_| vec![wattle_program::Fence::full()],
    edit: edit::edit,
    remove: edit::remove,
};

fn parse(sources: &mut Sources, file: FileId, _: &Options<'_>) -> Reading {
    let (tree, mut problems) = parse::parse(sources.text(file), file);
    let (program, mut more) = lower::lower(&tree, sources.name(file).into());
    more.retain(|problem| !may_be_a_hole(problem, &tree));
    problems.extend(more);
    problems.sort_by_key(|problem| problem.span());
    problems.dedup();
    if lower::has_errors(&problems) {
        problems.retain(|problem| problem.severity == Severity::Error);
        return Err(problems);
    }
    Ok(Parsed { program, warnings: problems })
}

/// Whether the name that a problem misses may be declared in a part of the text that could not be read.
fn may_be_a_hole(problem: &Diagnostic, tree: &ast::File) -> bool {
    match problem.code {
        codes::UNKNOWN_LABEL | codes::LOCKED_GOTO => tree.holes.statements || tree.holes.declarations,
        codes::DUPLICATE => false,
        _ => tree.holes.declarations,
    }
}
