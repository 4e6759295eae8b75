//! From a task to an answer: what is the same in every engine that proves with predicates.

use std::path::PathBuf;

use wattle_engine::{Answer, Contradiction, Estimate, Halt, Hints, Run, Statistics, Task, grows};

use crate::subject::Subject;
use crate::text::{is_given, remembering};

/// Who asks, and with which options.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    pub engine: &'static str,
    /// Where the SMT library may be.
    pub smt: &'a [PathBuf],
    /// Find all predicates, also where the text gives some.
    pub ignore_given: bool,
}

impl Asking<'_> {
    /// Answer a task by a method, which leaves hints and figures whatever comes of it.
    pub fn check(
        &self,
        task: &Task<'_>,
        run: &Run,
        method: impl FnOnce(&Subject<'_>, &mut Hints, &mut Statistics) -> Result<Answer, Halt>,
    ) -> Result<Answer, Contradiction> {
        let (mut hints, mut statistics) = (Hints::default(), Statistics::default());
        let given = is_given(task.program, self.ignore_given);
        let program = remembering(task.program, given);
        let task = &Task { program: &program, ..*task };
        let subject = Subject::new(self.engine, task, run, self.smt, given).map_err(Halt::Unknown);
        let verdict = subject.and_then(|subject| method(&subject, &mut hints, &mut statistics));
        Answer::of(verdict, statistics).map(|answer| Answer { hints, ..answer })
    }
}

/// Such engines were made for numbers that grow in loops.
pub fn estimate(task: &Task<'_>) -> Estimate {
    let loops = task.program.processes.iter().any(|process| !process.cfg.is_loop_free());
    if loops && grows(task.program) { Estimate::MadeFor } else { Estimate::Open }
}
