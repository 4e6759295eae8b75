//! Certificates with one thing changed are refused.

use std::sync::Arc;

use wattle_engine::certificate::CubeProof;
use wattle_engine::{Certificate, Halt, Property, Run, Task, Verdict};
use wattle_judge::certify::certify;
use wattle_memory::find;
use wattle_program::Program;
use wattle_smt::Library;

use super::{answer, program};

const MUTEX: &str = "type loc = Idle | Want | Crit
    array PC[proc] : loc
    weak array Flag[proc] : bool
    init (p) { PC[p] = Idle && Flag[p] = False }
    unsafe (p q) { PC[p] = Crit && PC[q] = Crit }
    transition announce ([p]) requires { PC[p] = Idle } { PC[p] := Want; Flag[p] := True }
    transition enter ([p]) requires { PC[p] = Want && fence() && forall_other q. Flag[q] = False } { PC[p] := Crit }
    transition leave ([p]) requires { PC[p] = Crit } { PC[p] := Idle; Flag[p] := False }";

fn judged(program: &Program, proof: CubeProof) -> Result<(), Halt> {
    let task = Task { program, memory: find("tso").unwrap(), property: Property::Stated, hints: None };
    let beside = Library::beside(&std::env::current_exe().unwrap());
    let library = || Library::find(&beside).map_err(|error| error.to_string());
    certify(&task, &Certificate::Cubes(Some(Arc::new(proof))), None, library, &Run::default()).map(|_| ())
}

fn proof(program: &Program) -> CubeProof {
    match answer(program, "tso").verdict {
        Verdict::Safe { certificate: Certificate::Cubes(Some(proof)) } => (*proof).clone(),
        other => panic!("{other:?}"),
    }
}

fn refused(program: &Program, proof: CubeProof, what: &str) {
    let judged = judged(program, proof);
    assert!(matches!(judged, Err(Halt::Contradiction(_))), "{what}: {judged:?}");
}

#[test]
fn the_proof_itself_is_accepted() {
    let program = program(MUTEX);
    judged(&program, proof(&program)).unwrap();
}

#[test]
fn a_proof_with_one_thing_changed_is_refused() {
    let program = program(MUTEX);
    let honest = proof(&program);
    refused(&program, CubeProof { cubes: vec![], ..honest.clone() }, "no cubes");
    refused(&program, CubeProof { any: false, ..honest.clone() }, "about a fixed number");
    for number in 0..honest.cubes.len() {
        let mut less = honest.clone();
        less.cubes.remove(number);
        refused(&program, less, "a cube dropped");
        for literal in 0..honest.cubes[number].literals.len() {
            // Stronger: what is left out leads into it. Or weaker: an initial state is in it.
            let mut changed = honest.clone();
            let it = &mut changed.cubes[number].literals[literal];
            *it = it.negated();
            refused(&program, changed, "a literal changed");
        }
        for instant in 0..honest.cubes[number].instants.len() {
            let mut changed = honest.clone();
            let it = &mut changed.cubes[number].instants[instant];
            (it.events, it.drains) = (vec![0, 1], vec![0, 1]);
            it.cells =
                honest.cubes.iter().flat_map(|cube| &cube.instants).flat_map(|i| i.cells.clone()).collect();
            if changed != honest {
                refused(&program, changed, "an order invented");
            }
        }
    }
}

/// The fence is what makes it safe: the same cubes prove nothing of the program without it.
#[test]
fn a_proof_of_another_program_is_refused() {
    let honest = proof(&program(MUTEX));
    refused(&program(&MUTEX.replace("fence() && ", "")), honest, "the program without its fence");
}
