//! Certificates with one thing changed. Whatever the checker lets pass must still be a proof, which plain
//! runs of the program can tell: every state that is reached lies in the set, and every triple holds in
//! every such state.

use std::collections::BTreeSet;

use wattle_abstraction::system::Transition;
use wattle_engine::certificate::abstraction::{AbstractProof, Claim, Literals};
use wattle_engine::{Coverage, Halt};
use wattle_memory::reduction::{Move, named};
use wattle_program::{EdgeId, ProcessId, Program, Shape, ThreadId};

use crate::concrete::{Concrete, State};
use crate::{Proved, certified, corpus, parse, proof};

struct Case {
    program: Program,
    model: &'static str,
    proof: AbstractProof,
    coverage: Coverage,
    concrete: Concrete,
    reachable: BTreeSet<State>,
}

impl Case {
    fn new(path: &str, model: &'static str) -> Case {
        Case::of(corpus(path), model)
    }

    fn of(program: Program, model: &'static str) -> Case {
        let Proved { proof, coverage } = proof(&program, model);
        let concrete = Concrete::new(&program, &proof);
        let reachable = concrete.reachable();
        let case = Case { program, model, proof, coverage, concrete, reachable };
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

    /// The edges of the program that some run takes.
    fn taken(&self) -> BTreeSet<(ProcessId, EdgeId)> {
        let moves =
            self.proof.reduction.as_ref().map(|(discipline, capacity)| {
                named(*discipline).reduce(&self.program, capacity).unwrap().moves
            });
        let shape = Shape::new(&self.program).unwrap();
        let source = |number: usize| {
            let Transition { thread, edge, .. } = self.concrete.system.transitions[number];
            let moved = moves.as_ref().map_or(Move::Step(edge), |all| all[thread as usize][edge.0 as usize]);
            let Move::Step(edge) = moved else { return None };
            Some((shape.info(ThreadId(thread)).process, edge))
        };
        let steps = self.reachable.iter().flat_map(|state| {
            let enabled = self.concrete.enabled(state).into_iter();
            enabled.filter(|number| self.concrete.after(*number, state).is_some())
        });
        steps.filter_map(source).collect()
    }

    /// Is it let pass?
    fn passes(&self, proof: &AbstractProof) -> bool {
        self.passes_with(proof, &self.coverage.unreached, self.coverage.ends)
    }

    /// Is it let pass, if it says this of coverage?
    fn passes_with(&self, proof: &AbstractProof, unreached: &[(ProcessId, EdgeId)], ends: bool) -> bool {
        let coverage = Coverage { unreached: unreached.to_vec(), ends };
        let proved = Proved { proof: proof.clone(), coverage };
        match certified(&self.program, self.model, &proved) {
            Ok(_) => true,
            Err(Halt::Contradiction(_)) => false,
            Err(Halt::Unknown(reason)) => {
                assert!(reason.to_string().contains("parts"), "{reason}");
                false
            }
        }
    }
}

/// Every so many of a list, so that all of them take some seconds.
fn some(count: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(count.div_ceil(15).max(1))
}

fn flipped(cube: &Literals, which: usize) -> Literals {
    let mut cube = cube.clone();
    let at = which % cube.len();
    cube[at].1 = !cube[at].1;
    cube
}

fn without(cube: &Literals, which: usize) -> Literals {
    let mut cube = cube.clone();
    cube.remove(which % cube.len());
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
                    changed.push((triple.cube.clone(), claim));
                    changed.push((triple.cube.clone(), Claim::Blocked { step: *step }));
                }
                Claim::Initially { predicate, value } => {
                    let claim = Claim::Initially { predicate: *predicate, value: !value };
                    changed.push((triple.cube.clone(), claim));
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

/// Of the branch, only one side is ever taken.
const DEAD: &str = "
shared x = 0, y = 0;
thread p { local r; x = 1; r = y; if (r == 2) { x = 5; } }
thread q { y = 1; }
always x <= 1;
";

#[test]
fn coverage_that_is_changed() {
    let (mut claimed, mut rejected) = (0, 0);
    for case in [
        Case::new("dekker/dekker_goto_fenced.wtl", "sc"),
        Case::new("figures/coherence.wtl", "pso"),
        Case::of(parse(DEAD), "sc"),
        Case::of(parse(DEAD), "tso"),
        Case::of(parse(DEAD), "pso"),
    ] {
        let taken = case.taken();
        assert!(case.coverage.unreached.iter().all(|edge| !taken.contains(edge)));
        assert!(case.passes(&case.proof));
        // What is not claimed needs no proof.
        assert!(case.passes_with(&case.proof, &[], case.coverage.ends));
        assert!(!case.passes_with(&case.proof, &case.coverage.unreached, !case.coverage.ends));
        for edge in &taken {
            let more: Vec<_> = case.coverage.unreached.iter().chain([edge]).copied().collect();
            assert!(!case.passes_with(&case.proof, &more, case.coverage.ends), "{edge:?}");
            rejected += 1;
        }
        let nowhere = (ProcessId(0), EdgeId(1_000));
        assert!(!case.passes_with(&case.proof, &[nowhere], case.coverage.ends));
        claimed += case.coverage.unreached.len();
    }
    assert!(claimed >= 6 && rejected > 25, "{claimed} {rejected}");
}
