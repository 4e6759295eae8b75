//! What Dan, Meshman, Vechev and Yahav (SAS 2013) print, and that both searches for cubes find the same.

use std::collections::BTreeSet;

use wattle_abstraction::boolean::{BooleanProgram, goals};
use wattle_abstraction::search::{Cubes, Implicants, Search};
use wattle_abstraction::{Cube, Lazy, Predicates, Prover, Questions, Reach, Scope, System};
use wattle_engine::{Engine, Property, Run, Task, Verdict};
use wattle_engine_extrapolate::{Extrapolate, Room, Rules, extrapolate};
use wattle_memory::find;
use wattle_memory::reduction::{Capacity, Discipline, named};
use wattle_program::{Program, passes, text};
use wattle_smt::{Limits, Solver};

use super::{corpus, libraries, library, parse, source};

/// The program that the predicates are about, and the predicates: as given, or extrapolated to buffers of one.
pub fn abstracted(program: &Program, discipline: Option<Discipline>) -> (Program, System, Predicates) {
    let given = passes::instantiate(program).unwrap();
    let (program, predicates) = match discipline {
        None => (given.clone(), given.predicates.clone()),
        Some(discipline) => {
            let reduced = named(discipline).reduce(program, &Capacity::all(1)).unwrap();
            let predicates = extrapolate(&given.predicates, &reduced, &Rules::default());
            (reduced.program, predicates)
        }
    };
    let system = System::new(&program).unwrap();
    let predicates = Predicates::new(&system, &predicates).unwrap();
    (program, system, predicates)
}

pub const DISCIPLINES: [Option<Discipline>; 3] = [None, Some(Discipline::Pso), Some(Discipline::Tso)];

/// By goal.
pub fn cubes(system: &System, predicates: &Predicates, search: Box<dyn Search>) -> Vec<Option<Vec<Cube>>> {
    let questions = Questions::new(system, predicates, Scope::all(Reach::Whole));
    let mut solver = Solver::new(&library(), Limits::default()).unwrap();
    let lazy = Lazy::new(Prover::new(&mut solver, predicates).unwrap());
    let mut program = BooleanProgram::new(search, lazy);
    program.build(&questions).unwrap();
    let asked: BTreeSet<usize> = questions.of.iter().flat_map(goals).collect();
    assert_eq!(asked.len(), program.cubes.iter().flatten().count(), "every goal is asked once");
    let mut cubes = program.cubes;
    cubes.iter_mut().flatten().for_each(|cubes| cubes.sort());
    cubes
}

#[test]
fn the_tables_numbers_of_predicates() {
    let expected = [
        ("dekker/dekker_predicates.wtl", [7, 20, 18]),
        ("peterson/peterson_predicates.wtl", [7, 20, 18]),
        ("abp/abp_unbounded.wtl", [8, 15, 17]),
        ("szymanski/szymanski_predicates.wtl", [20, 35, 37]),
    ];
    for (path, numbers) in expected {
        let program = corpus(path);
        let found = DISCIPLINES.map(|discipline| abstracted(&program, discipline).2.len());
        assert_eq!(found, numbers, "{path}");
    }
}

/// With the receiver's guard as Fig. 1 prints it.
#[test]
fn the_cubes_of_the_alternating_bit_protocol() {
    let slip = "(m == 0 && rs != 0) || (m == 0 && rs != 0)";
    let printed = source("abp/abp_unbounded.wtl").replace("(m == 0) != (rs == 0)", slip);
    assert!(printed.contains(slip));
    let (program, system, predicates) = abstracted(&parse(&printed), None);
    let found = cubes(&system, &predicates, Box::new(Cubes { limit: 8 }));
    let large: BTreeSet<String> = (found.iter().flatten().flatten())
        .filter(|cube| cube.len() > 1)
        .map(|cube| {
            let literal =
                |(predicate, value)| text::print_term(&program, &predicates.literal(predicate, value));
            cube.literals().map(literal).collect::<Vec<_>>().join(", ")
        })
        .collect();
    let expected = [
        "sender[0].ss == 0, sender[0].a == 0",
        "sender[0].ss == 0, !(sender[0].a == 0)",
        "receiver[0].m == 0, !(receiver[0].rs == 0)",
        "!(sender[0].ss == 0), !(sender[0].a == 0)",
        "!(sender[0].ss == 0), sender[0].a == 0",
    ];
    assert_eq!(large, expected.map(String::from).into_iter().collect());
}

#[test]
fn both_searches_find_the_same_cubes() {
    let programs = [
        ("dekker/dekker_predicates.wtl", 2),
        ("peterson/peterson_predicates.wtl", 2),
        ("abp/abp_unbounded.wtl", 2),
    ];
    let mut compared = 0;
    for (path, limit) in programs {
        let program = corpus(path);
        for discipline in DISCIPLINES {
            let (_, system, predicates) = abstracted(&program, discipline);
            let all = cubes(&system, &predicates, Box::new(Cubes { limit }));
            let primes = cubes(&system, &predicates, Box::new(Implicants { limit }));
            assert_eq!(all, primes, "{path} {discipline:?}");
            compared += all.iter().flatten().map(Vec::len).sum::<usize>();
        }
    }
    assert!(compared > 300, "{compared}");
}

/// Section 6.3: what a proof under sequential consistency leaves open may be what buffers need.
#[test]
fn the_queue_needs_more_than_its_proof() {
    let fenced = source("queue/queue_predicates.wtl")
        .replace("tail = t + 1;", "tail = t + 1; fence;")
        .replace("head = h + 1;", "head = h + 1; fence;");
    let weaker = fenced.replace("consumer.h <= head;", "").replace("producer.t <= tail;", "");
    assert!(weaker.len() < fenced.len());
    let engine = Extrapolate {
        smt: libraries(),
        buffer: Some(Room::all(1)),
        no_refinement: true,
        ..Extrapolate::default()
    };
    let is_safe = |text: &str, model: &str| {
        // As the driver asks. Some of the given predicates speak of what is dead then.
        let program = passes::forget_dead(&parse(text));
        let task =
            Task { program: &program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
        matches!(engine.check(&task, &Run::default()).unwrap().verdict, Verdict::Safe { .. })
    };
    assert!(is_safe(&fenced, "sc") && is_safe(&weaker, "sc"));
    assert!(is_safe(&fenced, "pso") && !is_safe(&weaker, "pso"));
}
