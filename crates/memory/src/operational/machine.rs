//! The successor function.

use std::borrow::Cow;

use wattle_logic::{Fault, Value};
use wattle_program::step::{Access, Choices, Memory, Remote, RemoteUpdate, Stop, fit, step};
use wattle_program::{Edge, EdgeId, Fence, Mode, Name, Orders, Program, Shape, Tags, ThreadId};

use super::halves;
use super::state::{Half, State, Stored};
use crate::Machine;

/// One move of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// A thread takes an edge, with the values of its choices in order.
    Step { thread: ThreadId, edge: EdgeId, choices: Vec<i64> },
    /// The oldest pending store of a thread to a location reaches memory, with those that are grouped with it; a group
    /// has the name of its first location.
    Commit { thread: ThreadId, location: u32 },
    /// A pending half of a remote operation happens.
    Remote { thread: ThreadId, half: Half },
}

impl Action {
    pub fn thread(&self) -> ThreadId {
        match self {
            Action::Step { thread, .. } | Action::Commit { thread, .. } | Action::Remote { thread, .. } => {
                *thread
            }
        }
    }
}

/// What became of a move: a new state, a fault, or something that the machine does not handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveResult {
    Moved {
        state: State,
        failed: Vec<usize>,
        accesses: Vec<Access>,
    },
    /// The step was started and has no result: a division by zero, an index out of bounds, an
    /// integer beyond 64 bits.
    Fault {
        fault: Fault,
        op: Option<usize>,
    },
    Unsupported {
        what: Name,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    pub action: Action,
    pub result: MoveResult,
}

/// Every move from a state, in a fixed order.
pub fn successors(program: &Program, shape: &Shape, machine: Machine, state: &State) -> Vec<Successor> {
    let inside = inside(program, shape, state);
    let mut all = Vec::new();
    for thread in shape.thread_ids() {
        if !may_step(inside, thread) {
            continue;
        }
        let info = shape.info(thread);
        let cfg = &program.process(info.process).cfg;
        for edge in cfg.leaving(state.threads[thread.0 as usize].point) {
            let mut odometer = Odometer::default();
            loop {
                let result = take(program, shape, machine, state, thread, cfg.edge(edge), &mut odometer);
                if let Some(result) = result {
                    let choices = odometer.values();
                    all.push(Successor { action: Action::Step { thread, edge, choices }, result });
                }
                if !odometer.advance() {
                    break;
                }
            }
        }
    }
    for thread in shape.thread_ids() {
        if !may_commit(inside, thread) {
            continue;
        }
        for location in committable(machine, &state.stores[thread.0 as usize]) {
            let result = moved(commit(state, thread, location));
            all.push(Successor { action: Action::Commit { thread, location }, result });
        }
        for half in halves::possible(machine, shape, &state.halves[thread.0 as usize]) {
            let result = deliver(program, shape, machine, state, thread, &half);
            all.push(Successor { action: Action::Remote { thread, half }, result });
        }
    }
    all
}

/// The result of one move, or `None` if it is not possible here.
pub fn apply(
    program: &Program,
    shape: &Shape,
    machine: Machine,
    state: &State,
    action: &Action,
) -> Option<MoveResult> {
    let inside = inside(program, shape, state);
    match action {
        Action::Step { thread, edge, choices } => {
            let info = program.process(shape.threads.get(thread.0 as usize)?.process);
            let edge = info.cfg.edges.get(edge.0 as usize)?;
            if !may_step(inside, *thread) || edge.from != state.threads[thread.0 as usize].point {
                return None;
            }
            let mut replay = Replay { rest: choices, refused: false };
            let result = take(program, shape, machine, state, *thread, edge, &mut replay)?;
            (replay.rest.is_empty() && !replay.refused).then_some(result)
        }
        Action::Commit { thread, location } => {
            let stores = state.stores.get(thread.0 as usize)?;
            let possible = may_commit(inside, *thread) && committable(machine, stores).contains(location);
            possible.then(|| moved(commit(state, *thread, *location)))
        }
        Action::Remote { thread, half } => {
            let halves = state.halves.get(thread.0 as usize)?;
            let possible =
                may_commit(inside, *thread) && halves::possible(machine, shape, halves).contains(half);
            possible.then(|| deliver(program, shape, machine, state, *thread, half))
        }
    }
}

/// While a thread stands inside an atomic section, no other takes a step.
fn may_step(inside: Option<(ThreadId, Mode)>, thread: ThreadId) -> bool {
    inside.is_none_or(|(other, _)| other == thread)
}

/// Nor does anything pending happen, except for that thread itself if the section is buffered.
fn may_commit(inside: Option<(ThreadId, Mode)>, thread: ThreadId) -> bool {
    inside.is_none_or(|(other, mode)| other == thread && mode == Mode::Buffered)
}

/// The thread that stands inside an atomic section, and the mode of that section.
fn inside(program: &Program, shape: &Shape, state: &State) -> Option<(ThreadId, Mode)> {
    shape.thread_ids().find_map(|thread| {
        let cfg = &program.process(shape.info(thread).process).cfg;
        let mode = cfg.point(state.threads[thread.0 as usize].point).inside?;
        Some((thread, mode))
    })
}

fn moved(state: State) -> MoveResult {
    MoveResult::Moved { state, failed: vec![], accesses: vec![] }
}

fn take(
    program: &Program,
    shape: &Shape,
    machine: Machine,
    state: &State,
    thread: ThreadId,
    edge: &Edge,
    choices: &mut dyn Choices,
) -> Option<MoveResult> {
    let me = thread.0 as usize;
    if edge.mode == Mode::Locked && !state.stores[me].is_empty() {
        return None;
    }
    if matches!(machine, Machine::Sc { .. }) && !state.halves[me].is_empty() {
        return None;
    }
    // Most edges turn out not to be enabled: the state is copied at the first change.
    let mut memory = OfThread { program, shape, machine, thread, state: Cow::Borrowed(state) };
    match step(program, shape, thread, &state.threads[me], edge, &mut memory, choices) {
        Ok(stepped) => {
            let mut next = memory.state.into_owned();
            next.threads[me] = stepped.state;
            Some(MoveResult::Moved { state: next, failed: stepped.failed, accesses: stepped.accesses })
        }
        Err(Stop::NotEnabled) => None,
        Err(Stop::Fault { fault, op }) => Some(MoveResult::Fault { fault, op }),
        Err(Stop::Unsupported { what }) => Some(MoveResult::Unsupported { what }),
    }
}

/// The locations whose oldest pending store may reach memory now.
fn committable(machine: Machine, stores: &[Stored]) -> Vec<u32> {
    match machine {
        Machine::Tso => stores.first().and_then(Stored::location).into_iter().collect(),
        Machine::Pso => {
            let mut locations: Vec<u32> = stores.iter().map_while(Stored::location).collect();
            locations.dedup(); // sorted before the first barrier
            locations
        }
        Machine::Sc { .. } | Machine::Rma { .. } => vec![],
    }
}

fn commit(state: &State, thread: ThreadId, location: u32) -> State {
    let mut next = state.clone();
    let stores = &mut next.stores[thread.0 as usize];
    if let Some(oldest) = stores.iter().position(|stored| stored.location() == Some(location)) {
        match stores.remove(oldest) {
            Stored::Write { value, .. } => next.memory[location as usize] = value,
            Stored::Group(together) => {
                for (location, value) in together {
                    next.memory[location as usize] = value;
                }
            }
            Stored::Barrier => {}
        }
    }
    while stores.first() == Some(&Stored::Barrier) {
        stores.remove(0);
    }
    next
}

/// A pending half happens. Ranges hold here too: a value that does not fit leaves the half pending
/// for ever, so it is reported as a fault instead of blocking silently.
fn deliver(
    program: &Program,
    shape: &Shape,
    machine: Machine,
    state: &State,
    thread: ThreadId,
    half: &Half,
) -> MoveResult {
    let mut next = state.clone();
    let out_of_range = MoveResult::Unsupported { what: "a remote write outside the declared range".into() };
    let result = match half {
        Half::Read { target, from, to } => {
            let value = state.memory[*from as usize].clone();
            Ok(Some(Half::Write { target: *target, to: *to, value }))
        }
        Half::Write { to, value, .. } => fitting(program, shape, *to, value.clone()).map(|value| {
            next.memory[*to as usize] = value;
            None
        }),
        Half::Atomic { target, at, into, update } => {
            let old = state.memory[*at as usize].clone();
            let new = match update {
                RemoteUpdate::Add(value) => {
                    let sort = program.variables[shape.locations[*at as usize].variable as usize].sort;
                    match wattle_logic::apply_binary(wattle_logic::Binary::Add, &old, value, sort) {
                        Ok(value) => value,
                        Err(fault) => return MoveResult::Fault { fault, op: None },
                    }
                }
                RemoteUpdate::Replace(value) => value.clone(),
                RemoteUpdate::CompareAndSwap { expected, new } if *expected == old => new.clone(),
                RemoteUpdate::CompareAndSwap { .. } => old.clone(),
            };
            fitting(program, shape, *at, new).map(|new| {
                next.memory[*at as usize] = new;
                into.map(|to| Half::Write { target: *target, to, value: old })
            })
        }
    };
    match result {
        Err(_) => return out_of_range,
        Ok(then) => {
            let halves = &mut next.halves[thread.0 as usize];
            if !halves::happened(machine, halves, half, then) {
                return MoveResult::Fault { fault: Fault::Meaningless, op: None };
            }
        }
    }
    moved(next)
}

fn fitting(program: &Program, shape: &Shape, location: u32, value: Value) -> Result<Value, Stop> {
    let variable = &program.variables[shape.locations[location as usize].variable as usize];
    fit(value, variable.sort, variable.range)
}

/// Memory as one thread sees it.
struct OfThread<'a> {
    program: &'a Program,
    shape: &'a Shape,
    machine: Machine,
    thread: ThreadId,
    state: Cow<'a, State>,
}

impl OfThread<'_> {
    fn stores(&self) -> &[Stored] {
        &self.state.stores[self.thread.0 as usize]
    }

    fn stores_mut(&mut self) -> &mut Vec<Stored> {
        &mut self.state.to_mut().stores[self.thread.0 as usize]
    }

    fn start(&mut self, half: Half) {
        let halves = &mut self.state.to_mut().halves[self.thread.0 as usize];
        halves::start(self.machine, halves, half);
    }

    fn add_barrier(&mut self) {
        if !matches!(self.stores().last(), None | Some(Stored::Barrier)) {
            self.stores_mut().push(Stored::Barrier);
        }
    }
}

impl Memory for OfThread<'_> {
    fn load(&mut self, location: u32, mode: Mode, _: &Tags) -> Result<Value, Stop> {
        let newest = self.stores().iter().rev().find_map(|stored| stored.value_at(location));
        match newest {
            Some(value) if mode != Mode::Locked => Ok(value.clone()),
            _ => Ok(self.state.memory[location as usize].clone()),
        }
    }

    fn content(&self, location: u32) -> Result<Value, Fault> {
        self.state.memory.get(location as usize).cloned().ok_or(Fault::OutOfBounds)
    }

    fn seen(&self, thread: ThreadId, location: u32) -> Result<Value, Fault> {
        self.state.seen(thread, location).cloned().ok_or(Fault::OutOfBounds)
    }

    fn store_together(&mut self, stores: &[(u32, Value)], mode: Mode) -> Result<(), Stop> {
        let at_once = |location: u32| {
            let variable = self.shape.locations[location as usize].variable;
            self.program.variables[variable as usize].unbuffered
        };
        let all = !self.machine.buffers_stores() || mode == Mode::Locked;
        let (direct, buffered): (Vec<_>, Vec<_>) =
            stores.iter().cloned().partition(|(location, _)| all || at_once(*location));
        for (location, value) in direct {
            self.state.to_mut().memory[location as usize] = value;
        }
        match (&buffered[..], self.machine) {
            ([], _) => Ok(()),
            ([(location, value)], _) => self.store(*location, value.clone(), mode, &Tags::new()),
            (_, Machine::Tso) => {
                self.stores_mut().push(Stored::Group(buffered));
                Ok(())
            }
            _ => Err(Stop::Unsupported {
                what: "stores that become visible together, with a buffer a location".into(),
            }),
        }
    }

    fn store(&mut self, location: u32, value: Value, mode: Mode, tags: &Tags) -> Result<(), Stop> {
        let variable = self.shape.locations[location as usize].variable;
        let unbuffered = self.program.variables[variable as usize].unbuffered;
        if !self.machine.buffers_stores() || mode == Mode::Locked || unbuffered {
            self.state.to_mut().memory[location as usize] = value;
            return Ok(());
        }
        if self.machine == Machine::Pso && tags.contains("rel") {
            self.add_barrier();
        }
        let pso = self.machine == Machine::Pso;
        let stores = self.stores_mut();
        let mut at = stores.len();
        // Under PSO, sort into the stores after the last barrier.
        while pso && at > 0 && stores[at - 1].location().is_some_and(|other| other > location) {
            at -= 1;
        }
        stores.insert(at, Stored::Write { location, value });
        Ok(())
    }

    fn fence(&mut self, fence: &Fence, location: Option<u32>) -> Result<(), Stop> {
        if !self.machine.buffers_stores() {
            return Ok(());
        }
        if let Some(location) = location {
            let pending = self.stores().iter().any(|stored| stored.value_at(location).is_some());
            return if pending { Err(Stop::NotEnabled) } else { Ok(()) };
        }
        if fence.orders.contains(Orders::WR) {
            return if self.stores().is_empty() { Ok(()) } else { Err(Stop::NotEnabled) };
        }
        if self.machine == Machine::Pso && fence.orders.contains(Orders::WW) {
            self.add_barrier();
        }
        Ok(())
    }

    fn remote(&mut self, operation: Remote) -> Result<(), Stop> {
        let owner = |location: u32| {
            let owner = self.shape.locations[location as usize].owner;
            owner
                .ok_or(Stop::Unsupported { what: "a remote operation on memory that no process owns".into() })
        };
        let half = match operation {
            Remote::PutLocation { remote, source } => {
                Half::Read { target: owner(remote)?, from: source, to: remote }
            }
            Remote::PutValue { remote, value } => Half::Write { target: owner(remote)?, to: remote, value },
            Remote::Get { into, remote } => Half::Read { target: owner(remote)?, from: remote, to: into },
            Remote::Atomic { into, remote, update } => {
                Half::Atomic { target: owner(remote)?, at: remote, into, update }
            }
        };
        match (self.machine, half) {
            (Machine::Sc { atomic_copy: true }, half) => {
                self.start(half);
                while let Some(half) = self.state.halves[self.thread.0 as usize].first().cloned() {
                    match deliver(self.program, self.shape, self.machine, &self.state, self.thread, &half) {
                        MoveResult::Moved { state, .. } => self.state = Cow::Owned(state),
                        MoveResult::Fault { fault, .. } => return Err(Stop::Fault { fault, op: None }),
                        MoveResult::Unsupported { what } => return Err(Stop::Unsupported { what }),
                    }
                }
                Ok(())
            }
            (Machine::Sc { .. } | Machine::Rma { .. }, half) => {
                self.start(half);
                Ok(())
            }
            _ => Err(Stop::Unsupported { what: "a remote operation on a store-buffer machine".into() }),
        }
    }

    fn flush(&mut self, target: ThreadId) -> Result<(), Stop> {
        let halves = &self.state.halves[self.thread.0 as usize];
        match halves.iter().any(|half| half.target() == target) {
            true => Err(Stop::NotEnabled),
            false => Ok(()),
        }
    }
}

/// Runs through all sequences of choices: replays a prefix, then takes the lowest of each.
#[derive(Default)]
struct Odometer {
    /// (current, highest) of each choice.
    digits: Vec<(i64, i64)>,
    next: usize,
}

impl Odometer {
    fn values(&self) -> Vec<i64> {
        self.digits.iter().map(|(value, _)| *value).collect()
    }

    /// Prepare the next sequence; `false` if this was the last.
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

impl Choices for Odometer {
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
}

/// Takes the values that a schedule names.
struct Replay<'a> {
    rest: &'a [i64],
    /// A value was missing, or not among those to choose from.
    refused: bool,
}

impl Choices for Replay<'_> {
    fn knows(&self) -> bool {
        true
    }
    fn choose(&mut self, low: i64, high: i64) -> Option<i64> {
        match self.rest.split_first() {
            Some((value, rest)) if low <= *value && *value <= high => {
                self.rest = rest;
                Some(*value)
            }
            _ => {
                self.refused = true;
                None
            }
        }
    }
}
