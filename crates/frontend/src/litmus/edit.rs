//! From a repair back to the text.

use wattle_program::Program;
use wattle_program::passes::Insertion;
use wattle_source::{FileId, Sources, Span, TextEdit};

pub fn edit(_: &Sources, _: FileId, _: &Program, _: &[Insertion]) -> Result<Vec<TextEdit>, String> {
    Err("fences cannot be put into litmus tests yet".into())
}

pub fn remove(_: &Sources, _: FileId, _: &[Span]) -> Result<Vec<TextEdit>, String> {
    Err("fences cannot be taken out of litmus tests yet".into())
}
