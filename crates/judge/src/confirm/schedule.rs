//! The replay of a schedule on the reference machine, move by move; the last state is judged by the
//! definitions of the properties.

use wattle_engine::{Counterexample, Halt, Property, Reason, Task, Violation};
use wattle_logic::Fault;
use wattle_memory::Machine;
use wattle_memory::operational::{self, MoveResult, State};
use wattle_program::step::ANOTHER_SIZE;
use wattle_program::{Op, Program, Shape};

use super::{Replay, is_deadlock, reject, rejected, unsupported};

/// Does the machine do what the schedule says, and is the property violated then?
pub fn replay(task: &Task<'_>, counterexample: &Counterexample) -> Result<Replay, Halt> {
    let Some(machine) = task.memory.machine else {
        return reject("the memory model has no machine to replay on");
    };
    let Some(schedule) = &counterexample.schedule else {
        return reject("the counterexample has no schedule");
    };
    let program = task.program;
    let shape = Shape::new(program).map_err(|error| rejected(error.to_string()))?;
    let Some(start) = operational::initial_state(program, &shape, &schedule.initial) else {
        return reject("the schedule does not start in an initial state");
    };
    let mut states = vec![start];
    for (number, action) in schedule.actions.iter().enumerate() {
        let last = number + 1 == schedule.actions.len();
        let state = &states[number];
        let Some(result) = operational::apply(program, &shape, machine, state, action) else {
            return reject(format!("move {} is not possible: {action:?}", number + 1));
        };
        match result {
            MoveResult::Moved { state, failed, .. } => {
                if last && let Violation::Assertion { thread, edge, op } = &counterexample.violated {
                    let operational::Action::Step { thread: t, edge: e, .. } = action else {
                        return reject("the last move takes no edge");
                    };
                    let asserts = matches!(
                        program.process(shape.info(*t).process).cfg.edge(*e).ops.get(*op),
                        Some(Op::Assert { .. })
                    );
                    if (t, e) != (thread, edge) || !asserts || !failed.contains(op) {
                        return reject("the assertion holds in the last move");
                    }
                }
                states.push(state);
            }
            MoveResult::Fault { fault: Fault::Overflow, .. } => return Err(Reason::Overflow.into()),
            MoveResult::Fault { fault: Fault::Inside, .. } => {
                return Err(unsupported(ANOTHER_SIZE.to_owned()));
            }
            MoveResult::Fault { fault, op } => {
                let operational::Action::Step { thread, edge, .. } = action else {
                    return reject(format!("move {} faults outside an edge", number + 1));
                };
                let (thread, edge) = (*thread, *edge);
                let same = counterexample.violated == Violation::Fault { thread, edge, op, fault };
                return if last && same {
                    Ok(Replay { states, schedule: None })
                } else {
                    reject(format!("move {} faults: {fault}", number + 1))
                };
            }
            MoveResult::Unsupported { what } => {
                return Err(unsupported(what.to_string()));
            }
        }
    }
    judge(task, &shape, machine, counterexample, &states)?;
    Ok(Replay { states, schedule: None })
}

fn judge(
    task: &Task<'_>,
    shape: &Shape,
    machine: Machine,
    counterexample: &Counterexample,
    states: &[State],
) -> Result<(), Halt> {
    let program: &Program = task.program;
    let last = &states[states.len() - 1];
    match &counterexample.violated {
        Violation::Assertion { .. } if states.len() < 2 => reject("no move was made"),
        Violation::Assertion { .. } => Ok(()),
        Violation::Fault { .. } => reject("no fault in the last move"),
        Violation::Undefined { .. } => reject("a schedule does not show that a program has no meaning"),
        Violation::Property { property } => {
            let found = operational::violations(program, shape, last);
            let shown = found.iter().any(|found| found.property == *property && found.fault.is_none());
            if shown { Ok(()) } else { reject("the last state does not violate the property") }
        }
        Violation::Deadlock if task.property != Property::NoDeadlock => reject("deadlock was not asked for"),
        Violation::Deadlock => match is_deadlock(program, shape, machine, last) {
            Ok(true) => Ok(()),
            Ok(false) => reject("the last state is not stuck"),
            Err(why) => Err(Reason::TooLarge(why.to_string()).into()),
        },
    }
}
