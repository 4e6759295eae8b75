//! Fences and flushes of small programs, against the numbers of the literature.

#![allow(clippy::unwrap_used)] // a test that unwraps nothing has failed

mod build;
mod engines;
mod fuzz;
mod graphs;
mod programs;

use wattle_engine::{Budget, Engine, Figure, Halt, Property, Reason, Run, Task, Work};
use wattle_engine_explore::Explore;
use wattle_memory::MemoryModel;
use wattle_program::passes::{Insertion, Spot};
use wattle_program::{Op, Program};
use wattle_repair::law::{Law, adding_a_fence_never_hurts};
use wattle_repair::{
    All, Method, Objective, Options, Proof, Relaxed, Repair, Repairability, Repaired, describe, kind, kinds,
    relax, repair,
};

/// All places with all kinds.
fn places(program: &Program, memory: &MemoryModel, anywhere: bool) -> Vec<Insertion> {
    wattle_repair::places(program, memory, anywhere, &kinds(program.vocabulary, memory))
}

fn run_with(program: &Program, model: &str, options: &Options) -> Repair {
    let memory = wattle_memory::find(model).unwrap();
    let task = Task { program, memory, property: Property::Stated, hints: None };
    repair(&task, &Explore::default(), options, &Run::default()).unwrap()
}

fn repaired_with(program: &Program, model: &str, options: &Options) -> Repaired {
    let repair = run_with(program, model, options);
    match repair.result {
        Repairability::Repaired(repaired) => repaired,
        other => panic!("{model}: {other:?}"),
    }
}

fn repaired(program: &Program, model: &str) -> Repaired {
    let repaired = repaired_with(program, model, &Options::default());
    assert!(repaired.minimal && repaired.complete);
    assert!(matches!(repaired.proof, Proof::Safe { .. }));
    repaired
}

fn names(program: &Program, insertions: &[Insertion]) -> Vec<String> {
    let name = |one: &Insertion| {
        let copy = one.place.copy.map(|copy| format!("[{copy}]")).unwrap_or_default();
        let process = &program.process(one.place.process).name;
        format!("{process}{copy} {}", describe(program, &one.place))
    };
    insertions.iter().map(name).collect()
}

/// (count, source count)
fn counts(repaired: &Repaired) -> (usize, usize) {
    let source = repaired.source.as_ref().unwrap();
    assert!(source.minimal);
    (repaired.count, source.count)
}

#[test]
fn store_buffering_needs_two() {
    let program = programs::store_buffering();
    for model in ["tso", "pso"] {
        let repaired = repaired(&program, model);
        assert_eq!(counts(&repaired), (2, 2));
        assert_eq!(names(&program, &repaired.solutions[0]), ["p store x", "q store y"]);
    }
}

#[test]
fn message_passing_needs_a_fence_under_pso_only() {
    let program = programs::message_passing();
    let tso = run_with(&program, "tso", &Options::default());
    assert!(matches!(tso.result, Repairability::AlreadySafe { proof: Proof::Safe { .. } }));
    let pso = repaired(&program, "pso");
    assert_eq!(names(&program, &pso.solutions[0]), ["p store x"]);
}

#[test]
fn dekker_simple_needs_one_a_copy() {
    let program = programs::dekker_simple(false);
    for model in ["tso", "pso"] {
        let repaired = repaired(&program, model);
        assert_eq!(counts(&repaired), (2, 1));
        assert_eq!(names(&program, &repaired.solutions[0]), ["p[0] store F", "p[1] store F"]);
    }
}

#[test]
fn dekker_with_its_own_store_in_the_loop_needs_four_or_two_anywhere() {
    let program = programs::dekker_full();
    let repaired = repaired(&program, "tso");
    assert_eq!(counts(&repaired), (4, 2));
    let anywhere = Options { anywhere: true, ..Options::default() };
    let repaired = repaired_with(&program, "tso", &anywhere);
    assert!(repaired.minimal);
    assert_eq!(counts(&repaired), (2, 1));
    assert!(matches!(repaired.solutions[0][0].place.spot, Spot::Before(_)));
}

#[test]
fn peterson_needs_two_under_tso_and_four_under_pso() {
    let program = programs::peterson();
    let tso = repaired(&program, "tso");
    assert_eq!(counts(&tso), (2, 1));
    assert_eq!(names(&program, &tso.solutions[0]), ["p[0] store TURN", "p[1] store TURN"]);
    let pso = repaired(&program, "pso");
    assert_eq!(counts(&pso), (4, 2));
    let expected = ["p store F", "p store TURN"];
    assert_eq!(names(&program, &pso.source.unwrap().insertions), expected);
}

#[test]
fn kessels_needs_four() {
    for model in ["tso", "pso"] {
        assert_eq!(counts(&repaired(&programs::kessels(), model)), (4, 2));
    }
}

/// The literature's asymmetric case: three for two copies, where a text needs two.
#[test]
fn szymanski_needs_three_or_two_in_the_text() {
    let program = programs::szymanski();
    let repaired = repaired(&program, "tso");
    assert_eq!(counts(&repaired), (3, 2));
    assert_eq!(names(&program, &repaired.solutions[0]).iter().filter(|name| name.contains("[0]")).count(), 2);
}

/// One counterexample after another: proved like any repair, never better than the best, and called minimal only
/// where it is as good.
#[test]
fn extraction_ends_in_a_proof() {
    let options = Options { method: Method::Extract, ..Options::default() };
    for (program, model) in [
        (programs::store_buffering(), "tso"),
        (programs::message_passing(), "pso"),
        (programs::dekker_simple(false), "tso"),
        (programs::dekker_full(), "tso"),
        (programs::peterson(), "tso"),
        (programs::peterson(), "pso"),
        (programs::kessels(), "pso"),
        (programs::szymanski(), "tso"),
        (programs::remote_figure_2(false), "rma"),
    ] {
        let fewest = repaired(&program, model);
        let extracted = repaired_with(&program, model, &options);
        assert!(matches!(extracted.proof, Proof::Safe { .. }), "{model} {}", program.name);
        assert!(extracted.count >= fewest.count, "{model} {}", program.name);
        assert!(!extracted.minimal || extracted.count == fewest.count, "{model} {}", program.name);
        let source = extracted.source.unwrap();
        assert!(matches!(source.proof, Proof::Safe { .. }) && !source.insertions.is_empty());
    }
    let hopeless = run_with(&programs::unrepairable(), "tso", &options).result;
    assert!(matches!(hopeless, Repairability::Unrepairable { .. }), "{hopeless:?}");
    let broken = run_with(&programs::broken_under_sc(), "tso", &options).result;
    assert!(matches!(broken, Repairability::BrokenUnderSc { .. }), "{broken:?}");
}

#[test]
fn a_dear_fence_is_still_one_fence() {
    let options = Options { costs: [("fence".into(), 7)].into(), ..Options::default() };
    let repaired = repaired_with(&programs::message_passing(), "pso", &options);
    assert_eq!((repaired.count, repaired.minimal), (1, true));
}

#[test]
fn an_engine_that_cannot_refute_descends() {
    for (program, model, count, source) in [
        (programs::peterson(), "tso", 2, 1),
        (programs::store_buffering(), "tso", 2, 2),
        (programs::remote_figure_2(false), "rma", 1, 1),
    ] {
        let memory = wattle_memory::find(model).unwrap();
        let task = Task { program: &program, memory, property: Property::Stated, hints: None };
        let repair =
            repair(&task, &engines::OnlyProves::default(), &Options::default(), &Run::default()).unwrap();
        let Repairability::Repaired(repaired) = repair.result else { panic!("{:?}", repair.result) };
        assert_eq!((repaired.count, repaired.source.unwrap().count), (count, source));
        assert!(!repaired.minimal && matches!(repaired.proof, Proof::Safe { .. }));
    }
}

#[test]
fn a_smaller_set_that_is_unknown_may_be_a_repair() {
    let program = programs::store_buffering();
    let memory = wattle_memory::find("tso").unwrap();
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    let repair = repair(&task, &engines::Hesitates::default(), &Options::default(), &Run::default()).unwrap();
    let Repairability::Repaired(repaired) = repair.result else { panic!("{:?}", repair.result) };
    assert_eq!((repaired.count, repaired.minimal), (2, false));
    assert!(repaired.source.is_none_or(|source| !source.minimal));
}

#[test]
fn what_answers_leave_comes_with_the_next_question() {
    let program = programs::peterson();
    let memory = wattle_memory::find("pso").unwrap();
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    let engine = engines::LeavesHints::default();
    let repair = repair(&task, &engine, &Options::default(), &Run::default()).unwrap();
    let brought = engine.brought.into_inner().unwrap();
    assert!(brought.len() > 2);
    assert_eq!(brought, (0..brought.len()).collect::<Vec<usize>>());
    assert_eq!(repair.hints.more.len(), brought.len());
}

#[test]
fn an_engine_without_schedules_is_asked_more() {
    let program = programs::peterson();
    let memory = wattle_memory::find("pso").unwrap();
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    let engine = engines::NoSchedules::default();
    let repair = repair(&task, &engine, &Options::default(), &Run::default()).unwrap();
    let Repairability::Repaired(repaired) = repair.result else { panic!("{:?}", repair.result) };
    assert_eq!((repaired.count, repaired.source.unwrap().count), (4, 2));
    assert!(!repaired.minimal, "nothing was replayed");
}

#[test]
fn a_counterexample_that_does_not_replay_is_an_error() {
    let program = programs::store_buffering();
    let memory = wattle_memory::find("tso").unwrap();
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    let result = repair(&task, &engines::Lies::default(), &Options::default(), &Run::default());
    assert!(matches!(result, Err(Halt::Contradiction(why)) if why.claim.who == "engine lies"));
}

/// A property that is violated because a thread has *not* reached a point: a fence can hold it back,
/// so fewer fences need not have more violations, and nothing is called minimal.
#[test]
fn properties_of_threads_not_yet_there_are_not_called_minimal() {
    let repaired = repaired_with(&programs::late_arrival(), "pso", &Options::default());
    assert!(!repaired.minimal);
}

#[test]
fn a_fenced_store_is_no_place() {
    let tso = wattle_memory::find("tso").unwrap();
    assert_eq!(places(&programs::dekker_simple(true), tso, false).len(), 0);
    assert_eq!(places(&programs::dekker_simple(false), tso, false).len(), 4);
    let rma = wattle_memory::find("rma").unwrap();
    assert_eq!(places(&programs::remote_figure_2(true), rma, false).len(), 0);
    assert_eq!(places(&programs::remote_figure_2(false), rma, false).len(), 2);
    let sc = wattle_memory::find("sc").unwrap();
    assert_eq!(places(&programs::dekker_simple(false), sc, true).len(), 0);
}

#[test]
fn a_flush_of_all_is_one_flush() {
    let both: &[(u32, i64)] = &[(0, 1), (1, 1), (2, 1)];
    let program = programs::remote_gets(|thread| {
        thread.flush_all(both);
    });
    for model in ["rma", "rma-in-order"] {
        let memory = wattle_memory::find(model).unwrap();
        // Behind the second get stands a flush of its target already.
        let open = places(&program, memory, false);
        assert_eq!(open.len(), 1, "{open:?}");
        let task = Task { program: &program, memory, property: Property::Stated, hints: None };
        let relaxing = relax(&task, &Explore::default(), &Options::default(), &Run::default()).unwrap();
        let Relaxed::Fewest { keep, remove, minimal, .. } = relaxing.result else { panic!() };
        assert!(minimal);
        assert_eq!((keep.len(), remove.len()), (1, 1));
        assert!(keep[0].origin < remove[0].origin);
        let bare = programs::remote_gets(|_| ());
        assert_eq!(repaired(&bare, model).count, 2, "one flush a target");
        let one = programs::remote_gets(|thread| {
            thread.flush(1);
        });
        assert_eq!(repaired(&one, model).count, 1, "the flush of one target is not enough");
    }
    let copies = programs::remote_store_buffering();
    let edge = copies.processes[0].cfg.edges[0].to;
    let mut flushed = copies.clone();
    let next = flushed.processes[0].cfg.edges.iter_mut().find(|one| one.from == edge).unwrap();
    let flush =
        |copy| Op::Flush { process: wattle_program::ProcessId(0), copy: wattle_logic::Term::int(copy) };
    next.ops.splice(0..0, [flush(0), flush(1)]);
    let rma = wattle_memory::find("rma").unwrap();
    assert_eq!(places(&copies, rma, false).len(), 2);
    assert_eq!(places(&flushed, rma, false).len(), 0, "every copy is flushed, whichever the statement names");
}

#[test]
fn figure_2_of_seed_003_needs_a_flush_after_the_put() {
    let program = programs::remote_figure_2(false);
    let repaired = repaired(&program, "rma");
    assert_eq!(names(&program, &repaired.solutions[0]), ["p2 put Y"]);
}

#[test]
fn flushes_name_the_copy_that_the_statement_names() {
    let program = programs::remote_store_buffering();
    let repaired = repaired(&program, "rma");
    assert_eq!(counts(&repaired), (2, 1));
    let anywhere = Options { anywhere: true, ..Options::default() };
    assert_eq!(repaired_with(&program, "rma", &anywhere).count, 2);
    let all = Options { all: All::Subset, ..anywhere };
    let found = repaired_with(&program, "rma", &all);
    assert_eq!(sorted(found.solutions), exhaustive(&program, "rma", true));
}

#[test]
fn what_is_broken_under_sc_is_not_repaired() {
    for model in ["sc", "tso", "pso"] {
        let repair = run_with(&programs::broken_under_sc(), model, &Options::default());
        assert!(matches!(repair.result, Repairability::BrokenUnderSc { .. }), "{model}");
    }
}

#[test]
fn what_no_place_repairs_is_said_to_be_so() {
    let program = programs::unrepairable();
    let repair = run_with(&program, "tso", &Options::default());
    let Repairability::Unrepairable { counterexample } = repair.result else { panic!("{:?}", repair.result) };
    let task = Task {
        program: &program,
        memory: wattle_memory::find("tso").unwrap(),
        property: Property::Stated,
        hints: None,
    };
    wattle_judge::confirm::confirm(&task, &counterexample).unwrap();
}

#[test]
fn all_solutions_are_listed() {
    let program = programs::dekker_simple(false);
    let all = |all| repaired_with(&program, "tso", &Options { all, ..Options::default() });
    assert_eq!(all(All::Minimum).solutions.len(), 1);
    assert_eq!(all(All::Subset).solutions.len(), 1);
    let anywhere =
        |all| repaired_with(&program, "tso", &Options { all, anywhere: true, ..Options::default() });
    // After the store: before the load, or before the test of what was loaded … of which only the
    // first is in time; the head of the loop is too early.
    let minimum = anywhere(All::Minimum);
    assert!(minimum.complete && minimum.minimal);
    assert!(minimum.solutions.iter().all(|solution| solution.len() == 2));
    let subset = anywhere(All::Subset);
    assert!(subset.complete);
    assert!(minimum.solutions.iter().all(|solution| subset.solutions.contains(solution)));
    assert_eq!(exhaustive(&program, "tso", true), sorted(subset.solutions));
}

fn sorted(mut solutions: Vec<Vec<Insertion>>) -> Vec<Vec<Insertion>> {
    solutions.sort_by_key(|solution| solution.iter().map(|one| one.place.clone()).collect::<Vec<_>>());
    solutions
}

/// All inclusion-minimal placements, by trying every subset.
fn exhaustive(program: &Program, model: &str, anywhere: bool) -> Vec<Vec<Insertion>> {
    let memory = wattle_memory::find(model).unwrap();
    let places = places(program, memory, anywhere);
    assert!(places.len() <= 14, "{}", places.len());
    let mut subsets: Vec<usize> = (0..1usize << places.len()).collect();
    subsets.sort_by_key(|bits| bits.count_ones());
    let mut minimal: Vec<usize> = vec![];
    for bits in subsets {
        if minimal.iter().any(|smaller| bits & smaller == *smaller) {
            continue;
        }
        let chosen = chosen(&places, bits);
        let inserted = wattle_program::passes::insert(program, &chosen);
        let inserted = wattle_program::passes::forget_dead(&inserted);
        let task = Task { program: &inserted, memory, property: Property::Stated, hints: None };
        let verdict = Explore::default().check(&task, &Run::default()).unwrap().verdict;
        if matches!(verdict, wattle_engine::Verdict::Safe { .. }) {
            minimal.push(bits);
        }
    }
    // Nor can a fence of a minimal placement be replaced by a weaker one.
    let weaker = |one: &Insertion, other: &Insertion| match (&one.op, &other.op) {
        (Op::Fence(one), Op::Fence(other)) => other.orders.contains(one.orders),
        (one, other) => one == other,
    };
    let within = |small: &[Insertion], large: &[Insertion]| {
        let has = |one: &Insertion| large.iter().any(|other| one.place == other.place && weaker(one, other));
        small.iter().all(has)
    };
    let sets: Vec<Vec<Insertion>> = minimal.into_iter().map(|bits| chosen(&places, bits)).collect();
    let weakest = |set: &&Vec<Insertion>| !sets.iter().any(|other| other != *set && within(other, set));
    sorted(sets.iter().filter(weakest).cloned().collect())
}

fn chosen(places: &[Insertion], bits: usize) -> Vec<Insertion> {
    let of = |(number, one): (usize, &Insertion)| (bits >> number & 1 == 1).then(|| one.clone());
    places.iter().enumerate().filter_map(of).collect()
}

#[test]
fn the_search_agrees_with_trying_every_subset() {
    let all = Options { all: All::Subset, ..Options::default() };
    for (program, models) in [
        (programs::store_buffering(), ["tso", "pso"].as_slice()),
        (programs::message_passing(), &["pso"]),
        (programs::dekker_simple(false), &["tso", "pso"]),
        (programs::peterson(), &["tso", "pso"]),
        (programs::remote_figure_2(false), &["rma"]),
        (programs::remote_store_buffering(), &["rma"]),
    ] {
        for model in models {
            let found = repaired_with(&program, model, &all);
            assert_eq!(sorted(found.solutions), exhaustive(&program, model, false), "{model}");
        }
    }
}

#[test]
fn threads_can_be_weighed_against_each_other() {
    let options = Options { objective: Objective::PerThread, ..Options::default() };
    let repaired = repaired_with(&programs::peterson(), "pso", &options);
    assert_eq!(counts(&repaired), (4, 2));
}

#[test]
fn superfluous_fences_can_go() {
    let program = programs::dekker_simple(true);
    let memory = wattle_memory::find("tso").unwrap();
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    let relaxing = relax(&task, &Explore::default(), &Options::default(), &Run::default()).unwrap();
    let Relaxed::Fewest { keep, remove, minimal, .. } = relaxing.result else { panic!() };
    assert!(minimal);
    assert_eq!((keep.len(), remove.len()), (1, 1));
    assert!(keep[0].origin < remove[0].origin);

    let program = programs::remote_figure_2(true);
    let task = Task { program: &program, memory: wattle_memory::find("rma").unwrap(), ..task };
    let relaxing = relax(&task, &Explore::default(), &Options::default(), &Run::default()).unwrap();
    let Relaxed::Fewest { keep, remove, minimal, .. } = relaxing.result else { panic!() };
    assert!(minimal);
    assert_eq!((keep.len(), remove.len()), (1, 1));
    assert!(keep[0].origin < remove[0].origin);

    let program = programs::store_buffering();
    let task = Task { program: &program, memory, ..task };
    let relaxing = relax(&task, &Explore::default(), &Options::default(), &Run::default()).unwrap();
    assert!(matches!(relaxing.result, Relaxed::NotSafe { .. }));
}

#[test]
fn adding_a_fence_never_hurts_these() {
    for (program, model) in [
        (programs::message_passing(), "tso"),
        (programs::dekker_simple(true), "tso"),
        (programs::dekker_simple(true), "pso"),
        (programs::remote_figure_2(true), "rma"),
    ] {
        let memory = wattle_memory::find(model).unwrap();
        let task = Task { program: &program, memory, property: Property::Stated, hints: None };
        let law = adding_a_fence_never_hurts(&task, &Explore::default(), &Run::default());
        assert!(matches!(law, Law::Holds(count) if count > 0), "{law:?}");
    }
}

#[test]
fn a_spent_budget_is_no_answer() {
    let program = programs::peterson();
    let task = Task {
        program: &program,
        memory: wattle_memory::find("pso").unwrap(),
        property: Property::Stated,
        hints: None,
    };
    let mut bounds = vec![];
    for microseconds in [50, 300, 600, 900, 1200, 1800, 2400, 3000] {
        let work = Some(Work::microseconds(microseconds));
        let run = Run::new(Budget { work, ..Budget::default() });
        let repair = repair(&task, &Explore::default(), &Options::default(), &run).unwrap();
        if let Repairability::Unknown(unknown) = repair.result {
            assert_eq!(unknown.reason, Reason::Work);
            bounds.push(unknown.at_least);
        }
    }
    assert!(bounds.len() > 2 && bounds.is_sorted() && bounds.iter().all(|bound| *bound <= 4), "{bounds:?}");
}

#[test]
fn a_bounded_proof_is_not_called_minimal() {
    let program = programs::store_buffering_beside_a_loop();
    let task = Task {
        program: &program,
        memory: wattle_memory::find("tso").unwrap(),
        property: Property::Stated,
        hints: None,
    };
    let engine = Explore { max_capacity: Some(2), ..Explore::default() };
    let repair = repair(&task, &engine, &Options::default(), &Run::default()).unwrap();
    let Repairability::Repaired(repaired) = repair.result else { panic!("{:?}", repair.result) };
    assert_eq!((repaired.count, repaired.minimal), (2, false));
    assert!(matches!(repaired.proof, Proof::Bounded(_)));
}

#[test]
fn a_proved_full_fence_is_better_than_a_barrier_that_is_not() {
    let program = programs::message_passing();
    let task = Task {
        program: &program,
        memory: wattle_memory::find("pso").unwrap(),
        property: Property::Stated,
        hints: None,
    };
    let kinds = |engine: &dyn Engine| {
        let repair = repair(&task, engine, &Options::default(), &Run::default()).unwrap();
        let Repairability::Repaired(repaired) = repair.result else { panic!("{:?}", repair.result) };
        assert!(repaired.minimal);
        repaired.solutions[0].iter().map(|one| kind(&one.op).to_string()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&Explore::default()), ["fence.ww"]);
    assert_eq!(kinds(&engines::NoBarriers::default()), ["fence"]);
}

#[test]
fn engine_calls_are_few() {
    let repair = run_with(&programs::peterson(), "pso", &Options::default());
    let Some(Figure::Count(checks)) = repair.statistics.get("checks") else { panic!() };
    // Unsafe, unsafe, SC, safe: one counterexample for each fence of the text.
    assert_eq!(checks, 4);
}
