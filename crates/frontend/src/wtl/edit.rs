//! stub
use wattle_program::Program;
use wattle_program::passes::Insertion;
use wattle_source::{FileId, Sources, Span, TextEdit};
pub fn edit(_: &Sources, _: FileId, _: &Program, _: &[Insertion]) -> Result<Vec<TextEdit>, String> {
    Err("not built yet".into())
}
pub fn remove(_: &Sources, _: FileId, _: &[Span]) -> Result<Vec<TextEdit>, String> {
    Err("not built yet".into())
}
