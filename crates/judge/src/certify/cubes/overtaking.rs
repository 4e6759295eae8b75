//! Programs about which no proof of this form says anything: those with executions that cannot be undone in an order of program, coherence and
//! reads-from.
//!
//! Without state that two processes share outside their buffers, every execution can (those relations have no cycle together). With it, a
//! step may be before another because it saw it not done, while its store to some cell waits in the buffer until after the other's. So
//! a program is refused that has both: steps that look at, or change, what is written outside the buffers and has not the acting
//! process as its first index; and a buffered variable with cells of several writers, one of whom does not drain.

use std::collections::BTreeSet;

use wattle_logic::{Binary, Kind, Symbol, Term};
use wattle_program::{Edge, Op, Program};

pub(super) fn may_overtake(program: &Program) -> bool {
    let edges = || program.processes.iter().flat_map(|process| &process.cfg.edges);
    let written: BTreeSet<u32> = edges().flat_map(stores).map(|(variable, _)| variable).collect();
    let is_buffered = |variable: u32| !program.variables[variable as usize].unbuffered;
    let meddles = |edge: &Edge| {
        let others =
            |(variable, own): &(u32, bool)| !own && !is_buffered(*variable) && written.contains(variable);
        addresses(edge).iter().any(others)
    };
    let waits = |edge: &Edge| !seen(edge).iter().any(|variable| is_buffered(*variable));
    let contended = |variable: u32| {
        let writers = || edges().filter(move |edge| stores(edge).iter().any(|(other, _)| *other == variable));
        is_buffered(variable)
            && writers().flat_map(stores).any(|(other, own)| other == variable && !own)
            && writers().any(waits)
    };
    edges().any(meddles) && written.iter().any(|variable| contended(*variable))
}

/// A variable, and whether it is an element that belongs to the process that acts, or to a bound variable that is this process.
fn of_address(address: &Term, acting: &[u32]) -> Option<(u32, bool)> {
    let Kind::Address { variable, indices } = address.kind() else { return None };
    let own = indices.first().is_some_and(|index| match index.kind() {
        Kind::Symbol(Symbol::Me) => true,
        Kind::Symbol(Symbol::Bound(bound)) => acting.contains(bound),
        _ => false,
    });
    Some((*variable, own))
}

/// The bound variables that are the acting process wherever the formula holds.
fn acting_in(formula: &Term) -> Vec<u32> {
    match formula.kind() {
        Kind::Binary(Binary::And, a, b) => [acting_in(a), acting_in(b)].concat(),
        Kind::Binary(Binary::Equal, a, b) => match (a.kind(), b.kind()) {
            (Kind::Symbol(Symbol::Bound(bound)), Kind::Symbol(Symbol::Me))
            | (Kind::Symbol(Symbol::Me), Kind::Symbol(Symbol::Bound(bound))) => vec![*bound],
            _ => vec![],
        },
        _ => vec![],
    }
}

fn stores(edge: &Edge) -> Vec<(u32, bool)> {
    let of_op = |op: &Op| match op {
        Op::Together { stores } => {
            stores.iter().filter_map(|store| of_address(&store.address, &acting_in(&store.when))).collect()
        }
        _ => vec![],
    };
    edge.ops.iter().flat_map(of_op).collect()
}

/// Everything that it names, read or written.
fn addresses(edge: &Edge) -> Vec<(u32, bool)> {
    let mut found = vec![];
    named(&edge.guard, &[], &mut found);
    for op in &edge.ops {
        match op {
            Op::Together { stores } => {
                for store in stores {
                    let acting = acting_in(&store.when);
                    named(&store.when, &[], &mut found);
                    named(&store.address, &acting, &mut found);
                    named(&store.value, &acting, &mut found);
                }
            }
            _ => wattle_program::op_terms(op).iter().for_each(|term| named(term, &[], &mut found)),
        }
    }
    found
}

fn named(term: &Term, acting: &[u32], found: &mut Vec<(u32, bool)>) {
    found.extend(of_address(term, acting));
    match term.kind() {
        // If one side fails, what the other says does not matter.
        Kind::Binary(Binary::And, a, b) => {
            let both = [acting, &acting_in(term)].concat();
            named(a, &both, found);
            named(b, &both, found);
        }
        Kind::If(condition, then, otherwise) => {
            named(condition, acting, found);
            named(then, &[acting, &acting_in(condition)].concat(), found);
            named(otherwise, acting, found);
        }
        _ => term.children().into_iter().for_each(|child| named(child, acting, found)),
    }
}

fn seen(edge: &Edge) -> Vec<u32> {
    let mut found = vec![];
    let terms = edge.ops.iter().flat_map(wattle_program::op_terms);
    for term in [&edge.guard].into_iter().chain(terms) {
        term.walk(&mut |term| {
            if let Kind::Seen { address, .. } = term.kind() {
                found.extend(of_address(address, &[]).map(|(variable, _)| variable));
            }
        });
    }
    found
}
