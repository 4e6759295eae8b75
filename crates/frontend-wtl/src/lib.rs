//! The language `.wtl`: small, for algorithms as papers print them. `docs/wtl.md` describes it.
//!
//! [`lex`] makes tokens, [`parse`] a tree, [`lower`] a program; each reports what it finds into
//! [`problems`] and goes on. [`edit`] is the way back: it puts fences into the text.

mod ast;
mod codes;
mod edit;
mod lex;
mod lower;
mod parse;
mod problems;
#[cfg(test)]
mod tests;

use wattle_frontend::{Frontend, Options, Parsed, Reading};
use wattle_source::{FileId, Sources, Span};

use problems::Problems;

pub const FRONTEND: Frontend = Frontend {
    name: "wtl",
    extensions: &["wtl"],
    summary: "wattle's own language: threads with shared variables, fences, remote memory access",
    links: false,
    codes: codes::CODES,
    parse,
    fences: edit::fences,
    edit: edit::edit,
    remove: edit::remove,
};

fn parse(sources: &mut Sources, file: FileId, _: &Options<'_>) -> Reading {
    let text = sources.text(file);
    let mut problems = Problems::new(file);
    let tree = parse::parse(text, &mut problems);
    let program = lower::lower(stem(sources.name(file)), text, &tree, &mut problems);
    if !problems.any()
        && let Err(invalid) = wattle_program::validate(&program)
    {
        // A mistake of this front end and not of the text; an engine must not see such a program.
        let message = format!("internal: the program made of this text is not well formed: {invalid}");
        problems.error(codes::INTERNAL, Span::new(file, 0, 0), message);
    }
    if problems.any() {
        let mut errors = problems.errors;
        errors.sort_by_key(|error| error.span().start);
        return Err(errors);
    }
    Ok(Parsed { program, warnings: problems.warnings })
}

/// The name of a file without folders and extension.
fn stem(name: &str) -> &str {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match base.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => base,
    }
}
