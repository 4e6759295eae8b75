//! Certificates with one thing changed are refused.

use std::sync::Arc;

use wattle_engine::certificate::CubeProof;
use wattle_engine::certificate::cubes::Fact;
use wattle_engine::{Certificate, Halt, Property, Reason, Run, Task, Verdict};
use wattle_judge::certify::certify;
use wattle_logic::{Quantifier, Term};
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
    judged_under(program, "tso", proof)
}

fn judged_under(program: &Program, model: &str, proof: CubeProof) -> Result<(), Halt> {
    let task = Task { program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
    let beside = Library::beside(&std::env::current_exe().unwrap());
    let library = || Library::find(&beside).map_err(|error| error.to_string());
    certify(&task, &Certificate::Cubes(Arc::new(proof)), None, library, &Run::default()).map(|_| ())
}

fn proof(program: &Program) -> CubeProof {
    proof_under(program, "tso")
}

fn proof_under(program: &Program, model: &str) -> CubeProof {
    match answer(program, model).verdict {
        Verdict::Safe { certificate: Certificate::Cubes(proof) } => (*proof).clone(),
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

/// Whoever decides Commit has seen everybody's vote, also of those who take part only later: a proof without that would have
/// to name as many voters as there are.
const VOTE: &str = "type vote = Yes | No
    type result = Open | Commit | Abort
    array Knows[proc] : result
    weak array Vote[proc] : vote
    weak var Decision : result
    init (p) { Knows[p] = Open && Decision = Open }
    unsafe (p q) { Knows[p] = Commit && Knows[q] = Abort }
    transition commit ([p]) requires { Vote[p] = Yes && forall_other q. Vote[q] = Yes } { Decision := Commit }
    transition abort ([p]) requires { Vote[p] = No } { Decision := Abort }
    transition learn ([p]) requires { Decision <> Open } { Knows[p] := Decision }";

/// Under both models, with as many facts as there are known to be.
fn vote_proofs() -> Vec<(&'static str, Program, CubeProof)> {
    ["sc", "tso"]
        .map(|model| {
            let program = program(VOTE);
            let proof = proof_under(&program, model);
            assert!(proof.cubes.iter().any(|cube| !cube.facts.is_empty()), "{model}: {proof:?}");
            (model, program, proof)
        })
        .into()
}

#[test]
fn a_proof_with_facts_about_all_processes_is_accepted() {
    for (model, program, proof) in vote_proofs() {
        judged_under(&program, model, proof).unwrap();
    }
}

fn changed(proof: &CubeProof, change: impl Fn(&mut Fact)) -> CubeProof {
    let mut changed = proof.clone();
    changed.cubes.iter_mut().flat_map(|cube| &mut cube.facts).for_each(change);
    changed
}

#[test]
fn facts_about_all_processes_that_are_changed_are_refused() {
    for (model, program, honest) in vote_proofs() {
        let is_refused = |proof: CubeProof| {
            let judged = judged_under(&program, model, proof);
            matches!(judged, Err(Halt::Contradiction(_)))
        };
        let mut without = honest.clone();
        without.cubes.iter_mut().for_each(|cube| cube.facts.clear());
        assert!(is_refused(without), "{model}: dropped");
        assert!(
            is_refused(changed(&honest, |fact| fact.body = fact.body.negated())),
            "{model}: the opposite"
        );
        assert!(is_refused(changed(&honest, |fact| fact.body = Term::bool(true))), "{model}: nothing said");
        assert!(is_refused(changed(&honest, |fact| fact.body = Term::bool(false))), "{model}: nobody else");
        assert!(is_refused(changed(&honest, |fact| fact.bound = 0)), "{model}: about nobody");
        let all = |body: &Term| Term::quantified(Quantifier::Forall, 9, 0, body.clone());
        assert!(
            is_refused(changed(&honest, |fact| fact.body = all(&fact.body))),
            "{model}: a quantifier inside"
        );
        assert!(is_refused(changed(&honest, |fact| fact.except.push(9))), "{model}: except nobody there is");
    }
}

/// One that is dropped alone may be in others: the engine compares facts by what they say, the checker by what follows.
#[test]
fn a_cube_with_facts_that_is_dropped_is_refused() {
    for (model, program, honest) in vote_proofs() {
        let is_needed = |number: &usize| {
            let mut less = honest.clone();
            less.cubes.remove(*number);
            matches!(judged_under(&program, model, less), Err(Halt::Contradiction(_)))
        };
        let with_facts = |number: &usize| !honest.cubes[*number].facts.is_empty();
        let numbers = (0..honest.cubes.len()).filter(with_facts);
        let (needed, spare): (Vec<usize>, Vec<usize>) = numbers.partition(is_needed);
        assert!(needed.len() >= 2 && spare.len() <= 1, "{model}: {needed:?} and {spare:?}");
        let none = CubeProof {
            cubes: honest.cubes.iter().filter(|cube| cube.facts.is_empty()).cloned().collect(),
            ..honest
        };
        assert!(judged_under(&program, model, none).is_err(), "{model}");
    }
}

/// Cubes that are closed under steps undone in the order of stores prove nothing here: nothing bad can be undone at all.
#[test]
fn a_proof_of_a_program_whose_stores_may_overtake_is_refused() {
    let program = program(
        "type loc = Start | Late | Begun
         array PC[proc] : loc
         weak var X : bool
         init (p) { PC[p] = Start && X = False }
         unsafe (p q) { PC[p] = Late && PC[q] = Begun && q@X = True }
         transition late ([p] q) requires { PC[p] = Start && PC[q] = Start } { PC[p] := Late; X := True }
         transition begin ([p]) requires { PC[p] = Start } { PC[p] := Begun; X := False }",
    );
    let judged = judged(&program, CubeProof { any: true, cubes: vec![] });
    assert!(matches!(judged, Err(Halt::Unknown(Reason::Unsupported(_)))), "{judged:?}");
}

/// A flag that is raised under a condition: which cells are written, and so what comes before what, depends on the case.
#[test]
fn stores_under_conditions_are_followed_case_by_case() {
    let letters = program(
        "type loc = Writes | Raises | Done
         array PC[proc] : loc
         array Willing[proc] : bool
         array Saw[proc] : bool
         array Stale[proc] : bool
         weak array Data[proc] : bool
         weak array Flag[proc] : bool
         init (p) { PC[p] = Writes && Saw[p] = False && Stale[p] = False && Data[p] = False && Flag[p] = False }
         unsafe (p) { Stale[p] = True }
         transition write ([p]) requires { PC[p] = Writes } { PC[p] := Raises; Data[p] := True }
         transition raise ([p]) requires { PC[p] = Raises }
         { PC[p] := Done; Flag[i] := case | i = p && Willing[i] = True : True | _ : Flag[i] }
         transition look ([p] q) requires { Flag[q] = True && Data[q] = False } { Stale[p] := True }
         transition see ([p] q) requires { Saw[p] = False && Flag[q] = True } { Saw[p] := True }",
    );
    let honest = proof(&letters);
    judged(&letters, honest.clone()).unwrap();
    for number in 0..honest.cubes.len() {
        let mut less = honest.clone();
        less.cubes.remove(number);
        refused(&letters, less, "a cube dropped");
    }
}

/// Sums in literals, and integers that are open at the start: that there is a start is asked of the solver.
#[test]
fn proofs_with_sums_and_open_integers() {
    const BUDGET: &str = "const Limit : int
        array Share[proc] : int
        var Used : int
        init (p) { Used = 0 && Limit >= 0 }
        unsafe () { Used > Limit }
        transition spend (p) requires { Used + Share[p] <= Limit } { Used := Used + Share[p] }";
    let budget = program(BUDGET);
    let honest = proof(&budget);
    judged(&budget, honest.clone()).unwrap();
    refused(&budget, CubeProof { cubes: vec![], ..honest.clone() }, "no cubes");
    refused(&program(&BUDGET.replace("Used + Share[p] <=", "Used + 1 <=")), honest.clone(), "another guard");
    refused(&program(&BUDGET.replace("Limit >= 0", "Limit >= 0 && Limit < 0")), honest, "no start");
}
