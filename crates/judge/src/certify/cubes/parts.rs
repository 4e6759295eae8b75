//! What a proof and a program name: whether everything that a cube names is there, which processes have a number of their own, and which parts of
//! `init` speak of constants.

use std::collections::BTreeSet;

use wattle_engine::Halt;
use wattle_engine::certificate::cubes::{Cell, CubeProof, Instant, Read};
use wattle_logic::{Binary, Kind, Symbol, Term, Value};
use wattle_program::Program;

use super::super::wrong;

/// Places that a cube names are there, and sc has no instants.
pub(super) fn well_formed(program: &Program, proof: &CubeProof, buffers: bool) -> Result<(), Halt> {
    for cube in &proof.cubes {
        let processes = cube.numbers.len();
        let instant = |instant: &u32| (*instant as usize) < cube.instants.len();
        let cell = |cell: &Cell, processes: usize| {
            let variable = program.variables.get(cell.variable as usize);
            cell.indices.iter().all(|index| (*index as usize) < processes)
                && variable.is_some_and(|variable| variable.dimensions.len() == cell.indices.len())
        };
        let read = |read: &Read, processes: usize| {
            (read.by as usize) < processes && instant(&read.instant) && cell(&read.cell, processes)
        };
        let ordered = |one: &Instant| {
            one.after.iter().all(instant)
                && one.events.iter().chain(&one.drains).all(|process| (*process as usize) < processes)
                && one.cells.iter().all(|one| cell(one, processes))
        };
        let facts = cube.facts.iter().all(|fact| {
            let all = processes + fact.bound as usize;
            (1..=MOST_BOUND).contains(&fact.bound)
                && fact.except.iter().all(|process| (*process as usize) < processes)
                && fact.reads.iter().all(|one| read(one, all))
        });
        let said = cube.literals.iter().chain(cube.facts.iter().map(|fact| &fact.body));
        let fine = facts
            && said.into_iter().all(is_plain)
            && cube.reads.iter().all(|one| read(one, processes))
            && cube.instants.iter().all(ordered)
            && (buffers || cube.instants.is_empty());
        if !fine {
            return Err(wrong("a cube names what is not there"));
        }
    }
    Ok(())
}

/// Does it speak only of the cube's own processes and reads, and of memory?
fn is_plain(formula: &Term) -> bool {
    let mut plain = true;
    formula.walk(&mut |term| {
        let other =
            matches!(term.kind(), Kind::Quantified { .. } | Kind::Seen { .. } | Kind::Symbol(Symbol::Me));
        plain &= !other;
    });
    plain
}

/// As many processes can a fact be about: arrays have no more than two indices.
const MOST_BOUND: u32 = 2;

/// Numbers of processes that the text names.
pub(super) fn numbered(program: &Program) -> Vec<u32> {
    let mut numbers = BTreeSet::new();
    let mut look = |term: &Term| {
        term.walk(&mut |term| {
            if let Kind::Value(Value::Process(number)) = term.kind() {
                numbers.insert(*number);
            }
        });
    };
    program.state_formulas().for_each(&mut look);
    for edge in program.processes.iter().flat_map(|process| &process.cfg.edges) {
        look(&edge.guard);
        edge.ops.iter().flat_map(wattle_program::op_terms).for_each(&mut look);
    }
    numbers.into_iter().collect()
}

/// The parts of `init` that speak only of variables that no step stores to.
pub(super) fn constants(program: &Program) -> Vec<Term> {
    let mut stored = BTreeSet::new();
    for op in program.processes.iter().flat_map(|process| &process.cfg.edges).flat_map(|edge| &edge.ops) {
        for term in wattle_program::op_terms(op) {
            if let Kind::Address { variable, .. } = term.kind() {
                stored.insert(*variable);
            }
        }
    }
    let mut parts: Vec<Term> = program.init.iter().cloned().collect();
    let mut result = vec![];
    while let Some(part) = parts.pop() {
        if let Kind::Binary(Binary::And, a, b) = part.kind() {
            parts.extend([a.clone(), b.clone()]);
            continue;
        }
        let mut constant = true;
        part.walk(&mut |term| {
            if let Kind::Address { variable, .. } = term.kind() {
                constant &= !stored.contains(variable);
            }
        });
        result.extend(constant.then_some(part));
    }
    result
}
