//! Certificates as the engine writes them.

use std::sync::Arc;

use wattle_engine::certificate::abstraction::{AbstractProof, Claim, Step, Triple};
use wattle_engine::{Budget, Certificate, Coverage, Halt, Property, Reason, Run, Task, Work};
use wattle_judge::certify::{abstraction::abstraction, certify};
use wattle_logic::{Sort, Term};
use wattle_memory::find;
use wattle_program::EdgeId;

use crate::{Proved, certified, corpus, library, parse, proof};

#[test]
fn proofs_of_the_corpus_pass() {
    for (path, models) in [
        ("dekker/dekker_goto_fenced.wtl", &["sc", "tso", "pso"][..]),
        ("peterson/peterson_fenced_tso.wtl", &["tso"]),
        ("peterson/peterson_fenced_pso.wtl", &["pso"]),
        ("abp/abp_unbounded.wtl", &["sc", "tso", "pso"]),
        ("ticket/ticket_unbounded.wtl", &["sc"]),
        ("figures/coherence.wtl", &["sc", "tso", "pso"]),
        ("message_passing/message_passing_ww.wtl", &["sc", "tso", "pso"]),
    ] {
        let program = corpus(path);
        for model in models {
            let proved = proof(&program, model);
            let counted = (proved.proof.triples.len() as u64, proved.proof.states.len() as u64);
            assert_eq!(certified(&program, model, &proved), Ok(counted), "{path} {model}");
            assert!(counted.0 > 0 && counted.1 > 0);
        }
    }
}

/// The search forgets what dead locals hold and how they start. The checker gets the program as it is written.
#[test]
fn dead_locals_do_not_matter() {
    for text in [
        // A load of what nobody uses: the search sees a step that reads nothing.
        "shared x = 0, y = 0; thread p { local r; y = 1; r = x; } thread q { x = 1; } finally y == 1;",
        // Nobody reads how `r` starts, but a predicate speaks of it.
        "shared x = 0; thread p { local r = 1; r = x; assert r == 0; }",
    ] {
        let program = parse(text);
        for model in ["sc", "tso", "pso"] {
            let proof = proof(&program, model);
            let answer = certified(&program, model, &proof);
            assert!(answer.is_ok(), "{answer:?} {model} {text}");
        }
    }
}

/// The checker may split a state where the prover did not. In a part where `r == 0` would both hold and not hold after
/// the load there is nobody, whether or not a contradiction is written down.
#[test]
fn a_part_with_two_answers_is_empty() {
    let program = parse("shared x: 0..2 = *; thread p { local r; r = x; } always x == x;");
    let (x, r) =
        (Term::content(Term::address(0, vec![]), Sort::Int), Term::local_of(0, Term::int(0), 0, Sort::Int));
    let is = |cell: &Term, value: i64| cell.clone().equals(Term::int(value));
    // x is 0, x is 1, r is 0, r is 1.
    let predicates = vec![is(&x, 0), is(&x, 1), is(&r, 0), is(&r, 1)];
    let edge = &program.processes[0].cfg.edges[0];
    let step = Step { thread: 0, edge: EdgeId(0) };
    let sets = |on: u32, predicate: usize, value: bool| Triple {
        cube: vec![(on, true)],
        claim: Claim::Sets { step, predicate, value },
    };
    let always = Triple { cube: vec![], claim: Claim::Holds { property: 0, places: vec![] } };
    let after = |literals: &[(u32, bool)]| (vec![edge.to], literals.to_vec());
    let proof = AbstractProof {
        reduction: None,
        predicates,
        triples: vec![sets(0, 2, true), sets(1, 2, false), sets(1, 3, true), always],
        states: vec![
            (vec![edge.from], vec![]),
            after(&[(0, true), (1, false), (2, true)]),
            after(&[(0, false), (1, true), (2, false), (3, true)]),
            after(&[(0, false), (1, false)]),
        ],
    };
    let proved = Proved { proof, coverage: Coverage { unreached: vec![], ends: true } };
    assert_eq!(certified(&program, "sc", &proved), Ok((4, 4)));
}

#[test]
fn a_proof_is_about_one_model() {
    let program = corpus("figures/coherence.wtl");
    let proof = proof(&program, "tso");
    for model in ["sc", "pso"] {
        assert!(matches!(certified(&program, model, &proof), Err(Halt::Contradiction(_))));
    }
}

/// A proof that leaves the question open whether there is an initial state proves nothing; whatever its form.
#[test]
fn nothing_is_certified_of_a_program_that_cannot_start() {
    let text = |init: u8| {
        parse(&format!("shared x = 1; init x == {init}; thread p {{ local r; r = x; assert r == 1; }}"))
    };
    let (starts, cannot) = (text(1), text(2));
    let proved = proof(&starts, "sc");
    assert!(certified(&starts, "sc", &proved).is_ok());
    let task =
        |program| Task { program, memory: find("sc").unwrap(), property: Property::Stated, hints: None };
    let run = Run::default();
    let certificates = [
        Certificate::Abstraction(proved.proof.into()),
        Certificate::StateSpace { capacity: 0 },
        Certificate::Executions { executions: 1 },
        Certificate::Refutation(Some(Arc::default())),
    ];
    for certificate in certificates {
        match certify(&task(&cannot), &certificate, None, || Ok(library()), &run) {
            Err(Halt::Contradiction(why)) => assert!(why.to_string().contains("no initial state"), "{why}"),
            other => panic!("{certificate:?}: {other:?}"),
        }
    }
}

#[test]
fn the_checker_stops_when_it_is_told() {
    let program = corpus("figures/coherence.wtl");
    let Proved { proof, coverage } = proof(&program, "tso");
    let task =
        Task { program: &program, memory: find("tso").unwrap(), property: Property::Stated, hints: None };
    let run = Run::new(Budget { work: Some(Work::NONE), ..Budget::default() });
    let stopped = abstraction(&task, &proof, Some(&coverage), &library(), &run);
    assert_eq!(stopped, Err(Halt::Unknown(Reason::Work)));
}
