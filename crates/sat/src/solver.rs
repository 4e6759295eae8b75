//! CaDiCaL, with the order theory in its loop.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use cadical_sys::{CaDiCal, ExternalPropagator, Status, Terminator};

use crate::{Clauses, Definition, Description, Lit, scratch};

/// What a call of [`Solver::solve`] found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is an assignment: [`Solver::value`] tells it.
    Sat,
    /// There is none under these assumptions: [`Solver::failed`] tells which of them are to blame.
    Unsat,
    /// It was told to stop.
    Stopped,
}

/// Figures of a solver so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    pub variables: u64,
    pub clauses: u64,
    pub conflicts: u64,
    pub decisions: u64,
    pub propagations: u64,
    /// Clauses that the order theory added on a conflict.
    pub theory_lemmas: u64,
    /// Literals that the order theory found to be false.
    pub theory_propagations: u64,
    /// Pairs that it derived from given ones.
    pub derived_pairs: u64,
}

/// Tells when to stop, and remembers that it did.
struct Stop {
    when: Box<dyn FnMut() -> bool>,
    stopped: bool,
}

impl Stop {
    fn poll(&mut self) -> bool {
        self.stopped = self.stopped || (self.when)();
        self.stopped
    }
}

struct Poll(Rc<RefCell<Stop>>);

impl Terminator for Poll {
    fn terminated(&mut self) -> bool {
        self.0.borrow_mut().poll()
    }
}

/// Clauses, and at most one description of orders.
pub struct Solver {
    cadical: RefCell<CaDiCal>,
    stop: Rc<RefCell<Stop>>,
    theory: Option<Rc<RefCell<Checker>>>,
    variables: i32,
    clauses: u64,
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solver").field("variables", &self.variables).finish_non_exhaustive()
    }
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

impl Solver {
    pub fn new() -> Solver {
        let mut cadical = CaDiCal::new();
        cadical.set("chrono", 0);
        let stop = Rc::new(RefCell::new(Stop { when: Box::new(|| false), stopped: false }));
        cadical.connect_terminator(Poll(Rc::clone(&stop)));
        cadical.clause1(1);
        Solver { cadical: RefCell::new(cadical), stop, theory: None, variables: 1, clauses: 0 }
    }

    /// Asked now and then while solving: `true` ends it with [`Outcome::Stopped`].
    pub fn stop_when(&mut self, when: impl FnMut() -> bool + 'static) {
        *self.stop.borrow_mut() = Stop { when: Box::new(when), stopped: false };
    }

    /// Whatever is found satisfies this too. To be called once, before the first `solve`.
    pub fn connect(&mut self, description: Description) {
        let mut variables: Vec<i32> = Vec::new();
        let mut mention = |literal: &Lit| {
            if literal.constant().is_none() {
                variables.push(literal.number().abs());
            }
        };
        for definition in &description.relations {
            if let Definition::Given { literal, .. } = definition {
                literal.iter().for_each(|(literal, _)| mention(literal));
            }
        }
        for graph in &description.graphs {
            graph.literal.iter().for_each(|(literal, _)| mention(literal));
        }
        variables.sort_unstable();
        variables.dedup();
        let theory = Rc::new(RefCell::new(Checker { description, lemma: None, lemmas: 0 }));
        let mut cadical = self.cadical.borrow_mut();
        cadical.connect_external_propagator(Shared(Rc::clone(&theory)));
        for variable in variables {
            cadical.add_observed_var(variable);
        }
        self.theory = Some(theory);
    }

    pub fn solve(&mut self, assumptions: &[Lit]) -> Outcome {
        if self.stop.borrow_mut().poll() {
            return Outcome::Stopped;
        }
        let mut cadical = self.cadical.borrow_mut();
        for literal in assumptions {
            cadical.assume(literal.number());
        }
        let status = cadical.solve();
        if self.stop.borrow().stopped {
            return Outcome::Stopped;
        }
        match status {
            Status::SATISFIABLE => Outcome::Sat,
            Status::UNSATISFIABLE => Outcome::Unsat,
            Status::UNKNOWN => Outcome::Stopped,
        }
    }

    /// After [`Outcome::Sat`].
    pub fn value(&self, literal: Lit) -> bool {
        match literal.constant() {
            Some(value) => value,
            // Asked of the variable, since CaDiCaL says no to both literals of one that no clause has.
            None => (self.cadical.borrow_mut().val(literal.number().abs()) > 0) == literal.is_positive(),
        }
    }

    /// After [`Outcome::Unsat`], of an assumption: it is among those to blame.
    pub fn failed(&self, literal: Lit) -> bool {
        self.cadical.borrow_mut().failed(literal.number())
    }

    pub fn statistics(&self) -> Statistics {
        let cadical = self.cadical.borrow();
        let count = |name: &str| u64::try_from(cadical.get_statistic_value(name)).unwrap_or(0);
        Statistics {
            variables: u64::from(self.variables.unsigned_abs()),
            clauses: self.clauses,
            conflicts: count("conflicts"),
            decisions: count("decisions"),
            propagations: count("propagations"),
            theory_lemmas: self.theory.as_ref().map_or(0, |theory| theory.borrow().lemmas),
            theory_propagations: 0,
            derived_pairs: 0,
        }
    }
}

impl Clauses for Solver {
    fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit::new(self.variables)
    }

    fn clause(&mut self, literals: &[Lit]) {
        if literals.contains(&Lit::TRUE) {
            return;
        }
        self.clauses += 1;
        let mut cadical = self.cadical.borrow_mut();
        for literal in literals {
            if *literal != Lit::FALSE {
                cadical.add(literal.number());
            }
        }
        cadical.add(0);
    }
}

/// Looks at complete assignments only.
struct Checker {
    description: Description,
    /// What is left to say of a clause, last literal first.
    lemma: Option<Vec<i32>>,
    lemmas: u64,
}

struct Shared(Rc<RefCell<Checker>>);

impl ExternalPropagator for Shared {
    fn is_lazy(&mut self) -> bool {
        true
    }

    fn notify_assignment(&mut self, _literals: &[i32]) {}
    fn notify_new_decision_level(&mut self) {}
    fn notify_backtrack(&mut self, _level: usize) {}

    fn cb_check_found_model(&mut self, model: &[i32]) -> bool {
        let mut theory = self.0.borrow_mut();
        let holds = |literal: Lit| {
            literal == Lit::TRUE
                || model
                    .binary_search_by_key(&literal.variable(), |value| value.unsigned_abs())
                    .is_ok_and(|position| model[position] == literal.number())
        };
        let Some(literals) = scratch::conflict(&theory.description, holds) else {
            return true;
        };
        theory.lemma = Some(literals.into_iter().map(|literal| -literal.number()).collect());
        theory.lemmas += 1;
        false
    }

    fn cb_has_external_clause(&mut self, _forgettable: &mut bool) -> bool {
        self.0.borrow().lemma.is_some()
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        let mut theory = self.0.borrow_mut();
        let next = theory.lemma.as_mut().and_then(Vec::pop);
        if next.is_none() {
            theory.lemma = None;
        }
        next.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Graph, RelationId};

    #[test]
    fn two_edges_that_close_a_cycle() {
        let mut solver = Solver::new();
        let (a, b) = (solver.fresh(), solver.fresh());
        solver.clause(&[a, b, Lit::FALSE]);
        solver.connect(Description {
            events: 2,
            relations: vec![Definition::Given { fixed: vec![], literal: vec![(a, (0, 1)), (b, (1, 0))] }],
            graphs: vec![Graph { relations: vec![RelationId(0)], ..Graph::default() }],
            tests: vec![],
        });
        assert_eq!(solver.solve(&[]), Outcome::Sat);
        assert!(solver.value(a) != solver.value(b));
        assert_eq!(solver.solve(&[a, b]), Outcome::Unsat);
        assert!(solver.failed(a) && solver.failed(b));
        assert_eq!(solver.solve(&[b]), Outcome::Sat);
        assert!(solver.value(b) && !solver.value(a));
        solver.clause(&[a]);
        assert_eq!(solver.solve(&[b]), Outcome::Unsat);
        assert_eq!(solver.solve(&[]), Outcome::Sat);
        let mut polls = 0;
        solver.stop_when(move || {
            polls += 1;
            polls > 1
        });
        assert_ne!(solver.solve(&[]), Outcome::Unsat);
        assert_eq!(solver.solve(&[]), Outcome::Stopped);
    }

    #[test]
    fn constants_and_unused_variables() {
        let mut solver = Solver::new();
        let unused = solver.fresh();
        assert_eq!(solver.solve(&[Lit::TRUE]), Outcome::Sat);
        assert_ne!(solver.value(unused), solver.value(!unused));
        assert!(solver.value(Lit::TRUE) && !solver.value(Lit::FALSE));
        assert_eq!(solver.solve(&[Lit::FALSE, unused]), Outcome::Unsat);
        assert!(solver.failed(Lit::FALSE) && !solver.failed(unused));
    }

    #[test]
    fn a_fixed_cycle() {
        let mut solver = Solver::new();
        solver.connect(Description {
            events: 2,
            relations: vec![],
            graphs: vec![Graph { fixed: vec![(0, 1), (1, 0)], ..Graph::default() }],
            tests: vec![],
        });
        assert_eq!(solver.solve(&[]), Outcome::Unsat);
    }
}
