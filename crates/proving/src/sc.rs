//! The proof under sequential consistency, and what it leaves.
//!
//! A program that is right only with weak memory's reorderings does not exist, so the proof under sequential
//! consistency comes first; what it says of shared variables is where a proof for store buffers begins.

use wattle_abstraction::{Cube, Predicates};
use wattle_engine::{Halt, Statistics};
use wattle_logic::Term;

use crate::attempt::Approach;
use crate::prove::{Conclusion, Proof, Proving, Start};
use crate::subject::Subject;
use crate::text;

/// A conjunction of predicates and negated predicates, by their terms: predicates have other numbers in
/// other proofs.
pub type Literals = Vec<(Term, bool)>;

/// How the program is to be proved under sequential consistency.
#[derive(Clone, Copy, Debug)]
pub struct UnderSc<'a> {
    pub approach: &'a Approach,
    /// May more predicates be looked for?
    pub refines: bool,
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
        let predicates = text::begin(&self.program, &self.sc, self.given);
        let of_text = Predicates::new(&self.sc, &predicates).map_or(0, |predicates| predicates.len());
        let proving = Proving {
            engine: self.engine,
            system: &self.sc,
            run: self.run,
            solver: &self.solver,
            approach: how.approach,
            phase: "proof under sc",
            bound: None,
            prefers_bound: false,
            refines: how.refines,
            given: self.given,
            lean: how.refines && self.reduction.is_some(),
            patience: None,
            images: &|predicate| self.images(predicate),
            irrelevant: &|_| vec![],
        };
        let conclusion = proving.prove(Start { predicates, ..Start::default() })?;
        statistics.count("text predicates", of_text as u64);
        statistics.count("sc predicates", conclusion.predicates().len() as u64);
        Ok(conclusion)
    }

    /// Where the program is unsafe already, or was not proved, its predicates may still help.
    pub fn left_by(&self, conclusion: Conclusion, statistics: &mut Statistics) -> FromSc {
        match conclusion {
            Conclusion::Proof(proof) => {
                statistics.count("sc refined predicates", proof.figures.refined as u64);
                statistics.count("sc rounds", proof.figures.rounds);
                statistics.count("sc calls", proof.figures.calls);
                statistics.count("sc states", proof.figures.states);
                let (cubes, given) = (cubes(&proof), self.given && proof.figures.refined == 0);
                FromSc { predicates: proof.predicates, cubes, given }
            }
            Conclusion::Violated { predicates, .. } | Conclusion::GaveUp { predicates, .. } => {
                FromSc { predicates, cubes: vec![], given: self.given }
            }
        }
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
