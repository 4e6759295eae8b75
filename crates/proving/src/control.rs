//! Predicates that say how the buffers of a reduced program are filled.
//!
//! Which slots are in use, of which location each is (under TSO), and whether something is in an abstract rest:
//! what the paper of Abdulla and others calls control components, and that of Dan and others generic predicates. Of pending
//! remote operations: the flags.

use wattle_logic::{Sort, Term};
use wattle_memory::reduction::rma::{Holds, Statement};
use wattle_memory::reduction::{Buffers, Reduced};

/// Counters by value, locations of slots, rests in use.
pub fn control(reduced: &Reduced) -> Vec<Term> {
    let is = |thread: usize, local: u32, value: u32| {
        let local = Term::local_of(thread as u32, Term::int(0), local, Sort::Int);
        local.equals(Term::int(i64::from(value)))
    };
    let counter =
        |thread: usize, count: u32, most: usize| (0..=most as u32).map(move |value| is(thread, count, value));
    let mut result = Vec::new();
    match &reduced.buffers {
        Buffers::Pso(threads) => {
            for (thread, buffers) in threads.iter().enumerate() {
                for buffer in buffers.iter().filter(|buffer| !buffer.slots.is_empty()) {
                    result.extend(counter(thread, buffer.count, buffer.slots.len()));
                }
                let rests = buffers.iter().filter_map(|buffer| buffer.rest.as_ref());
                result.extend(rests.map(|rest| is(thread, rest.more, 0)));
            }
        }
        Buffers::Tso(threads) => {
            let all = || threads.iter().enumerate().filter_map(|(at, one)| Some((at, one.as_ref()?)));
            for (thread, buffer) in all().filter(|(_, buffer)| !buffer.slots.is_empty()) {
                result.extend(counter(thread, buffer.count, buffer.slots.len()));
            }
            for (thread, buffer) in all() {
                for slot in &buffer.slots {
                    result.extend(buffer.written.iter().map(|location| is(thread, slot.lhs, *location)));
                }
                result.extend(buffer.rests.values().map(|rest| is(thread, rest.more, 0)));
            }
        }
        Buffers::Rma(_) => result.extend(flags(reduced, &|_| true)),
    }
    result
}

/// Of some remote statements: is one pending? And of an atomic: has it happened?
pub fn flags(reduced: &Reduced, of: &dyn Fn(&Statement) -> bool) -> Vec<Term> {
    let Buffers::Rma(statements) = &reduced.buffers else { return vec![] };
    let mut result = Vec::new();
    for statement in statements.iter().filter(|statement| of(statement)) {
        for pending in statement.slots.iter().chain(&statement.rest) {
            let active = Term::content(Term::address(pending.active, vec![]), Sort::Int);
            let phases = match pending.holds {
                Holds::Update { old: Some(_), .. } => 0..2,
                _ => 0..1,
            };
            result.extend(phases.map(|phase| active.clone().equals(Term::int(phase))));
        }
    }
    result
}
