//! What a proof with small buffers leaves for one with larger buffers.
//!
//! The locals and variables of a reduced program have the same names whatever the size of its buffers, but not the same
//! numbers. Predicates that refinement found, and the questions that had to reach further, are carried over
//! by name, so that the same traces need not be refuted twice.

use std::collections::HashMap;

use wattle_abstraction::{Ask, Predicates, Reach};
use wattle_logic::{Kind, Term};
use wattle_program::Program;

use crate::figures::Figures;
use crate::prove::Start;

#[derive(Debug)]
pub struct Learnt {
    pub program: Program,
    pub predicates: Predicates,
    pub further: HashMap<Ask, Reach>,
    /// What it cost: rounds and predicates count for all sizes together.
    pub figures: Box<Figures>,
}

impl Learnt {
    /// What the loop on another program begins with, for its sake. Without what is asked of single
    /// transitions: those have other numbers there.
    pub fn start(&self, to: &Program) -> Start {
        let terms = self.predicates.terms().iter();
        let predicates = terms.filter_map(|predicate| self.carried(predicate, to)).collect();
        let carried = |ask: &Ask| match ask {
            Ask::Update(predicate) => Some(Ask::Update(self.carried(predicate, to)?)),
            Ask::Contradictions | Ask::Property(..) => Some(ask.clone()),
            Ask::Blocked(_) | Ask::Check(..) => None,
        };
        let further = self.further.iter().filter_map(|(ask, reach)| Some((carried(ask)?, *reach))).collect();
        let Figures { rounds, refined, .. } = *self.figures;
        Start { predicates, further, figures: Figures { rounds, refined, ..Figures::default() } }
    }

    /// Variables of the source have the same numbers, and those that a reduction adds have names of their own.
    fn variable(&self, variable: u32, to: &Program) -> Option<u32> {
        let name = &self.program.variables[variable as usize].name;
        let same = to.variables.get(variable as usize).is_some_and(|other| other.name == *name);
        let named = || to.variables.iter().position(|other| other.name == *name).map(|found| found as u32);
        if same { Some(variable) } else { named() }
    }

    fn carried(&self, term: &Term, to: &Program) -> Option<Term> {
        let mut known = true;
        let carried = term.map(&mut |term| {
            if let Kind::Address { variable, indices } = term.kind() {
                let variable = self.variable(*variable, to);
                known &= variable.is_some();
                return variable.map_or(term.clone(), |variable| Term::address(variable, indices.clone()));
            }
            let Kind::LocalOf { process, copy, local } = term.kind() else { return term };
            let name = &self.program.processes[*process as usize].locals[*local as usize].name;
            let mut locals = to.processes[*process as usize].locals.iter();
            match locals.position(|local| local.name == *name) {
                Some(local) => Term::local_of(*process, copy.clone(), local as u32, term.sort()),
                None => {
                    known = false;
                    term
                }
            }
        });
        known.then_some(carried)
    }
}
