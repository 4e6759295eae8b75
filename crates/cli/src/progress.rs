//! A line that shows how far a search is: on a terminal, and never between results.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use wattle_driver::Listener;
use wattle_engine::Progress;

#[derive(Clone, Debug)]
pub(crate) struct Meter {
    bar: Option<ProgressBar>,
}

impl Meter {
    pub(crate) fn new(wanted: bool) -> Meter {
        if !wanted || !std::io::stderr().is_terminal() {
            return Meter { bar: None };
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Meter { bar: Some(bar) }
    }

    pub(crate) fn listener(&self) -> Option<Arc<Listener>> {
        let bar = self.bar.clone()?;
        Some(Arc::new(move |progress: &Progress| {
            let depth =
                if progress.depth > 0 { format!(", depth {}", progress.depth) } else { String::new() };
            bar.set_message(format!("{} {} states{depth}", progress.phase, progress.states));
        }))
    }

    /// Print with the line out of the way.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
