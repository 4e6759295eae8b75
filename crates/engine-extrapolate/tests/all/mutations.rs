//! Certificates with one thing changed. Whatever the checker lets pass must still be a proof, which plain
//! runs of the program can tell: every state that is reached lies in the set, and every triple holds in
//! every such state.

use std::collections::BTreeSet;

use wattle_abstraction::Cube;
use wattle_engine::certify;
use wattle_engine::certify::abstraction::{AbstractProof, Claim};
use wattle_program::Program;

use crate::concrete::{Concrete, State};
use crate::{certified, corpus, proof};

struct Case {
    program: Program,
    model: &'static str,
    proof: AbstractProof,
    concrete: Concrete,
    reachable: BTreeSet<State>,
}

impl Case {
    fn new(path: &str, model: &'static str) -> Case {
        let program = corpus(path);
        let proof = (*proof(&program, model)).clone();
        let concrete = Concrete::new(&program, &proof);
        let reachable = concrete.reachable();
        let case = Case { program, model, proof, concrete, reachable };
        assert!(case.reachable.iter().all(|state| case.concrete.is_good(state)));
        assert!(case.is_invariant(&case.proof));
        assert!((0..case.proof.triples.len()).all(|triple| case.holds(&case.proof, triple)));
        case
    }

    /// Does every reachable state lie in the set?
    fn is_invariant(&self, proof: &AbstractProof) -> bool {
        self.reachable.iter().all(|state| {
            proof.states.iter().any(|(points, cube)| {
                *points == state.0 && self.concrete.satisfies(cube, &proof.predicates, state)
            })
        })
    }

    fn holds(&self, proof: &AbstractProof, triple: usize) -> bool {
        let triple = &proof.triples[triple];
        self.reachable.iter().all(|state| self.concrete.agrees(triple, &proof.predicates, state))
    }

    /// Is it let pass?
    fn passes(&self, proof: &AbstractProof) -> bool {
        match certified(&self.program, self.model, proof) {
            Ok(_) => true,
            Err(reason) => {
                let undecided = reason.to_string().contains("parts");
                assert!(certify::is_contradiction(&reason) || undecided, "{reason}");
                false
            }
        }
    }
}

/// Every so many of a list, so that all of them take some seconds.
fn some(count: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(count.div_ceil(15).max(1))
}

fn flipped(cube: &Cube, which: usize) -> Cube {
    let (predicate, value) = cube.literals().nth(which % cube.len()).unwrap();
    cube.with(predicate, !value)
}

fn without(cube: &Cube, which: usize) -> Cube {
    let (predicate, _) = cube.literals().nth(which % cube.len()).unwrap();
    let mut cube = *cube;
    cube.set(predicate, None);
    cube
}

#[test]
fn states_that_are_changed() {
    for case in [Case::new("dekker/dekker_goto_fenced.wtl", "sc"), Case::new("figures/coherence.wtl", "pso")]
    {
        let mut rejected = 0;
        for number in some(case.proof.states.len()) {
            let mut dropped = case.proof.clone();
            dropped.states.remove(number);
            let mut changed = vec![dropped];
            if !case.proof.states[number].1.is_empty() {
                let mut other = case.proof.clone();
                other.states[number].1 = flipped(&case.proof.states[number].1, number);
                changed.push(other);
            }
            for proof in changed {
                let passes = case.passes(&proof);
                assert!(!passes || case.is_invariant(&proof), "state {number}");
                rejected += usize::from(!passes);
            }
        }
        assert!(rejected > case.proof.states.len().min(15) / 2, "{rejected}");
    }
}

#[test]
fn triples_that_are_changed() {
    for case in [Case::new("dekker/dekker_goto_fenced.wtl", "sc"), Case::new("figures/coherence.wtl", "pso")]
    {
        let (mut false_ones, mut missing) = (0, 0);
        for number in some(case.proof.triples.len()) {
            let triple = &case.proof.triples[number];
            let mut changed = vec![];
            if !triple.cube.is_empty() {
                changed.push((flipped(&triple.cube, number), triple.claim.clone()));
                changed.push((without(&triple.cube, number), triple.claim.clone()));
            }
            match &triple.claim {
                Claim::Sets { step, predicate, value } => {
                    let claim = Claim::Sets { step: *step, predicate: *predicate, value: !value };
                    changed.push((triple.cube, claim));
                    changed.push((triple.cube, Claim::Blocked { step: *step }));
                }
                Claim::Initially { predicate, value } => {
                    let claim = Claim::Initially { predicate: *predicate, value: !value };
                    changed.push((triple.cube, claim));
                }
                _ => {}
            }
            for (cube, claim) in changed {
                let mut proof = case.proof.clone();
                proof.triples[number].cube = cube;
                proof.triples[number].claim = claim;
                let holds = case.holds(&proof, number);
                assert!(!case.passes(&proof) || holds, "{:?}", proof.triples[number]);
                false_ones += usize::from(!holds);
            }
            let mut proof = case.proof.clone();
            proof.triples.remove(number);
            missing += usize::from(!case.passes(&proof));
        }
        // There was something to find.
        assert!(false_ones > 10 && missing > 3, "{false_ones} {missing}");
    }
}

#[test]
fn predicates_that_are_changed() {
    let case = Case::new("dekker/dekker_goto_fenced.wtl", "sc");
    for number in 0..case.proof.predicates.len() {
        let mut proof = case.proof.clone();
        proof.predicates[number] = proof.predicates[number].negated();
        let holds =
            case.is_invariant(&proof) && (0..proof.triples.len()).all(|triple| case.holds(&proof, triple));
        assert!(!case.passes(&proof) || holds, "predicate {number}");
        let mut proof = case.proof.clone();
        proof.predicates.remove(number);
        assert!(!case.passes(&proof) || case.is_invariant(&proof), "predicate {number}");
    }
}
