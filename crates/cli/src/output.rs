//! Standard output: the only place that results go to. What is wrong with an input, and warnings, go to standard
//! error.
//!
//! A reader that goes away (`wattle … | head`) ends wattle quietly: no panic, no message.

use std::io::{self, IsTerminal, Write};

use wattle_report::Report;
use wattle_report::text::{Detail, Options, Shown, Style};

use crate::args::{Format, Show, When};

/// On narrower screens nothing is aligned any more.
const NARROWEST: usize = 40;

#[derive(Debug)]
pub(crate) struct Output {
    pub format: Format,
    pub options: Options,
    /// Whether the reader is still there.
    open: bool,
}

impl Output {
    pub(crate) fn new(show: &Show) -> Output {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let coloured = match show.color {
            When::Always => true,
            When::Never => false,
            When::Auto => io::stdout().is_terminal() && !set("NO_COLOR") && !dumb,
        };
        let detail = match (show.quiet, show.verbose) {
            (true, _) => Detail::Quiet,
            (_, true) => Detail::Verbose,
            _ => Detail::Normal,
        };
        let style = if coloured { Style::Coloured } else { Style::Plain };
        let wished = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let width = wished
            .filter(|columns| *columns > 0)
            .map_or(Options::default().width, |columns: usize| columns.max(NARROWEST));
        let options = Options { style, detail, timing: !show.no_timing, width };
        Output { format: show.format, options, open: true }
    }

    /// Print text as it is. `false` if the reader has gone away.
    pub(crate) fn text(&mut self, text: &str) -> bool {
        if self.open {
            let mut stdout = io::stdout().lock();
            self.open = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_ok();
        }
        self.open
    }

    /// A result, and what is to be said beside it. `false` if the reader has gone away.
    pub(crate) fn shown(&mut self, shown: &Shown) -> bool {
        let open = self.text(&shown.result);
        aside(&shown.aside);
        open
    }

    /// A result in the form that was asked for. `false` if the reader has gone away.
    pub(crate) fn report(&mut self, report: &dyn Report) -> bool {
        let shown = rendered(report, self.format, &self.options);
        self.shown(&shown)
    }
}

/// A result in some form, for whoever prints it later.
pub(crate) fn rendered(report: &dyn Report, format: Format, options: &Options) -> Shown {
    match format {
        Format::Json => Shown { result: format!("{}\n", report.json(options)), ..Shown::default() },
        Format::Text => report.text(options),
        Format::Svcomp => report.svcomp(options),
    }
}

/// Text beside the results, to standard error.
pub(crate) fn aside(text: &str) {
    // If standard error is gone, the failure cannot be reported anywhere.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// A message beside the results, to standard error.
pub(crate) fn complain(message: &str) {
    // If standard error is gone, the failure cannot be reported anywhere.
    let _ = writeln!(io::stderr(), "wattle: {message}");
}
