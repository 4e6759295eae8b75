//! From a trace of the (reduced) program to a schedule of the machine.

use wattle_abstraction::System;
use wattle_abstraction::checker::{Trace, Violated};
use wattle_abstraction::path::Solution;
use wattle_engine::{Contradiction, Counterexample, Halt, Reason, Schedule, Task, Unsupported, Violation};
use wattle_logic::Fault;
use wattle_memory::operational::{self, Action, Outcome};
use wattle_memory::reduction::{Move, Reduced};
use wattle_program::ThreadId;

/// What the machine is to do, and what is wrong then. The trace is real in the program with its buffers
/// written into it, so a machine that refuses a step contradicts that writing, or the solver.
pub(crate) fn counterexample(
    task: &Task<'_>,
    system: &System,
    reduced: Option<&Reduced>,
    trace: &Trace,
    solution: &Solution,
) -> Result<Box<Counterexample>, Halt> {
    let unsupported = |why: String| Reason::Unsupported(Unsupported::new(why));
    let refused = |why: String| -> Halt {
        Contradiction::new("extrapolate", "a trace violates the property", "machine", why).into()
    };
    let machine = task.memory.machine.ok_or_else(|| unsupported("a model without a machine".into()))?;
    let program = task.program;
    let shape = task.shape().map_err(Reason::Unsupported)?;
    let mut steps = trace.steps.clone();
    if let Violated::Check { transition, .. } = trace.violated {
        steps.push(transition);
    }
    let mut actions = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let transition = &system.transitions[*step];
        let thread = ThreadId(transition.thread);
        let choices = solution.choices.get(number).cloned().unwrap_or_default();
        let moved = match reduced {
            None => Move::Step(transition.edge),
            Some(reduced) => reduced.moves[thread.0 as usize][transition.edge.0 as usize],
        };
        match moved {
            Move::Step(edge) | Move::Overflow(edge) => actions.push(Action::Step { thread, edge, choices }),
            Move::Commit(location) => actions.push(Action::Commit { thread, location }),
            Move::End => {}
        }
    }
    let starts = operational::initial_states(program, &shape).map_err(unsupported)?;
    let fits = |state: &operational::State| {
        let memory = state.memory.iter();
        let holds = memory.zip(&solution.initial).all(|(value, wanted)| value.code() == *wanted);
        holds && starting_locals(system, state, solution)
    };
    let mut found = None;
    for start in starts {
        found = start.map_err(unsupported)?.filter(|(_, state)| fits(state));
        if found.is_some() {
            break;
        }
    }
    let Some((initial, start)) = found else {
        return Err(refused("no initial state is as it needs".into()));
    };
    let mut state = start;
    let mut violated = None;
    for (number, action) in actions.iter().enumerate() {
        let last = number + 1 == actions.len();
        let Some(outcome) = operational::apply(program, &shape, machine, &state, action) else {
            return Err(refused(format!("step {} of it cannot be taken", number + 1)));
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
                return Err(Reason::Overflow.into());
            }
            (Outcome::Fault { fault, op }, Action::Step { thread, edge, .. }) if last => {
                violated = Some(Violation::Fault { thread: *thread, edge: *edge, op, fault });
            }
            (Outcome::Fault { fault, .. }, _) => {
                return Err(refused(format!("a step before its end faults: {fault}")));
            }
            (Outcome::Unsupported { what }, _) => return Err(unsupported(what.to_string()).into()),
        }
    }
    if violated.is_none() {
        let first = operational::first_violation(program, &shape, &state);
        violated = first.map(|found| Violation::Property { property: found.property });
    }
    let violated = violated.ok_or_else(|| refused("nothing is violated at its end".into()))?;
    Ok(Box::new(Counterexample::scheduled(violated, Schedule { initial, actions })))
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
