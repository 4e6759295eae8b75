//! Make a counterexample readable: leave out what it does not need, and let each thread run on as
//! long as it can.
//!
//! A search finds moves in the order that suits it. For people the same execution is easier to
//! follow if threads take turns rarely. First, for each thread, the longest tail of moves without
//! which the violation still happens is dropped; then moves that do not depend on each other are
//! reordered greedily. Every change is kept only if the replay of [`confirm`](crate::confirm) agrees,
//! so this module decides nothing about truth.

mod graph;

use wattle_engine::{Counterexample, Run, Schedule, Spent, Task, Work};
use wattle_memory::Machine;
use wattle_memory::operational::{Action, Half, MoveResult, State, apply, initial_state};
use wattle_program::step::AccessKind;
use wattle_program::{Mode, Program, Shape};

use crate::confirm::replay;

/// What replaying a move costs.
const MOVE: Work = Work::microseconds(1);

/// Longer schedules are only reordered: slicing replays once for each candidate.
const SLICE_LIMIT: usize = 300;

/// The counterexample must be confirmed already; the result is confirmed too. When the budget is spent, it stays as
/// tidy as it is.
pub fn tidy(task: &Task<'_>, counterexample: &Counterexample, run: &Run) -> Counterexample {
    let mut best = graph::shorten(task, counterexample, run);
    if best.schedule.as_ref().is_some_and(|schedule| schedule.actions.len() <= SLICE_LIMIT) {
        slice(task, &mut best, run);
    }
    if let Some(reordered) = reorder(task, &best)
        && replay(task, &reordered).is_ok()
    {
        best = reordered;
    }
    best
}

fn with_actions(counterexample: &Counterexample, actions: Vec<Action>) -> Counterexample {
    let initial =
        counterexample.schedule.as_ref().map(|schedule| schedule.initial.clone()).unwrap_or_default();
    Counterexample { schedule: Some(Schedule { initial, actions }), ..counterexample.clone() }
}

/// Drop tails of threads, and commits that the violation does not need.
fn slice(task: &Task<'_>, best: &mut Counterexample, run: &Run) {
    let Some(schedule) = best.schedule.clone() else { return };
    let mut actions = schedule.actions;
    // The last move stays: assertions and faults are judged on it.
    let mut at = actions.len().saturating_sub(1);
    while at > 0 && run.poll(MOVE * actions.len() as u64, Spent::default()).is_ok() {
        at -= 1;
        let mut shorter = actions.clone();
        shorter.remove(at);
        let candidate = with_actions(best, shorter.clone());
        if replay(task, &candidate).is_ok() {
            actions = shorter;
            *best = candidate;
        }
    }
}

/// Greedy list scheduling: stay with the thread that moved last while one of its moves depends on
/// nothing that is still to come before it.
fn reorder(task: &Task<'_>, counterexample: &Counterexample) -> Option<Counterexample> {
    let schedule = counterexample.schedule.as_ref()?;
    let footprints = footprints(task, schedule)?;
    let mut left: Vec<usize> = (0..schedule.actions.len()).collect();
    // Judged on the last move, so it stays last.
    let last = left.pop()?;
    let mut order = Vec::new();
    let mut current = None;
    while !left.is_empty() {
        let ready = |position: usize| {
            let move_ = left[position];
            left[..position].iter().all(|earlier| footprints[*earlier].independent(&footprints[move_]))
        };
        let same = (0..left.len())
            .find(|&position| Some(schedule.actions[left[position]].thread()) == current && ready(position));
        let chosen = left.remove(same.unwrap_or(0));
        current = Some(schedule.actions[chosen].thread());
        order.push(chosen);
    }
    order.push(last);
    let actions = order.into_iter().map(|number| schedule.actions[number].clone()).collect();
    Some(with_actions(counterexample, actions))
}

/// What a move touches.
struct Footprint {
    thread: u32,
    reads: Vec<u32>,
    writes: Vec<u32>,
    /// Moves in atomic sections keep their place.
    fixed: bool,
}

impl Footprint {
    fn independent(&self, other: &Footprint) -> bool {
        let meets = |a: &[u32], b: &[u32]| a.iter().any(|location| b.contains(location));
        self.thread != other.thread
            && !self.fixed
            && !other.fixed
            && !meets(&self.writes, &other.writes)
            && !meets(&self.writes, &other.reads)
            && !meets(&self.reads, &other.writes)
    }
}

fn footprints(task: &Task<'_>, schedule: &Schedule) -> Option<Vec<Footprint>> {
    let program: &Program = task.program;
    let machine = task.memory.machine?;
    let shape = Shape::new(program).ok()?;
    let mut state: State = initial_state(program, &shape, &schedule.initial)?;
    let mut result = Vec::new();
    for action in &schedule.actions {
        let mut footprint =
            Footprint { thread: action.thread().0, reads: vec![], writes: vec![], fixed: false };
        match action {
            Action::Commit { location, .. } => footprint.writes.push(*location),
            Action::Remote { half, .. } => match half {
                Half::Read { from, .. } => footprint.reads.push(*from),
                Half::Write { to, .. } => footprint.writes.push(*to),
                Half::Atomic { at, .. } => footprint.writes.push(*at),
            },
            Action::Step { thread, edge, .. } => {
                let cfg = &program.process(shape.info(*thread).process).cfg;
                let edge = cfg.edge(*edge);
                footprint.fixed =
                    cfg.point(edge.from).inside.is_some() || cfg.point(edge.to).inside.is_some();
            }
        }
        match apply(program, &shape, machine, &state, action)? {
            MoveResult::Moved { state: next, accesses, .. } => {
                if let Action::Step { thread, edge, .. } = action {
                    let edge = program.process(shape.info(*thread).process).cfg.edge(*edge);
                    let direct = !machine.buffers_stores() || edge.mode == Mode::Locked;
                    let atomic_copy = machine == (Machine::Sc { atomic_copy: true });
                    for access in accesses {
                        match access.kind {
                            AccessKind::Read { location, .. } => footprint.reads.push(location),
                            AccessKind::Write { location, .. } if direct => footprint.writes.push(location),
                            AccessKind::Remote(_) if atomic_copy => footprint.fixed = true,
                            _ => {}
                        }
                    }
                }
                state = next;
            }
            _ => {
                result.push(footprint);
                break;
            }
        }
        result.push(footprint);
    }
    (result.len() == schedule.actions.len()).then_some(result)
}
