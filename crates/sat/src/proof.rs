//! Why there is no assignment, in steps that someone else can check.
//!
//! A proof is a list of clauses that ends in one over negated assumptions. Each is an input, a lemma of
//! the order theory with its justification, or follows from earlier ones: taking the antecedents in
//! order, under the negation of the clause, each leaves one literal to be assigned, and the last one
//! leaves none (LRAT: Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017).
//!
//! CaDiCaL tells its steps through a tracer, and lemmas of the theory among its inputs. A lemma is
//! recognised by its literals; what it is told is written down before it is told. Two things that a
//! checker of plain LRAT cannot follow are avoided: clauses that are only equisatisfiable (bounded
//! variable addition, which is off anyway) and clauses that are taken out and put back (variable
//! elimination, which is switched off while a proof is recorded). Only what the last clause needs is
//! kept, so nothing has to be deleted.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use cadical_sys::ProofTracer;

use crate::{Lit, Pair, RelationId};

/// Clauses, by position; the last one is the conclusion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub clause: Vec<Lit>,
    pub by: Inference,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inference {
    /// It was given to the solver.
    Input,
    /// The description refutes the negation of the clause.
    Theory(Justification),
    /// From earlier steps, by their positions.
    Propagation(Vec<u32>),
}

/// Facts that follow from the literals whose negations are the clause, and what they violate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Justification {
    pub facts: Vec<Fact>,
    pub violation: Violation,
}

/// A pair of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub relation: RelationId,
    pub pair: Pair,
    pub by: By,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// It is given: among the fixed pairs, or with the constant *true* as its literal.
    Fixed,
    /// It is given, with this literal.
    Literal(Lit),
    /// The relation's definition, from earlier facts by their positions. One for a union, a
    /// restriction, an inverse, a domain, a range and the first step of a closure. Two for an
    /// intersection and a sequence (left, right), for a longer way of a closure (the way, the last
    /// step), and for from-read (reads-from, coherence).
    Rule(Vec<u32>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Edges of a graph, each beginning where the one before ends, the first where the last ends.
    Cycle { graph: u32, edges: Vec<Edge> },
    /// A fact that a test forbids.
    Test { test: u32, fact: u32 },
}

/// An edge of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edge {
    /// One of its own: among the fixed ones, or with the constant *true* as its literal.
    Fixed(Pair),
    /// One of its own, with this literal.
    Literal(Lit, Pair),
    /// A fact of one of its relations.
    Fact(u32),
}

/// Writes down what CaDiCaL tells.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    steps: Vec<(Vec<i32>, Told)>,
    /// By CaDiCaL's number.
    positions: BTreeMap<i64, u32>,
    /// The lemma that is about to be told, sorted.
    announced: Option<(Vec<i32>, Justification)>,
    conclusion: Option<u32>,
    /// Something cannot be followed.
    lost: bool,
}

#[derive(Debug)]
enum Told {
    Input,
    Theory(Justification),
    Propagation(Vec<u32>),
}

impl Recorder {
    pub(crate) fn announce(&mut self, lemma: &[Lit], justification: Justification) {
        let mut clause: Vec<i32> = lemma.iter().map(|literal| literal.number()).collect();
        clause.sort_unstable();
        self.announced = Some((clause, justification));
    }

    fn add(&mut self, id: i64, clause: &[i32], told: Told) {
        self.positions.insert(id, self.steps.len() as u32);
        self.steps.push((clause.to_vec(), told));
    }

    fn derived(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        let positions: Option<Vec<u32>> =
            antecedents.iter().map(|antecedent| self.positions.get(antecedent).copied()).collect();
        match positions {
            Some(positions) => self.add(id, clause, Told::Propagation(positions)),
            None => self.lost = true,
        }
    }

    pub(crate) fn begin(&mut self) {
        self.conclusion = None;
    }

    /// What the conclusion needs.
    pub(crate) fn proof(&self) -> Option<Proof> {
        let conclusion = self.conclusion.filter(|_| !self.lost)? as usize;
        let mut needed = vec![false; conclusion + 1];
        needed[conclusion] = true;
        for position in (0..=conclusion).rev() {
            if let (true, Told::Propagation(antecedents)) = (needed[position], &self.steps[position].1) {
                antecedents.iter().for_each(|antecedent| needed[*antecedent as usize] = true);
            }
        }
        let mut renamed = vec![u32::MAX; conclusion + 1];
        let mut steps = Vec::new();
        for position in (0..=conclusion).filter(|position| needed[*position]) {
            renamed[position] = steps.len() as u32;
            let (clause, told) = &self.steps[position];
            let by = match told {
                Told::Input => Inference::Input,
                Told::Theory(justification) => Inference::Theory(justification.clone()),
                Told::Propagation(antecedents) => Inference::Propagation(
                    antecedents.iter().map(|antecedent| renamed[*antecedent as usize]).collect(),
                ),
            };
            steps.push(Step { clause: clause.iter().map(|number| Lit::new(*number)).collect(), by });
        }
        Some(Proof { steps })
    }
}

/// The recorder, as CaDiCaL sees it.
pub(crate) struct Tracer(pub Rc<RefCell<Recorder>>);

impl ProofTracer for Tracer {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        let mut recorder = self.0.borrow_mut();
        recorder.lost |= restored;
        let mut sorted = clause.to_vec();
        sorted.sort_unstable();
        let told = match recorder.announced.take() {
            Some((lemma, justification)) if lemma == sorted => Told::Theory(justification),
            _ => Told::Input,
        };
        recorder.add(id, clause, told);
    }

    fn add_derived_clause(
        &mut self,
        id: i64,
        _redundant: bool,
        witness: i32,
        clause: &[i32],
        antecedents: &[i64],
    ) {
        let mut recorder = self.0.borrow_mut();
        recorder.lost |= witness != 0;
        recorder.derived(id, clause, antecedents);
    }

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        self.0.borrow_mut().derived(id, clause, antecedents);
    }

    fn conclude_unsat(&mut self, _kind: i32, clauses: &[i64]) {
        let mut recorder = self.0.borrow_mut();
        recorder.conclusion = match clauses {
            [only] => recorder.positions.get(only).copied(),
            _ => None,
        };
    }

    // The number may be given again.
    fn delete_clause(&mut self, id: i64, _redundant: bool, _clause: &[i32]) {
        self.0.borrow_mut().positions.remove(&id);
    }

    fn weaken_minus(&mut self, _id: i64, _clause: &[i32]) {}
    fn strengthen(&mut self, _id: i64) {}
    fn finalize_clause(&mut self, _id: i64, _clause: &[i32]) {}
    fn add_assumption(&mut self, _literal: i32) {}
    fn add_constraint(&mut self, _clause: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn conclude_sat(&mut self, _kind: i32, _model: &[i32]) {}
    fn conclude_unknown(&mut self, _trail: &[i32]) {}
}
