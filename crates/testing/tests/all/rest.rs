//! The abstract rest against the machines, on random programs; and what it can and cannot tell.

use wattle_engine::{Budget, Property, Run, Task};
use wattle_generate::{Flavour, Profile};
use wattle_judge::certify::{Closure, explore_all};
use wattle_memory::reduction::{self, Buffers, Capacity, Contents, Keeps, Reduced, Rest};
use wattle_memory::{Machine, find};
use wattle_program::Program;
use wattle_testing::rest::{Simulated, simulates};

const MACHINES: [(&str, Machine); 2] = [("tso", Machine::Tso), ("pso", Machine::Pso)];
const SET: Rest = Rest { contents: Contents::Set, keeps: Keeps::Oldest };
const SET_NEWEST: Rest = Rest { contents: Contents::Set, keeps: Keeps::Newest };

fn rests() -> impl Iterator<Item = Rest> {
    let both = [Contents::Havoc, Contents::Set].into_iter();
    both.flat_map(|contents| [Keeps::Oldest, Keeps::Newest].map(|keeps| Rest { contents, keeps }))
}

fn with(each: u32, rest: Rest) -> Capacity {
    Capacity { rest: Some(rest), ..Capacity::all(each) }
}

fn program(text: &str) -> Program {
    wattle_frontend_wtl::FRONTEND.read("test.wtl", text).unwrap().program
}

fn reduced(program: &Program, machine: Machine, capacity: &Capacity) -> Reduced {
    reduction::of(machine).unwrap().reduce(program, capacity).unwrap()
}

fn closure(program: &Program, model: &str, states: u64) -> Option<Closure> {
    let task = Task { program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
    explore_all(&task, None, false, &Run::new(Budget { states: Some(states), ..Budget::default() })).ok()
}

/// Is the reduced program, whose states are finitely many, safe?
fn is_safe(text: &str, machine: Machine, each: u32, rest: Rest) -> bool {
    let reduced = reduced(&program(text), machine, &with(each, rest));
    closure(&reduced.program, "sc", 100_000).expect("finitely many states").violation.is_none()
}

fn has_rest(reduced: &Reduced) -> bool {
    match &reduced.buffers {
        Buffers::Pso(all) => all.iter().flatten().any(|buffer| buffer.rest.is_some()),
        Buffers::Rma(_) => false,
        Buffers::Tso(all) => all.iter().flatten().any(|buffer| !buffer.rests.is_empty()),
    }
}

/// Programs of many stores. Loops too: the machine may then have too many states, but often has not.
fn profile(seed: u64) -> Profile {
    let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Pso, Flavour::Sc];
    let small = Profile::small(flavours[(seed / 4 % 4) as usize]);
    Profile {
        threads: (1, 2),
        statements: (4, 10),
        loops: 60,
        pointers: 80,
        array: 300,
        litmus: 200,
        ..small
    }
}

#[test]
fn what_the_machine_does_the_abstraction_does() {
    let (mut all, mut used, mut not_run) = (0, 0, 0);
    for seed in 0..40 {
        let program = wattle_generate::program(seed, &profile(seed));
        for (model, machine) in MACHINES {
            for rest in rests() {
                for each in 0..=3 {
                    match simulates(&program, machine, &with(each, rest), 300) {
                        Err(what) => panic!("seed {seed}, {model}, {each} slots, {rest:?}: {what}"),
                        Ok(Simulated::All { rest, .. }) => (all, used) = (all + 1, used + u32::from(rest)),
                        Ok(Simulated::NotRun) => not_run += 1,
                        Ok(Simulated::Refused(_) | Simulated::TooLarge) => {}
                    }
                }
            }
        }
    }
    let counts = (all, used, not_run);
    assert!(all > 500 && used > 100, "{counts:?}");
}

/// Final states of programs without loops: none is lost, and where nothing can get into a rest, none comes.
#[test]
fn no_outcome_is_lost() {
    let (mut compared, mut equal, mut more) = (0, 0, 0);
    for seed in 1000..1100 {
        let program = wattle_generate::program(seed, &Profile { loops: 0, faults: 0, ..profile(seed) });
        for (model, machine) in MACHINES {
            let Some(expected) = closure(&program, model, 1000) else { continue };
            for (rest, each) in rests().flat_map(|rest| (0..=3).map(move |each| (rest, each))) {
                let reduction = reduction::of(machine).unwrap();
                let Ok(reduced) = reduction.reduce(&program, &with(each, rest)) else { continue };
                let Some(found) = closure(&reduced.program, "sc", 2000) else { continue };
                let what = format!("seed {seed}, {model}, {each} slots, {rest:?}");
                assert!(expected.outcomes.is_subset(&found.outcomes), "{what}");
                assert!(expected.violation.is_none() || found.violation.is_some(), "{what}");
                compared += 1;
                more += u32::from(expected.outcomes != found.outcomes);
                if !has_rest(&reduced) {
                    equal += 1;
                    let exact = reduction.reduce(&program, &Capacity::all(each.max(1))).unwrap();
                    let exact = closure(&exact.program, "sc", 2000).unwrap();
                    assert_eq!(found.outcomes, exact.outcomes, "{what}");
                    assert_eq!(found.violation.is_some(), exact.violation.is_some(), "{what}");
                }
            }
        }
    }
    let counts = (compared, equal, more);
    assert!(compared > 700 && equal > 300 && more > 5, "{counts:?}");
}

/// Constructs that random programs have seldom, or only in part.
const TEXTS: [&str; 9] = [
    // Own stores are seen, whichever part they are in.
    "shared x: 0..3, y: 0..3; thread p { local a: 0..3; x = 1; x = 2; y = 1; a = x; x = 3; a = x; y = a; a = y; }
     thread q { local b: 0..3; b = y; b = x; x = 0; }",
    // Waiting for one location.
    "shared x: 0..2, y: 0..2; thread p { local a: 0..2; x = 1; y = 1; x = 2; fence(x); y = 2; a = x; fence(y); a = y; }
     thread q { local b: 0..2; b = y; b = x; }",
    // Locked steps and full fences.
    "shared x: 0..3, y: 0..3; thread p { local a: 0..3; x = 1; x = 2; y = 1; a = fetch_add(x, 1); y = 2; y = 3; fence; a = y; }
     thread q { local b: 0..3; b = y; b = x; atomic { x = 0; y = 0; } }",
    // Addresses that are computed.
    "shared a[3]: 0..2; thread p { local i: 0..2; i = nondet(0, 2); a[i] = 1; a[0] = 2; i = a[i]; a[i] = 1; fence(a[i]); i = a[1]; }
     thread q { local b: 0..2; b = a[1]; b = a[0]; }",
    // Several accesses in a step.
    "shared x: 0..3, y: 0..3; thread p { local a: 0..3, b: 0..3;
       atomic(buffered) { x = 1; a = x; x = 2; y = a; b = x; x = 3; }
       atomic(buffered) { b = x; y = b; x = 0; a = y; } assert a == 3 && b == 3; }
     thread q { local c: 0..3; c = y; c = x; }",
    // A section of several steps.
    "shared x: 0..3, y: 0..3; thread p { local a: 0..3; atomic(buffered) { x = 1; l: x = 2; y = 1; m: a = x; x = 3; } }
     thread q { local c: 0..3; c = y; c = x; }",
    // Any value at the start, and ranges without zero.
    "shared x: 1..3 = *, y: 0..1 = *; thread p { local a: 1..3 = *; x = a; x = 2; a = x; y = 1; x = 3; } thread q { local b: 1..3 = 1; b = x; }",
    // Sets hold no booleans and no constructors.
    "enum E { u, v, w } shared x = false, e: E = u; thread p { x = true; e = v; x = false; e = w; x = true; e = u; }
     thread q { local b = false, f: E = u; b = x; f = e; }",
    // Machine integers wrap before they get into a set.
    "shared x: u8 = 254, y: i8; thread p { local a: u8; a = x; x = a + 1; a = x; x = a + 1; a = x; y = 200; y = a; x = 7; }
     thread q { local b: u8; b = x; }",
];

#[test]
fn constructs_one_by_one() {
    for text in TEXTS {
        let program = program(text);
        let mut used = 0;
        for (model, machine) in MACHINES {
            for (rest, each) in rests().flat_map(|rest| (0..=3).map(move |each| (rest, each))) {
                // Any of 256 values would be too many states.
                if text.contains("u8") && rest.contents == Contents::Havoc {
                    continue;
                }
                match simulates(&program, machine, &with(each, rest), 60_000) {
                    Ok(Simulated::All { rest, .. }) => used += u32::from(rest),
                    other => panic!("{text}\n{model}, {each} slots, {rest:?}: {other:?}"),
                }
            }
        }
        assert!(used >= 10, "{text}\n{used}");
    }
}

/// Any number of stores may be pending: the reduced program is finite, and safe. The paper's rule forgets too much.
#[test]
fn values_that_were_never_stored_do_not_come_out() {
    let text = "shared x: 0..3; thread w { while (true) { x = 1; x = 2; } }
                thread r { local a: 0..3; while (true) { a = x; assert a <= 2; } }";
    for (_, machine) in MACHINES {
        for (rest, each) in rests().flat_map(|rest| (0..=2).map(move |each| (rest, each))) {
            let safe = rest.contents == Contents::Set;
            assert_eq!(is_safe(text, machine, each, rest), safe, "{machine:?} {each} {rest:?}");
        }
        // No range is needed: the set is finite.
        let text = text.replace("0..3", "int");
        assert!(is_safe(&text, machine, 1, SET) && is_safe(&text, machine, 0, SET_NEWEST));
    }
}

#[test]
fn order_in_the_rest_is_lost() {
    let text = "shared x: 0..3; thread w { local n: 0..3; while (true) { n = n + 1; x = n; } }
                thread r { local a: 0..3, b: 0..3; a = x; b = x; assert a <= b; }";
    for (_, machine) in MACHINES {
        for rest in [SET, SET_NEWEST] {
            let safe = |each| is_safe(text, machine, each, rest);
            // Three stores, of which one entry in a rest is `last`.
            assert_eq!([0, 1, 3].map(safe), [false, false, true], "{machine:?} {rest:?}");
        }
    }
}

/// Under tso, of two locations in the rest either may come first; in slots it is as stored.
#[test]
fn order_of_locations_under_tso() {
    let text =
        "shared x, y; thread w { x = 1; y = 1; } thread r { local a, b; a = y; b = x; assert a <= b; }";
    for rest in [SET, SET_NEWEST] {
        assert_eq!([0, 1, 2].map(|each| is_safe(text, Machine::Tso, each, rest)), [false, true, true]);
    }
}

/// A thread that has ended still drains, and what it stored last is what stays.
#[test]
fn the_last_store_stays() {
    let text = "shared x, y; thread w { local a; x = 1; x = 2; y = 5; x = 3; a = x; assert a == 3; } finally x == 3 && y == 5;";
    for (_, machine) in MACHINES {
        for (rest, each) in
            [SET, SET_NEWEST].into_iter().flat_map(|rest| (0..=4).map(move |each| (rest, each)))
        {
            let reduced = reduced(&program(text), machine, &with(each, rest));
            let found = closure(&reduced.program, "sc", 10_000).unwrap();
            assert!(found.ends && found.violation.is_none(), "{machine:?} {each} {rest:?}");
        }
    }
}

/// Where a fence follows every k stores, there is no rest, and nothing but the flag is missing.
#[test]
fn fenced_programs_have_no_rest() {
    let text = "shared x, y; thread w { while (true) { x = 1; y = 1; fence; x = 2; fence; } }
                thread r { local a; a = x; a = y; }";
    for (machine, each) in [(Machine::Tso, 2), (Machine::Pso, 1)] {
        let (program, exact) = (program(text), Capacity::all(each));
        for rest in rests() {
            let (ours, exact) =
                (reduced(&program, machine, &with(each, rest)), reduced(&program, machine, &exact));
            assert!(!has_rest(&ours) && ours.bound.is_none());
            assert_eq!(ours.program.processes, exact.program.processes);
            assert_eq!(ours.program.variables.len() + 1, exact.program.variables.len());
            assert!(has_rest(&reduced(&program, machine, &with(each - 1, rest))));
        }
    }
}
