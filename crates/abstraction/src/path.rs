//! Is an abstract violation real?
//!
//! The edges of a trace are run one after the other on symbols: what every cell holds is a term over what
//! it held at first and over what was chosen on the way. If all guards together have a solution, the
//! solution says what to choose, and the machine can be asked to do it. (Locals that were forgotten are
//! dead, so their values on the way do not matter.)

use std::collections::HashMap;

use wattle_logic::{Kind, Symbol, Term};
use wattle_smt::{Decide, Decision, Models, Solver};

use crate::checker::{AbstractTrace, Violated};
use crate::entail::Stopped;
use crate::fold::Fold;
use crate::prover::stopped;
use crate::system::{ELEMENTS, System, replace_leaves};
use crate::unfold::unfold;

/// Values for what a path leaves open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Solution {
    /// By cell: what it holds at first.
    pub initial: Vec<Option<i64>>,
    /// By step: the choices of its edge. If a check fails, its edge is the last step, as far as it comes.
    pub choices: Vec<Vec<i64>>,
}

/// What must hold, for the trace to be no violation, after its steps, and while which transition is tried.
pub fn obligation(system: &System, trace: &AbstractTrace) -> Option<(Term, Term)> {
    match &trace.violated {
        Violated::Check { transition, check } => {
            let check = &system.transitions[*transition].checks[*check];
            Some((check.guard.clone(), check.holds.clone()))
        }
        Violated::Property(property) => {
            let mut points = system.entries.clone();
            for step in &trace.steps {
                let transition = &system.transitions[*step];
                points[transition.thread as usize] = transition.to;
            }
            Some((Term::bool(true), system.property_at(*property, &points)?))
        }
    }
}

/// How the trace can be run so that (`given` holds and) `target` fails at its end.
pub fn solve(
    system: &System,
    solver: &mut Solver,
    trace: &AbstractTrace,
    given: &Term,
    target: &Term,
) -> Result<Option<Solution>, Stopped> {
    if let Some(unfolded) = unfold(system, trace, given) {
        let found = solve(&unfolded.system, solver, &unfolded.trace, &unfolded.given, target)?;
        return Ok(found.map(|solution| unfolded.solution(solution)));
    }
    let mut run = Symbolic::new(system);
    let mut conditions = vec![system.init.clone()];
    let mut choices = Vec::new();
    for step in &trace.steps {
        let chosen = &system.transitions[*step].choices;
        conditions.push(run.take(*step)?);
        choices.push(chosen.iter().map(|choice| run.now(choice)).collect::<Vec<Term>>());
    }
    run.step += 1;
    conditions.push(run.now(given));
    conditions.push(run.now(&target.negated()));
    if let Violated::Check { transition, check } = &trace.violated {
        let last = &system.transitions[*transition];
        let chosen = &last.choices[..last.checks[*check].chosen];
        choices.push(chosen.iter().map(|choice| run.now(choice)).collect());
    }
    let unsupported = |error: wattle_smt::Unsupported| Stopped::Solver(error.to_string());
    let mut literals = Vec::new();
    for condition in conditions {
        let condition = condition.fold();
        if condition.is_false() {
            return Ok(None);
        }
        if !condition.is_true() {
            literals.push(solver.literal(&condition).map_err(unsupported)?);
        }
    }
    match solver.check(&literals) {
        Decision::Unsat => Ok(None),
        Decision::Stopped(stop) => Err(stopped(&stop)),
        Decision::Sat => {
            let mut code = |term: &Term| match term.sort() {
                wattle_logic::Sort::Bool => solver.holds(term).map(i64::from),
                _ => solver.integer(term),
            };
            let initial = system.cells.iter().map(|cell| code(&cell.leaf)).collect();
            let mut values = Vec::new();
            for step in &choices {
                let codes: Option<Vec<i64>> = step.iter().map(&mut code).collect();
                let too_large = || Stopped::Solver("a violation needs an integer beyond 64 bits".into());
                values.push(codes.ok_or_else(too_large)?);
            }
            Ok(Some(Solution { initial, choices: values }))
        }
    }
}

/// A step's symbols are its own: they are renamed apart by step.
const SYMBOLS_A_STEP: u32 = ELEMENTS.end;

/// Terms of more nodes than this are not looked at.
pub(crate) const LARGEST: u32 = 20_000;

/// A run on symbols.
#[derive(Clone, Debug)]
pub(crate) struct Symbolic<'s> {
    system: &'s System,
    values: HashMap<Term, Term>,
    pub step: u32,
}

impl<'s> Symbolic<'s> {
    pub fn new(system: &'s System) -> Symbolic<'s> {
        let values = system.cells.iter().map(|cell| (cell.leaf.clone(), cell.leaf.clone())).collect();
        Symbolic { system, values, step: 0 }
    }

    /// From the values that are fixed at first.
    pub fn started(system: &'s System) -> Symbolic<'s> {
        let mut run = Symbolic::new(system);
        for (cell, value) in system.cells.iter().zip(&system.initial) {
            if let Some(value) = value {
                run.values.insert(cell.leaf.clone(), value.clone());
            }
        }
        run
    }

    /// Take a transition: what it needs. Values that double at every step become too large.
    pub fn take(&mut self, number: usize) -> Result<Term, Stopped> {
        let transition = &self.system.transitions[number];
        self.step += 1;
        let needs = self.now(&transition.guard);
        let values: Vec<(u32, Term)> =
            transition.updates.iter().map(|(cell, value)| (*cell, self.now(value))).collect();
        if values.iter().any(|(_, value)| value.size() > LARGEST) {
            return Err(Stopped::Solver("a value on a trace becomes too large a term".into()));
        }
        for (cell, value) in values {
            self.values.insert(self.system.cells[cell as usize].leaf.clone(), value);
        }
        Ok(needs)
    }

    /// A term over the present state as one over the first.
    pub fn now(&self, term: &Term) -> Term {
        let shift = self.step * SYMBOLS_A_STEP;
        let renamed = term.map(&mut |part| match part.kind() {
            Kind::Symbol(Symbol::Bound(number)) => Term::symbol(Symbol::Bound(number + shift), part.sort()),
            _ => part,
        });
        replace_leaves(&renamed, &|leaf| self.values.get(&leaf).cloned().unwrap_or(leaf)).fold()
    }
}
