//! A proof, written down for others to check.

use std::sync::Arc;

use wattle_abstraction::{Pair, Questions, System};
use wattle_engine::certify::abstraction::{AbstractProof, Claim, Step, Triple};
use wattle_engine::{Certificate, Task};
use wattle_memory::reduction::{Moves, Reduced};
use wattle_program::{EdgeId, ProcessId, Shape, ThreadId};

use crate::prove::Proof;

pub(crate) fn certificate(
    task: &Task<'_>,
    system: &System,
    reduced: Option<&Reduced>,
    moves: &Moves,
    proof: &Proof,
) -> Certificate {
    let claims = claims(system, &proof.questions);
    let triples = (claims.into_iter().zip(&proof.cubes))
        .filter_map(|(claim, cubes)| Some((claim?, cubes)))
        .flat_map(|(claim, cubes)| cubes.iter().map(move |cube| Triple { cube: *cube, claim: claim.clone() }))
        .collect();
    let states = proof.reached.states.iter().map(|(points, cube)| (points.to_vec(), *cube)).collect();
    let unreached = unreached(task, system, moves, proof);
    let written = AbstractProof {
        reduction: reduced.map(|reduced| (reduced.discipline, reduced.capacity.clone())),
        predicates: proof.predicates.terms().to_vec(),
        triples,
        states,
    };
    Certificate::Abstraction { proof: Arc::new(written), unreached, ends: proof.reached.ends }
}

/// What each goal claims.
fn claims(system: &System, questions: &Questions) -> Vec<Option<Claim>> {
    let mut claims: Vec<Option<Claim>> = vec![None; questions.goals.len()];
    for goal in &questions.contradictions {
        claims[*goal] = Some(Claim::Contradiction);
    }
    for (predicate, (holds, fails)) in questions.initial.iter().enumerate() {
        claims[*holds] = Some(Claim::Initially { predicate, value: true });
        claims[*fails] = Some(Claim::Initially { predicate, value: false });
    }
    for (transition, asked) in system.transitions.iter().zip(&questions.of) {
        let step = Step { thread: transition.thread, edge: transition.edge };
        claims[asked.blocked] = Some(Claim::Blocked { step });
        for (check, goal) in asked.checks.iter().enumerate() {
            claims[*goal] = Some(Claim::Checks { step, check });
        }
        for update in asked.sets.iter().chain(&asked.tells) {
            if let Some(Pair { holds, fails, .. }) = update.goals {
                let predicate = update.predicate;
                claims[holds] = Some(Claim::Sets { step, predicate, value: true });
                claims[fails] = Some(Claim::Sets { step, predicate, value: false });
            }
        }
    }
    for (goal, (property, places)) in questions.properties() {
        claims[goal] = Some(Claim::Holds { property: *property, places: places.clone() });
    }
    claims
}

/// The edges that no abstract state takes.
fn unreached(task: &Task<'_>, system: &System, moves: &Moves, proof: &Proof) -> Vec<(ProcessId, EdgeId)> {
    let mut left: Vec<(ProcessId, EdgeId)> = (task.program.process_ids())
        .flat_map(|process| task.program.process(process).cfg.edge_ids().map(move |edge| (process, edge)))
        .collect();
    let Ok(shape) = Shape::new(task.program) else { return vec![] };
    for (transition, taken) in system.transitions.iter().zip(&proof.reached.taken) {
        let (thread, edge) = (transition.thread, transition.edge);
        if let (true, Some(edge)) = (*taken, moves[thread as usize][edge.0 as usize].edge()) {
            let process = shape.info(ThreadId(thread)).process;
            left.retain(|other| *other != (process, edge));
        }
    }
    left
}
