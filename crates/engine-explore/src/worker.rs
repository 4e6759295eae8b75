//! The successors of a packed state.
//!
//! A successor is a copy of the few words of a state with some fields changed; nothing is allocated
//! on the way. Chains of local steps at transient points (see [`reduce`](crate::reduce)) run on here
//! until the thread reaches a point where states are stored.

use wattle_logic::Fault;
use wattle_memory::Machine;
use wattle_program::step::ANOTHER_SIZE;
use wattle_program::{EdgeId, Mode, ThreadId};

use crate::buffer::Slots;
use crate::compile::Compiled;
use crate::machine::MAX_WORDS;
use crate::step::{Problem, Stepper, Stop};

/// One move, as a counterexample needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    Step { thread: ThreadId, edge: EdgeId, choices: Vec<i64> },
    Commit { thread: ThreadId, location: u32 },
    Remote { thread: ThreadId, code: u64 },
}

/// What came of trying an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempt {
    Done,
    /// It waits: another thread, or what is pending, may let it go on.
    Blocked,
    /// It is not enabled, or it faults.
    Ended,
}

/// Receives what [`Worker::expand`] finds.
pub(crate) trait Sink {
    fn state(&mut self, path: &[Move], words: &[u64]);
    /// The last move of the path fails this assertion. `doubtful`: or may only seem to (see
    /// [`sets`](crate::sets)).
    fn failed(&mut self, path: &[Move], op: usize, doubtful: bool);
    /// The last move of the path faults, or may.
    fn fault(&mut self, path: &[Move], op: Option<usize>, fault: Fault, doubtful: bool);
}

/// A longer chain of local steps gets a state in between, which is always allowed: the chain is walked
/// by recursion, and stacks are finite.
const LONGEST_CHAIN: usize = 200;

/// When one expansion has made so many states, the chains that are still open get states in between too: choices that
/// follow each other multiply, and the budget is only looked at between expansions.
const MOST_AT_ONCE: usize = 1 << 12;

/// Scratch space of one searching thread.
#[derive(Debug)]
pub(crate) struct Worker<'a> {
    machine: &'a Compiled,
    path: Vec<Move>,
    /// For each depth of a chain of local steps, the states reached.
    levels: Vec<Vec<u64>>,
    scratch: Vec<u64>,
    pub step: Stepper<'a>,
    /// How many states this expansion has made.
    made: usize,
    /// By thread, then edge: was it ever taken?
    pub taken: Vec<Vec<bool>>,
    /// How many moves were made.
    pub moves: u64,
    /// The threads that could step in the state expanded last.
    pub movers: Vec<usize>,
    /// Could anything pending happen in the state expanded last?
    pub delivered: bool,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(machine: &'a Compiled) -> Worker<'a> {
        Worker {
            machine,
            path: Vec::new(),
            levels: Vec::new(),
            scratch: Vec::new(),
            step: Stepper::new(machine),
            made: 0,
            taken: machine.threads.iter().map(|thread| vec![false; thread.edges.len()]).collect(),
            moves: 0,
            movers: Vec::new(),
            delivered: false,
        }
    }

    /// Hand all successors of a state to `sink`. Returns the number of moves from the state itself.
    pub(crate) fn expand(&mut self, words: &[u64], sink: &mut impl Sink) -> Result<u64, Problem> {
        self.made = 0;
        let before = self.moves;
        let machine = self.machine;
        let inside = machine.inside(words);
        self.movers.clear();
        self.step.cut_now = false;
        for thread in 0..machine.threads.len() {
            if inside.is_some_and(|(other, _)| other != thread) {
                continue;
            }
            let moves = self.moves;
            self.steps(thread, words, sink)?;
            if self.moves > moves {
                self.movers.push(thread);
            }
        }
        let steps = self.moves;
        if machine.has_buffers {
            for thread in 0..machine.threads.len() {
                let allowed = inside.is_none_or(|(other, mode)| other == thread && mode == Mode::Buffered);
                if allowed && machine.buffers[thread].slots[0].raw(words) != 0 {
                    self.deliveries(thread, words, sink)?;
                }
            }
        }
        self.delivered = self.moves > steps;
        Ok(self.moves - before)
    }

    /// Run the local steps that every thread can take at once, from an initial state.
    pub(crate) fn settle_all(&mut self, words: &[u64], sink: &mut impl Sink) -> Result<(), Problem> {
        self.made = 0;
        self.settle_from(0, words, sink)
    }

    fn settle_from(&mut self, thread: usize, words: &[u64], sink: &mut impl Sink) -> Result<(), Problem> {
        if thread == self.machine.threads.len() {
            sink.state(&self.path, words);
            return Ok(());
        }
        let mut results = Collected::default();
        self.settle(thread, words, 0, &mut results)?;
        results.hand_over(sink);
        let prefix = self.path.clone();
        for (path, words) in results.states {
            self.path = path;
            self.settle_from(thread + 1, &words, sink)?;
        }
        self.path = prefix;
        Ok(())
    }

    /// All steps of one thread, and on from there.
    fn steps(&mut self, thread: usize, words: &[u64], sink: &mut impl Sink) -> Result<(), Problem> {
        let machine = self.machine;
        if machine.waits_for_halves && machine.buffers[thread].slots[0].raw(words) != 0 {
            return Ok(());
        }
        let code = &machine.threads[thread];
        let point = &code.points[machine.fields.points[thread].raw(words) as usize];
        if point.has_choices {
            self.try_edges(thread, words, 0, sink)?;
            return self.settle_level(thread, words.len(), 0, sink);
        }
        // Without choices each result can go on at once.
        let mut next = std::mem::take(&mut self.scratch);
        for &number in &point.edges {
            next.clear();
            next.extend_from_slice(words);
            if self.attempt(thread, number, &mut next, sink)? == Attempt::Done {
                let edge = code.edges[number as usize].id;
                self.path.push(Move::Step { thread: ThreadId(thread as u32), edge, choices: Vec::new() });
                self.settle(thread, &next, 0, sink)?;
                self.path.pop();
            }
        }
        self.scratch = next;
        Ok(())
    }

    /// Run one edge on `words` with the present choices, and report what fails in it.
    fn attempt(
        &mut self,
        thread: usize,
        number: u32,
        words: &mut [u64],
        sink: &mut impl Sink,
    ) -> Result<Attempt, Problem> {
        let edge = &self.machine.threads[thread].edges[number as usize];
        match self.step.run(thread, edge, words) {
            Ok(()) => {
                self.moves += 1;
                self.taken[thread][number as usize] = true;
                if let Some(&op) = self.step.failed.first() {
                    self.push_step(thread, edge.id);
                    sink.failed(&self.path, op, self.machine.is_doubtful(words));
                    self.path.pop();
                }
                Ok(Attempt::Done)
            }
            Err(Stop::Disabled) => Ok(Attempt::Ended),
            Err(Stop::Blocked) => Ok(Attempt::Blocked),
            Err(Stop::Fault { fault: Fault::Overflow, .. }) => Err(Problem::TooLarge),
            Err(Stop::Fault { fault: Fault::Inside, .. }) => Err(Problem::Unsupported(ANOTHER_SIZE.into())),
            Err(Stop::Fault { fault, op }) => {
                self.moves += 1;
                self.push_step(thread, edge.id);
                let doubtful = self.step.choices.has_doubted() || self.machine.is_doubtful(words);
                sink.fault(&self.path, op, fault, doubtful);
                self.path.pop();
                Ok(Attempt::Ended)
            }
            Err(Stop::Problem(problem)) => Err(problem),
        }
    }

    fn push_step(&mut self, thread: usize, edge: EdgeId) {
        let choices = self.step.choices.values();
        self.path.push(Move::Step { thread: ThreadId(thread as u32), edge, choices });
    }

    /// Run all edges of a thread; results go to level `depth`. Returns whether one was blocked.
    fn try_edges(
        &mut self,
        thread: usize,
        words: &[u64],
        depth: usize,
        sink: &mut impl Sink,
    ) -> Result<bool, Problem> {
        let machine = self.machine;
        if self.levels.len() <= depth {
            self.levels.push(Vec::new());
        }
        let mut level = std::mem::take(&mut self.levels[depth]);
        level.clear();
        let mut blocked = false;
        if machine.waits_for_halves && machine.buffers[thread].slots[0].raw(words) != 0 {
            self.levels[depth] = level;
            return Ok(true);
        }
        let code = &machine.threads[thread];
        let point = machine.fields.points[thread].raw(words) as usize;
        for &number in &code.points[point].edges {
            let edge = &code.edges[number as usize];
            self.step.choices.reset();
            loop {
                let start = level.len();
                level.extend_from_slice(words);
                match self.attempt(thread, number, &mut level[start..], sink)? {
                    Attempt::Done => {
                        level.push(u64::from(number));
                        self.step.choices.write(&mut level);
                        // The entry's own length goes last, so that levels can be walked backwards.
                        let length = level.len() - start;
                        level.push(length as u64);
                    }
                    attempt => {
                        level.truncate(start);
                        blocked |= attempt == Attempt::Blocked;
                    }
                }
                if !edge.has_choices || !self.step.choices.advance() {
                    break;
                }
            }
        }
        self.levels[depth] = level;
        Ok(blocked)
    }

    /// Go on from every state of a level.
    fn settle_level(
        &mut self,
        thread: usize,
        width: usize,
        depth: usize,
        sink: &mut impl Sink,
    ) -> Result<(), Problem> {
        let level = std::mem::take(&mut self.levels[depth]);
        let mut end = level.len();
        // Backwards, because lengths stand at the end; order within one state does not matter.
        while end > 0 {
            let length = level[end - 1] as usize;
            let entry = &level[end - 1 - length..end - 1];
            end -= length + 1;
            let edge = &self.machine.threads[thread].edges[entry[width] as usize];
            let choices = entry[width + 1..].iter().map(|digit| *digit as i64).collect();
            self.path.push(Move::Step { thread: ThreadId(thread as u32), edge: edge.id, choices });
            self.settle(thread, &entry[..width], depth + 1, sink)?;
            self.path.pop();
        }
        self.levels[depth] = level;
        Ok(())
    }

    /// If the thread stands at a transient point, run on; otherwise the state is a successor.
    fn settle(
        &mut self,
        thread: usize,
        words: &[u64],
        depth: usize,
        sink: &mut impl Sink,
    ) -> Result<(), Problem> {
        let machine = self.machine;
        let point = machine.fields.points[thread].raw(words) as usize;
        let goes_on = depth < LONGEST_CHAIN && self.made < MOST_AT_ONCE;
        if !machine.threads[thread].points[point].transient || !goes_on {
            self.made += 1;
            sink.state(&self.path, words);
            return Ok(());
        }
        let moves = self.moves;
        let mut found = Faults::default();
        let blocked = self.try_edges(thread, words, depth, &mut found)?;
        if blocked || self.levels[depth].is_empty() {
            // Waiting, or stopped for ever: either way a state of its own. What fails here will be
            // found again when it is expanded.
            self.moves = moves;
            self.made += 1;
            sink.state(&self.path, words);
            return Ok(());
        }
        found.hand_over(sink);
        self.settle_level(thread, words.len(), depth, sink)
    }

    /// Stores that reach memory, or remote halves that happen.
    fn deliveries(&mut self, thread: usize, words: &[u64], sink: &mut impl Sink) -> Result<(), Problem> {
        let machine = self.machine;
        let buffer = &machine.buffers[thread];
        let slots = Slots::read(buffer, words);
        let mut last = u64::MAX;
        for at in 0..slots.len {
            let code = slots.codes[at];
            let name = ThreadId(thread as u32);
            let mut next = [0; MAX_WORDS];
            let next = &mut next[..words.len()];
            next.copy_from_slice(words);
            let step = match machine.kind {
                Machine::Tso | Machine::Pso => {
                    if machine.codec.is_barrier(code) {
                        break;
                    }
                    let location = machine.codec.location(code);
                    if u64::from(location) == last {
                        continue; // only the oldest store to a location
                    }
                    last = u64::from(location);
                    let mut rest = slots;
                    // A store leaves with the rest of its group.
                    let mut leaving = code;
                    while machine.codec.is_joined(leaving) {
                        let field = machine.fields.memory[machine.codec.location(leaving) as usize];
                        field.set(next, machine.codec.value(leaving))?;
                        rest.remove(at);
                        leaving = rest.codes[at];
                    }
                    rest.remove(at);
                    while rest.len > 0 && machine.codec.is_barrier(rest.codes[0]) {
                        rest.remove(0);
                    }
                    rest.write(buffer, next);
                    let field = machine.fields.memory[machine.codec.location(leaving) as usize];
                    field.set(next, machine.codec.value(leaving))?;
                    Move::Commit { thread: name, location }
                }
                Machine::Sc { .. } | Machine::Rma { .. } => {
                    if code == last || !machine.may_happen(&slots, at) {
                        continue; // equal halves are the same move
                    }
                    last = code;
                    let mut rest = slots;
                    let then = machine.half(code, next)?;
                    machine.happened(&mut rest, at, then);
                    rest.write(buffer, next);
                    Move::Remote { thread: name, code }
                }
            };
            self.moves += 1;
            self.path.push(step);
            self.settle(thread, next, 0, sink)?;
            self.path.pop();
            if machine.kind == Machine::Tso {
                break;
            }
        }
        Ok(())
    }
}

/// Failures met while it is still open whether they count.
#[derive(Default)]
struct Faults(Vec<Failure>);

struct Failure {
    path: Vec<Move>,
    op: Option<usize>,
    fault: Option<Fault>,
    doubtful: bool,
}

impl Faults {
    fn hand_over(self, sink: &mut impl Sink) {
        for Failure { path, op, fault, doubtful } in self.0 {
            match (op, fault) {
                (op, Some(fault)) => sink.fault(&path, op, fault, doubtful),
                (Some(op), None) => sink.failed(&path, op, doubtful),
                (None, None) => {}
            }
        }
    }
}

impl Sink for Faults {
    fn state(&mut self, _: &[Move], _: &[u64]) {}
    fn failed(&mut self, path: &[Move], op: usize, doubtful: bool) {
        self.0.push(Failure { path: path.to_vec(), op: Some(op), fault: None, doubtful });
    }
    fn fault(&mut self, path: &[Move], op: Option<usize>, fault: Fault, doubtful: bool) {
        self.0.push(Failure { path: path.to_vec(), op, fault: Some(fault), doubtful });
    }
}

/// Everything that settling one thread of an initial state gives.
#[derive(Default)]
pub(crate) struct Collected {
    pub states: Vec<(Vec<Move>, Vec<u64>)>,
    faults: Faults,
}

impl Collected {
    fn hand_over(&mut self, sink: &mut impl Sink) {
        std::mem::take(&mut self.faults).hand_over(sink);
    }
}

impl Sink for Collected {
    fn state(&mut self, path: &[Move], words: &[u64]) {
        self.states.push((path.to_vec(), words.to_vec()));
    }
    fn failed(&mut self, path: &[Move], op: usize, doubtful: bool) {
        self.faults.failed(path, op, doubtful);
    }
    fn fault(&mut self, path: &[Move], op: Option<usize>, fault: Fault, doubtful: bool) {
        self.faults.fault(path, op, fault, doubtful);
    }
}
