//! From a trace of the (reduced) program to a schedule of the machine.
//!
//! The trace is real in the program with its buffers written into it, so a machine that refuses a step
//! contradicts that writing, or the solver.

use wattle_abstraction::System;
use wattle_abstraction::checker::{AbstractTrace, Violated};
use wattle_abstraction::path::Solution;
use wattle_engine::{Contradiction, Counterexample, Halt, Reason, Schedule, Unsupported, Violation};
use wattle_logic::Fault;
use wattle_memory::operational::{self, Action, MoveResult, State};
use wattle_memory::reduction::{Buffers, Moves, Reduced, plain_moves};
use wattle_program::ThreadId;
use wattle_program::step::ANOTHER_SIZE;

use crate::remote::{self, Moved};
use crate::subject::Subject;

/// What the machine is to do, and what is wrong then. `None`: the reduction has more than the machine, which
/// cannot do this.
pub(crate) fn counterexample(
    subject: &Subject<'_>,
    system: &System,
    reduced: Option<&Reduced>,
    trace: &AbstractTrace,
    solution: &Solution,
) -> Result<Option<Box<Counterexample>>, Halt> {
    let plain;
    let moves = match reduced {
        Some(reduced) => &reduced.moves,
        None => {
            plain = plain_moves(&subject.program);
            &plain
        }
    };
    let steps = steps(system, moves, trace, solution);
    let (initial, start) = start(subject, system, solution)?;
    let actions = match reduced.map(|reduced| &reduced.buffers) {
        Some(Buffers::Rma(statements)) => remote::actions(subject, statements, &steps, start.clone())?,
        _ => {
            let actions =
                steps.into_iter().filter_map(|(thread, moved, choices)| moved.action(thread, choices));
            Some(actions.collect())
        }
    };
    let Some(actions) = actions else { return Ok(None) };
    let violated = follow(subject, start, &actions)?;
    Ok(Some(Box::new(Counterexample::scheduled(violated, Schedule { initial, actions }))))
}

fn unsupported(why: String) -> Reason {
    Reason::Unsupported(Unsupported::new(why))
}

pub(crate) fn refused(subject: &Subject<'_>, why: impl Into<String>) -> Halt {
    Contradiction::new(subject.engine, "a trace violates the property", "machine", why).into()
}

/// The steps of the trace, as moves.
fn steps(system: &System, moves: &Moves, trace: &AbstractTrace, solution: &Solution) -> Vec<Moved> {
    let tried = match trace.violated {
        Violated::Check { transition, .. } => Some(transition),
        Violated::Property(_) => None,
    };
    let action = |(number, step): (usize, usize)| {
        let transition = &system.transitions[step];
        let choices = solution.choices.get(number).cloned().unwrap_or_default();
        let moved = moves[transition.thread as usize][transition.edge.0 as usize];
        (ThreadId(transition.thread), moved, choices)
    };
    trace.steps.iter().copied().chain(tried).enumerate().map(action).collect()
}

/// The initial state of the machine that the solution starts from, and what was chosen for it.
fn start(subject: &Subject<'_>, system: &System, solution: &Solution) -> Result<(Vec<i64>, State), Halt> {
    let fits = |state: &State| {
        let memory = state.memory.iter();
        let holds = memory.zip(&solution.initial).all(|(value, wanted)| value.code() == *wanted);
        holds && starting_locals(system, state, solution)
    };
    for start in operational::initial_states(subject.task.program, &subject.shape).map_err(unsupported)? {
        if let Some(start) = start.map_err(unsupported)?.filter(|(_, state)| fits(state)) {
            return Ok(start);
        }
    }
    Err(refused(subject, "no initial state is as it needs"))
}

/// Let the machine do all this. What is violated in the end?
fn follow(subject: &Subject<'_>, mut state: State, actions: &[Action]) -> Result<Violation, Halt> {
    let Subject { task, shape, .. } = subject;
    let machine = task.memory.machine.ok_or_else(|| unsupported("a model without a machine".into()))?;
    for (number, action) in actions.iter().enumerate() {
        let last = number + 1 == actions.len();
        let Some(result) = operational::apply(task.program, shape, machine, &state, action) else {
            return Err(refused(subject, format!("step {} of it cannot be taken", number + 1)));
        };
        match (result, action) {
            (MoveResult::Moved { state: next, failed, .. }, action) => {
                if let (true, Action::Step { thread, edge, .. }, Some(op)) = (last, action, failed.first()) {
                    return Ok(Violation::Assertion { thread: *thread, edge: *edge, op: *op });
                }
                state = next;
            }
            (MoveResult::Fault { fault: Fault::Overflow, .. }, _) => return Err(Reason::Overflow.into()),
            (MoveResult::Fault { fault: Fault::Inside, .. }, _) => {
                return Err(unsupported(ANOTHER_SIZE.to_owned()).into());
            }
            (MoveResult::Fault { fault, op }, Action::Step { thread, edge, .. }) if last => {
                return Ok(Violation::Fault { thread: *thread, edge: *edge, op, fault });
            }
            (MoveResult::Fault { fault, .. }, _) => {
                return Err(refused(subject, format!("a step before its end faults: {fault}")));
            }
            (MoveResult::Unsupported { what }, _) => return Err(unsupported(what.to_string()).into()),
        }
    }
    match operational::first_violation(task.program, shape, &state) {
        Some(found) => Ok(Violation::Property { property: found.property }),
        None => Err(refused(subject, "nothing is violated at its end")),
    }
}

/// Do the locals of the program start as the solution says? (A reduced program has more locals, after
/// those of the program in each thread.)
fn starting_locals(system: &System, state: &State, solution: &Solution) -> bool {
    let of = |thread: u32| {
        let own =
            system.cells.iter().zip(&solution.initial).filter(move |(cell, _)| cell.owner == Some(thread));
        own.map(|(_, value)| *value)
    };
    (0..)
        .zip(&state.threads)
        .all(|(thread, at)| at.locals.iter().zip(of(thread)).all(|(value, wanted)| value.code() == wanted))
}
