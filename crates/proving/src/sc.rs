//! The proof under sequential consistency, and what it leaves.
//!
//! A program that is right only with weak memory's reorderings does not exist, so the proof under sequential
//! consistency comes first; what it says of shared variables is where a proof for store buffers begins.
//!
//! Fences do nothing here, so that the proof of one placement of fences is one of the next. Where a task
//! carries [`Hints`], the lean proof that they come from is tried as it is: one round, and nothing to be made
//! lean. If it does not suffice, all hints are begun with beside the text's predicates; if that gives up too,
//! the loop begins as if there were none.

use wattle_abstraction::{Cube, Predicates};
use wattle_engine::{Halt, Hints, Reason, Statistics};
use wattle_logic::Term;

use crate::attempt::Approach;
use crate::prove::{Conclusion, Proof, Proving};
use crate::subject::Subject;
use crate::text;

/// A conjunction of predicates and negated predicates, by their terms: predicates have other numbers in
/// other proofs.
pub type Literals = Vec<(Term, bool)>;

/// How the program is to be proved under sequential consistency.
#[derive(Clone, Copy, Debug)]
pub struct UnderSc<'a> {
    pub approach: &'a Approach<'a>,
    /// May more predicates be looked for?
    pub refines: bool,
    /// After so many rounds the loop gives up.
    pub patience: Option<u64>,
    /// With more abstract states than these in a round it ends without a conclusion.
    pub most: Option<u64>,
}

/// What the proof under sequential consistency leaves to begin from.
#[derive(Debug)]
pub struct FromSc {
    pub predicates: Predicates,
    /// Those of two literals or more.
    pub cubes: Vec<Literals>,
    /// Are all predicates given ones?
    pub given: bool,
}

impl Subject<'_> {
    /// Prove the program under sequential consistency, with as few predicates as it can be done with if they
    /// are to be carried over.
    pub fn prove_under_sc(&self, how: UnderSc<'_>, statistics: &mut Statistics) -> Result<Conclusion, Halt> {
        let text = text::begin(&self.program, &self.sc, self.given);
        let of_text = Predicates::new(&self.sc, &text).map_or(0, |predicates| predicates.len());
        let conclusion = match self.prove_from_hints(how, &text)? {
            Some(conclusion) => conclusion,
            None => self.under_sc(how, self.given).prove(text.into())?,
        };
        statistics.count("text predicates", of_text as u64);
        statistics.count("sc predicates", conclusion.predicates().len() as u64);
        Ok(conclusion)
    }

    /// The same beginning with these predicates, all of which stay.
    pub fn prove_under_sc_from(&self, how: UnderSc<'_>, start: Vec<Term>) -> Result<Conclusion, Halt> {
        Proving { lean: false, ..self.under_sc(how, self.are_given(&start)) }.prove(start.into())
    }

    /// `None`: there are no hints, or they lead nowhere.
    fn prove_from_hints(&self, how: UnderSc<'_>, text: &[Term]) -> Result<Option<Conclusion>, Halt> {
        // The paper's own methods begin with what the text has, and no more.
        if !how.refines || !matches!(how.approach, Approach::Lazy) {
            return Ok(None);
        }
        let Hints { lean, more } = self.hints();
        if !lean.is_empty() {
            let as_it_is =
                Proving { refines: false, lean: false, ..self.under_sc(how, self.are_given(&lean)) };
            match as_it_is.prove(lean.clone().into())? {
                Conclusion::Proof(mut proof) => {
                    proof.lean = true;
                    return Ok(Some(Conclusion::Proof(proof)));
                }
                Conclusion::GaveUp { .. } => {}
                violated => return Ok(Some(violated)),
            }
        }
        let all = [text, &lean, &more].concat();
        if all.len() == text.len() || Predicates::new(&self.sc, &all).is_none() {
            return Ok(None);
        }
        match self.under_sc(how, self.are_given(&all)).prove(all.into()) {
            Ok(Conclusion::GaveUp { .. }) | Err(Halt::Unknown(Reason::TooLarge(_))) => Ok(None),
            result => result.map(Some),
        }
    }

    fn under_sc<'p>(&'p self, how: UnderSc<'p>, given: bool) -> Proving<'p> {
        Proving {
            subject: self,
            system: &self.sc,
            approach: how.approach,
            phase: "proof under sc",
            bound: None,
            prefers_bound: false,
            refines: how.refines,
            forgets: how.refines && !given,
            given,
            // Somebody carries it over, to buffers here or to another task.
            lean: how.refines && (self.reduction.is_some() || self.task.hints.is_some()),
            patience: how.patience,
            most: how.most,
            instances: &|_| vec![],
            irrelevant: &|_| vec![],
        }
    }

    /// Where the program is unsafe already, or was not proved, its predicates may still help.
    pub fn left_by(&self, conclusion: Conclusion, statistics: &mut Statistics) -> FromSc {
        match conclusion {
            Conclusion::Proof(proof) => {
                statistics.count("sc refined predicates", proof.figures.refined as u64);
                statistics.count("sc rounds", proof.figures.rounds);
                statistics.count("sc calls", proof.figures.calls);
                statistics.count("sc states", proof.figures.states);
                let (cubes, given) = (cubes(&proof), self.are_given(proof.predicates.terms()));
                FromSc { predicates: proof.predicates, cubes, given }
            }
            Conclusion::Violated { predicates, .. } | Conclusion::GaveUp { predicates, .. } => {
                FromSc { predicates, cubes: vec![], given: self.given }
            }
        }
    }

    /// Are these predicates all given ones?
    fn are_given(&self, predicates: &[Term]) -> bool {
        let given = Predicates::new(&self.sc, &self.program.predicates).filter(|_| self.given);
        given.is_some_and(|given| predicates.iter().all(|term| given.literal_of(term).is_some()))
    }
}

/// The cubes of two literals or more that a proof rests on.
fn cubes(proof: &Proof) -> Vec<Literals> {
    let mut all: Vec<Cube> = proof.cubes.iter().flatten().filter(|cube| cube.len() > 1).copied().collect();
    all.sort();
    all.dedup();
    let literal = |(predicate, value): (usize, bool)| (proof.predicates.terms()[predicate].clone(), value);
    all.iter().map(|cube| cube.literals().map(literal).collect()).collect()
}
