//! Successors on packed words.
//!
//! A successor is a copy of the few words of a state with some fields changed; nothing is allocated
//! on the way. Chains of local steps at transient points (see [`reduce`](crate::reduce)) run on here
//! until the thread reaches a point where states are stored.

use wattle_logic::Fault;
use wattle_memory::Machine;
use wattle_program::step::MOST_CHOICES;
use wattle_program::{EdgeId, Mode, ThreadId};

use crate::buffer::Slots;
use crate::compile::{Act, Compiled, Edge, Remote, Slot};
use crate::layout::Overflow;
use crate::machine::{MAX_WORDS, PackedHalf, PackedUpdate};

/// One move, as a counterexample needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    Step { thread: ThreadId, edge: EdgeId, choices: Vec<i64> },
    Commit { thread: ThreadId, location: u32 },
    Remote { thread: ThreadId, code: u64 },
}

/// Why a search cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    Overflow(Overflow),
    /// An integer left 64 bits.
    TooLarge,
    Unsupported(String),
}

impl From<Overflow> for Problem {
    fn from(overflow: Overflow) -> Problem {
        Problem::Overflow(overflow)
    }
}

/// How running an edge ended.
enum Ran {
    Done,
    /// Not enabled, and nothing but the thread itself could change that.
    Disabled,
    /// Waits for a buffer, a flush, or room in a buffer.
    Blocked,
    Fault {
        fault: Fault,
        op: Option<usize>,
    },
}

/// Receives what [`Worker::expand`] finds.
pub trait Sink {
    fn state(&mut self, path: &[Move], words: &[u64]);
    /// The last move of the path fails this assertion.
    fn failed(&mut self, path: &[Move], op: usize);
    /// The last move of the path faults.
    fn fault(&mut self, path: &[Move], op: Option<usize>, fault: Fault);
}

/// A longer chain of local steps gets a state in between, which is always allowed: the chain is walked
/// by recursion, and stacks are finite.
const LONGEST_CHAIN: usize = 200;

/// When one expansion has made so many states, the chains that are still open get states in between too: choices that
/// follow each other multiply, and the budget is only looked at between expansions.
const MOST_AT_ONCE: usize = 1 << 12;

/// Scratch space of one searching thread.
#[derive(Debug)]
pub struct Worker<'a> {
    machine: &'a Compiled,
    path: Vec<Move>,
    /// For each depth of a chain of local steps, the states reached.
    levels: Vec<Vec<u64>>,
    scratch: Vec<u64>,
    odometer: Odometer,
    failed: Vec<usize>,
    /// How many states this expansion has made.
    made: usize,
    /// A store or remote operation found no room.
    pub cut: bool,
    /// The same, in the state expanded last.
    pub cut_now: bool,
    /// The most operations that any thread had pending.
    pub most_pending: usize,
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
    pub fn new(machine: &'a Compiled) -> Worker<'a> {
        Worker {
            machine,
            path: Vec::new(),
            levels: Vec::new(),
            scratch: Vec::new(),
            odometer: Odometer::default(),
            failed: Vec::new(),
            made: 0,
            cut: false,
            cut_now: false,
            most_pending: 0,
            taken: machine.threads.iter().map(|thread| vec![false; thread.edges.len()]).collect(),
            moves: 0,
            movers: Vec::new(),
            delivered: false,
        }
    }

    /// Hand all successors of a state to `sink`. Returns the number of moves from the state itself.
    pub fn expand(&mut self, words: &[u64], sink: &mut impl Sink) -> Result<u64, Problem> {
        self.made = 0;
        let before = self.moves;
        let machine = self.machine;
        let inside = machine.inside(words);
        self.movers.clear();
        self.cut_now = false;
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
    pub fn settle_all(&mut self, words: &[u64], sink: &mut impl Sink) -> Result<(), Problem> {
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
            let ran = self.attempt(thread, number, &mut next, sink)?;
            if let Ran::Done = ran {
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
    ) -> Result<Ran, Problem> {
        let edge = &self.machine.threads[thread].edges[number as usize];
        self.failed.clear();
        let ran = self.run(thread, edge, words)?;
        match ran {
            Ran::Done => {
                self.moves += 1;
                self.taken[thread][number as usize] = true;
                if let Some(&op) = self.failed.first() {
                    self.push_step(thread, edge.id);
                    sink.failed(&self.path, op);
                    self.path.pop();
                }
            }
            Ran::Fault { fault: Fault::Overflow, .. } => return Err(Problem::TooLarge),
            Ran::Fault { fault, op } => {
                self.moves += 1;
                self.push_step(thread, edge.id);
                sink.fault(&self.path, op, fault);
                self.path.pop();
            }
            Ran::Disabled | Ran::Blocked => {}
        }
        Ok(ran)
    }

    fn push_step(&mut self, thread: usize, edge: EdgeId) {
        let choices = self.odometer.values();
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
            self.odometer.reset();
            loop {
                let start = level.len();
                level.extend_from_slice(words);
                match self.attempt(thread, number, &mut level[start..], sink)? {
                    Ran::Done => {
                        level.push(u64::from(number));
                        level.extend(self.odometer.digits.iter().map(|digit| digit.0 as u64));
                        // The entry's own length goes last, so that levels can be walked backwards.
                        let length = level.len() - start;
                        level.push(length as u64);
                    }
                    ran => {
                        level.truncate(start);
                        blocked |= matches!(ran, Ran::Blocked);
                    }
                }
                if !edge.has_choices || !self.odometer.advance() {
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
                    rest.remove(at);
                    while rest.len > 0 && machine.codec.is_barrier(rest.codes[0]) {
                        rest.remove(0);
                    }
                    rest.write(buffer, next);
                    machine.fields.memory[location as usize].set(next, machine.codec.value(code))?;
                    Move::Commit { thread: name, location }
                }
                Machine::Sc { .. } | Machine::Rma => {
                    if code == last {
                        continue; // equal halves are the same move
                    }
                    last = code;
                    let mut rest = slots;
                    rest.remove(at);
                    self.half(code, &mut rest, next)?;
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

    /// A pending half of a remote operation happens.
    fn half(&mut self, code: u64, slots: &mut Slots, words: &mut [u64]) -> Result<(), Problem> {
        let machine = self.machine;
        let half = machine.codec.half(code);
        let memory = &machine.fields.memory;
        match half {
            PackedHalf::Read { target, from, to } => {
                let value = memory[from as usize].get(words);
                slots.insert_sorted(machine.codec.encode(PackedHalf::Write { target, to, value })?);
            }
            PackedHalf::Write { to, value, .. } => machine.write_remote(to, value, words)?,
            PackedHalf::Atomic { target, at, into, update } => {
                let old = memory[at as usize].get(words);
                let new = match update {
                    PackedUpdate::Add(value) => {
                        let sort = machine.cells[at as usize].sort;
                        match sort {
                            wattle_logic::Sort::Bits { .. } => sort.wrap(old.wrapping_add(value)),
                            _ => old.checked_add(value).ok_or(Problem::TooLarge)?,
                        }
                    }
                    PackedUpdate::Replace(value) => value,
                    PackedUpdate::CompareAndSwap(expected, new) => {
                        if old == expected {
                            new
                        } else {
                            old
                        }
                    }
                };
                machine.write_remote(at, new, words)?;
                if let Some(to) = into {
                    slots.insert_sorted(machine.codec.encode(PackedHalf::Write {
                        target,
                        to,
                        value: old,
                    })?);
                }
            }
        }
        Ok(())
    }

    fn run(&mut self, thread: usize, edge: &Edge, words: &mut [u64]) -> Result<Ran, Problem> {
        let machine = self.machine;
        let memory = machine.fields.memory.as_slice();
        macro_rules! value {
            ($expression:expr, $op:expr) => {
                match $expression.evaluate(words, memory) {
                    Ok(value) => value,
                    Err(fault) => return Ok(Ran::Fault { fault, op: $op }),
                }
            };
        }
        macro_rules! location {
            ($expression:expr, $op:expr) => {{
                let location = value!($expression, $op);
                if location < 0 || location as usize >= memory.len() {
                    return Ok(Ran::Fault { fault: Fault::OutOfBounds, op: $op });
                }
                location as u32
            }};
        }
        let direct = !machine.buffers_stores || edge.mode == Mode::Locked;
        if edge.mode == Mode::Locked
            && machine.buffers_stores
            && machine.buffers[thread].slots[0].raw(words) != 0
        {
            return Ok(Ran::Blocked);
        }
        if !edge.guard.is_true() && value!(edge.guard, None) == 0 {
            return Ok(Ran::Disabled);
        }
        for (number, act) in edge.acts.iter().enumerate() {
            let op = Some(number);
            match act {
                Act::Load { into, address } => {
                    let location = location!(address, op);
                    let value = match direct {
                        true => memory[location as usize].get(words),
                        false => machine.load(thread, location, words),
                    };
                    if !set(into, value, words)? {
                        return Ok(Ran::Disabled);
                    }
                }
                Act::Store { address, value, release } => {
                    let location = location!(address, op);
                    let value = value!(value, op);
                    let Some(value) = machine.cells[location as usize].fit(value) else {
                        return Ok(Ran::Disabled);
                    };
                    if direct {
                        memory[location as usize].set(words, value)?;
                    } else if !self.push(thread, location, value, *release, words)? {
                        return Ok(Ran::Blocked);
                    }
                }
                Act::Assign { local, value } => {
                    let value = value!(value, op);
                    if !set(local, value, words)? {
                        return Ok(Ran::Disabled);
                    }
                }
                Act::Havoc { local, low, high } => {
                    let (low, high) = (value!(low, op), value!(high, op));
                    if high.saturating_sub(low) >= MOST_CHOICES {
                        return Err(Problem::Unsupported("a choice among more than 65,536 values".into()));
                    }
                    match self.odometer.choose(low, high) {
                        Some(value) if set(local, value, words)? => {}
                        _ => return Ok(Ran::Disabled),
                    }
                }
                Act::Forget { local } => local.set(words, 0)?,
                Act::Assume(condition) => {
                    if value!(condition, op) == 0 {
                        return Ok(Ran::Disabled);
                    }
                }
                Act::Assert(condition) => {
                    if value!(condition, op) == 0 {
                        self.failed.push(number);
                    }
                }
                Act::Fence { orders, location } => {
                    let location = match location {
                        Some(location) => Some(location!(location, op)),
                        None => None,
                    };
                    if machine.buffers_stores && !machine.fence(thread, *orders, location, words) {
                        return Ok(Ran::Blocked);
                    }
                }
                Act::Remote(remote) => {
                    let half = match remote {
                        Remote::PutLocation { remote, source } => {
                            let to = location!(remote, op);
                            PackedHalf::Read { target: machine.owner(to)?, from: location!(source, op), to }
                        }
                        Remote::PutValue { remote, value } => {
                            let to = location!(remote, op);
                            let value = value!(value, op);
                            let Some(value) = machine.cells[to as usize].fit(value) else {
                                return Ok(Ran::Disabled);
                            };
                            PackedHalf::Write { target: machine.owner(to)?, to, value }
                        }
                        Remote::Get { into, remote } => {
                            let to = location!(into, op);
                            let from = location!(remote, op);
                            PackedHalf::Read { target: machine.owner(from)?, from, to }
                        }
                        Remote::Atomic { into, remote, update } => {
                            let into = match into {
                                Some(into) => Some(location!(into, op)),
                                None => None,
                            };
                            let at = location!(remote, op);
                            let update = match update {
                                PackedUpdate::Add(value) => PackedUpdate::Add(value!(value, op)),
                                PackedUpdate::Replace(value) => PackedUpdate::Replace(value!(value, op)),
                                PackedUpdate::CompareAndSwap(expected, new) => {
                                    PackedUpdate::CompareAndSwap(value!(expected, op), value!(new, op))
                                }
                            };
                            PackedHalf::Atomic { target: machine.owner(at)?, at, into, update }
                        }
                    };
                    if !self.start(thread, half, words)? {
                        return Ok(Ran::Blocked);
                    }
                }
                Act::Flush { process, copy } => {
                    let copy = value!(copy, op);
                    let Ok(target) = machine.shape.checked_thread(*process, copy) else {
                        return Ok(Ran::Fault { fault: Fault::OutOfBounds, op });
                    };
                    let slots = Slots::read(&machine.buffers[thread], words);
                    let pending = |code: &u64| machine.codec.half(*code).target() == target.0;
                    if slots.codes[..slots.len].iter().any(pending) {
                        return Ok(Ran::Blocked);
                    }
                }
                Act::Unsupported(what) => return Err(Problem::Unsupported(what.clone())),
            }
        }
        machine.fields.points[thread].set_raw(words, edge.to);
        Ok(Ran::Done)
    }

    /// A store enters its buffer; `false` if there is no room.
    fn push(
        &mut self,
        thread: usize,
        location: u32,
        value: i64,
        release: bool,
        words: &mut [u64],
    ) -> Result<bool, Problem> {
        let machine = self.machine;
        let buffer = &machine.buffers[thread];
        let mut slots = Slots::read(buffer, words);
        if release && machine.kind == Machine::Pso {
            machine.codec.add_barrier(&mut slots);
        }
        if machine.sole_writer[location as usize] && machine.load(thread, location, words) == value {
            slots.write(buffer, words);
            return Ok(true);
        }
        let is_write = |code: &&u64| !machine.codec.is_barrier(**code);
        let writes = slots.codes[..slots.len].iter().filter(is_write).count();
        if writes >= machine.capacity {
            (self.cut, self.cut_now) = (true, true);
            return Ok(false);
        }
        // The field of the location decides whether the value fits, so that the entry always does.
        let mut probe = [0; MAX_WORDS];
        machine.fields.memory[location as usize].set(&mut probe, value)?;
        let code = machine.codec.store(location, value);
        match machine.kind {
            Machine::Pso => machine.codec.insert_by_location(&mut slots, code),
            _ => slots.push(code),
        }
        slots.write(buffer, words);
        self.most_pending = self.most_pending.max(writes + 1);
        Ok(true)
    }

    /// A remote operation becomes pending (or, under SC with atomic copies, happens at once).
    fn start(&mut self, thread: usize, half: PackedHalf, words: &mut [u64]) -> Result<bool, Problem> {
        let machine = self.machine;
        let buffer = &machine.buffers[thread];
        let mut slots = Slots::read(buffer, words);
        if slots.len >= machine.capacity {
            (self.cut, self.cut_now) = (true, true);
            return Ok(false);
        }
        slots.insert_sorted(machine.codec.encode(half)?);
        self.most_pending = self.most_pending.max(slots.len);
        if machine.kind == (Machine::Sc { atomic_copy: true }) {
            while slots.len > 0 {
                let code = slots.codes[0];
                slots.remove(0);
                self.half(code, &mut slots, words)?;
            }
        }
        slots.write(buffer, words);
        Ok(true)
    }
}

fn set(slot: &Slot, value: i64, words: &mut [u64]) -> Result<bool, Problem> {
    match slot.cell.fit(value) {
        None => Ok(false),
        Some(value) => {
            slot.field.set(words, value)?;
            Ok(true)
        }
    }
}

/// Runs through all sequences of choices.
#[derive(Debug, Default)]
struct Odometer {
    digits: Vec<(i64, i64)>,
    next: usize,
}

impl Odometer {
    fn reset(&mut self) {
        self.digits.clear();
        self.next = 0;
    }

    fn values(&self) -> Vec<i64> {
        self.digits.iter().map(|digit| digit.0).collect()
    }

    fn choose(&mut self, low: i64, high: i64) -> Option<i64> {
        if low > high {
            return None;
        }
        if self.next == self.digits.len() {
            self.digits.push((low, high));
        }
        self.next += 1;
        Some(self.digits[self.next - 1].0)
    }

    fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((value, high)) = self.digits.last_mut() {
            if value < high {
                *value += 1;
                return true;
            }
            self.digits.pop();
        }
        false
    }
}

/// Failures met while it is still open whether they count.
#[derive(Default)]
struct Faults(Vec<(Vec<Move>, Option<usize>, Option<Fault>)>);

impl Faults {
    fn hand_over(self, sink: &mut impl Sink) {
        for (path, op, fault) in self.0 {
            match (op, fault) {
                (op, Some(fault)) => sink.fault(&path, op, fault),
                (Some(op), None) => sink.failed(&path, op),
                (None, None) => {}
            }
        }
    }
}

impl Sink for Faults {
    fn state(&mut self, _: &[Move], _: &[u64]) {}
    fn failed(&mut self, path: &[Move], op: usize) {
        self.0.push((path.to_vec(), Some(op), None));
    }
    fn fault(&mut self, path: &[Move], op: Option<usize>, fault: Fault) {
        self.0.push((path.to_vec(), op, Some(fault)));
    }
}

/// Everything that settling one thread of an initial state gives.
#[derive(Default)]
pub struct Collected {
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
    fn failed(&mut self, path: &[Move], op: usize) {
        self.faults.failed(path, op);
    }
    fn fault(&mut self, path: &[Move], op: Option<usize>, fault: Fault) {
        self.faults.fault(path, op, fault);
    }
}
