//! Which writes a read may take its value from, as far as program order says.
//!
//! Where the memory model keeps accesses of one location in program order (uniproc), a read never
//! takes its value from a write that comes after it, nor from one that is surely overwritten before
//! it: from `w`, if some `w'` of the same location lies between `w` and the read in program order and
//! happens whenever the read (or `w`) does. An initial write lies before everything. That removes most
//! pairs inside a thread before anything is encoded (Algorithm 1 of Alglave et al. 2013 removes only
//! the first kind).

use wattle_engine::Unsupported;
use wattle_logic::Binary;
use wattle_memory::cat::analysis::Coherence;
use wattle_program::symbolic::{Arena, Expr, Node};

use crate::pulse::Pulse;
use crate::unroll::structure::{EventId, Structure};

/// For each event: if it reads, the writes that it may read from, sorted.
pub(crate) fn candidates(
    structure: &Structure<'_>,
    coherence: Coherence,
    pulse: &Pulse,
) -> Result<Vec<Vec<EventId>>, Unsupported> {
    let arena = &structure.arena;
    let guards = Guards::new(structure);
    let writes: Vec<EventId> = numbers(structure, |number| structure.events[number].access.writes());
    let mut all = vec![vec![]; structure.events.len()];
    for (number, list) in all.iter_mut().enumerate() {
        let read = &structure.events[number];
        if !read.access.reads() {
            continue;
        }
        pulse.beat(writes.len() * STEPS_A_PAIR);
        pulse.go_on()?;
        let before = &structure.before[number];
        let same = |write: EventId| {
            let address = structure.events[write as usize].address;
            address == read.address
                || arena.value(address).is_some() && arena.value(address) == arena.value(read.address)
        };
        let may_meet = |write: EventId| {
            let address = structure.events[write as usize].address;
            match (arena.value(address), arena.value(read.address)) {
                (Some(one), Some(other)) => one == other,
                _ => true,
            }
        };
        // The latest first: it hides most.
        let hiding: Vec<EventId> = (before.iter().rev().copied())
            .filter(|write| structure.events[*write as usize].access.writes() && same(*write))
            .collect();
        let hidden = |write: EventId| {
            let event = &structure.events[write as usize];
            if event.thread.is_some() && event.thread != read.thread {
                return false;
            }
            let ahead = |other: EventId| {
                event.thread.is_none() || structure.before[other as usize].binary_search(&write).is_ok()
            };
            let surely = |other: EventId| {
                let guard = structure.events[other as usize].guard;
                guards.implies(read.guard, guard) || guards.implies(event.guard, guard)
            };
            hiding.iter().any(|other| ahead(*other) && surely(*other))
        };
        list.extend(writes.iter().copied().filter(|write| {
            let follows = || structure.before[*write as usize].binary_search(&(number as EventId)).is_ok();
            let ordered = coherence != Coherence::Unknown;
            *write as usize != number && may_meet(*write) && !(ordered && (follows() || hidden(*write)))
        }));
    }
    Ok(all)
}

/// What looking at a read and a write costs, in steps of the pulse.
const STEPS_A_PAIR: usize = 50;

fn numbers(structure: &Structure<'_>, wanted: impl Fn(usize) -> bool) -> Vec<EventId> {
    (0..structure.events.len()).filter(|number| wanted(*number)).map(|number| number as EventId).collect()
}

/// Which guards of events follow from which, by their conjunctions and disjunctions alone.
#[derive(Debug)]
pub(crate) struct Guards {
    /// The number of each guard, by expression.
    numbers: Vec<Option<u32>>,
    /// For each expression of a guard, the set of guards that it implies; empty for others.
    implied: Vec<Vec<u64>>,
    always: Vec<bool>,
}

impl Guards {
    pub(crate) fn new(structure: &Structure<'_>) -> Guards {
        let arena = &structure.arena;
        let mut guards: Vec<Expr> = structure.events.iter().map(|event| event.guard).collect();
        guards.sort_unstable();
        guards.dedup();
        let mut numbers = vec![None; arena.len()];
        for (number, guard) in guards.iter().enumerate() {
            numbers[guard.0 as usize] = Some(number as u32);
        }
        let mut inside = vec![false; arena.len()];
        let mut open = guards.clone();
        while let Some(expr) = open.pop() {
            if !std::mem::replace(&mut inside[expr.0 as usize], true)
                && let Node::Binary(Binary::And | Binary::Or, _, left, right) = arena.node(expr)
            {
                open.extend([left, right]);
            }
        }
        let words = guards.len().div_ceil(64);
        let mut implied: Vec<Vec<u64>> = vec![vec![]; arena.len()];
        // Operands come before what uses them.
        for number in (0..arena.len()).filter(|number| inside[*number]) {
            let mut set = match arena.node(Expr(number as u32)) {
                Node::Binary(operator @ (Binary::And | Binary::Or), _, left, right) => {
                    let (left, right) = (&implied[left.0 as usize], &implied[right.0 as usize]);
                    let both = left.iter().zip(right);
                    match operator {
                        Binary::And => both.map(|(one, other)| one | other).collect(),
                        _ => both.map(|(one, other)| one & other).collect(),
                    }
                }
                _ => vec![0; words],
            };
            if let Some(guard) = numbers[number] {
                set[guard as usize / 64] |= 1 << (guard % 64);
            }
            implied[number] = set;
        }
        let always = guards.iter().map(|guard| surely(arena, *guard)).collect();
        Guards { numbers, implied, always }
    }

    /// Does the event with the second guard happen whenever the one with the first does? `false` if
    /// that is not known.
    pub(crate) fn implies(&self, guard: Expr, other: Expr) -> bool {
        let Some(number) = self.numbers[other.0 as usize] else { return false };
        let set = &self.implied[guard.0 as usize];
        self.always[number as usize]
            || set.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}

fn surely(arena: &Arena<'_>, guard: Expr) -> bool {
    arena.value(guard).is_some_and(|value| value != 0)
}

#[cfg(test)]
mod tests;
