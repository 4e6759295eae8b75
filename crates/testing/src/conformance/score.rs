//! What an engine said to each question of the suite, counted.

use std::path::PathBuf;

use wattle_engine::{Answer, Certificate, Reason, Run, Task, Verdict, certify};
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
    let run = Run::default();
    let checked = match certificate {
        Certificate::StateSpace { capacity, .. } => certify::state_space(task, *capacity, &run).map(|_| ()),
        Certificate::Executions { .. } => certify::executions(task, &run).map(|_| ()),
        Certificate::Abstraction { proof, .. } => match Library::find(smt) {
            Ok(library) => {
                certify::abstraction(task, proof, certificate.coverage(), &library, &run).map(|_| ())
            }
            Err(why) => Err(Reason::GaveUp(why.to_string())),
        },
        Certificate::Refutation { proof: Some(proof), .. } => certify::refutation(proof, &run).map(|_| ()),
        Certificate::Refutation { proof: None, .. } => {
            Err(Reason::GaveUp("no proof was written down".into()))
        }
    };
    match checked {
        Ok(()) => Said::Right,
        Err(reason) if certify::is_contradiction(&reason) => Said::Wrong(format!("not certified: {reason}")),
        Err(reason) => Said::Open(format!("not certified: {reason}")),
    }
}
