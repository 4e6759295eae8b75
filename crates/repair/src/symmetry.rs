//! The same counterexample with the copies of a process in other roles.
//!
//! Copies of one process run the same text, so a run in which copy 0 is overtaken often has a twin
//! in which copy 1 is. The twin yields a clause that the engine need not be asked for: under
//! Peterson's lock, one counterexample for each fence of the text instead of one for each copy.
//!
//! Nothing here has to be right. A rotation maps threads, places, and array elements that look as if
//! they belong to copies; whether the result is a run of the program is found out by replaying it,
//! and a twin that does not replay is dropped (a program may treat its copies differently).

use wattle_engine::{Counterexample, Schedule, Violation};
use wattle_memory::operational::{Action, Half};
use wattle_program::{Dimension, ProcessId, Program, Shape, ThreadId};

/// Copy `c` of the process takes the role of copy `c + by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rotation {
    pub process: ProcessId,
    pub copies: u32,
    pub by: u32,
}

/// All rotations of all processes that have copies.
pub(crate) fn rotations(program: &Program) -> Vec<Rotation> {
    let of = |process: ProcessId| {
        let copies = program.process(process).replicas.count().unwrap_or(1);
        (1..copies).map(move |by| Rotation { process, copies, by })
    };
    program.process_ids().flat_map(of).collect()
}

impl Rotation {
    pub fn copy(&self, copy: u32) -> u32 {
        (copy + self.by) % self.copies
    }

    pub fn counterexample(&self, program: &Program, found: &Counterexample) -> Option<Counterexample> {
        let shape = Shape::new(program).ok()?;
        let rotate = Rotate { rotation: *self, program, shape: &shape };
        let schedule = found.schedule.as_ref()?;
        let actions: Option<Vec<Action>> =
            schedule.actions.iter().map(|action| rotate.action(action)).collect();
        let violated = match found.violated.clone() {
            Violation::Assertion { thread, edge, op } => {
                Violation::Assertion { thread: rotate.thread(thread), edge, op }
            }
            Violation::Fault { thread, edge, op, fault } => {
                Violation::Fault { thread: rotate.thread(thread), edge, op, fault }
            }
            other => other,
        };
        let schedule = Schedule { initial: schedule.initial.clone(), actions: actions? };
        Some(Counterexample::scheduled(violated, schedule))
    }
}

struct Rotate<'a> {
    rotation: Rotation,
    program: &'a Program,
    shape: &'a Shape,
}

impl Rotate<'_> {
    fn thread(&self, thread: ThreadId) -> ThreadId {
        let info = self.shape.info(thread);
        if info.process == self.rotation.process {
            self.shape.thread(info.process, self.rotation.copy(info.copy))
        } else {
            thread
        }
    }

    fn location(&self, location: u32) -> Option<u32> {
        let info = self.shape.locations.get(location as usize)?;
        let dimensions = &self.program.variables[info.variable as usize].dimensions;
        let indices: Vec<i64> = (info.indices.iter().zip(dimensions))
            .map(|(index, dimension)| {
                let belongs = match dimension {
                    Dimension::Copies(process) => *process == self.rotation.process,
                    Dimension::Fixed(length) => *length == self.rotation.copies,
                };
                i64::from(if belongs { self.rotation.copy(*index) } else { *index })
            })
            .collect();
        self.shape.locate(info.variable, &indices).ok()
    }

    fn action(&self, action: &Action) -> Option<Action> {
        Some(match action {
            Action::Step { thread, edge, choices } => {
                Action::Step { thread: self.thread(*thread), edge: *edge, choices: choices.clone() }
            }
            Action::Commit { thread, location } => {
                Action::Commit { thread: self.thread(*thread), location: self.location(*location)? }
            }
            Action::Remote { thread, half } => {
                Action::Remote { thread: self.thread(*thread), half: self.half(half)? }
            }
        })
    }

    fn half(&self, half: &Half) -> Option<Half> {
        Some(match half.clone() {
            Half::Read { target, from, to } => {
                Half::Read { target: self.thread(target), from: self.location(from)?, to: self.location(to)? }
            }
            Half::Write { target, to, value } => {
                Half::Write { target: self.thread(target), to: self.location(to)?, value }
            }
            Half::Atomic { target, at, into, update } => Half::Atomic {
                target: self.thread(target),
                at: self.location(at)?,
                into: match into {
                    Some(into) => Some(self.location(into)?),
                    None => None,
                },
                update,
            },
        })
    }
}
