//! The pending halves of a thread's remote operations: which may happen now, and how a state keeps them.
//!
//! An operation is in the list once, as the half that comes next; a [`Half::Read`] stands for the write that
//! follows it too. On the unordered machine every half may happen, and the list is sorted, so that equal
//! multisets are equal lists.
//!
//! On the machine that keeps the order of issue, an operation has a *side* for each half that is still to come: the
//! target's, if that half accesses memory of the target, or else the issuer's. A half may happen if no earlier operation with the
//! same target has a half to come on the same side. So a value that is put does not overtake the write of
//! an earlier put whose read has not even happened, and nothing else is ordered.
//!
//! The list is sorted by target, and for each target in the order of issue. So it holds no order that can never matter: the
//! only operations of one target that are in no order are one that is left at the issuer alone and one that is left at
//! the target alone, and of these the first is always the earlier one, because its half at the target has happened.

use wattle_program::{Shape, ThreadId};

use super::state::Half;
use crate::Machine;

/// The halves that may happen now, each once.
pub(super) fn possible(machine: Machine, shape: &Shape, halves: &[Half]) -> Vec<Half> {
    if !machine.keeps_issue_order() {
        let mut all = halves.to_vec();
        all.dedup();
        return all;
    }
    let is_first = |at: usize| {
        let half = &halves[at];
        let side = next(shape, half);
        !halves[..at]
            .iter()
            .any(|earlier| earlier.target() == half.target() && sides(shape, earlier).contains(&side))
    };
    // Of two equal halves, the earlier one is in the way of the later.
    (0..halves.len()).filter(|at| is_first(*at)).map(|at| halves[at].clone()).collect()
}

/// An operation is issued.
pub(super) fn start(machine: Machine, halves: &mut Vec<Half>, half: Half) {
    match machine.keeps_issue_order() {
        true => {
            let at = halves.partition_point(|other| other.target() <= half.target());
            halves.insert(at, half);
        }
        false => insert_sorted(halves, half),
    }
}

/// A half has happened, and `then` is what is left of its operation. `false`: it was not pending.
pub(super) fn happened(machine: Machine, halves: &mut Vec<Half>, half: &Half, then: Option<Half>) -> bool {
    let Some(at) = halves.iter().position(|other| other == half) else { return false };
    halves.remove(at);
    match (then, machine.keeps_issue_order()) {
        (Some(then), true) => halves.insert(at, then),
        (Some(then), false) => insert_sorted(halves, then),
        (None, _) => {}
    }
    true
}

fn insert_sorted(halves: &mut Vec<Half>, half: Half) {
    let at = halves.partition_point(|other| *other <= half);
    halves.insert(at, half);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Target,
    Issuer,
}

fn side(shape: &Shape, target: ThreadId, location: u32) -> Side {
    match shape.locations[location as usize].owner == Some(target) {
        true => Side::Target,
        false => Side::Issuer,
    }
}

/// The side of the half that comes next.
fn next(shape: &Shape, half: &Half) -> Side {
    match half {
        Half::Read { target, from: at, .. }
        | Half::Write { target, to: at, .. }
        | Half::Atomic { target, at, .. } => side(shape, *target, *at),
    }
}

/// The sides of all halves that are still to come.
fn sides(shape: &Shape, half: &Half) -> Vec<Side> {
    let then = match half {
        Half::Read { to, .. } => Some(*to),
        Half::Atomic { into, .. } => *into,
        Half::Write { .. } => None,
    };
    let mut sides = vec![next(shape, half)];
    sides.extend(then.map(|at| side(shape, half.target(), at)));
    sides
}
