//! What is asked of a random program: forbidden pairs of points, invariants of memory, and final
//! states as litmus tests name them.

use wattle_logic::{Binary, Quantifier, Sort, Term, Value};
use wattle_program::{Init, Op, ProcessId, Program, Property, PropertyKind, Range};
use wattle_source::Span;

use crate::declare::{self, World};
use crate::{Profile, Rng};

pub(crate) fn add(rng: &mut Rng, profile: &Profile, world: &World, litmus: bool, program: &mut Program) {
    let cells = cells(world);
    let locals = locals(program);
    observe(rng, if litmus { 1000 } else { profile.observe_all }, &cells, &locals, program);
    let has_assert = program.processes.iter().any(|process| {
        process.cfg.edges.iter().any(|edge| edge.ops.iter().any(|op| matches!(op, Op::Assert { .. })))
    });
    let wanted = if has_assert { rng.below(2) } else { 1 + rng.below(5) / 4 };
    for _ in 0..wanted {
        let kind = if litmus { 9 } else { rng.below(10) };
        let (kind, formula) = match kind {
            0..=4 if rng.chance(400) => {
                let kind = if rng.chance(500) { PropertyKind::Forbid } else { PropertyKind::Always };
                (kind, mixed(rng, world, program, &cells, &locals, 2))
            }
            0..=2 => (PropertyKind::Forbid, forbidden(rng, world, program)),
            3 | 4 => {
                let (cell, sort, range) = rng.pick(&cells);
                let claim = equals(rng, cell, *sort, *range).negated();
                let claim = match locals.is_empty() || rng.chance(600) {
                    true => claim,
                    false => {
                        let (local, sort, range) = rng.pick(&locals);
                        claim.or(equals(rng, local, *sort, *range))
                    }
                };
                (PropertyKind::Always, claim)
            }
            _ => (PropertyKind::Finally, last_states(rng, litmus, &cells, &locals).negated()),
        };
        program.properties.push(Property { kind, formula, span: Span::NOWHERE });
    }
    if rng.chance(30) {
        let (term, sort, range) = rng.pick(&cells);
        program.filter = Some(equals(rng, term, *sort, *range).negated());
    }
    let any = |variable: &wattle_program::Variable| variable.init == Init::Any;
    if let Some(number) = program.variables.iter().position(any)
        && rng.chance(300)
    {
        let variable = &program.variables[number];
        let content = Term::content(Term::address(number as u32, vec![]), variable.sort);
        if variable.dimensions.is_empty() {
            program.init = Some(equals(rng, &content, variable.sort, variable.range).negated());
        }
    }
}

type Cell = (Term, Sort, Option<Range>);

/// The contents of every location.
fn cells(world: &World) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (number, variable) in world.variables.iter().enumerate() {
        let lengths: Vec<u32> = variable.dimensions.iter().map(|one| world.length(*one)).collect();
        for flat in 0..lengths.iter().product() {
            // At most one dimension is ever declared.
            let indices = lengths.iter().map(|_| Term::int(i64::from(flat))).collect();
            let content = Term::content(Term::address(number as u32, indices), variable.sort);
            cells.push((content, variable.sort, variable.range));
        }
    }
    cells
}

/// The locals of every thread.
fn locals(program: &Program) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (process, info) in program.processes.iter().enumerate() {
        for copy in 0..info.replicas.count().unwrap_or(0) {
            for (number, local) in info.locals.iter().enumerate() {
                let copy = Term::int(i64::from(copy));
                let term = Term::local_of(process as u32, copy, number as u32, local.sort);
                cells.push((term, local.sort, local.range));
            }
        }
    }
    cells
}

fn observe(rng: &mut Rng, observe_all: u32, cells: &[Cell], locals: &[Cell], program: &mut Program) {
    let all = rng.chance(observe_all);
    for (term, ..) in cells.iter().chain(locals) {
        if all || rng.chance(600) {
            program.observed.push(term.clone());
        }
    }
}

fn equals(rng: &mut Rng, term: &Term, sort: Sort, range: Option<Range>) -> Term {
    let value = match sort {
        Sort::Address => Term::value(Value::Address(rng.below(2)), sort),
        _ => declare::literal(rng, sort, range),
    };
    let operators = [Binary::Equal, Binary::Equal, Binary::Equal, Binary::NotEqual];
    Term::binary(*rng.pick(&operators), term.clone(), value)
}

/// A combination of what was read and what is left in memory.
fn last_states(rng: &mut Rng, litmus: bool, cells: &[Cell], locals: &[Cell]) -> Term {
    let mut parts = Vec::new();
    for _ in 0..1 + rng.below(3) {
        let from =
            if !locals.is_empty() && rng.chance(if litmus { 800 } else { 500 }) { locals } else { cells };
        let (term, sort, range) = rng.pick(from);
        parts.push(equals(rng, term, *sort, *range));
    }
    Term::conjunction(parts)
}

/// Points, ends, locals and memory under every connective: what a state formula may depend on, and
/// in which direction, is where a reduction can go wrong.
fn mixed(
    rng: &mut Rng,
    world: &World,
    program: &Program,
    cells: &[Cell],
    locals: &[Cell],
    depth: u32,
) -> Term {
    if depth > 0 && rng.chance(800) {
        let part = |rng: &mut Rng| mixed(rng, world, program, cells, locals, depth - 1);
        let (left, right) = (part(rng), part(rng));
        return match rng.below(6) {
            0 => left.negated(),
            1 => left.or(right),
            2 => Term::binary(Binary::Implies, left, right),
            3 => left.equals(right),
            _ => left.and(right),
        };
    }
    let process = rng.below(world.copies.len() as u32);
    let copy = Term::int(i64::from(rng.below(world.copies[process as usize])));
    match rng.below(6) {
        0 => Term::ended(process, copy),
        1 if !locals.is_empty() => {
            let (term, sort, range) = rng.pick(locals);
            equals(rng, term, *sort, *range)
        }
        2 => {
            let (term, sort, range) = rng.pick(cells);
            equals(rng, term, *sort, *range)
        }
        3 if !locals.is_empty() => match indexed_by_a_local(rng, world, locals) {
            Some((term, sort, range)) => equals(rng, &term, sort, range),
            None => Term::ended(process, copy),
        },
        _ => {
            let points = program.process(ProcessId(process)).cfg.points.len() as u32;
            Term::at(process, copy, rng.below(points))
        }
    }
}

/// An element of an array, chosen by what a local holds; never out of bounds.
fn indexed_by_a_local(rng: &mut Rng, world: &World, locals: &[Cell]) -> Option<Cell> {
    let long = |variable: &wattle_program::Variable| matches!(variable.dimensions.as_slice(), [one] if world.length(*one) > 1);
    let number = world.variables.iter().position(long)?;
    let (local, sort, range) = rng.pick(locals);
    let test = equals(rng, local, *sort, *range);
    let index = Term::if_then_else(test, Term::int(1), Term::int(0));
    let variable = &world.variables[number];
    let content = Term::content(Term::address(number as u32, vec![index]), variable.sort);
    Some((content, variable.sort, variable.range))
}

/// Two threads at two points, or two copies at one.
fn forbidden(rng: &mut Rng, world: &World, program: &Program) -> Term {
    let at = |rng: &mut Rng, process: u32, copy: Term| {
        let points = program.process(ProcessId(process)).cfg.points.len() as u32;
        Term::at(process, copy, rng.below(points))
    };
    let process = rng.below(world.copies.len() as u32);
    let copies = world.copies[process as usize];
    if copies > 1 && rng.chance(300) {
        let quantifier = if rng.chance(800) { Quantifier::Forall } else { Quantifier::Exists };
        let body = at(rng, process, Term::bound(0));
        return Term::quantified(quantifier, 0, process, body);
    }
    let copy = Term::int(i64::from(rng.below(copies)));
    let one = at(rng, process, copy);
    let other = rng.below(world.copies.len() as u32);
    if rng.chance(100) {
        return one.and(Term::ended(other, Term::int(0)));
    }
    let copy = Term::int(i64::from(world.copies[other as usize]) - 1);
    one.and(at(rng, other, copy))
}
