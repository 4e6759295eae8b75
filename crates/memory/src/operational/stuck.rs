//! Deadlock: nothing will ever change again, although a thread has not ended.
//!
//! A thread that waits for one load cannot take its edge, and so has no move. One that waits for several
//! loads reads them again and again: it moves, and yet it may be stuck. A state is a deadlock if nothing
//! is pending that could happen and no thread that can take a step gets anywhere by it: it stands in an
//! await ([`Cfg::awaits`](wattle_program::Cfg::awaits)), and no run of its own steps, whatever they
//! choose, leaves the await, changes memory, starts something pending or has no result. Then memory stays as
//! it is whoever runs, so what holds for each thread alone holds for all of them together.

use std::collections::BTreeSet;

use wattle_program::{Program, Role, Shape, ThreadId};

use super::machine::{Action, MoveResult, Successor, successors};
use super::property::is_final;
use super::state::State;
use crate::Machine;

/// The most ways for one thread to stand in its await; each value that it chooses is one.
const MOST_WAYS: usize = 1 << 17;

/// An await with too many ways to stand in it: whether the thread is stuck is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyWays;

impl std::fmt::Display for TooManyWays {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "an await that chooses among more than {MOST_WAYS} combinations of values")
    }
}

/// Is the state a deadlock?
pub fn is_stuck(
    program: &Program,
    shape: &Shape,
    machine: Machine,
    state: &State,
) -> Result<bool, TooManyWays> {
    let moves = moves(program, shape, machine, state);
    if moves.is_empty() {
        return Ok(!is_final(program, shape, state));
    }
    if moves.iter().any(|one| !matches!(one.action, Action::Step { .. })) {
        return Ok(false);
    }
    let movers: BTreeSet<ThreadId> = moves.iter().map(|one| one.action.thread()).collect();
    for thread in movers {
        if !waits_for_ever(program, shape, machine, state, thread)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What can happen, without what is there for assertions only.
fn moves(program: &Program, shape: &Shape, machine: Machine, state: &State) -> Vec<Successor> {
    let mut moves = successors(program, shape, machine, state);
    moves.retain(|one| match &one.action {
        Action::Step { thread, edge, .. } => {
            program.process(shape.info(*thread).process).cfg.edge(*edge).role != Role::Asserts
        }
        _ => true,
    });
    moves
}

/// Follow every run of the thread's own steps, from state to state.
fn waits_for_ever(
    program: &Program,
    shape: &Shape,
    machine: Machine,
    start: &State,
    thread: ThreadId,
) -> Result<bool, TooManyWays> {
    let cfg = &program.process(shape.info(thread).process).cfg;
    let me = thread.0 as usize;
    let awaits = cfg.awaits();
    let Some(head) = awaits[start.threads[me].point.0 as usize] else { return Ok(false) };
    let mut known = BTreeSet::from([start.threads[me].clone()]);
    let mut open = vec![start.clone()];
    while let Some(state) = open.pop() {
        for successor in moves(program, shape, machine, &state) {
            let Action::Step { thread: mover, edge, .. } = successor.action else { return Ok(false) };
            if mover != thread {
                continue;
            }
            let MoveResult::Moved { state: next, .. } = successor.result else { return Ok(false) };
            let edge = cfg.edge(edge);
            let stays = match edge.to == head {
                true => edge.role == Role::Retries,
                false => awaits[edge.to.0 as usize] == Some(head),
            };
            let same =
                (&next.memory, &next.stores, &next.halves) == (&start.memory, &start.stores, &start.halves);
            if !stays || !same {
                return Ok(false);
            }
            if known.insert(next.threads[me].clone()) {
                if known.len() > MOST_WAYS {
                    return Err(TooManyWays);
                }
                open.push(next);
            }
        }
    }
    Ok(true)
}
