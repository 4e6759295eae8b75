//! Certificates as the engine writes them.

use wattle_engine::{Budget, Property, Reason, Run, Task, certify};
use wattle_memory::find;

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

#[test]
fn a_proof_is_about_one_model() {
    let program = corpus("figures/coherence.wtl");
    let proof = proof(&program, "tso");
    for model in ["sc", "pso"] {
        assert!(certify::is_contradiction(&certified(&program, model, &proof).unwrap_err()));
    }
}

#[test]
fn the_checker_stops_when_it_is_told() {
    let program = corpus("figures/coherence.wtl");
    let Proved { proof, unreached, ends } = proof(&program, "tso");
    let task = Task { program: &program, memory: find("tso").unwrap(), property: Property::Stated };
    let run = Run::new(Budget { polls: Some(0), ..Budget::default() });
    assert_eq!(certify::abstraction(&task, &proof, (&unreached, ends), &library(), &run), Err(Reason::Polls));
}
