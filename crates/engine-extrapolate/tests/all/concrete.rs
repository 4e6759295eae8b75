//! A program of transitions, run on values: no predicates, no solver.

use std::collections::{BTreeMap, BTreeSet};

use wattle_abstraction::{Fold, System};
use wattle_engine::certificate::abstraction::{AbstractProof, Claim, Step, Triple};
use wattle_logic::{Kind, Term, Value};
use wattle_memory::reduction::named;
use wattle_program::{Point, Program, PropertyKind, passes};

/// A point for each thread, a value for each cell.
pub type State = (Vec<Point>, Vec<Value>);

pub struct Concrete {
    pub system: System,
    numbers: BTreeMap<Term, usize>,
}

impl Concrete {
    /// The program that a proof is about.
    pub fn new(program: &Program, proof: &AbstractProof) -> Concrete {
        let program = match &proof.reduction {
            None => passes::instantiate(program).unwrap(),
            Some((discipline, capacity)) => named(*discipline).reduce(program, capacity).unwrap().program,
        };
        Concrete::of(System::new(&program).unwrap())
    }

    pub fn of(system: System) -> Concrete {
        let numbers = system.cells.iter().enumerate().map(|(n, cell)| (cell.leaf.clone(), n)).collect();
        Concrete { system, numbers }
    }

    pub fn value(&self, term: &Term, state: &State) -> Value {
        let value = term.map(&mut |part| match part.kind() {
            Kind::Content(_) | Kind::LocalOf { .. } => {
                Term::value(state.1[self.numbers[&part]].clone(), part.sort())
            }
            Kind::At { process, point, .. } => Term::bool(state.0[*process as usize].0 == *point),
            Kind::Ended { process, .. } => Term::bool(self.has_ended(*process as usize, state)),
            // What a freed slot holds.
            Kind::Symbol(_) => Term::value(part.sort().zero(), part.sort()),
            _ => part,
        });
        value.fold().as_value().unwrap_or_else(|| panic!("{term:?}")).clone()
    }

    pub fn holds(&self, term: &Term, state: &State) -> bool {
        self.value(term, state) == Value::Bool(true)
    }

    fn has_ended(&self, thread: usize, state: &State) -> bool {
        self.system.ends[thread][state.0[thread].0 as usize]
    }

    pub fn after(&self, number: usize, state: &State) -> Option<State> {
        let transition = &self.system.transitions[number];
        self.holds(&transition.guard, state).then(|| {
            let mut next = state.clone();
            for (cell, value) in &transition.updates {
                next.1[*cell as usize] = self.value(value, state);
            }
            next.0[transition.thread as usize] = transition.to;
            next
        })
    }

    /// All states that can be reached, local steps going first where the system says so.
    pub fn reachable(&self) -> BTreeSet<State> {
        self.reachable_within(usize::MAX).unwrap()
    }

    /// `None`: there are more than so many.
    pub fn reachable_within(&self, most: usize) -> Option<BTreeSet<State>> {
        let system = &self.system;
        let zero = |cell: &wattle_abstraction::system::Cell| cell.leaf.sort().zero();
        let mut start = (system.entries.clone(), system.cells.iter().map(zero).collect::<Vec<Value>>());
        // The programs of these tests start with fixed values: a conjunction of equations.
        let mut equations = vec![system.init.clone()];
        while let Some(equation) = equations.pop() {
            if let Kind::Binary(operator, left, right) = equation.kind() {
                match self.numbers.get(left) {
                    Some(cell) => start.1[*cell] = right.as_value().unwrap().clone(),
                    None => {
                        assert!(operator.is_logical());
                        equations.extend([left.clone(), right.clone()]);
                    }
                }
            }
        }
        assert!(self.holds(&system.init, &start));
        let mut found = BTreeSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            if found.len() > most {
                return None;
            }
            for number in self.enabled(&state) {
                if let Some(next) = self.after(number, &state)
                    && found.insert(next.clone())
                {
                    open.push(next);
                }
            }
        }
        Some(found)
    }

    pub fn enabled(&self, state: &State) -> Vec<usize> {
        let system = &self.system;
        let at = |thread: usize| state.0[thread].0 as usize;
        let inside = (0..state.0.len()).find(|thread| system.inside[*thread][at(*thread)]);
        let movers = (0..state.0.len()).filter(|thread| inside.is_none_or(|inside| inside == *thread));
        let first = movers.clone().find_map(|thread| system.first[thread][at(thread)].clone());
        first
            .unwrap_or_else(|| movers.flat_map(|thread| system.leaving[thread][at(thread)].clone()).collect())
    }

    pub fn satisfies(&self, cube: &[(u32, bool)], predicates: &[Term], state: &State) -> bool {
        cube.iter().all(|(predicate, value)| self.holds(&predicates[*predicate as usize], state) == *value)
    }

    /// Does the triple hold in this state?
    pub fn agrees(&self, triple: &Triple, predicates: &[Term], state: &State) -> bool {
        let number = |step: &Step| {
            let same = |other: &wattle_abstraction::system::Transition| {
                other.thread == step.thread && other.edge == step.edge
            };
            self.system.transitions.iter().position(same).unwrap()
        };
        let is = |predicate: &usize, value: &bool, state: &State| {
            self.holds(&predicates[*predicate], state) == *value
        };
        !self.satisfies(&triple.cube, predicates, state)
            || match &triple.claim {
                Claim::Contradiction => false,
                Claim::Initially { predicate, value } => {
                    !self.holds(&self.system.init, state) || is(predicate, value, state)
                }
                Claim::Blocked { step } => self.after(number(step), state).is_none(),
                Claim::Sets { step, predicate, value } => {
                    self.after(number(step), state).is_none_or(|next| is(predicate, value, &next))
                }
                Claim::Checks { step, check } => {
                    let check = &self.system.transitions[number(step)].checks[*check];
                    !self.holds(&check.guard, state) || self.holds(&check.holds, state)
                }
                Claim::Holds { property, places } => {
                    self.places(*property, state) != *places
                        || self.holds(&self.system.properties[*property].1, state)
                }
            }
    }

    fn places(&self, property: usize, state: &State) -> Vec<bool> {
        let mut found: Vec<Term> = Vec::new();
        self.system.properties[property].1.walk(&mut |term| {
            if matches!(term.kind(), Kind::At { .. } | Kind::Ended { .. }) && !found.contains(term) {
                found.push(term.clone());
            }
        });
        found.iter().map(|place| self.holds(place, state)).collect()
    }

    /// Is nothing violated in a state?
    pub fn is_good(&self, state: &State) -> bool {
        self.violated(state).is_empty()
    }

    /// The properties that a state violates.
    pub fn violated(&self, state: &State) -> Vec<usize> {
        let threads = || 0..state.0.len();
        if threads().any(|thread| self.system.inside[thread][state.0[thread].0 as usize]) {
            return vec![];
        }
        let ended = threads().all(|thread| self.has_ended(thread, state));
        let violated = |(number, (kind, formula)): (usize, &(PropertyKind, Term))| {
            let asked = *kind != PropertyKind::Finally || ended;
            (asked && !self.holds(formula, state)).then_some(number)
        };
        self.system.properties.iter().enumerate().filter_map(violated).collect()
    }

    /// The checks that fail when a transition is tried in a state.
    pub fn failed(&self, number: usize, state: &State) -> Vec<usize> {
        let checks = self.system.transitions[number].checks.iter().enumerate();
        let failed = checks.filter(|(_, c)| self.holds(&c.guard, state) && !self.holds(&c.holds, state));
        failed.map(|(check, _)| check).collect()
    }
}
