//! Run a known schedule again in a program with other fences.
//!
//! The schedule of a counterexample belongs to the program with one set of fences. [`enact`] tries
//! to run it with another set: the threads take the same steps in the same order, each thread goes
//! through the fences that now stand on its way just before its next step, and where such a fence
//! has to wait, the stores (or the halves of remote operations) that it waits for are brought to
//! memory there and then, and left out where the schedule had them later. Everything else keeps its
//! order. Loads may now read other values; if that turns the run from its path, or if the violation
//! is gone at the end, the attempt has failed.
//!
//! Waiting until the last moment loses nothing: while a thread takes no step, what it has pending
//! only becomes less, so a fence that could be passed earlier can be passed then.
//!
//! At the end of a run a thread may stand directly after a store, before the fence that follows it.
//! If the violation needs it further on (a property that names a control point), the fence is
//! passed; otherwise the thread stays there.
//!
//! An enacted schedule is only a proposal. What is claimed of it is checked by `judge::confirm`,
//! which knows nothing of this file.

use std::collections::BTreeMap;

use wattle_engine::{Counterexample, Schedule, Task, Violation};
use wattle_judge::confirm::replay;
use wattle_memory::Machine;
use wattle_memory::operational::{Action, Half, MoveResult, State, initial_state, successors};
use wattle_program::{EdgeId, Program, Shape, ThreadId};

/// The counterexample as a run of `program` (of a family with this base), confirmed; `None` if it
/// does not survive there.
pub(crate) fn enact(
    base: &Program,
    task: &Task<'_>,
    counterexample: &Counterexample,
) -> Option<Counterexample> {
    let machine = task.memory.machine?;
    let shape = Shape::new(task.program).ok()?;
    let schedule = counterexample.schedule.as_ref()?;
    let state = initial_state(task.program, &shape, &schedule.initial)?;
    let mut stage =
        Stage { base, program: task.program, shape, machine, state, actions: vec![], early: BTreeMap::new() };
    let last = schedule.actions.len().saturating_sub(1);
    for (number, action) in schedule.actions.iter().enumerate() {
        stage.follow(action, number == last)?;
    }
    let confirmed = |actions: &[Action]| {
        let schedule = Schedule { initial: schedule.initial.clone(), actions: actions.to_vec() };
        let enacted = Counterexample::scheduled(counterexample.violated.clone(), schedule);
        replay(task, &enacted).is_ok().then_some(enacted)
    };
    if let Some(enacted) = confirmed(&stage.actions) {
        return Some(enacted);
    }
    if !matches!(counterexample.violated, Violation::Property { .. } | Violation::Deadlock) {
        return None;
    }
    stage.pass_last_fences();
    confirmed(&stage.actions)
}

struct Stage<'a> {
    base: &'a Program,
    program: &'a Program,
    shape: Shape,
    machine: Machine,
    state: State,
    actions: Vec<Action>,
    /// What was brought to memory before its turn, by how often.
    early: BTreeMap<(ThreadId, Delivered), usize>,
}

/// A delivery, whatever the value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Delivered {
    Store { location: u32 },
    Read { from: u32, to: u32 },
    Write { to: u32 },
    Atomic { at: u32 },
}

fn delivered(action: &Action) -> Option<Delivered> {
    match action {
        Action::Step { .. } => None,
        Action::Commit { location, .. } => Some(Delivered::Store { location: *location }),
        Action::Remote { half, .. } => Some(match half {
            Half::Read { from, to, .. } => Delivered::Read { from: *from, to: *to },
            Half::Write { to, .. } => Delivered::Write { to: *to },
            Half::Atomic { at, .. } => Delivered::Atomic { at: *at },
        }),
    }
}

impl Stage<'_> {
    fn follow(&mut self, action: &Action, last: bool) -> Option<()> {
        let thread = action.thread();
        let Action::Step { edge, .. } = action else {
            let kind = delivered(action)?;
            if let Some(count) = self.early.get_mut(&(thread, kind.clone()))
                && *count > 0
            {
                *count -= 1;
                return Some(());
            }
            // The same delivery, perhaps of another value.
            let now =
                self.deliveries(thread).into_iter().find(|other| delivered(other) == Some(kind.clone()))?;
            return self.take(&now);
        };
        if self.is_fence(thread, *edge) {
            return Some(()); // a fence of the other program
        }
        let cfg = &self.program.process(self.shape.info(thread).process).cfg;
        while self.state.threads[thread.0 as usize].point != cfg.edge(*edge).from {
            self.pass_fence(thread)?;
        }
        match self.attempt(action) {
            Some(MoveResult::Moved { .. }) => self.take(action),
            // The violation itself may be that the last step has no result.
            Some(_) if last => {
                self.actions.push(action.clone());
                Some(())
            }
            Some(_) => None,
            // A fence that the base has and the other program had not.
            None => {
                self.bring_home(thread, action)?;
                self.take(action)
            }
        }
    }

    /// Is this an edge that the base does not have?
    fn is_fence(&self, thread: ThreadId, edge: EdgeId) -> bool {
        let process = self.shape.info(thread).process;
        edge.0 as usize >= self.base.process(process).cfg.edges.len()
    }

    fn attempt(&self, action: &Action) -> Option<MoveResult> {
        wattle_memory::operational::apply(self.program, &self.shape, self.machine, &self.state, action)
    }

    fn take(&mut self, action: &Action) -> Option<()> {
        let Some(MoveResult::Moved { state, .. }) = self.attempt(action) else { return None };
        self.state = state;
        self.actions.push(action.clone());
        Some(())
    }

    /// Take the one step through (or round) the fence that the thread stands before.
    fn pass_fence(&mut self, thread: ThreadId) -> Option<()> {
        if let Some(action) = self.fence_step(thread) {
            return self.take(&action);
        }
        let cfg = &self.program.process(self.shape.info(thread).process).cfg;
        let point = self.state.threads[thread.0 as usize].point;
        let waiting = cfg.leaving(point).filter(|edge| self.is_fence(thread, *edge));
        let steps: Vec<Action> = waiting.map(|edge| Action::Step { thread, edge, choices: vec![] }).collect();
        steps.iter().find_map(|step| self.bring_home(thread, step))?;
        let action = self.fence_step(thread)?;
        self.take(&action)
    }

    fn fence_step(&self, thread: ThreadId) -> Option<Action> {
        let moves = successors(self.program, &self.shape, self.machine, &self.state);
        moves.into_iter().map(|successor| successor.action).find(
            |action| matches!(action, Action::Step { thread: t, edge, .. } if *t == thread && self.is_fence(*t, *edge)),
        )
    }

    /// Everything of a thread that may reach memory now.
    fn deliveries(&self, thread: ThreadId) -> Vec<Action> {
        let moves = successors(self.program, &self.shape, self.machine, &self.state);
        let actions = moves.into_iter().map(|successor| successor.action);
        actions.filter(|action| action.thread() == thread && !matches!(action, Action::Step { .. })).collect()
    }

    /// Bring what the thread has pending to memory until `step` is possible: the stores, or the
    /// halves with one target, or with all (a flush of every process waits for all of them).
    fn bring_home(&mut self, thread: ThreadId, step: &Action) -> Option<()> {
        let mut pending: Vec<ThreadId> =
            self.state.halves[thread.0 as usize].iter().map(|half| half.target()).collect();
        pending.sort();
        pending.dedup();
        // Nothing remote is pending: it is the stores.
        let mut ways: Vec<Vec<ThreadId>> = pending.iter().map(|target| vec![*target]).collect();
        if pending.len() != 1 {
            ways.push(pending);
        }
        let before = (self.state.clone(), self.actions.len(), self.early.clone());
        for targets in ways {
            loop {
                let wanted = |action: &Action| match action {
                    Action::Remote { half, .. } => targets.contains(&half.target()),
                    _ => targets.is_empty(),
                };
                let Some(next) = self.deliveries(thread).into_iter().find(wanted) else { break };
                let kind = delivered(&next)?;
                self.take(&next)?;
                *self.early.entry((thread, kind)).or_default() += 1;
                if matches!(self.attempt(step), Some(MoveResult::Moved { .. })) {
                    return Some(());
                }
            }
            self.state = before.0.clone();
            self.actions.truncate(before.1);
            self.early = before.2.clone();
        }
        None
    }

    /// Let threads that stand after a store and before its fence pass that fence.
    fn pass_last_fences(&mut self) {
        for thread in self.shape.thread_ids() {
            let points = self.base.process(self.shape.info(thread).process).cfg.points.len();
            while self.state.threads[thread.0 as usize].point.0 as usize >= points {
                if self.pass_fence(thread).is_none() {
                    break;
                }
            }
        }
    }
}
