//! The language `.rmm`.

use wattle_program::Program;
use wattle_program::passes::Insertion;
use wattle_source::{Diagnostic, FileId, Loader, Sources, Span, TextEdit};

use crate::{Frontend, Parsed};

pub const FRONTEND: Frontend =
    Frontend { name: "rmm", extensions: &["rmm"], summary: "", parse, edit, remove };

fn parse(_: &Sources, file: FileId, _: &dyn Loader) -> Result<Parsed, Vec<Diagnostic>> {
    Err(vec![Diagnostic::error("rmm-todo", Span::new(file, 0, 0), "not built yet")])
}

fn edit(_: &Sources, _: FileId, _: &Program, _: &[Insertion]) -> Result<Vec<TextEdit>, String> {
    Err("not built yet".into())
}

fn remove(_: &Sources, _: FileId, _: &[Span]) -> Result<Vec<TextEdit>, String> {
    Err("not built yet".into())
}
