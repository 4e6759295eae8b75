//! Results for people.

mod check;
mod diagnostic;
mod fix;
mod outcomes;
mod port;
mod story;
mod style;
mod table;

pub use check::check;
pub use diagnostic::diagnostics;
pub use fix::fix;
pub use outcomes::outcomes;
pub use port::port;
pub use story::story;
pub use style::Style;
pub use table::Table;

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
