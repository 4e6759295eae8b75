//! Predicates from a trace that is not real, by weakest preconditions.
//!
//! The guards of the trace, run on symbols, contradict each other or what holds at first. The solver's core
//! says which of them it takes; with these alone, the weakest condition for going on to the violation is
//! computed backwards, edge by edge. Its comparisons at every point are the predicates: with them known,
//! the trace is refuted step by step. Interpolants are better where they generalise; this needs nothing
//! but decisions, and never fails.

use wattle_logic::Term;
use wattle_smt::{Decide, Decision, Solver};

use crate::checker::AbstractTrace;
use crate::entail::Stopped;
use crate::fold::Fold;
use crate::path::{LARGEST, Symbolic};
use crate::predicates::atoms;
use crate::prover::stopped;
use crate::system::System;
use crate::unfold::unfold;

/// The predicates, those of the last points first, as far as they stay small. `None`: the trace is real.
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
    let unsupported = |error: wattle_smt::Unsupported| Stopped::Solver(error.to_string());
    let mut run = Symbolic::new(system);
    let mut conditions = vec![run.now(&system.init)];
    for step in &trace.steps {
        conditions.push(run.take(*step)?);
    }
    run.step += 1;
    conditions.push(run.now(&given.clone().and(target.negated())));
    let mut literals = Vec::new();
    for condition in &conditions {
        literals.push(solver.literal(condition).map_err(unsupported)?);
    }
    let mut needed = literals.clone();
    match solver.check(&needed) {
        Decision::Sat => return Ok(None),
        Decision::Stopped(stop) => return Err(stopped(&stop)),
        Decision::Unsat => {}
    }
    needed = solver.core();
    // Fewer conditions make simpler predicates; those of the end matter most, so drop from the start.
    for literal in literals.iter().skip(1) {
        if needed.contains(literal) {
            let fewer: Vec<_> = needed.iter().filter(|other| *other != literal).copied().collect();
            match solver.check(&fewer) {
                Decision::Unsat => needed = solver.core(),
                Decision::Sat => {}
                Decision::Stopped(stop) => return Err(stopped(&stop)),
            }
        }
    }
    let mut formula = Term::bool(true);
    if needed.contains(&literals[literals.len() - 1]) {
        formula = given.clone().and(target.negated()).fold();
    }
    let mut found: Vec<Term> = atoms(&formula);
    for (number, step) in trace.steps.iter().enumerate().rev() {
        let transition = &system.transitions[*step];
        formula = system.before(transition, &formula);
        if formula.size() > LARGEST {
            break;
        }
        if needed.contains(&literals[number + 1]) {
            formula = transition.guard.clone().and(formula).fold();
        }
        for atom in atoms(&formula) {
            if !found.contains(&atom) {
                found.push(atom);
            }
        }
    }
    Ok(Some(found))
}
