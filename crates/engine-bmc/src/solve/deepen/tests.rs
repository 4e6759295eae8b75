//! Bounds that share a solver get the answers that each gets from a solver of its own.

use wattle_engine::{
    Bound, Budget, Certificate, Coverage, Engine, Halt, Property, Run, Statistics, Task, Verdict, Work,
};
use wattle_generate::Profile;
use wattle_judge::certify::refutation::refutation;
use wattle_judge::confirm;
use wattle_memory::find;
use wattle_program::Program;

use crate::solve::query::{Failed, Known, Round, rounds};
use crate::{Bmc, Formulated};

/// What some bounds show, one after the other: those that were completed, and how it ended.
#[derive(Debug, PartialEq)]
struct Shown {
    completed: Vec<(Bound, Coverage)>,
    end: End,
}

#[derive(Debug, PartialEq)]
enum End {
    Violated,
    Complete {
        unreached: usize,
        ends: bool,
    },
    Bounded {
        may_grow: bool,
    },
    Judged(Halt),
    /// Too much to be compared.
    Unknown,
}

fn shown(engine: &Bmc, task: &Task<'_>, batches: &[&[u32]]) -> Shown {
    let (mut known, mut statistics) = (Known::default(), Statistics::default());
    let mut end = End::Unknown;
    for bounds in batches {
        let run = Run::new(Budget { work: Some(Work::milliseconds(60)), ..Budget::default() });
        end = match rounds(engine, task, bounds, &run, &mut known, &mut statistics) {
            Ok(Round::Violated(counterexample)) => {
                assert!(confirm::confirm(task, &counterexample).is_ok());
                End::Violated
            }
            Ok(Round::Complete(Certificate::Refutation(proof), coverage)) => {
                assert_eq!(proof.is_some(), engine.proof);
                proof.iter().for_each(|proof| assert!(refutation(proof, &Run::default()).is_ok()));
                let coverage = coverage.unwrap();
                End::Complete { unreached: coverage.unreached.len(), ends: coverage.ends }
            }
            Ok(Round::Complete(other, _)) => panic!("{other:?}"),
            Ok(Round::Bounded { may_grow: true, .. }) => {
                end = End::Bounded { may_grow: true };
                continue;
            }
            Ok(Round::Bounded { may_grow, .. }) => End::Bounded { may_grow },
            Err(Failed::Judged(halt)) => End::Judged(halt),
            Err(Failed::Effort(_) | Failed::Large(_)) => End::Unknown,
        };
        break;
    }
    Shown { completed: known.completed, end }
}

/// Counted: what was found, a violation, a proof, a bound, or something that cannot be judged.
fn compare(name: &str, engine: &Bmc, task: &Task<'_>, counts: &mut [u32; 4]) {
    if engine.accepts(task).is_err() {
        return;
    }
    let alone = shown(engine, task, &[&[1], &[2], &[4]]);
    let shared = shown(engine, task, &[&[1, 2, 4]]);
    if alone.end == End::Unknown || shared.end == End::Unknown {
        return;
    }
    assert_eq!(alone, shared, "{name}\n{}", wattle_program::text::print(task.program));
    let place = match shared.end {
        End::Violated => 0,
        End::Complete { .. } => 1,
        End::Bounded { .. } => 2,
        End::Judged(_) | End::Unknown => 3,
    };
    counts[place] += 1;
}

#[test]
fn shared_and_alone() {
    let mut counts = [0; 4];
    for seed in 0..1000 {
        let profile = Profile { loops: 300, any_init: 20, ..Profile::varied(seed) };
        let program = wattle_generate::program(seed, &profile);
        let model = ["sc", "tso", "pso", "rmo", "power", "arm"][seed as usize % 6];
        let formulated = if seed % 7 == 0 { Formulated::Clocks } else { Formulated::Order };
        let engine = Bmc { proof: seed % 2 == 0 && seed % 7 != 0, formulated, ..Bmc::default() };
        let task =
            Task { program: &program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
        compare(&format!("seed {seed} {model}"), &engine, &task, &mut counts);
    }
    assert!(counts[0] > 80 && counts[1] > 80 && counts[2] > 20, "{counts:?}");
}

fn parse(text: &str) -> Program {
    let parsed = wattle_frontend_wtl::FRONTEND.read("test.wtl", text);
    parsed.unwrap_or_else(|problems| panic!("{problems:?}\n{text}")).program
}

/// Each bound once, in order; the answer is that of the first that shows a violation.
#[test]
fn the_first_bound_that_is_enough() {
    let text = "shared x = 0, y = 0; thread a { local r = 0;
        while (true) { r = x; if (r == y) { r = r + 1; if (r < 4) { x = r; y = r; } } assert r != 3; } }";
    let program = parse(text);
    let task =
        Task { program: &program, memory: find("tso").unwrap(), property: Property::Stated, hints: None };
    for fresh in [true, false] {
        let mut statistics = Statistics::default();
        let engine = Bmc { fresh, ..Bmc::default() };
        let verdict = super::deepen(&engine, &task, &Run::default(), &mut statistics);
        assert!(matches!(verdict, Ok((Verdict::Unsafe { .. }, _))), "{verdict:?}");
        assert_eq!(statistics.get("rounds completed"), Some(wattle_engine::Figure::Count(1)), "{fresh}");
    }
    let mut counts = [0; 4];
    compare(text, &Bmc::default(), &task, &mut counts);
    assert_eq!(counts, [1, 0, 0, 0]);
    let mut batches = vec![super::batch(1, true)];
    while batches.len() < 6 {
        let last = batches.last().and_then(|batch| batch.last()).copied().unwrap();
        batches.push(super::batch(super::next(last), true));
    }
    let expected = [&[1][..], &[2], &[3, 4], &[6, 9], &[13], &[19]];
    assert_eq!(batches, expected);
}

/// A proof is about the bound that was enough, also if the solver knows more rounds.
#[test]
fn a_proof_inside_a_batch() {
    let text = "shared x = 0, y = 0; thread a { local i = 0;
        while (i < 2) { if (x == 0) { i = i + 1; } else { i = 2; } y = i; } assert i == 2; }
        thread b { x = 1; assert y < 3; }";
    let program = parse(text);
    for model in ["sc", "tso", "power"] {
        let task =
            Task { program: &program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
        let engine = Bmc { proof: true, ..Bmc::default() };
        for bounds in [&[1, 2, 4][..], &[2, 4], &[1, 2], &[2]] {
            let shown = shown(&engine, &task, &[bounds]);
            assert_eq!(shown.end, End::Complete { unreached: 0, ends: true }, "{model} {bounds:?}");
        }
    }
}

/// Loops that count, and programs without loops, have no other bound: there is nothing to be stopped.
#[test]
fn nothing_to_stop() {
    for text in [
        "shared x = 0; thread a { x = 1; } thread b { assert x < 2; }",
        "shared x = 0; thread a { local i = 0; while (i < 9) { x = i; i = i + 1; } } thread b { assert x < 9; }",
        "shared x = 0; thread a { while (x == 0) { } assert x == 1; } thread b { x = 1; }",
    ] {
        let program = parse(text);
        let shape = wattle_program::Shape::new(&program).unwrap();
        let task =
            Task { program: &program, memory: find("pso").unwrap(), property: Property::Stated, hints: None };
        let options = Bmc::default().unrolling(&task, &[1, 2, 4]);
        let structure = crate::unroll::unroll(&program, &shape, &options).unwrap();
        assert!(structure.stops.is_empty(), "{text}");
    }
}

/// Time may run out inside a batch; what was completed before is the answer.
#[test]
fn the_bound_last_completed_is_told() {
    let text = "shared x = 0, y = 0; thread a[2] { while (true) { x = 1; y = x; assert y < 2; } }";
    let program = parse(text);
    let task =
        Task { program: &program, memory: find("tso").unwrap(), property: Property::Stated, hints: None };
    let mut bounds = Vec::new();
    for milliseconds in [1, 2, 3, 4, 6, 8, 12, 16, 24] {
        let work = Some(Work::milliseconds(milliseconds));
        let run = Run::new(Budget { work, ..Budget::default() });
        let answer = Bmc::default().check(&task, &run).unwrap();
        match answer.verdict {
            Verdict::SafeUpTo { bound: Bound::Unwinding(unwind) } => bounds.push(unwind),
            Verdict::Unknown { .. } => assert!(bounds.is_empty()),
            verdict => panic!("{verdict:?}"),
        }
    }
    assert!(bounds.is_sorted() && bounds.first() < bounds.last(), "{bounds:?}");
}
