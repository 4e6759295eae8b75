//! From a trace of the (reduced) program to a schedule of the machine.

use wattle_abstraction::System;
use wattle_abstraction::checker::{AbstractTrace, Violated};
use wattle_abstraction::path::Solution;
use wattle_engine::{Counterexample, Reason, Schedule, Task, Violation};
use wattle_logic::Fault;
use wattle_memory::operational::{self, Action, Outcome};
use wattle_memory::reduction::Moves;
use wattle_program::{Shape, ThreadId};

/// What the machine is to do, and what is wrong then. The machine is asked: a trace that it cannot follow
/// is no violation.
pub(crate) fn counterexample(
    task: &Task<'_>,
    system: &System,
    moves: &Moves,
    trace: &AbstractTrace,
    solution: &Solution,
) -> Result<Box<Counterexample>, Reason> {
    let gave_up = |why: String| Reason::GaveUp(format!("a violation was found, but {why}"));
    let machine = task.memory.machine.ok_or_else(|| gave_up("the model has no machine".into()))?;
    let program = task.program;
    let shape = Shape::new(program).map_err(|error| gave_up(error.to_string()))?;
    let mut steps = trace.steps.clone();
    if let Violated::Check { transition, .. } = trace.violated {
        steps.push(transition);
    }
    let mut actions = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let transition = &system.transitions[*step];
        let thread = ThreadId(transition.thread);
        let choices = solution.choices.get(number).cloned().unwrap_or_default();
        let moved = moves[thread.0 as usize][transition.edge.0 as usize];
        actions.extend(moved.action(thread, choices));
    }
    let starts = operational::initial_states(program, &shape).map_err(gave_up)?;
    let fits = |state: &operational::State| {
        let memory = state.memory.iter();
        let holds = memory.zip(&solution.initial).all(|(value, wanted)| value.code() == *wanted);
        holds && starting_locals(system, state, solution)
    };
    let mut found = None;
    for start in starts {
        found = start.map_err(gave_up)?.filter(|(_, state)| fits(state));
        if found.is_some() {
            break;
        }
    }
    let Some((initial, start)) = found else {
        return Err(gave_up("no initial state is as it needs".into()));
    };
    let mut state = start;
    let mut violated = None;
    for (number, action) in actions.iter().enumerate() {
        let last = number + 1 == actions.len();
        let Some(outcome) = operational::apply(program, &shape, machine, &state, action) else {
            return Err(gave_up(format!("the machine cannot take step {} of it", number + 1)));
        };
        match (outcome, action) {
            (Outcome::Moved { state: next, failed, .. }, Action::Step { thread, edge, .. }) => {
                if let (true, Some(op)) = (last, failed.first()) {
                    violated = Some(Violation::Assertion { thread: *thread, edge: *edge, op: *op });
                }
                state = next;
            }
            (Outcome::Moved { state: next, .. }, _) => state = next,
            (Outcome::Fault { fault: Fault::Overflow, .. }, _) => {
                return Err(gave_up("on the way an integer left 64 bits".into()));
            }
            (Outcome::Fault { fault, op }, Action::Step { thread, edge, .. }) if last => {
                violated = Some(Violation::Fault { thread: *thread, edge: *edge, op, fault });
            }
            (Outcome::Fault { fault, .. }, _) => {
                return Err(gave_up(format!("a step before it faults: {fault}")));
            }
            (Outcome::Unsupported { what }, _) => return Err(gave_up(format!("a step is {what}"))),
        }
    }
    if violated.is_none() {
        let first = operational::first_violation(program, &shape, &state);
        violated = first.map(|found| Violation::Property { property: found.property });
    }
    let violated = violated.ok_or_else(|| gave_up("the machine does not show it".into()))?;
    let schedule = Some(Schedule { initial, actions });
    Ok(Box::new(Counterexample { violated, paths: vec![], schedule, execution: None }))
}

/// Do the locals of the program start as the solution says? (A reduced program has more locals, after
/// those of the program in each thread.)
fn starting_locals(system: &System, state: &operational::State, solution: &Solution) -> bool {
    let of = |thread: u32| {
        let own =
            system.cells.iter().zip(&solution.initial).filter(move |(cell, _)| cell.owner == Some(thread));
        own.map(|(_, value)| *value)
    };
    (0..)
        .zip(&state.threads)
        .all(|(thread, at)| at.locals.iter().zip(of(thread)).all(|(value, wanted)| value.code() == wanted))
}
