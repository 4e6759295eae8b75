//! What CaDiCaL asks the order theory.
//!
//! CaDiCaL tells assignments, levels and backtracking; it asks for literals to propagate, for their
//! reasons when it needs them, and for clauses (IPASIR-UP: Fazekas, Niemetz, Preiner, Kirchweger,
//! Szeider and Biere 2023). Assignments that survive backtracking are told again.

use std::cell::RefCell;
use std::rc::Rc;

use cadical_sys::ExternalPropagator;

use crate::theory::Theory;
use crate::{Lit, scratch};

/// A clause in the middle of being told, last literal first.
#[derive(Default)]
struct Telling(Option<Vec<Lit>>);

impl Telling {
    fn next(&mut self) -> i32 {
        match self.0.as_mut().and_then(Vec::pop) {
            Some(literal) => literal.number(),
            None => {
                self.0 = None;
                0
            }
        }
    }
}

pub(crate) struct Propagator {
    theory: Rc<RefCell<Theory>>,
    lemma: Telling,
    reason: Telling,
}

impl Propagator {
    pub(crate) fn new(theory: Rc<RefCell<Theory>>) -> Propagator {
        Propagator { theory, lemma: Telling::default(), reason: Telling::default() }
    }
}

impl ExternalPropagator for Propagator {
    fn are_reasons_forgettable(&mut self) -> bool {
        true
    }

    fn notify_assignment(&mut self, literals: &[i32]) {
        self.theory.borrow_mut().assign(literals);
    }

    fn notify_new_decision_level(&mut self) {
        self.theory.borrow_mut().new_level();
    }

    fn notify_backtrack(&mut self, level: usize) {
        self.theory.borrow_mut().backtrack(level);
    }

    fn cb_check_found_model(&mut self, model: &[i32]) -> bool {
        let mut theory = self.theory.borrow_mut();
        if theory.is_stopped() {
            return true;
        }
        let open = theory.propagate();
        if let Some(literal) = open {
            self.lemma.0 = Some(theory.reason(literal));
        } else if !theory.has_conflict() && !theory.agrees(model) {
            // Something was not told. It is not known to happen; an answer must not depend on that.
            let holds = |literal: Lit| {
                literal == Lit::TRUE
                    || model
                        .binary_search_by_key(&literal.variable(), |value| value.unsigned_abs())
                        .is_ok_and(|position| model[position] == literal.number())
            };
            self.lemma.0 = scratch::conflict(theory.description(), holds)
                .map(|literals| literals.into_iter().map(|literal| !literal).collect());
        }
        !theory.has_conflict() && self.lemma.0.is_none()
    }

    fn cb_propagate(&mut self) -> i32 {
        self.theory.borrow_mut().propagate().map_or(0, Lit::number)
    }

    fn cb_add_reason_clause_lit(&mut self, propagated: i32) -> i32 {
        if self.reason.0.is_none() {
            self.reason.0 = Some(self.theory.borrow().reason(Lit::new(propagated)));
        }
        self.reason.next()
    }

    fn cb_has_external_clause(&mut self, forgettable: &mut bool) -> bool {
        *forgettable = true;
        if self.lemma.0.is_none() {
            self.lemma.0 = self.theory.borrow_mut().lemma();
        }
        self.lemma.0.is_some()
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        self.lemma.next()
    }
}
