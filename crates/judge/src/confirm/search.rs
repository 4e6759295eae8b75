//! From the paths of an execution graph to a schedule of the machine.
//!
//! The orders of the graph give one ([`linearise`](super::linearise)). Where that fails, because the
//! machine reads what the graph says from elsewhere, all schedules of the paths are searched.
//!
//! The threads must take exactly the edges of their paths, with the same choices. Depth first, and a
//! thread goes on as long as it can, so that there are few switches. What the machine reads decides
//! whether a path can be followed; which write a value came from does not matter, because a schedule
//! that follows the paths and violates the property is a counterexample of its own.

use std::collections::HashSet;

use wattle_engine::{Counterexample, Halt, Schedule, Task, Violation};
use wattle_logic::{Fault, Value};
use wattle_memory::Machine;
use wattle_memory::operational::{self, Action, MoveResult, State};
use wattle_program::{Program, PropertyKind, Shape, ThreadId};

use super::linearise::linearise;
use super::schedule::replay;
use super::{Replay, is_deadlock, reject, rejected, unsupported};

/// The search for a schedule gives up after this many states: the axioms have confirmed the execution
/// already.
const MOST_STATES: usize = 300_000;

/// A schedule of the same paths, replayed; none if the model has no machine, or none that can run the
/// program.
pub(crate) fn schedule(task: &Task<'_>, counterexample: &Counterexample) -> Result<Replay, Halt> {
    let Some(machine) = task.memory.machine else { return Ok(Replay::default()) };
    let program = task.program;
    let shape = Shape::new(program).map_err(|error| rejected(error.to_string()))?;
    let execution = counterexample.execution.as_ref();
    let written = execution.map(|execution| execution.events.iter().take(shape.locations.len()));
    let memory: Vec<Value> =
        written.into_iter().flatten().map_while(|event| event.written().cloned()).collect();
    let initial = operational::initial_states_with(program, &shape, &memory).map_err(unsupported)?;
    let property = match counterexample.violated {
        Violation::Property { property } => program.properties.get(property).map(|property| property.kind),
        _ => None,
    };
    let mut search = Search {
        program,
        shape: &shape,
        machine,
        counterexample,
        drained: property == Some(PropertyKind::Finally) || counterexample.violated == Violation::Deadlock,
        seen: HashSet::new(),
        actions: Vec::new(),
        unsupported: false,
    };
    let straight = execution
        .and_then(|execution| linearise(machine, (program, &shape), &counterexample.paths, execution));
    for start in initial {
        let Some((codes, start)) = start.map_err(unsupported)? else { continue };
        search.actions.clear();
        let positions = vec![0; start.threads.len()];
        if search.follow(&start, straight.as_deref().unwrap_or_default())
            || search.go(&start, &positions, None)
        {
            let schedule = Schedule { initial: codes, actions: std::mem::take(&mut search.actions) };
            let whole = Counterexample { schedule: Some(schedule.clone()), ..counterexample.clone() };
            let replayed = replay(task, &whole)?;
            return Ok(Replay { schedule: Some(schedule), ..replayed });
        }
    }
    match search.unsupported || search.seen.len() >= MOST_STATES {
        true => Ok(Replay::default()),
        false => reject("the axioms allow the execution, but the machine has no schedule for it"),
    }
}

struct Search<'a> {
    program: &'a Program,
    shape: &'a Shape,
    machine: Machine,
    counterexample: &'a Counterexample,
    /// Must all stores have reached memory?
    drained: bool,
    seen: HashSet<(State, Vec<usize>)>,
    actions: Vec<Action>,
    /// The machine cannot run some operation.
    unsupported: bool,
}

impl Search<'_> {
    /// Do these moves show the violation?
    fn follow(&mut self, start: &State, moves: &[Action]) -> bool {
        let mut state = start.clone();
        for action in moves {
            self.actions.push(action.clone());
            match operational::apply(self.program, self.shape, self.machine, &state, action) {
                Some(MoveResult::Moved { failed, .. }) if self.asserts(action, &failed) => return true,
                Some(MoveResult::Moved { state: next, .. }) => state = next,
                Some(MoveResult::Fault { fault, op }) if self.faults(action, fault, op) => return true,
                _ => {
                    self.actions.clear();
                    return false;
                }
            }
        }
        let done: Vec<usize> = self.counterexample.paths.iter().map(Vec::len).collect();
        let shown = self.is_goal(&state, &done);
        if !shown {
            self.actions.clear();
        }
        shown
    }

    fn go(&mut self, state: &State, positions: &[usize], last: Option<ThreadId>) -> bool {
        if self.is_goal(state, positions) {
            return true;
        }
        if self.seen.len() >= MOST_STATES || !self.seen.insert((state.clone(), positions.to_vec())) {
            return false;
        }
        let threads = self.shape.thread_ids().filter(|thread| Some(*thread) != last);
        let order: Vec<ThreadId> = last.into_iter().chain(threads).collect();
        let steps = order.iter().filter_map(|thread| {
            let path = self.counterexample.paths.get(thread.0 as usize)?;
            let (edge, choices) = path.get(positions[thread.0 as usize])?;
            Some(Action::Step { thread: *thread, edge: *edge, choices: choices.clone() })
        });
        let mut moves: Vec<Action> = steps.collect();
        for thread in order {
            for stored in &state.stores[thread.0 as usize] {
                if let Some(location) = stored.location() {
                    let commit = Action::Commit { thread, location };
                    if !moves.contains(&commit) {
                        moves.push(commit);
                    }
                }
            }
        }
        for action in moves {
            let result = operational::apply(self.program, self.shape, self.machine, state, &action);
            let mut positions = positions.to_vec();
            if let Action::Step { thread, .. } = &action {
                positions[thread.0 as usize] += 1;
            }
            let thread = action.thread();
            self.actions.push(action.clone());
            match result {
                Some(MoveResult::Moved { state, failed, .. })
                    if self.asserts(&action, &failed) || self.go(&state, &positions, Some(thread)) =>
                {
                    return true;
                }
                Some(MoveResult::Moved { .. }) | None => {}
                Some(MoveResult::Fault { fault, op }) => {
                    if self.faults(&action, fault, op) {
                        return true;
                    }
                }
                Some(MoveResult::Unsupported { .. }) => self.unsupported = true,
            }
            self.actions.pop();
        }
        false
    }

    fn asserts(&self, action: &Action, failed: &[usize]) -> bool {
        matches!((action, &self.counterexample.violated), (
            Action::Step { thread, edge, .. },
            Violation::Assertion { thread: wanted, edge: of, op },
        ) if thread == wanted && edge == of && failed.contains(op))
    }

    fn faults(&self, action: &Action, fault: Fault, op: Option<usize>) -> bool {
        let Action::Step { thread, edge, .. } = *action else { return false };
        self.counterexample.violated == Violation::Fault { thread, edge, op, fault }
    }

    fn is_goal(&self, state: &State, positions: &[usize]) -> bool {
        let done = (positions.iter().zip(&self.counterexample.paths)).all(|(at, path)| *at == path.len());
        let drained = !self.drained || state.stores.iter().all(Vec::is_empty);
        let shown = || match self.counterexample.violated {
            Violation::Property { .. } => {
                operational::violations(self.program, self.shape, state).into_iter().any(|found| {
                    self.counterexample.violated == Violation::Property { property: found.property }
                })
            }
            Violation::Deadlock => is_deadlock(self.program, self.shape, self.machine, state) == Ok(true),
            _ => false,
        };
        done && drained && shown()
    }
}
