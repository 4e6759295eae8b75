//! Results for people.

mod check;
mod diagnostic;
mod fix;
mod outcomes;
mod port;
mod story;
mod style;
mod table;

use wattle_source::{Diagnostic, Severity, Sources};

use crate::is_vacuous;

pub use check::check;
pub use diagnostic::diagnostics;
pub use fix::fix;
pub use outcomes::outcomes;
pub use port::port;
pub use story::story;
pub use style::Style;
pub use table::Table;

/// What is printed of one report: the result, and what is to be said beside it, on standard error: what is wrong
/// with the input, and warnings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    pub result: String,
    pub aside: String,
}

impl Shown {
    /// A result with diagnostics beside it. Where only verdicts are wanted, a warning that a
    /// proof is vacuous is shown all the same.
    fn new(result: String, sources: &Sources, all: &[Diagnostic], options: &Options) -> Shown {
        let wanted = |one: &&Diagnostic| {
            options.detail != Detail::Quiet || one.severity == Severity::Error || is_vacuous(one)
        };
        let aside = all.iter().filter(wanted).map(|one| diagnostic::one(sources, one, options)).collect();
        Shown { result, aside }
    }

    /// The input gave no result: everything that is printed goes to standard error.
    fn refused(headline: &str, sources: &Sources, all: &[Diagnostic], options: &Options) -> Shown {
        let aside = headline.to_owned() + &diagnostics(sources, all, options);
        Shown { result: String::new(), aside }
    }
}

/// How much to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// One line a result.
    Quiet,
    #[default]
    Normal,
    /// Also the choice of engine and all figures.
    Verbose,
}

/// What the renderers need to know about the reader.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub style: Style,
    pub detail: Detail,
    /// Show times and memory, which differ from run to run.
    pub timing: bool,
    /// Columns to fill.
    pub width: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { style: Style::Plain, detail: Detail::Normal, timing: true, width: 100 }
    }
}
