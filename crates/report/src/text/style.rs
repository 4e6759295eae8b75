//! Colours. A thread keeps its colour through a whole story.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    #[default]
    Plain,
    Coloured,
}

/// Cyan, yellow, magenta, green, blue, bright red: told apart on dark and on light ground.
const THREADS: [&str; 6] = ["36", "33", "35", "32", "34", "91"];

impl Style {
    pub fn thread(self, thread: usize, text: &str) -> String {
        self.paint(THREADS[thread % THREADS.len()], text)
    }

    pub fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub fn good(self, text: &str) -> String {
        self.paint("1;32", text)
    }

    pub fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub fn doubtful(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Style::Plain => text.to_owned(),
            Style::Coloured if text.is_empty() => String::new(),
            Style::Coloured => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}
