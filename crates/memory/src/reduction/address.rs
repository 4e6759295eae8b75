//! Which locations an address may name, and how a case says which one it is.

use std::collections::BTreeSet;

use wattle_logic::{Kind, Term, Value};
use wattle_program::{Mode, Op, ProcessId, Program, Shape};

/// What is known of an address before the program runs.
pub(super) enum Target {
    Fixed(u32),
    /// One of these, and which one if the condition holds. If none does, the access faults.
    OneOf(Vec<(u32, Term)>),
}

pub(super) fn target(shape: &Shape, address: &Term) -> Target {
    if let Some(location) = shape.fixed_location(address, 0) {
        return Target::Fixed(location);
    }
    match address.kind() {
        Kind::Address { variable, indices } => {
            let condition = |location: u32| {
                let mut conditions = Vec::new();
                for (index, place) in indices.iter().zip(&shape.locations[location as usize].indices) {
                    match index.as_value() {
                        Some(value) if *value == Value::Int(i64::from(*place)) => {}
                        Some(_) => return None,
                        None => conditions.push(index.clone().equals(Term::int(i64::from(*place)))),
                    }
                }
                Some((location, Term::conjunction(conditions)))
            };
            Target::OneOf(shape.locations_of(*variable).filter_map(condition).collect())
        }
        // `p[k].x`, where each copy of p has an x of its own.
        Kind::If(condition, then, otherwise) => {
            let mut all: Vec<(u32, Term)> = Vec::new();
            for (part, condition) in [(then, condition.clone()), (otherwise, condition.negated())] {
                let found = match target(shape, part) {
                    Target::Fixed(location) => vec![(location, Term::bool(true))],
                    Target::OneOf(found) => found,
                };
                for (location, here) in found {
                    let here = condition.clone().and(here).simplify();
                    match all.iter_mut().find(|(other, _)| *other == location) {
                        Some((_, before)) => *before = before.clone().or(here),
                        None => all.push((location, here)),
                    }
                }
            }
            Target::OneOf(all)
        }
        // The address that has no value.
        Kind::Pointer(number) if *number == Term::int(0) => Target::OneOf(vec![]),
        _ => {
            let all = 0..shape.locations.len() as u32;
            let condition = |location: u32| (location, address.clone().equals(name(shape, location)));
            Target::OneOf(all.map(condition).collect())
        }
    }
}

/// The address of a location.
pub(super) fn name(shape: &Shape, location: u32) -> Term {
    let info = &shape.locations[location as usize];
    Term::address(info.variable, info.indices.iter().map(|index| Term::int(i64::from(*index))).collect())
}

/// The locations that a process may store to through buffers, in order. (Nobody stores to `overflow`.)
pub(super) fn written(
    program: &Program,
    shape: &Shape,
    process: ProcessId,
    overflow: Option<u32>,
) -> Vec<u32> {
    let mut written = BTreeSet::new();
    let edges = program.process(process).cfg.edges.iter().filter(|edge| edge.mode != Mode::Locked);
    for op in edges.flat_map(|edge| &edge.ops) {
        if let Op::Store { address, .. } = op {
            match target(shape, address) {
                Target::Fixed(location) => written.extend([location]),
                Target::OneOf(locations) => written.extend(locations.iter().map(|(location, _)| *location)),
            }
        }
    }
    let is_overflow = |location: &u32| Some(shape.locations[*location as usize].variable) == overflow;
    written.into_iter().filter(|location| !is_overflow(location)).collect()
}

/// An address that is computed, rather than that of a variable's element, might reach the variable
/// `overflow`, which is new. There it faults, as it did when nothing was there.
pub(super) fn keep_off(program: &mut Program, shape: &Shape, overflow: u32) {
    let flag = Term::address(overflow, vec![]);
    let guarded = |address: &Term| match address.kind() {
        Kind::Address { .. } => address.clone(),
        _ if shape
            .fixed_location(address, 0)
            .is_some_and(|location| location + 1 < shape.locations.len() as u32) =>
        {
            address.clone()
        }
        _ => Term::if_then_else(
            address.clone().equals(flag.clone()),
            Term::pointer(Term::int(0)),
            address.clone(),
        ),
    };
    for edge in program.processes.iter_mut().flat_map(|process| &mut process.cfg.edges) {
        for op in &mut edge.ops {
            match op {
                Op::Load { address, .. } | Op::Store { address, .. } => *address = guarded(address),
                Op::Fence(fence) => {
                    fence.location.iter_mut().for_each(|location| *location = guarded(location))
                }
                _ => {}
            }
        }
    }
    program.rewrite_formulas(&mut |formula| {
        formula.map(&mut |term| match term.kind() {
            Kind::Content(address) => Term::content(guarded(address), term.sort()),
            _ => term,
        })
    });
}
