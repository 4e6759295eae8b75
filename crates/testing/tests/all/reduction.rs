//! The reduction against the machine: the same states, the same moves between them, the same violations.

use std::collections::BTreeSet;

use wattle_engine::{Budget, Counterexample, Engine, Property, Run, Task, Verdict};
use wattle_engine_explore::Explore;
use wattle_generate::{Flavour, Profile, program};
use wattle_memory::operational::{
    Action, Outcome, State, Stored, Violation, initial_states, is_final, is_stuck, successors, violations,
};
use wattle_memory::reduction::{Capacity, Discipline, Move, Reduced, Refused, reduce};
use wattle_memory::{Machine, find};
use wattle_program::passes::{forget_dead, instantiate};
use wattle_program::step::ThreadState;
use wattle_program::{EdgeId, Program, PropertyKind, Shape, ThreadId, validate};

use crate::corpus;

/// What a search saw.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    states: BTreeSet<State>,
    /// State before, thread, edge, and what came of it.
    steps: BTreeSet<(State, ThreadId, EdgeId, Moved)>,
    commits: BTreeSet<(State, ThreadId, u32, State)>,
    /// A store found a full buffer.
    overflow: bool,
    /// Something that wattle does not handle was reached: the rest does not count.
    unsupported: bool,
}

/// Whether an assertion failed, and where the step led. `None`: a fault.
type Moved = Option<(bool, State)>;

const SC: Machine = Machine::Sc { atomic_copy: false };

fn machine(discipline: Discipline) -> Machine {
    match discipline {
        Discipline::Tso => Machine::Tso,
        Discipline::Pso => Machine::Pso,
    }
}

/// More pending stores than a buffer holds.
fn too_many(stores: &[Stored], discipline: Discipline, capacity: u32) -> bool {
    let most = match discipline {
        Discipline::Tso => stores.len(),
        Discipline::Pso => {
            let locations = stores.iter().filter_map(Stored::location);
            let of = |location: u32| stores.iter().filter(|one| one.location() == Some(location)).count();
            locations.map(of).max().unwrap_or(0)
        }
    };
    most > capacity as usize
}

/// The machine, with buffers of this capacity. `None`: more states than `limit`.
fn on_the_machine(program: &Program, discipline: Discipline, capacity: u32, limit: usize) -> Option<Seen> {
    let shape = Shape::new(program).unwrap();
    let mut seen = Seen::default();
    let mut open: Vec<State> =
        initial_states(program, &shape).ok()?.into_iter().map(|(_, state)| state).collect();
    seen.states.extend(open.iter().cloned());
    while let Some(state) = open.pop() {
        for successor in successors(program, &shape, machine(discipline), &state) {
            let thread = successor.action.thread();
            let (mut next, failed) = match successor.outcome {
                Outcome::Unsupported { .. } => {
                    seen.unsupported = true;
                    return Some(seen);
                }
                Outcome::Fault { .. } => {
                    if let Action::Step { edge, .. } = successor.action {
                        seen.steps.insert((state.clone(), thread, edge, None));
                    }
                    continue;
                }
                Outcome::Moved { state, failed, .. } => (state, failed),
            };
            // What is not refused has barriers between stores to one location only, which say nothing.
            next.stores.iter_mut().for_each(|stores| stores.retain(|stored| *stored != Stored::Barrier));
            if too_many(&next.stores[thread.0 as usize], discipline, capacity) {
                seen.overflow = true;
                continue;
            }
            match successor.action {
                Action::Step { edge, .. } => {
                    let moved = Some((!failed.is_empty(), next.clone()));
                    seen.steps.insert((state.clone(), thread, edge, moved));
                }
                Action::Commit { location, .. } => {
                    seen.commits.insert((state.clone(), thread, location, next.clone()));
                }
                Action::Remote { .. } => unreachable!(),
            }
            if seen.states.insert(next.clone()) {
                if seen.states.len() > limit {
                    return None;
                }
                open.push(next);
            }
        }
    }
    Some(seen)
}

/// The state of the machine that a reduced state stands for.
fn meant(source: &Program, shape: &Shape, reduced: &Reduced, state: &State) -> State {
    let mut result = state.clone();
    result.memory.truncate(shape.locations.len());
    for thread in shape.thread_ids() {
        let number = thread.0 as usize;
        let process = &source.processes[number];
        let ThreadState { point, locals } = &mut result.threads[number];
        let pending = reduced.contents(thread, locals).unwrap();
        result.stores[number] =
            pending.into_iter().map(|(location, value)| Stored::Write { location, value }).collect();
        locals.truncate(process.locals.len());
        if point.0 as usize >= process.cfg.points.len() {
            // A new end point: there is an `End` edge from the old one.
            let cfg = &reduced.program.processes[number].cfg;
            let end = cfg.edges.iter().zip(&reduced.moves[number]);
            let mut old = end.filter(|(edge, kind)| edge.to == *point && **kind == Move::End);
            *point = old.next().map(|(edge, _)| edge.from).unwrap();
        }
    }
    result
}

/// The reduced program under sc, in terms of the machine. Also compares what properties say.
fn reduced_under_sc(source: &Program, reduced: &Reduced, deadlocks: Machine) -> Seen {
    let program = &reduced.program;
    let (shape, before) = (Shape::new(program).unwrap(), Shape::new(source).unwrap());
    let mut seen = Seen::default();
    let starts = initial_states(program, &shape).unwrap();
    let old: Vec<Vec<i64>> =
        initial_states(source, &before).unwrap().into_iter().map(|(codes, _)| codes).collect();
    assert_eq!(starts.iter().map(|(codes, _)| codes.clone()).collect::<Vec<_>>(), old);
    let mut open: Vec<State> = starts.into_iter().map(|(_, state)| state).collect();
    let mut known: BTreeSet<State> = open.iter().cloned().collect();
    while let Some(state) = open.pop() {
        let here = meant(source, &before, reduced, &state);
        seen.states.insert(here.clone());
        if is_final(program, &shape, &state) {
            assert!(is_final(source, &before, &here));
        }
        // Before an overflow, or before a thread that has drained goes on to its end, the reduced program
        // can move where the machine may not.
        let mut moves_more = false;
        for successor in successors(program, &shape, SC, &state) {
            let Action::Step { thread, edge, .. } = successor.action else { unreachable!() };
            let kind = reduced.moves[thread.0 as usize][edge.0 as usize];
            if let Move::Overflow(_) = kind {
                (seen.overflow, moves_more) = (true, true);
                if let Outcome::Moved { state, .. } = &successor.outcome {
                    let last = violations(program, &shape, state);
                    assert!(last.iter().any(|one| one.property == source.properties.len()));
                }
                if !matches!(successor.outcome, Outcome::Fault { .. }) {
                    continue;
                }
            }
            let (next, failed) = match successor.outcome {
                Outcome::Unsupported { .. } => {
                    seen.unsupported = true;
                    return seen;
                }
                Outcome::Fault { .. } => {
                    let (Move::Step(edge) | Move::Overflow(edge)) = kind else { panic!("{kind:?} faults") };
                    seen.steps.insert((here.clone(), thread, edge, None));
                    continue;
                }
                Outcome::Moved { state, failed, .. } => (state, failed),
            };
            let there = meant(source, &before, reduced, &next);
            match kind {
                Move::Step(edge) => {
                    seen.steps.insert((here.clone(), thread, edge, Some((!failed.is_empty(), there))));
                }
                Move::Commit(location) => {
                    seen.commits.insert((here.clone(), thread, location, there));
                }
                Move::End => {
                    assert_eq!(here, there);
                    moves_more = true;
                }
                Move::Overflow(_) => unreachable!(),
            }
            if known.insert(next.clone()) {
                open.push(next);
            }
        }
        let judged = |all: Vec<Violation>| -> Vec<Violation> {
            let counts = |one: &Violation| match source.properties.get(one.property) {
                Some(property) => !moves_more || property.kind != PropertyKind::Finally,
                None => false,
            };
            all.into_iter().filter(counts).collect()
        };
        let expected = judged(violations(source, &before, &here));
        assert_eq!(judged(violations(program, &shape, &state)), expected);
        if !moves_more {
            assert_eq!(is_stuck(program, &shape, SC, &state), is_stuck(source, &before, deadlocks, &here));
        }
    }
    seen
}

/// Steps of several operations may overflow where a later operation would not have let them.
fn may_give_up_early(program: &Program) -> bool {
    let edges = program.processes.iter().flat_map(|process| &process.cfg.edges);
    edges.into_iter().any(|edge| edge.ops.len() > 1)
}

/// `Ok(None)`: too large, or not supported.
fn agree(
    program: &Program,
    discipline: Discipline,
    capacity: u32,
    limit: usize,
) -> Result<Option<(usize, bool)>, Refused> {
    let reduced = reduce(program, discipline, &Capacity::all(capacity))?;
    validate(&reduced.program).unwrap();
    corpus::survives_printing(&reduced.program);
    let source = instantiate(program).unwrap();
    let Some(expected) = on_the_machine(&source, discipline, capacity, limit) else { return Ok(None) };
    let found = reduced_under_sc(&source, &reduced, machine(discipline));
    assert_eq!(found.unsupported, expected.unsupported);
    if found.unsupported {
        return Ok(None);
    }
    assert!(found.states == expected.states, "states: {} {}", found.states.len(), expected.states.len());
    assert!(found.commits == expected.commits, "commits");
    assert!(found.steps == expected.steps, "steps");
    assert!(found.overflow || !expected.overflow, "an overflow is missed");
    if !may_give_up_early(program) {
        assert_eq!(found.overflow, expected.overflow, "an overflow too many");
    }
    Ok(Some((found.states.len(), found.overflow)))
}

#[derive(Debug, Default)]
struct Count {
    compared: usize,
    states: usize,
    overflows: usize,
    refused: usize,
    too_large: usize,
}

fn random(discipline: Discipline, seeds: std::ops::Range<u64>) -> Count {
    let mut count = Count::default();
    for seed in seeds {
        let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Tso, Flavour::Sc];
        let mut profile = Profile::small(flavours[(seed % 4) as usize]);
        profile.loops = 100;
        let program = program(seed, &profile);
        let attempt = || agree(&program, discipline, (seed % 4 + 1).min(3) as u32, 600);
        let result = std::panic::catch_unwind(attempt)
            .unwrap_or_else(|_| panic!("seed {seed}\n{}", wattle_program::text::print(&program)));
        match result {
            Err(_) => count.refused += 1,
            Ok(None) => count.too_large += 1,
            Ok(Some((states, overflow))) => {
                count.compared += 1;
                count.states += states;
                count.overflows += usize::from(overflow);
            }
        }
    }
    count
}

#[test]
fn random_programs_under_pso() {
    let count = random(Discipline::Pso, 0..400);
    assert!(count.compared > 320 && count.overflows > 15 && count.refused < 40, "{count:?}");
}

#[test]
fn random_programs_under_tso() {
    let count = random(Discipline::Tso, 0..400);
    assert!(count.compared > 340 && count.overflows > 70 && count.refused == 0, "{count:?}");
}

/// Both ways to the same verdict: the program under the model, and its reduction under sc.
#[test]
fn the_corpus_has_the_same_verdicts() {
    let (mut compared, mut overflows, mut refused, mut unsafe_too) = (0, 0, 0, 0);
    let engine = Explore::default();
    let run = || Run::new(Budget { states: Some(3000), ..Budget::default() });
    let ask = |program: &Program, model: &str| {
        let task = Task { program, memory: find(model).unwrap(), property: Property::Stated };
        engine.check(&task, &run()).verdict
    };
    for (name, program) in corpus::programs() {
        if name.contains("rma") || instantiate(&program).is_err() {
            continue;
        }
        for (model, discipline) in [("tso", Discipline::Tso), ("pso", Discipline::Pso)] {
            let Ok(reduced) = reduce(&program, discipline, &Capacity::all(2)) else {
                refused += 1;
                continue;
            };
            validate(&reduced.program).unwrap();
            let flat = forget_dead(&reduced.program);
            match (ask(&program, model), ask(&flat, "sc")) {
                (Verdict::Safe { .. }, Verdict::Safe { .. }) => compared += 1,
                (_, Verdict::Unsafe { counterexample }) if overflowed(&reduced, &counterexample) => {
                    overflows += 1
                }
                (Verdict::Unsafe { .. }, Verdict::Unsafe { .. }) => {
                    (compared, unsafe_too) = (compared + 1, unsafe_too + 1)
                }
                (one @ Verdict::Safe { .. }, other @ Verdict::Unsafe { .. })
                | (one @ Verdict::Unsafe { .. }, other @ Verdict::Safe { .. }) => {
                    panic!("{name} {model}: {one:?}, reduced {other:?}")
                }
                _ => {}
            }
        }
    }
    assert_eq!((compared, unsafe_too, overflows, refused), (176, 59, 54, 4));
}

fn overflowed(reduced: &Reduced, counterexample: &Counterexample) -> bool {
    let actions = counterexample.schedule.iter().flat_map(|schedule| &schedule.actions);
    actions.into_iter().any(|action| match action {
        Action::Step { thread, edge, .. } => {
            matches!(reduced.moves[thread.0 as usize][edge.0 as usize], Move::Overflow(_))
        }
        _ => false,
    })
}
