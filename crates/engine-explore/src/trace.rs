//! From packed states back to a schedule that the reference machine can replay.
//!
//! The search stores for each state only where it came from. The moves between two states are found
//! again by expanding the first and looking for the second. Stores that the reduction skipped are
//! pending on the reference machine; they are committed as soon as they can be, which changes
//! nothing in memory.

use wattle_engine::{Schedule, Violation};
use wattle_logic::Fault;
use wattle_memory::operational::{Action, MoveResult, State, Stored, apply, initial_state, initial_states};
use wattle_program::Program;

use crate::compile::Compiled;
use crate::search::Found;
use crate::worker::{Move, Sink, Worker};

/// `initial` holds the words of every initial state.
pub(crate) fn schedule(
    program: &Program,
    machine: &Compiled,
    initial: &[Vec<u64>],
    found: &Found,
) -> Option<Schedule> {
    let mut worker = Worker::new(machine);
    let (start, mut moves) = match found.states.first() {
        None => (&found.root, vec![]),
        Some(first) => initial.iter().find_map(|words| {
            let mut settled = Wanted { words: first, path: None };
            worker.settle_all(words, &mut settled).ok()?;
            Some((words, settled.path?))
        })?,
    };
    for pair in found.states.windows(2) {
        let mut wanted = Wanted { words: &pair[1], path: None };
        worker.expand(&pair[0], &mut wanted).ok()?;
        moves.extend(wanted.path?);
    }
    moves.extend(found.last.iter().cloned());
    let actions: Option<Vec<Action>> = moves.into_iter().map(|step| action(machine, step)).collect();
    let schedule = Schedule { initial: choices(program, machine, start)?, actions: actions? };
    match machine.buffers_stores && machine.sole_writer.contains(&true) {
        true => {
            // What is judged on the last move needs it last; what is judged on the last state may need
            // the skipped stores to have arrived.
            let on_state = matches!(found.violated, Violation::Property { .. } | Violation::Deadlock);
            with_skipped_commits(program, machine, schedule, on_state)
        }
        false => Some(schedule),
    }
}

/// The choices that make this initial state.
fn choices(program: &Program, machine: &Compiled, words: &[u64]) -> Option<Vec<i64>> {
    let mut starts = initial_states(program, &machine.shape).ok()?;
    starts.find_map(|start| {
        let (choices, state) = start.ok()??;
        (machine.pack(&state).ok()? == words).then_some(choices)
    })
}

/// After each move, commit every store that its location already holds and only its thread writes.
fn with_skipped_commits(
    program: &Program,
    machine: &Compiled,
    schedule: Schedule,
    at_the_end: bool,
) -> Option<Schedule> {
    let shape = &machine.shape;
    let mut state = initial_state(program, shape, &schedule.initial)?;
    let mut actions = Vec::new();
    let moves = schedule.actions.len();
    for (number, action) in schedule.actions.into_iter().enumerate() {
        let result = apply(program, shape, machine.kind, &state, &action)?;
        actions.push(action);
        let MoveResult::Moved { state: next, .. } = result else { break };
        state = next;
        if number + 1 == moves && !at_the_end {
            break;
        }
        while let Some((commit, next)) = idle_commit(program, machine, &state) {
            actions.push(commit);
            state = next;
        }
    }
    Some(Schedule { initial: schedule.initial, actions })
}

fn idle_commit(program: &Program, machine: &Compiled, state: &State) -> Option<(Action, State)> {
    machine.shape.thread_ids().find_map(|thread| {
        state.stores[thread.0 as usize].iter().map_while(Stored::location).find_map(|location| {
            let commit = Action::Commit { thread, location };
            let before = &state.memory[location as usize];
            match apply(program, &machine.shape, machine.kind, state, &commit)? {
                MoveResult::Moved { state: next, .. }
                    if machine.sole_writer[location as usize]
                        && next.memory[location as usize] == *before =>
                {
                    Some((commit, next))
                }
                _ => None,
            }
        })
    })
}

fn action(machine: &Compiled, step: Move) -> Option<Action> {
    Some(match step {
        Move::Step { thread, edge, choices } => Action::Step { thread, edge, choices },
        Move::Commit { thread, location } => Action::Commit { thread, location },
        Move::Remote { thread, code } => Action::Remote { thread, half: machine.reference_half(code)? },
    })
}

struct Wanted<'a> {
    words: &'a [u64],
    path: Option<Vec<Move>>,
}

impl Sink for Wanted<'_> {
    fn state(&mut self, path: &[Move], words: &[u64]) {
        if words == self.words && self.path.is_none() {
            self.path = Some(path.to_vec());
        }
    }
    fn failed(&mut self, _: &[Move], _: usize, _: bool) {}
    fn fault(&mut self, _: &[Move], _: Option<usize>, _: Fault, _: bool) {}
}
