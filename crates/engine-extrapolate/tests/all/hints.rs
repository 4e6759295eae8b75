//! Proofs that begin with what another task left.
//!
//! Hints may make a proof cheaper and never another verdict: what is decided with them and without them is decided
//! the same way.

use wattle_engine::{Answer, Engine, Hints, Property, Run, Task, Verdict, Work};
use wattle_engine_extrapolate::Extrapolate;
use wattle_generate::{Flavour, Profile};
use wattle_logic::{Sort, Term};
use wattle_memory::find;
use wattle_program::Program;
use wattle_program::passes::forget_dead;
use wattle_testing::agree::Effort;
use wattle_testing::proofs::{Ledger, Trial, WITH_BUFFERS, fenced, word};

use crate::{Proved, certified, corpus, libraries, library};

/// As the search for fences asks.
fn check(program: &Program, model: &str, hints: Option<&Hints>) -> Answer {
    let program = forget_dead(program);
    let task = Task { program: &program, memory: find(model).unwrap(), property: Property::Stated, hints };
    let engine = Extrapolate { smt: libraries(), ..Extrapolate::default() };
    engine.accepts(&task).unwrap();
    engine.check(&task, &Run::default()).unwrap()
}

#[test]
fn a_verdict_with_hints_is_the_one_without() {
    let (library, ledger) = (library(), Ledger::default());
    let subject = &Extrapolate { smt: libraries(), ..Extrapolate::default() };
    let effort = Effort { states: u64::MAX, work: Work::milliseconds(400) };
    for seed in 0..30u64 {
        let flavour = [Flavour::Tso, Flavour::Pso][seed as usize % 2];
        let program = wattle_generate::program(seed, &Profile::small(flavour));
        let trial = Trial {
            subject,
            others: &[],
            models: &WITH_BUFFERS,
            effort,
            library: &library,
            ledger: &ledger,
            seed,
        };
        trial.keeps_to_hints(&program).unwrap_or_else(|why| panic!("seed {seed}: {why:?}"));
    }
    assert!(ledger.counted("hints: ") > 100 && ledger.counted("hints: the same with hints") > 50, "{ledger}");
    assert!(ledger.counted("hints: decided with") <= 2, "one decides and the other does not: {ledger}");
}

#[test]
fn the_proof_of_one_placement_begins_with_that_of_another() {
    let program = corpus("peterson/peterson.wtl");
    let first = check(&program, "tso", Some(&Hints::default()));
    assert_eq!(word(&first), "unsafe");
    assert!(!first.hints.lean.is_empty());
    let repaired = fenced(&program, 1);
    let cold = check(&repaired, "tso", None);
    let warm = check(&repaired, "tso", Some(&first.hints));
    assert_eq!((word(&cold), word(&warm)), ("safe", "safe"));
    let figure = |answer: &Answer, name| answer.statistics.counted(name).unwrap();
    assert_eq!(figure(&warm, "sc refined predicates"), 0);
    assert!(figure(&warm, "sc calls") < figure(&cold, "sc calls"));
    assert_eq!(figure(&warm, "sc predicates"), figure(&cold, "sc predicates"));
    // The certificate knows nothing of hints.
    let Verdict::Safe { certificate: wattle_engine::Certificate::Abstraction(proof) } = &warm.verdict else {
        panic!("{:?}", warm.verdict)
    };
    let proved = Proved { proof: (**proof).clone(), coverage: warm.coverage.clone().unwrap() };
    certified(&repaired, "tso", &proved).unwrap();
}

#[test]
fn given_predicates_that_suffice_stay_as_they_are() {
    let program = corpus("abp/abp_unbounded.wtl");
    for model in ["tso", "pso"] {
        let cold = check(&program, model, Some(&Hints::default()));
        assert_eq!(cold.hints.lean.len(), program.predicates.len());
        let warm = check(&program, model, Some(&cold.hints));
        assert_eq!((word(&cold), word(&warm)), ("safe", "safe"));
        for name in ["sc predicates", "predicates", "states"] {
            assert_eq!(warm.statistics.counted(name), cold.statistics.counted(name), "{model} {name}");
        }
    }
}

#[test]
fn hints_that_make_no_sense_are_dropped() {
    let program = corpus("dekker/dekker.wtl");
    let cell = |local: u32, sort| Term::local_of(0, Term::int(0), local, sort);
    let nonsense = vec![
        cell(99, Sort::Int).equals(Term::int(0)),
        cell(0, Sort::Bool),
        Term::local_of(7, Term::int(0), 0, Sort::Int).equals(Term::int(0)),
        Term::content(Term::address(99, vec![]), Sort::Int).equals(Term::int(0)),
        Term::content(Term::address(0, vec![Term::int(50)]), Sort::Int).equals(Term::int(0)),
        Term::int(3),
        Term::bool(true),
    ];
    for model in ["sc", "tso"] {
        let cold = check(&program, model, None);
        for hints in
            [Hints { lean: nonsense.clone(), more: vec![] }, Hints { lean: vec![], more: nonsense.clone() }]
        {
            let warm = check(&program, model, Some(&hints));
            assert_eq!(word(&cold), word(&warm), "{model}");
            let of_nonsense = |hint: &&Term| nonsense.contains(hint);
            assert_eq!(warm.hints.lean.iter().chain(&warm.hints.more).find(of_nonsense), None);
        }
    }
}
