//! Proofs that begin with what another task left.
//!
//! Hints may make a proof cheaper and never another verdict: what is decided with them and without them is decided
//! the same way.

use wattle_engine::{Answer, Budget, Engine, Hints, Property, Run, Task, Verdict, Work};
use wattle_engine_extrapolate::Extrapolate;
use wattle_generate::{Flavour, Profile};
use wattle_logic::{Sort, Term};
use wattle_memory::find;
use wattle_program::passes::{Insertion, Place, Spot, forget_dead, insert};
use wattle_program::{Op, Program, Vocabulary};

use crate::{Proved, certified, corpus, libraries};

/// As the search for fences asks.
fn check(program: &Program, model: &str, hints: Option<&Hints>, work: Option<Work>) -> Option<Answer> {
    let program = forget_dead(program);
    let task = Task { program: &program, memory: find(model).unwrap(), property: Property::Stated, hints };
    let engine = Extrapolate { smt: libraries(), ..Extrapolate::default() };
    engine.accepts(&task).ok()?;
    let run = Run::new(Budget { work, ..Budget::default() });
    Some(engine.check(&task, &run).unwrap())
}

fn word(answer: &Answer) -> &'static str {
    match answer.verdict {
        Verdict::Safe { .. } => "safe",
        Verdict::SafeUpTo { .. } => "bounded",
        Verdict::Unsafe { .. } => "unsafe",
        Verdict::Unknown { .. } => "unknown",
    }
}

/// The program with a full fence after every store, or after every other one.
fn fenced(program: &Program, every: usize) -> Program {
    let fence = Vocabulary::Generic.fences().into_iter().max_by_key(|fence| fence.orders.0.count_ones());
    let mut spots = vec![];
    for process in program.process_ids() {
        for edge in &program.process(process).cfg.edges {
            let stores = edge.ops.iter().any(|op| matches!(op, Op::Store { .. }));
            let place = Place { process, copy: None, spot: Spot::After(edge.origin) };
            if stores && !spots.contains(&place) {
                spots.push(place);
            }
        }
    }
    let insertion = |place| Insertion { place, op: Op::Fence(fence.clone().unwrap()) };
    insert(program, &spots.into_iter().step_by(every).map(insertion).collect::<Vec<_>>())
}

#[test]
fn a_verdict_with_hints_is_the_one_without() {
    let (mut compared, mut warm, mut differ) = (0, 0, vec![]);
    for seed in 0..60u64 {
        let (model, flavour) = [("tso", Flavour::Tso), ("pso", Flavour::Pso)][seed as usize % 2];
        let program = wattle_generate::program(seed, &Profile::small(flavour));
        let work = Some(Work::milliseconds(400));
        let neighbours = [program.clone(), fenced(&program, 2), fenced(&program, 1)];
        let mut hints = Hints::default();
        for neighbour in &neighbours {
            let Some(cold) = check(neighbour, model, None, work) else { continue };
            let Some(mut begun) = check(neighbour, model, Some(&hints), work) else { continue };
            let (cold, word) = (word(&cold), word(&begun));
            assert!(cold == word || [cold, word].contains(&"unknown"), "seed {seed} {model}: {cold}, {word}");
            compared += 1;
            warm += usize::from(!hints.is_empty());
            if cold != word {
                differ.push((seed, cold, word));
            }
            hints.learn(std::mem::take(&mut begun.hints));
        }
    }
    assert!(compared > 100 && warm > 50, "{compared} {warm}");
    assert!(differ.len() <= 2, "one decides and the other does not: {differ:?}");
}

#[test]
fn the_proof_of_one_placement_begins_with_that_of_another() {
    let program = corpus("peterson/peterson.wtl");
    let first = check(&program, "tso", Some(&Hints::default()), None).unwrap();
    assert_eq!(word(&first), "unsafe");
    assert!(!first.hints.lean.is_empty());
    let repaired = fenced(&program, 1);
    let cold = check(&repaired, "tso", None, None).unwrap();
    let warm = check(&repaired, "tso", Some(&first.hints), None).unwrap();
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
        let cold = check(&program, model, Some(&Hints::default()), None).unwrap();
        assert_eq!(cold.hints.lean.len(), program.predicates.len());
        let warm = check(&program, model, Some(&cold.hints), None).unwrap();
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
        let cold = check(&program, model, None, None).unwrap();
        for hints in
            [Hints { lean: nonsense.clone(), more: vec![] }, Hints { lean: vec![], more: nonsense.clone() }]
        {
            let warm = check(&program, model, Some(&hints), None).unwrap();
            assert_eq!(word(&cold), word(&warm), "{model}");
            let of_nonsense = |hint: &&Term| nonsense.contains(hint);
            assert_eq!(warm.hints.lean.iter().chain(&warm.hints.more).find(of_nonsense), None);
        }
    }
}
