//! A program with any number of copies, with so many: the finite program that a counterexample is about.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::passes::narrow_start;
use crate::{NotFixed, ProcessId, Program, Replicas};

/// How many copies there are of each process that may have any number of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instance(pub BTreeMap<ProcessId, u32>);

impl Instance {
    /// The program with these numbers of copies, and with no more first values than matter ([`narrow_start`]). `Err`: a process without a number, or a number for a
    /// process whose text fixes it.
    pub fn of<'p>(&self, program: &'p Program) -> Result<Cow<'p, Program>, NotFixed> {
        let any = |process: &ProcessId| {
            program.processes.get(process.0 as usize).is_some_and(|it| it.replicas == Replicas::Any)
        };
        if let Some(process) = self.0.keys().find(|process| !any(process)) {
            return Err(NotFixed(*process));
        }
        let mut instance = Cow::Borrowed(program);
        for process in program.process_ids().filter(any) {
            let copies = *self.0.get(&process).ok_or(NotFixed(process))?;
            instance.to_mut().processes[process.0 as usize].replicas = Replicas::Exactly(copies);
        }
        Ok(match narrow_start(&instance) {
            Some(narrowed) => Cow::Owned(narrowed),
            None => instance,
        })
    }
}
