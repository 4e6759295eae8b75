//! Laws for tests of engines, machines and models.
//!
//! **Adding a fence never hurts.** A fence only waits (or forbids), so a program with one more fence has
//! fewer runs, and a safe program stays safe. The one exception is a property that is violated because
//! a thread has *not* reached a point, since a fence may hold it back; such programs are skipped.
//!
//! **A repair with the fewest fences is tight.** It is safe, and it is not if one of its fences is taken
//! away or replaced by a weaker one.

use wattle_engine::{Contradiction, Engine, Reason, Run, Task, Verdict};
use wattle_program::passes::{Insertion, forget_dead, insert};
use wattle_program::{Fence, Op};

use crate::clause::control_is_positive;
use crate::kinds::{is_as_strong, kinds};
use crate::places::places;

/// What became of the law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Law {
    /// For this many fences; 0 if the program is not safe or the law does not speak of it.
    Holds(usize),
    /// With this fence: it broke a safe program, or it can go, or it is as good as the stronger one
    /// that was chosen.
    Broken(Insertion),
    /// The repaired program is not safe.
    NotSafe,
    Unknown(Reason),
    Contradiction(Contradiction),
}

/// If `task` is safe, check it again with one more fence, for every place in turn.
pub fn adding_a_fence_never_hurts(task: &Task<'_>, engine: &dyn Engine, run: &Run) -> Law {
    let check = |insertions: &[Insertion]| {
        let program = forget_dead(&insert(task.program, insertions));
        engine.check(&Task { program: &program, ..*task }, run).map(|answer| answer.verdict)
    };
    if !control_is_positive(task.program) {
        return Law::Holds(0);
    }
    match check(&[]) {
        Ok(Verdict::Safe { .. } | Verdict::SafeUpTo { .. }) => {}
        Ok(Verdict::Unsafe { .. }) => return Law::Holds(0),
        Ok(Verdict::Unknown { reason }) => return Law::Unknown(reason),
        Err(contradiction) => return Law::Contradiction(contradiction),
    }
    let places = places(task.program, task.memory, true, &kinds(task.program.vocabulary, task.memory));
    for insertion in &places {
        match check(std::slice::from_ref(insertion)) {
            Ok(Verdict::Safe { .. } | Verdict::SafeUpTo { .. }) => {}
            Ok(Verdict::Unsafe { .. }) => return Law::Broken(insertion.clone()),
            Ok(Verdict::Unknown { reason }) => return Law::Unknown(reason),
            Err(contradiction) => return Law::Contradiction(contradiction),
        }
    }
    Law::Holds(places.len())
}

/// Is a repair, said to be the fewest, tight? The count is that of the programs that must be unsafe.
pub fn a_repair_is_tight(task: &Task<'_>, engine: &dyn Engine, repair: &[Insertion], run: &Run) -> Law {
    let check = |insertions: &[Insertion]| {
        let program = forget_dead(&insert(task.program, insertions));
        engine.check(&Task { program: &program, ..*task }, run).map(|answer| answer.verdict)
    };
    match check(repair) {
        Ok(Verdict::Safe { .. }) => {}
        Ok(Verdict::SafeUpTo { .. } | Verdict::Unsafe { .. }) => return Law::NotSafe,
        Ok(Verdict::Unknown { reason }) => return Law::Unknown(reason),
        Err(contradiction) => return Law::Contradiction(contradiction),
    }
    let kinds = kinds(task.program.vocabulary, task.memory);
    let mut checked = 0;
    for (number, fence) in repair.iter().enumerate() {
        let weaker = |other: &&Fence| match &fence.op {
            Op::Fence(fence) => fence != *other && is_as_strong(fence, other),
            _ => false,
        };
        let weaker = kinds.iter().filter(weaker);
        let instead = weaker.map(|other| Some(Insertion { op: Op::Fence(other.clone()), ..fence.clone() }));
        for instead in instead.chain([None]) {
            let mut less = repair.to_vec();
            less.splice(number..=number, instead.clone());
            match check(&less) {
                Ok(Verdict::Unsafe { .. }) => checked += 1,
                Ok(Verdict::Unknown { reason }) => return Law::Unknown(reason),
                Err(contradiction) => return Law::Contradiction(contradiction),
                _ => return Law::Broken(instead.unwrap_or_else(|| fence.clone())),
            }
        }
    }
    Law::Holds(checked)
}
