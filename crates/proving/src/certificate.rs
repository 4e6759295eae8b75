//! A proof, written down for others to check.

use std::sync::Arc;

use wattle_abstraction::{Cube, Pair, Questions, System};
use wattle_engine::certificate::abstraction::{AbstractProof, Claim, Literals, Step, Triple};
use wattle_engine::{Certificate, Coverage, Task, Verdict};
use wattle_memory::reduction::{Moves, Reduced};
use wattle_program::{Shape, ThreadId};

use crate::prove::Proof;

pub(crate) fn certificate(
    task: &Task<'_>,
    system: &System,
    reduced: Option<&Reduced>,
    moves: &Moves,
    proof: &Proof,
) -> (Verdict, Option<Coverage>) {
    let claims = claims(system, &proof.questions);
    let triples = (claims.into_iter().zip(&proof.cubes))
        .filter_map(|(claim, cubes)| Some((claim?, cubes)))
        .flat_map(|(claim, cubes)| {
            cubes.iter().map(move |cube| Triple { cube: literals(cube), claim: claim.clone() })
        })
        .collect();
    let states =
        proof.reached.states.iter().map(|(points, cube)| (points.to_vec(), literals(cube))).collect();
    let coverage = coverage(task, system, moves, proof);
    let written = AbstractProof {
        reduction: reduced.map(|reduced| (reduced.discipline, reduced.capacity.clone())),
        predicates: proof.predicates.terms().to_vec(),
        triples,
        states,
    };
    (Verdict::Safe { certificate: Certificate::Abstraction(Arc::new(written)) }, coverage)
}

fn literals(cube: &Cube) -> Literals {
    cube.literals().map(|(predicate, value)| (predicate as u32, value)).collect()
}

/// What each goal claims.
fn claims(system: &System, questions: &Questions) -> Vec<Option<Claim>> {
    let mut claims: Vec<Option<Claim>> = vec![None; questions.goals.len()];
    for goal in &questions.contradictions {
        claims[*goal] = Some(Claim::Contradiction);
    }
    for (predicate, (holds, fails)) in questions.initial.iter().enumerate() {
        claims[*holds] = Some(Claim::Initially { predicate, value: true });
        if let Some(fails) = fails {
            claims[*fails] = Some(Claim::Initially { predicate, value: false });
        }
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
                if let Some(fails) = fails {
                    claims[fails] = Some(Claim::Sets { step, predicate, value: false });
                }
            }
        }
    }
    for (goal, (property, places)) in questions.properties() {
        claims[goal] = Some(Claim::Holds { property: *property, places: places.clone() });
    }
    claims
}

/// The edges that no abstract state takes.
fn coverage(task: &Task<'_>, system: &System, moves: &Moves, proof: &Proof) -> Option<Coverage> {
    let shape = Shape::new(task.program).ok()?;
    let taken = system.transitions.iter().zip(&proof.reached.taken).filter(|(_, taken)| **taken);
    let taken = taken.filter_map(|(transition, _)| {
        let edge = moves[transition.thread as usize][transition.edge.0 as usize].edge()?;
        Some((shape.info(ThreadId(transition.thread)).process, edge))
    });
    Some(Coverage::new(task.program, &taken.collect(), proof.reached.ends))
}
