//! From an execution graph to a schedule, without searching.
//!
//! The moves of a store-buffer machine are the steps of the threads and, for each store that is
//! buffered, its commit. What the graph says orders them:
//!
//! * steps as in the paths; a store is buffered before it is committed;
//! * commits of one thread in program order (TSO), or of one location and across store barriers (PSO);
//! * what was stored before a fence or a locked step is committed before it;
//! * commits of one location in coherence order;
//! * a read of another thread's store comes after its commit, and before the commit of the store that
//!   follows in coherence order;
//! * what comes before or after one step of a locked section comes before or after all of it.
//!
//! Any order of the moves that respects this is a schedule; if the machine allows the execution, there
//! is one. The caller replays it, so that nothing here need be trusted.

use wattle_engine::Path;
use wattle_memory::operational::Action;
use wattle_memory::{Event, EventKind, Execution, Machine};
use wattle_program::{Cfg, Orders, Program, Shape, ThreadId, is_inside};

/// `None`: the orders contradict each other, or the machine has no stores to commit.
pub(super) fn linearise(
    machine: Machine,
    (program, shape): (&Program, &Shape),
    paths: &[Path],
    execution: &Execution,
) -> Option<Vec<Action>> {
    let mut moves = Moves::new(machine, paths, execution)?;
    moves.within_threads(machine, execution);
    moves.between_threads(execution);
    for (thread, path) in shape.thread_ids().zip(paths) {
        moves.sections(&program.process(shape.info(thread).process).cfg, thread, path);
    }
    moves.in_order()
}

struct Moves {
    actions: Vec<Action>,
    /// The first step of each thread.
    first: Vec<usize>,
    /// For each event, the move that does it, and the one that brings it to memory.
    step: Vec<usize>,
    commit: Vec<usize>,
    after: Vec<Vec<usize>>,
}

impl Moves {
    fn new(machine: Machine, paths: &[Path], execution: &Execution) -> Option<Moves> {
        let buffers = match machine {
            Machine::Sc { .. } => false,
            Machine::Tso | Machine::Pso => true,
            Machine::Rma { .. } => return None,
        };
        let (mut actions, mut first) = (Vec::new(), Vec::new());
        for (thread, path) in paths.iter().enumerate() {
            first.push(actions.len());
            let thread = ThreadId(thread as u32);
            actions.extend(path.iter().map(|(edge, choices)| Action::Step {
                thread,
                edge: *edge,
                choices: choices.clone(),
            }));
        }
        let (mut step, mut commit) = (Vec::new(), Vec::new());
        for event in &execution.events {
            let own = match event.thread {
                Some(thread) => *first.get(thread.0 as usize)? + event.instruction as usize,
                None => usize::MAX,
            };
            step.push(own);
            commit.push(match (&event.kind, event.thread) {
                (EventKind::Write { location, .. }, Some(thread)) if buffers && !event.locked => {
                    actions.push(Action::Commit { thread, location: *location });
                    actions.len() - 1
                }
                _ => own,
            });
        }
        let after = vec![vec![]; actions.len()];
        let mut moves = Moves { actions, first, step, commit, after };
        for (thread, path) in paths.iter().enumerate() {
            let first = moves.first[thread];
            (1..path.len()).for_each(|number| moves.order(first + number - 1, first + number));
        }
        Some(moves)
    }

    fn order(&mut self, earlier: usize, later: usize) {
        // Initial writes are there from the start; two halves of one step need no order.
        if earlier != later && earlier < self.actions.len() && later < self.actions.len() {
            self.after[earlier].push(later);
        }
    }

    fn within_threads(&mut self, machine: Machine, execution: &Execution) {
        let is_barrier = |event: &Event| {
            let release = event.tags.iter().any(|tag| matches!(&**tag, "rel" | "release"));
            event.orders.contains(Orders::WW) && event.kind == EventKind::Fence || release
        };
        let mut pending: Vec<usize> = Vec::new();
        let mut barred: Vec<usize> = Vec::new();
        let mut thread = None;
        for (number, event) in execution.events.iter().enumerate() {
            if event.thread != thread {
                thread = event.thread;
                pending.clear();
                barred.clear();
            }
            let drains = event.locked || event.kind == EventKind::Fence && event.orders.contains(Orders::WR);
            if drains {
                for write in std::mem::take(&mut pending) {
                    self.order(self.commit[write], self.step[number]);
                }
                barred.clear();
            }
            if is_barrier(event) {
                barred.clone_from(&pending);
            }
            if self.commit[number] == self.step[number] {
                continue;
            }
            self.order(self.step[number], self.commit[number]);
            for write in &pending {
                let same = execution.events[*write].location() == event.location();
                if machine == Machine::Tso || same || barred.contains(write) {
                    self.order(self.commit[*write], self.commit[number]);
                }
            }
            pending.push(number);
        }
    }

    fn between_threads(&mut self, execution: &Execution) {
        let mut next = vec![None; execution.events.len()];
        for writes in &execution.coherence {
            for pair in writes.windows(2) {
                next[pair[0] as usize] = Some(pair[1] as usize);
                self.order(self.commit[pair[0] as usize], self.commit[pair[1] as usize]);
            }
        }
        for &(write, read) in &execution.reads_from {
            let (write, read) = (write as usize, read as usize);
            if execution.events[write].thread != execution.events[read].thread {
                self.order(self.commit[write], self.step[read]);
            }
            if let Some(later) = next[write] {
                self.order(self.step[read], self.commit[later]);
            }
        }
    }

    /// Nothing else moves while a thread is inside a locked section: what waits for a step of it, or what one waits for,
    /// is outside. So the whole section waits, and is waited for.
    fn sections(&mut self, cfg: &Cfg, thread: ThreadId, path: &Path) {
        let first = self.first[thread.0 as usize];
        let mut start = None;
        for (number, (edge, _)) in path.iter().enumerate() {
            let edge = cfg.edge(*edge);
            let begin = *start.get_or_insert(first + number);
            let goes_on = is_inside(cfg, edge.to) && number + 1 < path.len();
            if !goes_on {
                start = None;
                self.together(begin, first + number);
            }
        }
    }

    /// The moves from `begin` to `end` come one after the other.
    fn together(&mut self, begin: usize, end: usize) {
        let section = begin..=end;
        if begin == end {
            return;
        }
        for earlier in (0..self.actions.len()).filter(|earlier| !section.contains(earlier)) {
            if self.after[earlier].iter().any(|later| section.contains(later)) {
                self.order(earlier, begin);
            }
        }
        let outside: Vec<usize> = (section.clone())
            .flat_map(|number| self.after[number].clone())
            .filter(|later| !section.contains(later))
            .collect();
        outside.into_iter().for_each(|later| self.order(end, later));
    }

    /// A thread goes on as long as it can, and stores wait as long as they may.
    fn in_order(&self) -> Option<Vec<Action>> {
        let mut waits = vec![0; self.actions.len()];
        self.after.iter().flatten().for_each(|later| waits[*later] += 1);
        let mut ready: Vec<usize> = (0..waits.len()).filter(|number| waits[*number] == 0).collect();
        let mut sorted = Vec::new();
        let mut last = None;
        while !ready.is_empty() {
            let rank = |number: usize| {
                let action = &self.actions[number];
                let commits = matches!(action, Action::Commit { .. });
                (commits, Some(action.thread()) != last, number)
            };
            let (position, &number) = ready.iter().enumerate().min_by_key(|(_, number)| rank(**number))?;
            ready.swap_remove(position);
            last = Some(self.actions[number].thread());
            sorted.push(self.actions[number].clone());
            for later in &self.after[number] {
                waits[*later] -= 1;
                if waits[*later] == 0 {
                    ready.push(*later);
                }
            }
        }
        (sorted.len() == self.actions.len()).then_some(sorted)
    }
}
