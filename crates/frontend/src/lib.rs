//! The contract of front ends: from source text to a [`Program`], and from a repair back to the text.
//!
//! A language is a crate of its own (`frontend-…`) with a constant of type [`Frontend`]; `driver` has the
//! list of them. Only [`wir`], the printed form of programs, is here: it has no grammar of its own, because
//! `program` prints and parses it, and it belongs to the representation rather than to a language that
//! somebody could leave out. Beside the contract stands what languages share: the shapes of words and
//! comments ([`lex`]) and the lines of a text, between which new statements go ([`lines`]).
//!
//! A front end knows no memory model and opens no files.

pub mod lex;
pub mod lines;
pub mod wir;

use wattle_program::passes::Insertion;
use wattle_program::{Fence, Program, Vocabulary};
use wattle_source::{Code, Diagnostic, FileId, Loader, NoLoader, Sources, Span, TextEdit};

/// A program and what the user should know about its text.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub program: Program,
    pub warnings: Vec<Diagnostic>,
}

/// What a front end is told about a text beside the text itself.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Where the texts of included files come from.
    pub loader: &'a dyn Loader,
    /// What the command line says about languages, by names such as `data-model`. A front end takes those that it knows.
    pub settings: &'a [(String, String)],
    /// Further files of the same program, for a language that [links](Frontend::links).
    pub linked: &'a [FileId],
}

/// A program, or all errors of the text and not only the first.
pub type Reading = Result<Parsed, Vec<Diagnostic>>;

/// The changes to a text, or why the text cannot say it.
pub type Edits = Result<Vec<TextEdit>, String>;

/// One language.
#[derive(Clone, Copy, Debug)]
pub struct Frontend {
    /// As `--lang` takes it.
    pub name: &'static str,
    /// Of file names, without the dot.
    pub extensions: &'static [&'static str],
    pub summary: &'static str,
    /// Can several files be one program?
    pub links: bool,
    /// The codes of its diagnostics, each with its explanation.
    pub codes: &'static [Code],
    /// Read the text of a file. The texts of files that it includes, or that are made of it, are added
    /// to the sources, so that spans can lie in them.
    pub parse: fn(&mut Sources, FileId, &Options<'_>) -> Reading,
    /// The fences that a text of this vocabulary can say.
    pub fences: fn(Vocabulary) -> Vec<Fence>,
    /// Put these fences or flushes into the text of a file of the program; their places are in that file.
    pub edit: fn(&Sources, FileId, &Program, &[Insertion]) -> Edits,
    /// Take the fences with these spans out of the text.
    pub remove: fn(&Sources, FileId, &[Span]) -> Edits,
}

impl Frontend {
    /// Read a text that stands alone: it includes nothing, and nobody asks for its lines.
    pub fn read(&self, name: &str, text: &str) -> Reading {
        let (mut sources, file) = Sources::single(name, text);
        (self.parse)(&mut sources, file, &Options { loader: &NoLoader, settings: &[], linked: &[] })
    }
}

/// More errors than this in one text help nobody.
pub const MOST_PROBLEMS: usize = 20;
