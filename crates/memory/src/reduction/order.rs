//! Barriers between stores under PSO, as counters.
//!
//! A barrier says that what is pending now reaches memory before what is stored later. Stores to one location
//! stay in order anyway, so only pairs of locations matter, and it is enough to count: of each location, how
//! many of the oldest pending stores are *old*, which later ones must wait for; and of each slot, for how
//! many stores of each other location it still waits. A barrier makes all that is pending old. A store copies
//! the numbers of old ones into its slot. A commit needs an oldest slot that waits for nothing, and takes one
//! from what others wait for. So there are as many numbers as slots times locations, and no number of the
//! barriers that stand in the buffers.
//!
//! Only threads that have such barriers, and stores to two locations or more, have these locals.

use std::collections::BTreeMap;

use wattle_logic::{Binary, Sort, Term};
use wattle_program::{Cfg, Edge, Fence, Mode, Op, Orders, Process};

use super::PerLocation;
use super::case::Case;
use super::thread::add_counter;

/// The counters of one location's buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Holds how many of the oldest pending stores later ones must wait for.
    pub old: u32,
    /// By slot and other location: holds how many of its pending stores the slot waits for.
    pub waits: Vec<BTreeMap<u32, u32>>,
}

/// The first barrier of a thread that waits for nothing itself.
pub(super) fn first_barrier(cfg: &Cfg) -> Option<&Edge> {
    let is_barrier = |op: &Op| match op {
        Op::Store { tags, .. } => tags.contains("rel"),
        Op::Fence(Fence { orders, location: None, .. }) => {
            orders.contains(Orders::WW) && !orders.contains(Orders::WR)
        }
        _ => false,
    };
    cfg.edges.iter().find(|edge| edge.mode != Mode::Locked && edge.ops.iter().any(is_barrier))
}

/// Adds the counters to the buffers, and their locals to the process. `names`: of the buffers.
pub(super) fn add(process: &mut Process, buffers: &mut [PerLocation], names: &[String]) {
    let sizes: Vec<(u32, u32)> =
        buffers.iter().map(|buffer| (buffer.location, buffer.slots.len() as u32)).collect();
    for (own, buffer) in buffers.iter_mut().enumerate() {
        let of = &names[own];
        let old = add_counter(process, &format!("{of}_old"), sizes[own].1);
        let mut waits = Vec::new();
        for slot in 1..=buffer.slots.len() {
            let others = sizes.iter().zip(names).enumerate().filter(|(other, _)| *other != own);
            let counters = others.map(|(_, ((location, most), name))| {
                (*location, add_counter(process, &format!("{of}_{slot}_waits_{name}"), *most))
            });
            waits.push(counters.collect());
        }
        buffer.order = Some(Order { old, waits });
    }
}

fn number(local: u32) -> Term {
    Term::local(local, Sort::Int)
}

/// All that is pending is old.
pub(super) fn barrier(case: Case, buffers: &[PerLocation]) -> Case {
    buffers.iter().fold(case, |case, buffer| match &buffer.order {
        Some(order) => case.assigning(order.old, &number(buffer.count)),
        None => case,
    })
}

/// A store enters a slot.
pub(super) fn enter(case: Case, buffers: &[PerLocation], buffer: &PerLocation, slot: usize) -> Case {
    let waits = buffer.order.iter().flat_map(|order| &order.waits[slot]);
    waits.fold(case, |case, (location, counter)| {
        let other = buffers.iter().find(|other| other.location == *location);
        match other.and_then(|other| other.order.as_ref()) {
            Some(order) => case.assigning(*counter, &number(order.old)),
            None => case,
        }
    })
}

/// The oldest store of a buffer waits for nothing.
pub(super) fn may_commit(case: Case, buffer: &PerLocation) -> Case {
    let waits = buffer.order.iter().flat_map(|order| order.waits[0].values());
    waits.fold(case, |case, counter| case.assuming(number(*counter).equals(Term::int(0))))
}

/// The oldest of so many stores of a buffer has left.
pub(super) fn left(mut case: Case, buffers: &[PerLocation], buffer: &PerLocation, count: usize) -> Case {
    let Some(order) = &buffer.order else { return case };
    for slot in 1..count {
        for (location, counter) in &order.waits[slot] {
            case = case.assigning(order.waits[slot - 1][location], &number(*counter));
        }
    }
    for counter in order.waits[count - 1].values() {
        case = case.assigning(*counter, &Term::int(0));
    }
    let of_others = (buffers.iter().filter_map(|other| other.order.as_ref()))
        .flat_map(|other| &other.waits)
        .filter_map(|waits| waits.get(&buffer.location));
    for counter in [&order.old].into_iter().chain(of_others) {
        // A slot waits for at most as many stores as are pending.
        let less = match count {
            1 => Term::int(0),
            _ => {
                let some = Term::binary(Binary::Greater, number(*counter), Term::int(0));
                let fewer = Term::binary(Binary::Subtract, number(*counter), Term::int(1));
                Term::if_then_else(some, fewer, Term::int(0))
            }
        };
        case = case.assigning(*counter, &less);
    }
    case
}
