//! From packed states back to a schedule that the reference machine can replay.
//!
//! The search stores for each state only where it came from. The moves between two states are found
//! again by expanding the first and looking for the second.

use wattle_engine::Schedule;
use wattle_logic::Fault;
use wattle_memory::operational::Action;

use crate::compile::Compiled;
use crate::machine::{Collected, Move, Sink, Worker};
use crate::search::Found;

/// `initial` holds the choices and words of every initial state.
pub fn schedule(machine: &Compiled, initial: &[(Vec<i64>, Vec<u64>)], found: &Found) -> Option<Schedule> {
    let mut worker = Worker::new(machine);
    let (start, mut moves) = match found.states.first() {
        None => {
            let (choices, _) = initial.iter().find(|(_, words)| *words == found.root)?;
            (choices.clone(), vec![])
        }
        Some(first) => initial.iter().find_map(|(choices, words)| {
            let mut settled = Collected::default();
            worker.settle_all(words, &mut settled).ok()?;
            let path = settled.states.into_iter().find(|(_, words)| words == first)?.0;
            Some((choices.clone(), path))
        })?,
    };
    for pair in found.states.windows(2) {
        let mut wanted = Wanted { words: &pair[1], path: None };
        worker.expand(&pair[0], &mut wanted).ok()?;
        moves.extend(wanted.path?);
    }
    moves.extend(found.last.iter().cloned());
    let actions: Option<Vec<Action>> = moves.into_iter().map(|step| action(machine, step)).collect();
    Some(Schedule { initial: start, actions: actions? })
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
    fn failed(&mut self, _: &[Move], _: usize) {}
    fn fault(&mut self, _: &[Move], _: Option<usize>, _: Fault) {}
}
