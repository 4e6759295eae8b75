//! What an engine said to each question of the suite, counted.

use std::path::PathBuf;

use wattle_engine::{Answer, Halt, Run, Task, Verdict};
use wattle_judge::certify::certify;
use wattle_smt::Library;

/// How an engine did. Every question is in exactly one of `right`, `open` and `wrong`.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Questions that the engine took on.
    pub accepted: usize,
    /// Answers that are exactly the expected one, each confirmed or certified; a refusal counts where one is
    /// expected.
    pub right: usize,
    /// Questions that were refused or left open: nothing was claimed that is not so.
    pub open: Vec<String>,
    /// Claims that are not so, and answers that no judge believes.
    pub wrong: Vec<String>,
}

/// What an engine said to one question.
pub(super) enum Said {
    Right,
    Open(String),
    Wrong(String),
    /// `None`: as expected.
    Refused(Option<String>),
}

impl Score {
    pub(super) fn count(&mut self, said: Said, question: impl FnOnce() -> String) {
        self.accepted += usize::from(!matches!(said, Said::Refused(_)));
        match said {
            Said::Right | Said::Refused(None) => self.right += 1,
            Said::Open(why) => self.open.push(format!("{}: {why}", question())),
            Said::Refused(Some(why)) => self.open.push(format!("{}: refused: {why}", question())),
            Said::Wrong(what) => self.wrong.push(format!("{}: {what}", question())),
        }
    }

    pub fn asked(&self) -> usize {
        self.right + self.open.len() + self.wrong.len()
    }
}

/// A *safe* answer that is expected is right if its certificate is.
pub(super) fn certified(task: &Task<'_>, answer: &Answer, smt: &[PathBuf]) -> Said {
    let Verdict::Safe { certificate } = &answer.verdict else { return Said::Open("not safe".into()) };
    let library = || Library::find(smt).map_err(|why| why.to_string());
    match certify(task, certificate, answer.coverage.as_ref(), library, &Run::default()) {
        Ok(_) => Said::Right,
        Err(Halt::Contradiction(contradiction)) => Said::Wrong(contradiction.to_string()),
        Err(Halt::Unknown(reason)) => Said::Open(format!("not certified: {reason}")),
    }
}
