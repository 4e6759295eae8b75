//! Front ends: from source text to a [`Program`], and from a repair back to the text.
//!
//! One folder a language. A front end knows no memory model and opens no files.

pub mod litmus;
pub mod rmm;
pub mod wir;
pub mod wtl;

use wattle_program::passes::Insertion;
use wattle_program::{Fence, Program, Vocabulary};
use wattle_source::{Diagnostic, FileId, Loader, Sources, Span, TextEdit};

/// A program and what the user should know about its text.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub program: Program,
    pub warnings: Vec<Diagnostic>,
}

/// One language.
#[allow(clippy::type_complexity)] // four functions, each read once
#[derive(Clone, Copy, Debug)]
pub struct Frontend {
    pub name: &'static str,
    pub extensions: &'static [&'static str],
    pub summary: &'static str,
    /// All errors of the text, not only the first.
    pub parse: fn(&Sources, FileId, &dyn Loader) -> Result<Parsed, Vec<Diagnostic>>,
    /// The fences that a text of this vocabulary can say.
    pub fences: fn(Vocabulary) -> Vec<Fence>,
    /// The text edits that put these fences or flushes into the text of `program`, or why the text
    /// cannot say it.
    pub edit: fn(&Sources, FileId, &Program, &[Insertion]) -> Result<Vec<TextEdit>, String>,
    /// The text edits that take the fences with these spans out.
    pub remove: fn(&Sources, FileId, &[Span]) -> Result<Vec<TextEdit>, String>,
}

pub const FRONTENDS: [Frontend; 4] = [wtl::FRONTEND, rmm::FRONTEND, litmus::FRONTEND, wir::FRONTEND];

/// The front end for a file name's extension.
pub fn for_extension(extension: &str) -> Option<&'static Frontend> {
    FRONTENDS.iter().find(|frontend| frontend.extensions.contains(&extension))
}

/// The front end called `name` (`--lang`).
pub fn named(name: &str) -> Option<&'static Frontend> {
    FRONTENDS.iter().find(|frontend| frontend.name == name)
}
