//! Certificates as the engine writes them.

use wattle_abstraction::Cube;
use wattle_engine::certify::abstraction::{AbstractProof, Claim, Step, Triple};
use wattle_engine::{Budget, Property, Reason, Run, Task, Work, certify};
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
    let sets = |on: usize, predicate: usize, value: bool| Triple {
        cube: Cube::default().with(on, true),
        claim: Claim::Sets { step, predicate, value },
    };
    let always = Triple { cube: Cube::default(), claim: Claim::Holds { property: 0, places: vec![] } };
    let cube = |literals: &[(usize, bool)]| literals.iter().copied().collect::<Cube>();
    let after = |literals: &[(usize, bool)]| (vec![edge.to], cube(literals));
    let proof = AbstractProof {
        reduction: None,
        predicates,
        triples: vec![sets(0, 2, true), sets(1, 2, false), sets(1, 3, true), always],
        states: vec![
            (vec![edge.from], Cube::default()),
            after(&[(0, true), (1, false), (2, true)]),
            after(&[(0, false), (1, true), (2, false), (3, true)]),
            after(&[(0, false), (1, false)]),
        ],
    };
    let proved = Proved { proof, unreached: vec![], ends: true };
    assert_eq!(certified(&program, "sc", &proved), Ok((4, 4)));
}

#[test]
fn a_proof_is_about_one_model() {
    let program = corpus("figures/coherence.wtl");
    let proof = proof(&program, "tso");
    for model in ["sc", "pso"] {
        assert!(certify::is_contradiction(&certified(&program, model, &proof).unwrap_err()));
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
    let task = |program| Task { program, memory: find("sc").unwrap(), property: Property::Stated };
    let run = Run::default();
    let reasons = [
        certified(&cannot, "sc", &proved).unwrap_err(),
        certify::state_space(&task(&cannot), 0, &run).unwrap_err(),
        certify::executions(&task(&cannot), &run).unwrap_err(),
        certify::starts(&task(&cannot), &run).unwrap_err(),
    ];
    for reason in reasons {
        assert!(certify::is_contradiction(&reason), "{reason}");
        assert!(reason.to_string().contains("no initial state"), "{reason}");
    }
    assert_eq!(certify::starts(&task(&starts), &run), Ok(()));
}

#[test]
fn the_checker_stops_when_it_is_told() {
    let program = corpus("figures/coherence.wtl");
    let Proved { proof, unreached, ends } = proof(&program, "tso");
    let task = Task { program: &program, memory: find("tso").unwrap(), property: Property::Stated };
    let run = Run::new(Budget { work: Some(Work::NONE), ..Budget::default() });
    assert_eq!(certify::abstraction(&task, &proof, (&unreached, ends), &library(), &run), Err(Reason::Work));
}
