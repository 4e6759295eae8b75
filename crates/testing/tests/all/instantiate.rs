//! `passes::instantiate`: the same moves from the same states, one process a thread.

use std::collections::BTreeSet;

use wattle_generate::{Profile, program};
use wattle_logic::{Kind, Symbol};
use wattle_memory::operational::{InitialStates, MoveResult, State, initial_states, successors, violations};
use wattle_memory::{Machine, find};
use wattle_program::passes::{forget_dead, instantiate};
use wattle_program::{Dimension, Op, Program, Replicas, Shape, op_terms, validate};
use wattle_testing::build::{Build, int};
use wattle_testing::reduction::survives_printing;

use crate::corpus;

/// Visit at most `limit` states of both programs side by side. Says how many there were.
fn same_moves(one: &Program, other: &Program, machine: Machine, limit: usize) -> usize {
    let (here, there) = (Shape::new(one).unwrap(), Shape::new(other).unwrap());
    assert_eq!(here.locations.len(), there.locations.len());
    let starts = initial_states(one, &here).and_then(InitialStates::all);
    assert_eq!(starts, initial_states(other, &there).and_then(InitialStates::all));
    let mut states: Vec<State> = starts.unwrap_or_default().into_iter().map(|(_, state)| state).collect();
    let mut known: BTreeSet<State> = states.iter().cloned().collect();
    while let Some(state) = states.pop() {
        let moves = successors(one, &here, machine, &state);
        assert_eq!(moves, successors(other, &there, machine, &state));
        assert_eq!(violations(one, &here, &state), violations(other, &there, &state));
        for successor in moves {
            if let MoveResult::Moved { state, .. } = successor.result
                && known.len() < limit
                && known.insert(state.clone())
            {
                states.push(state);
            }
        }
    }
    known.len()
}

/// One process a thread, nothing that speaks of copies, valid, and printed so that it can be read back.
fn is_flat(flat: &Program) {
    validate(flat).unwrap();
    assert!(flat.processes.iter().all(|process| process.replicas == Replicas::Once));
    let dimensions = flat.variables.iter().flat_map(|variable| &variable.dimensions);
    assert!(dimensions.into_iter().all(|dimension| matches!(dimension, Dimension::Fixed(_))));
    let edges = flat.processes.iter().flat_map(|process| &process.cfg.edges);
    let terms = edges.flat_map(|edge| edge.ops.iter().flat_map(op_terms).chain([&edge.guard]));
    for term in terms.chain(flat.state_formulas()).chain(&flat.predicates) {
        term.walk(&mut |node| {
            let of_copies = matches!(
                node.kind(),
                Kind::Quantified { .. } | Kind::Symbol(Symbol::Me | Symbol::Copies(_) | Symbol::Bound(_))
            );
            assert!(!of_copies, "{term:?}");
        });
    }
    survives_printing(flat).unwrap();
}

/// An operation on a copy whose number is not known before has no process to name.
fn names_a_computed_copy(flat: &Program) -> bool {
    let ops = flat.processes.iter().flat_map(|process| &process.cfg.edges).flat_map(|edge| &edge.ops);
    ops.into_iter().any(|op| matches!(op, Op::Unsupported { what, .. } if what.contains("computed")))
}

#[test]
fn random_programs_move_alike() {
    let models = ["sc", "tso", "pso", "rma"].map(|name| find(name).unwrap());
    let mut states = 0;
    for seed in 0..1500 {
        let mut program = program(seed, &Profile { replicated: 600, ..Profile::varied(seed) });
        if seed % 3 == 0 {
            program = forget_dead(&program);
        }
        let flat = instantiate(&program).unwrap();
        is_flat(&flat);
        let model = models[(seed / 8 % 4) as usize];
        if model.refuses(&program).is_none() && !names_a_computed_copy(&flat) {
            states += same_moves(&program, &flat, model.machine.unwrap(), 400);
        }
    }
    assert!(states > 100_000, "{states}");
}

#[test]
fn the_corpus_moves_alike() {
    let mut computed = 0;
    for (name, program) in corpus::programs() {
        let Ok(flat) = instantiate(&program) else { continue };
        is_flat(&flat);
        if names_a_computed_copy(&flat) {
            computed += 1;
            continue;
        }
        let models = if name.contains("rma") { ["rma-in-order", "rma"] } else { ["tso", "pso"] };
        for model in models {
            same_moves(&program, &flat, find(model).unwrap().machine.unwrap(), 300);
        }
    }
    // Flushes of a computed copy: four RMA locks, and the bakery of three.
    assert_eq!(computed, 5);
}

#[test]
fn indices_and_constant_locals_are_folded() {
    let program = corpus::program("corpus/peterson/peterson.wtl");
    let flat = instantiate(&program).unwrap();
    let text = wattle_program::text::print(&flat);
    assert!(text.contains("process \"p[0]\" @"), "{text}");
    assert!(text.contains("edge 1 -> 2 do store &flag[0] = 1"), "{text}");
    assert!(text.contains("edge 2 -> 3 do store &turn = 1"), "{text}");
    assert!(text.contains("load \"flag[other]\" from &flag[1]"), "{text}");
    assert!(text.contains("forbid p[0]@cs && p[1]@cs"), "{text}");
}

#[test]
fn any_number_of_copies_is_refused() {
    let mut build = Build::new("any");
    let process = build.copies("p", 2, |t| t.op(wattle_testing::build::assume(int(1).equals(int(1)))));
    let mut program = build.done();
    program.processes[process.0 as usize].replicas = Replicas::Any;
    assert!(instantiate(&program).is_err());
}
