//! Instances of random parameterised systems: the packed machine against the reference machine, and laws.

use wattle_engine::{Budget, Property, Run, Task};
use wattle_engine_explore::Explore;
use wattle_frontend_cub::FRONTEND;
use wattle_generate::cub;
use wattle_judge::certify::{Closure, explore_all};
use wattle_memory::{MemoryModel, find};
use wattle_program::{Fence, Instance, Op, ProcessId, Program, passes, text, validate};
use wattle_source::Sources;
use wattle_testing::compare::{Limits, Subject, compare};

fn system(source: &str) -> Program {
    let read = FRONTEND.read("random.cub", source);
    let program = read.unwrap_or_else(|problems| panic!("{problems:#?}\n{source}")).program;
    validate(&program).unwrap();
    program
}

fn instance(program: &Program, copies: u32) -> Program {
    let instance = Instance([(ProcessId(0), copies)].into());
    passes::forget_dead(&instance.of(program).unwrap())
}

fn model(name: &str) -> &'static MemoryModel {
    find(name).unwrap()
}

fn closure(program: &Program, memory: &MemoryModel) -> Option<Closure> {
    let task = Task { program, memory, property: Property::Stated, hints: None };
    let run = Run::new(Budget { states: Some(6000), ..Budget::default() });
    explore_all(&task, Some(3), true, &run).ok()
}

#[test]
fn explore_visits_what_the_reference_machine_visits() {
    let engine = Explore { max_capacity: Some(3), ..Explore::default() };
    let subject = Subject {
        name: "explore",
        engine: &engine,
        outcomes: Some(&engine),
        exact: true,
        lists_unreached: true,
    };
    let models = [model("sc"), model("tso")];
    let limits = Limits { capacity: 3, states: 3000, ..Limits::default() };
    let (mut compared, mut incomparable) = (0, 0);
    for seed in 0..120 {
        let source = cub(seed);
        let program = system(&source);
        for copies in [2, 3] {
            let found = compare(&instance(&program, copies), &models, &[subject], &limits)
                .unwrap_or_else(|error| panic!("seed {seed}, {copies} copies: {error:?}\n{source}"));
            compared += found.compared;
            incomparable += found.incomparable;
        }
    }
    assert!(compared > 3 * incomparable, "{compared} compared, {incomparable} not");
}

/// What the shares of the generator are there for: a system whose verdict does not depend on memory, or on the number of
/// copies, says little.
#[test]
fn random_systems_are_worth_asking_about() {
    let (mut safe, mut weak, mut all) = (0, 0, 0);
    for seed in 0..300 {
        let two = instance(&system(&cub(seed)), 2);
        let bad = |name: &str| closure(&two, model(name)).map(|closure| closure.violation.is_some());
        match (bad("sc"), bad("tso")) {
            (Some(false), Some(false)) => safe += 1,
            (Some(false), Some(true)) => weak += 1,
            (Some(true), Some(false)) => panic!("seed {seed}: more is possible under sc than under tso"),
            _ => {}
        }
        all += 1;
    }
    assert!(safe * 4 > all && safe * 4 < all * 3, "{safe} of {all} are safe with two copies");
    assert!(weak * 20 > all, "{weak} of {all} are broken by weak memory alone");
}

/// A fence more never makes a system unsafe, and what two copies can do three can.
#[test]
fn laws_of_instances() {
    for seed in 0..120 {
        let source = cub(seed);
        let program = system(&source);
        let mut fenced = program.clone();
        for edge in &mut fenced.processes[0].cfg.edges {
            edge.ops.insert(0, Op::Fence(Fence::full()));
        }
        let bad = |program: &Program, copies: u32| {
            closure(&instance(program, copies), model("tso")).map(|closure| closure.violation.is_some())
        };
        if bad(&program, 2) == Some(false) {
            assert_ne!(bad(&fenced, 2), Some(true), "seed {seed}\n{source}");
        }
        // Guards over all others may stop what they did not stop before, so only systems without any.
        if !source.contains("forall") && bad(&program, 2) == Some(true) {
            assert_ne!(bad(&program, 3), Some(false), "seed {seed}\n{source}");
        }
    }
}

#[test]
fn random_systems_come_back_from_their_printed_form() {
    for seed in 0..300 {
        let program = system(&cub(seed));
        let printed = text::print(&program);
        let (sources, file) = Sources::single("random.wir", &printed);
        assert_eq!(text::parse(&sources, file).as_ref(), Ok(&program), "{printed}");
    }
}
