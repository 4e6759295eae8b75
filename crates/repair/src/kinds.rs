//! The kinds of fences that may be inserted.
//!
//! A place for one kind and the same place for a stronger one are two elements of the search: one
//! literal for each place and strength. Which kind is enough is found out by counterexamples, not by
//! a table of what each promises: a run that bears `lwsync` at a place and not `sync` leaves `sync`
//! in its clause and takes `lwsync` out. What is stronger never bears more, so a clause that names a
//! kind names the stronger ones too, and no repair has two fences at a place where one will do.
//!
//! Every fence costs 1 unless the user says otherwise, so that *fewest* means what it says; of two
//! sets of one cost the weaker is taken, by the number of pairs (read-read, read-write, …) that its
//! fences order.
//!
//! Only kinds that the model tells apart are offered. On TSO nothing but a write-read barrier does
//! anything; PSO knows write-write barriers too, and so does Alpha.

use std::collections::BTreeMap;

use wattle_memory::{Machine, MemoryModel};
use wattle_program::{Fence, Name, Op, Orders, Vocabulary};

/// The fences of a vocabulary that are worth inserting under a memory model, the weaker first.
pub fn kinds(vocabulary: Vocabulary, memory: &MemoryModel) -> Vec<Fence> {
    let mut fences = vocabulary.fences();
    fences.sort_by_key(strength);
    match memory.machine {
        Some(Machine::Sc { .. } | Machine::Rma { .. }) => vec![],
        Some(Machine::Tso) => full(&fences).collect(),
        Some(Machine::Pso) => barrier_and_full(&fences),
        None if vocabulary == Vocabulary::Generic && &*memory.name == "alpha" => barrier_and_full(&fences),
        None => fences,
    }
}

fn full(fences: &[Fence]) -> impl Iterator<Item = Fence> {
    fences.iter().filter(|fence| fence.orders == Orders::ALL).cloned()
}

/// The weakest that orders writes, and the full one.
fn barrier_and_full(fences: &[Fence]) -> Vec<Fence> {
    let barrier = |fence: &&Fence| fence.orders.contains(Orders::WW) && fence.orders != Orders::ALL;
    fences.iter().find(barrier).cloned().into_iter().chain(full(fences)).collect()
}

/// How many kinds of pairs it orders.
fn strength(fence: &Fence) -> u64 {
    u64::from(fence.orders.0.count_ones())
}

/// Does a fence that stands there already do what the other would?
pub(crate) fn is_as_strong(existing: &Fence, wanted: &Fence) -> bool {
    existing.orders.contains(wanted.orders) && existing.location.is_none()
}

/// What breaks ties between sets of one cost. Flushes are all alike.
pub(crate) fn strength_of(op: &Op) -> u64 {
    if let Op::Fence(fence) = op { strength(fence) } else { 0 }
}

/// The cost of what is inserted: by its kind, or 1.
pub(crate) fn cost(costs: &BTreeMap<Name, u64>, op: &Op) -> u64 {
    costs.get(&kind(op)).copied().unwrap_or(1).max(1)
}

/// A word for what is inserted, as people and `--cost` call it: `fence`, `lwsync`, `flush`.
pub fn kind(op: &Op) -> Name {
    wattle_program::passes::kind_name(op).to_lowercase().into()
}
