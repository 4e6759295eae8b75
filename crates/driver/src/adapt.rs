//! A program in the vocabulary that a memory model speaks.

use std::borrow::Cow;

use wattle_engine::Unsupported;
use wattle_memory::MemoryModel;
use wattle_program::{Program, passes};

/// The program itself, or its translation; `Err` names what has none.
pub fn adapt<'a>(program: &'a Program, memory: &MemoryModel) -> Result<Cow<'a, Program>, Unsupported> {
    match memory.vocabulary {
        Some(spoken) if spoken != program.vocabulary => match passes::retarget(program, spoken) {
            Ok(translated) => Ok(Cow::Owned(translated)),
            Err(passes::Untranslatable(what)) => {
                let (from, to) = (program.vocabulary.name(), &memory.name);
                Err(Unsupported::new(format!("no translation from {from} to {to}: {what}")))
            }
        },
        _ => Ok(Cow::Borrowed(program)),
    }
}

/// What the user must know about a translated program: the answer is about the translation.
pub(crate) fn translated(program: &Program, adapted: &Program) -> Option<String> {
    let (from, to) = (program.vocabulary, adapted.vocabulary);
    (from != to).then(|| {
        let (from, to) = (from.name(), to.name());
        format!("translated from {from} to {to}: each fence became one that orders at least as much")
    })
}
