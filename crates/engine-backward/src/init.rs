//! Does a cube contain an initial state?
//!
//! Initially buffers are empty and all processes see the same memory: reads that nothing has satisfied return what their cell holds, so
//! that two of them of one cell agree, even where `init` is silent about it. The cube and `init`, instantiated for the
//! processes of the cube, must have a common state, and a state is said to exist only when nothing is left open
//! ([`Knowledge::undecided`]). Processes outside the cube do no harm: there need not be any, unless the text fixes their number;
//! then the cube is filled up first.

use crate::cube::Cube;
use crate::knowledge::Knowledge;
use crate::literal::{Literal, Outcome, Process, Renaming, Term};
use crate::pre::placements;
use crate::system::{System, Universal};

/// An initial state, as far as anything is known of it.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(crate) pins: Vec<Option<u8>>,
    pub(crate) known: Knowledge,
}

pub(crate) fn initial_state(system: &System, cube: &Cube) -> Option<Start> {
    initial_state_with(system, cube, usize::from(system.count.unwrap_or(0)), &[])
}

/// With so many processes at least, and with further literals about memory.
pub(crate) fn initial_state_with(
    system: &System,
    cube: &Cube,
    processes: usize,
    also: &[Literal],
) -> Option<Start> {
    let mut pins = cube.pins.clone();
    let old = pins.len();
    pins.resize(old.max(processes), None);
    let memory = |literal: &Literal| as_memory(literal);
    let literals: Vec<Literal> =
        cube.literals.iter().filter_map(memory).chain(also.iter().copied()).collect();
    let mut facts: Vec<Vec<Vec<Literal>>> = vec![];
    for universal in &cube.universals {
        for choice in universal.choices(pins.len(), &|process| usize::from(process) >= old) {
            let instance = universal.instance(&choice);
            facts.push(instance.iter().map(|c| c.iter().filter_map(memory).collect()).collect());
        }
    }
    for initial in &system.init {
        for (pins, fixed) in placements(&pins, 0, &initial.fixed) {
            if system.count.is_some_and(|count| pins.len() > usize::from(count)) {
                continue;
            }
            let mut process = |process: Process| *fixed.get(usize::from(process)).unwrap_or(&process);
            let mut renaming = Renaming { process: &mut process, node: &mut |node| node };
            let mut literals = literals.clone();
            literals.extend(initial.guard.literals.iter().map(|literal| renaming.literal(literal)));
            let mut facts = facts.clone();
            for universal in &initial.guard.universal {
                let universal = universal.renamed(&mut renaming);
                let choices = universal.choices(pins.len(), &|_| true);
                facts.extend(choices.iter().map(|choice| universal.instance(choice)));
            }
            if let Some(known) = satisfy(system, &pins, literals, facts) {
                return Some(Start { pins, known });
            }
        }
    }
    None
}

/// The literal about memory, where reads return what it holds.
fn as_memory(literal: &Literal) -> Option<Literal> {
    let memory = |term: Term| Term::of(term.cell);
    let mapped = match *literal {
        Literal::In(term, mask) => Literal::In(memory(term), mask),
        Literal::AtMost(x, y, c) => Literal::AtMost(x.map(memory), y.map(memory), c),
        Literal::Unequal(x, y, c) => Literal::Unequal(x.map(memory), y.map(memory), c),
        Literal::Equal(a, b) => Literal::Equal(a.mapped(memory), b.mapped(memory)),
        Literal::Differ(a, b) => Literal::Differ(a.mapped(memory), b.mapped(memory)),
        Literal::Before(a, b) => Literal::Before(a.mapped(memory), b.mapped(memory)),
        Literal::Sum(sum, relation, c) => Literal::Sum(sum.mapped(memory), relation, c),
    };
    match mapped.sorted().substitute(&|_| None) {
        Outcome::True => None,
        Outcome::Literal(literal) => Some(literal),
        // Something that differs from itself: no state.
        Outcome::False => Some(Literal::AtMost(None, None, -1)),
    }
}

/// What `init` says of constants holds always: does it leave anything of the cube?
pub(crate) fn constants_allow(system: &System, cube: &Cube) -> bool {
    if system.constant.is_empty() {
        return true;
    }
    let instances = |universal: &Universal| {
        let choices = universal.choices(cube.processes(), &|_| true);
        choices.iter().map(|choice| universal.instance(choice)).collect::<Vec<_>>()
    };
    let facts = system.constant.iter().flat_map(instances).collect();
    satisfy(system, &cube.pins, cube.literals.clone(), facts).is_some()
}

/// One alternative of each fact together with the literals, and nothing left open.
fn satisfy(
    system: &System,
    pins: &[Option<u8>],
    literals: Vec<Literal>,
    mut facts: Vec<Vec<Vec<Literal>>>,
) -> Option<Knowledge> {
    // A fact about several processes is instantiated for every order of them.
    for fact in &mut facts {
        fact.iter_mut().for_each(|alternative| alternative.sort_unstable());
        fact.sort_unstable();
        fact.dedup();
    }
    facts.sort_unstable();
    facts.dedup();
    choose(system, pins, literals, facts)
}

/// What has one alternative is taken at once, what holds already is dropped; of the others, the one with the fewest is tried.
fn choose(
    system: &System,
    pins: &[Option<u8>],
    mut literals: Vec<Literal>,
    mut open: Vec<Vec<Vec<Literal>>>,
) -> Option<Knowledge> {
    let known = loop {
        let known = Knowledge::new(system, pins, literals.iter())?;
        let before = literals.len();
        let mut left = vec![];
        for mut fact in open {
            if fact.iter().any(|alternative| alternative.iter().all(|literal| known.implies(literal))) {
                continue;
            }
            fact.retain(|alternative| !alternative.iter().any(|literal| known.excludes(literal)));
            match fact.len() {
                0 => return None,
                1 => literals.extend(fact.remove(0)),
                _ => left.push(fact),
            }
        }
        open = left;
        if literals.len() == before {
            break known;
        }
    };
    let alternatives = match (0..open.len()).min_by_key(|i| open[*i].len()) {
        Some(least) => open.swap_remove(least),
        None => match known.undecided() {
            Some(two) => two.iter().map(|literal| vec![*literal]).collect(),
            None => return Some(known),
        },
    };
    alternatives.into_iter().find_map(|alternative| {
        choose(system, pins, [&literals[..], &alternative[..]].concat(), open.clone())
    })
}
