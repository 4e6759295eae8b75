//! A program in the words that a memory model speaks.

use std::borrow::Cow;

use wattle_engine::Unsupported;
use wattle_memory::MemoryModel;
use wattle_program::passes::{Change, Untranslatable};
use wattle_program::{Program, Vocabulary};
use wattle_report::{Changed, Translated};
use wattle_source::Sources;

/// The program itself, or its translation.
#[derive(Debug)]
pub struct Adapted<'a> {
    pub program: Cow<'a, Program>,
    from: Vocabulary,
    changes: Vec<Change>,
}

/// `Err` names what has no translation.
pub fn adapt<'a>(program: &'a Program, memory: &MemoryModel) -> Result<Adapted<'a>, Unsupported> {
    match memory.translate(program) {
        Ok(translation) => Ok(Adapted {
            program: translation.program,
            from: program.vocabulary,
            changes: translation.changes,
        }),
        Err(Untranslatable(what)) => {
            let (from, to) = (program.vocabulary.name(), &memory.name);
            Err(Unsupported::new(format!("no translation from {from} to {to}: {what}")))
        }
    }
}

impl Adapted<'_> {
    /// Is everything as it was written?
    pub(crate) fn is_exact(&self) -> bool {
        self.changes.is_empty()
    }

    /// What is not as it was written.
    pub(crate) fn translated(&self, sources: &Sources) -> Translated {
        let one = |change: &Change| Changed {
            written: change.written.clone(),
            line: (!change.origin.0.is_nowhere()).then(|| sources.start(change.origin.0).line),
            became: change.became.clone(),
            stronger: change.stronger,
            weaker: change.weaker,
        };
        Translated { changes: self.changes.iter().map(one).collect() }
    }

    /// What the user must know about a translated program: the answer is about the translation.
    pub(crate) fn notes(&self, sources: &Sources) -> Vec<String> {
        let (from, to) = (self.from, self.program.vocabulary);
        let whole = (from != to).then(|| format!("translated from {} to {}", from.name(), to.name()));
        let changes = self.translated(sources).changes;
        whole.into_iter().chain(changes.iter().map(ToString::to_string)).collect()
    }
}
