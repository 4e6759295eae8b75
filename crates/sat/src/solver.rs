//! CaDiCaL, with the order theory in its loop.
//!
//! One solver serves many questions: clauses and the description stay, questions are assumptions, and
//! what was learned for one helps the next. Variable 1 is the constant *true*; clauses are given
//! without constants.
//!
//! *Options.* Chronological backtracking is off: the theory's trails want a stack. Learned clauses are
//! not shrunk, since with a theory's long reasons that took half of the time. The theory does not
//! choose decisions: reads-from first, in program order or against it, was several times slower than
//! the solver's own choice on Fibonacci with 8 rounds. The rest is CaDiCaL's. A solver costs 60 µs to make.
//!
//! *Stopping.* CaDiCaL asks whether to stop every few conflicts or decisions; the theory asks too, in
//! long saturations. Once told to stop it stays stopped, until another `stop_when`.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use cadical_sys::{CaDiCal, Status, Terminator};

use crate::proof::{Proof, Recorder, Tracer};
use crate::propagator::Propagator;
use crate::theory::Theory;
use crate::{Clauses, Description, Lit};

/// What a call of [`Solver::solve`] found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Satisfiability {
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
pub(crate) struct Stop {
    when: Box<dyn FnMut() -> bool>,
    stopped: bool,
}

impl Stop {
    pub(crate) fn never() -> Stop {
        Stop { when: Box::new(|| false), stopped: false }
    }

    pub(crate) fn poll(&mut self) -> bool {
        self.stopped = self.stopped || (self.when)();
        self.stopped
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stopped
    }

    pub(crate) fn halt(&mut self) {
        self.stopped = true;
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
    theory: Option<Rc<RefCell<Theory>>>,
    recorder: Option<Rc<RefCell<Recorder>>>,
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
        Solver::make(None)
    }

    /// Records why there is no assignment, for [`Solver::proof`].
    pub fn with_proof() -> Solver {
        Solver::make(Some(Rc::default()))
    }

    fn make(recorder: Option<Rc<RefCell<Recorder>>>) -> Solver {
        let mut cadical = CaDiCal::new();
        cadical.set("chrono", 0);
        cadical.set("shrink", 0);
        if let Some(recorder) = &recorder {
            cadical.set("elim", 0);
            cadical.connect_proof_tracer1(Tracer(Rc::clone(recorder)), true, false);
        }
        let stop = Rc::new(RefCell::new(Stop::never()));
        cadical.connect_terminator(Poll(Rc::clone(&stop)));
        cadical.clause1(1);
        Solver { cadical: RefCell::new(cadical), stop, theory: None, recorder, variables: 1, clauses: 0 }
    }

    /// Asked now and then while solving: `true` ends it with [`Satisfiability::Stopped`].
    pub fn stop_when(&mut self, when: impl FnMut() -> bool + 'static) {
        *self.stop.borrow_mut() = Stop { when: Box::new(when), stopped: false };
    }

    /// Whatever is found satisfies this too. To be called once, before the first `solve`.
    pub fn connect(&mut self, description: Description) {
        let mut theory = Theory::new(description, Rc::clone(&self.stop), self.recorder.clone());
        if self.stop.borrow_mut().poll() {
            return;
        }
        for closing in theory.at_first() {
            self.clause(&theory.clause(&closing));
        }
        let theory = Rc::new(RefCell::new(theory));
        let cadical = self.cadical.get_mut();
        cadical.connect_external_propagator(Propagator::new(Rc::clone(&theory)));
        // What is assigned already is told at once, so the theory must not be borrowed.
        let variables: Vec<i32> = theory.borrow().variables().collect();
        variables.into_iter().for_each(|variable| cadical.add_observed_var(variable));
        self.theory = Some(theory);
    }

    pub fn solve(&mut self, assumptions: &[Lit]) -> Satisfiability {
        if self.stop.borrow_mut().poll() {
            return Satisfiability::Stopped;
        }
        let mut cadical = self.cadical.borrow_mut();
        for literal in assumptions {
            cadical.assume(literal.number());
        }
        if let Some(recorder) = &self.recorder {
            recorder.borrow_mut().begin();
        }
        let status = cadical.solve();
        if self.recorder.is_some() && status == Status::UNSATISFIABLE {
            cadical.conclude();
        }
        if self.stop.borrow().stopped {
            return Satisfiability::Stopped;
        }
        match status {
            Status::SATISFIABLE => Satisfiability::Sat,
            Status::UNSATISFIABLE => Satisfiability::Unsat,
            Status::UNKNOWN => Satisfiability::Stopped,
        }
    }

    /// After [`Satisfiability::Sat`].
    pub fn value(&self, literal: Lit) -> bool {
        match literal.constant() {
            Some(value) => value,
            // Asked of the variable, since CaDiCaL says no to both literals of one that no clause has.
            None => (self.cadical.borrow_mut().val(literal.number().abs()) > 0) == literal.is_positive(),
        }
    }

    /// After [`Satisfiability::Unsat`], of an assumption: it is among those to blame.
    pub fn failed(&self, literal: Lit) -> bool {
        self.cadical.borrow_mut().failed(literal.number())
    }

    /// After [`Satisfiability::Unsat`], if it was recorded. The last clause is over negated assumptions.
    pub fn proof(&self) -> Option<Proof> {
        self.recorder.as_ref()?.borrow().proof()
    }

    pub fn statistics(&self) -> Statistics {
        let cadical = self.cadical.borrow();
        let theory = self.theory.as_ref().map(|theory| theory.borrow().counts()).unwrap_or_default();
        let count = |name: &str| u64::try_from(cadical.get_statistic_value(name)).unwrap_or(0);
        Statistics {
            variables: u64::from(self.variables.unsigned_abs()),
            clauses: self.clauses,
            conflicts: count("conflicts"),
            decisions: count("decisions"),
            propagations: count("propagations"),
            theory_lemmas: theory.lemmas,
            theory_propagations: theory.propagations,
            derived_pairs: theory.derived,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Definition, Graph, RelationId};

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
        assert_eq!(solver.solve(&[]), Satisfiability::Sat);
        assert!(solver.value(a) != solver.value(b));
        assert_eq!(solver.solve(&[a, b]), Satisfiability::Unsat);
        assert!(solver.failed(a) && solver.failed(b));
        assert_eq!(solver.solve(&[b]), Satisfiability::Sat);
        assert!(solver.value(b) && !solver.value(a));
        solver.clause(&[a]);
        assert_eq!(solver.solve(&[b]), Satisfiability::Unsat);
        assert_eq!(solver.solve(&[]), Satisfiability::Sat);
        let mut polls = 0;
        solver.stop_when(move || {
            polls += 1;
            polls > 1
        });
        assert_ne!(solver.solve(&[]), Satisfiability::Unsat);
        assert_eq!(solver.solve(&[]), Satisfiability::Stopped);
    }

    #[test]
    fn constants_and_unused_variables() {
        let mut solver = Solver::new();
        let unused = solver.fresh();
        assert_eq!(solver.solve(&[Lit::TRUE]), Satisfiability::Sat);
        assert_ne!(solver.value(unused), solver.value(!unused));
        assert!(solver.value(Lit::TRUE) && !solver.value(Lit::FALSE));
        assert_eq!(solver.solve(&[Lit::FALSE, unused]), Satisfiability::Unsat);
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
        assert_eq!(solver.solve(&[]), Satisfiability::Unsat);
    }
}
