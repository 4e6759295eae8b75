//! A law for tests of engines and machines: adding a fence never hurts.
//!
//! A fence only waits, so a program with one more fence has fewer runs, and a safe program stays
//! safe. The one exception is a property that is violated because a thread has *not* reached a
//! point, since a fence may hold it back; such programs are skipped.

use wattle_engine::{Engine, Reason, Run, Task, Verdict};
use wattle_program::passes::{Insertion, forget_dead, insert};

use crate::clause::control_is_positive;
use crate::kinds::kinds;
use crate::places::places;

/// What became of the law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Law {
    /// For this many fences; 0 if the program is not safe or the law does not speak of it.
    Holds(usize),
    /// This fence broke a safe program.
    Broken(Insertion),
    Unknown(Reason),
}

/// If `task` is safe, check it again with one more fence, for every place in turn.
pub fn adding_a_fence_never_hurts(task: &Task<'_>, engine: &dyn Engine, run: &Run) -> Law {
    let check = |insertions: &[Insertion]| {
        let program = forget_dead(&insert(task.program, insertions));
        engine.check(&Task { program: &program, ..*task }, run).verdict
    };
    if !control_is_positive(task.program) {
        return Law::Holds(0);
    }
    match check(&[]) {
        Verdict::Safe { .. } | Verdict::SafeUpTo { .. } => {}
        Verdict::Unsafe { .. } => return Law::Holds(0),
        Verdict::Unknown { reason } => return Law::Unknown(reason),
    }
    let places = places(task.program, task.memory, true, &kinds(task.program.vocabulary, task.memory));
    for insertion in &places {
        match check(std::slice::from_ref(insertion)) {
            Verdict::Safe { .. } | Verdict::SafeUpTo { .. } => {}
            Verdict::Unsafe { .. } => return Law::Broken(insertion.clone()),
            Verdict::Unknown { reason } => return Law::Unknown(reason),
        }
    }
    Law::Holds(places.len())
}
