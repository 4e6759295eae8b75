//! Predicates from a trace that is not real, by interpolants.

use wattle_logic::{Binary, Kind, Term};
use wattle_smt::{Interpolate, Interpolation, Solver, Step, StraightLine};

use crate::checker::AbstractTrace;
use crate::entail::Stopped;
use crate::predicates::atoms;
use crate::prover::stopped;
use crate::system::System;
use crate::unfold::unfold;

/// The comparisons of the interpolants, in the order of the trace. `None`: there are none to be had, or
/// the trace is real.
pub fn predicates(
    system: &System,
    solver: &mut Solver,
    trace: &AbstractTrace,
    given: &Term,
    target: &Term,
) -> Result<Option<Vec<Term>>, Stopped> {
    if let Some(unfolded) = unfold(system, trace, given) {
        let found = predicates(&unfolded.system, solver, &unfolded.trace, &unfolded.given, target)?;
        return Ok(found.map(|all| unfolded.predicates(all)));
    }
    let step = |number: &usize| {
        let transition = &system.transitions[*number];
        let updates = transition.updates.iter().map(|(cell, value)| (*cell as usize, value.clone()));
        Step { guard: transition.guard.clone(), updates: updates.collect() }
    };
    let line = StraightLine {
        cells: system.cells.iter().map(|cell| cell.leaf.clone()).collect(),
        init: system.init.clone(),
        steps: trace.steps.iter().map(step).collect(),
        bad: given.clone().and(target.negated()),
    };
    match solver.interpolants(&line) {
        Interpolation::Interpolants(all) => {
            let mut found: Vec<Term> = Vec::new();
            for atom in all.iter().flat_map(atoms) {
                if !found.contains(&atom) {
                    found.push(atom);
                }
            }
            // The solver speaks of remainders by quotients, in many ways: that does not converge.
            let divides = |atom: &Term| {
                let mut found = false;
                atom.walk(&mut |term| found |= matches!(term.kind(), Kind::Binary(Binary::Divide, ..)));
                found
            };
            if !found.iter().all(divides) {
                found.retain(|atom| !divides(atom));
            }
            Ok(Some(found))
        }
        Interpolation::Stopped(wattle_smt::Stop::Asked) => Err(Stopped::Asked),
        Interpolation::Stopped(stop @ wattle_smt::Stop::Memory) => Err(stopped(&stop)),
        _ => Ok(None),
    }
}
