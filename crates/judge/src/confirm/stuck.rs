//! Decides whether a state is a deadlock, by other means than the machine, so that a mistake of the machine is
//! not confirmed by the same mistake.
//!
//! `docs/semantics.md` says what a deadlock is. The machine follows moves from state to state; here nothing
//! moves. Memory is held still and each thread is looked at alone: which (point, locals) can it come to by
//! its own steps? The steps are those of `program::step` on a memory that can only be read; what would
//! change it, or would start something that happens later, ends the wait. Which points make up an await is
//! found by walking forward from each of them, where [`Cfg::awaits`] walks back.

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::{Fault, Value};
use wattle_memory::Machine;
use wattle_memory::operational::{State, TooManyWays};
use wattle_program::step::{Choices, Memory, Remote, Stop, ThreadState, step};
use wattle_program::{Cfg, Edge, Fence, Mode, Orders, Point, Program, Role, Shape, Tags, ThreadId};

/// More than the machine follows, so that it is the machine that gives up first.
const MOST: usize = 1 << 18;

/// Can nothing ever change again, although a thread has not ended?
pub fn is_deadlock(
    program: &Program,
    shape: &Shape,
    machine: Machine,
    state: &State,
) -> Result<bool, TooManyWays> {
    let point = |thread: ThreadId| {
        let cfg = &program.process(shape.info(thread).process).cfg;
        cfg.point(state.threads[thread.0 as usize].point)
    };
    // Who stands inside a section keeps the others, and what they have pending, from moving.
    let section = shape.thread_ids().find_map(|thread| Some((thread, point(thread).inside?)));
    let happens = |thread: ThreadId| match section {
        None => true,
        Some((inside, mode)) => inside == thread && mode == Mode::Buffered,
    };
    let pending = |thread: ThreadId| {
        let of = thread.0 as usize;
        !state.stores[of].is_empty() || !state.halves[of].is_empty()
    };
    if shape.thread_ids().any(|thread| happens(thread) && pending(thread)) {
        return Ok(false);
    }
    let mut left = false;
    for thread in shape.thread_ids().filter(|thread| !point(*thread).end) {
        left = true;
        let steps = section.is_none_or(|(inside, _)| inside == thread);
        if steps && goes_on(program, shape, machine, state, thread)? {
            return Ok(false);
        }
    }
    Ok(left)
}

/// Does some run of the thread's own steps get it anywhere?
fn goes_on(
    program: &Program,
    shape: &Shape,
    machine: Machine,
    state: &State,
    thread: ThreadId,
) -> Result<bool, TooManyWays> {
    let cfg = &program.process(shape.info(thread).process).cfg;
    let start = &state.threads[thread.0 as usize];
    let heads: BTreeSet<Point> =
        cfg.edges.iter().filter(|edge| edge.role == Role::Retries).map(|edge| edge.to).collect();
    let mut around = heads.into_iter().filter(|head| belongs(cfg, *head, start.point));
    let head = match (around.next(), around.next()) {
        (Some(head), None) => Some(head),
        _ => None,
    };
    let waits = |edge: &Edge| {
        head.is_some_and(|head| match edge.role == Role::Retries {
            true => edge.to == head,
            false => edge.to != head && belongs(cfg, head, edge.to),
        })
    };
    let mut seen = BTreeSet::from([start.clone()]);
    let mut rest = vec![start.clone()];
    while let Some(here) = rest.pop() {
        for edge in cfg.edges.iter().filter(|edge| edge.from == here.point && edge.role != Role::Asserts) {
            match steps(program, shape, machine, state, thread, &here, edge) {
                None => return Ok(true),
                Some(next) if !next.is_empty() && !waits(edge) => return Ok(true),
                Some(next) => rest.extend(next.into_iter().filter(|next| seen.insert(next.clone()))),
            }
            if seen.len() > MOST {
                return Err(TooManyWays);
            }
        }
    }
    Ok(false)
}

/// Does a way from the point lead to an edge that retries at `head`, without passing `head` before?
fn belongs(cfg: &Cfg, head: Point, point: Point) -> bool {
    let (mut seen, mut rest) = (BTreeSet::from([point]), vec![point]);
    while let Some(here) = rest.pop() {
        for edge in cfg.edges.iter().filter(|edge| edge.from == here) {
            if edge.to == head && edge.role == Role::Retries {
                return true;
            }
            if edge.to != head && seen.insert(edge.to) {
                rest.push(edge.to);
            }
        }
    }
    point == head
}

/// Where an edge may take the thread; `None` if it does anything beside, or has no result.
fn steps(
    program: &Program,
    shape: &Shape,
    machine: Machine,
    state: &State,
    thread: ThreadId,
    here: &ThreadState,
    edge: &Edge,
) -> Option<Vec<ThreadState>> {
    let mut found = Vec::new();
    let mut script = Script::default();
    loop {
        script.at = 0;
        let (written, pending) = (BTreeMap::new(), BTreeSet::new());
        let memory = &state.memory;
        let mut still = Still { program, shape, machine, thread, memory, written, pending, remote: false };
        match step(program, shape, thread, here, edge, &mut still, &mut script) {
            Err(Stop::Fault { .. } | Stop::Unsupported { .. }) => return None,
            Err(Stop::NotEnabled) => {}
            Ok(_) if still.acts() => return None,
            Ok(stepped) => found.push(stepped.state),
        }
        if !script.next() {
            return Some(found);
        }
    }
}

/// Memory that nobody changes, with nothing pending, and what one step would do to it.
struct Still<'a> {
    program: &'a Program,
    shape: &'a Shape,
    machine: Machine,
    thread: ThreadId,
    memory: &'a [Value],
    /// What the step has stored so far, which it sees itself.
    written: BTreeMap<u32, Value>,
    /// The locations for which a store would be pending.
    pending: BTreeSet<u32>,
    /// Was something remote started?
    remote: bool,
}

impl Still<'_> {
    fn acts(&self) -> bool {
        let changed = |(location, value): (&u32, &Value)| self.memory[*location as usize] != *value;
        self.remote || !self.pending.is_empty() || self.written.iter().any(changed)
    }
}

impl Memory for Still<'_> {
    fn load(&mut self, location: u32, _: Mode, _: &Tags) -> Result<Value, Stop> {
        Ok(self.written.get(&location).unwrap_or(&self.memory[location as usize]).clone())
    }

    fn content(&self, location: u32) -> Result<Value, Fault> {
        let memory = self.memory.get(location as usize).ok_or(Fault::OutOfBounds)?;
        Ok(self.written.get(&location).unwrap_or(memory).clone())
    }

    fn seen(&self, thread: ThreadId, location: u32) -> Result<Value, Fault> {
        let at_once = !self.pending.contains(&location);
        match thread == self.thread || at_once {
            true => self.content(location),
            false => self.memory.get(location as usize).cloned().ok_or(Fault::OutOfBounds),
        }
    }

    fn store_together(&mut self, stores: &[(u32, Value)], mode: Mode) -> Result<(), Stop> {
        let mut stores = stores.iter();
        stores.try_for_each(|(location, value)| self.store(*location, value.clone(), mode, &Tags::new()))
    }

    fn store(&mut self, location: u32, value: Value, mode: Mode, _: &Tags) -> Result<(), Stop> {
        self.written.insert(location, value);
        let variable = self.shape.locations[location as usize].variable;
        let unbuffered = self.program.variables[variable as usize].unbuffered;
        if self.machine.buffers_stores() && mode != Mode::Locked && !unbuffered {
            self.pending.insert(location);
        }
        Ok(())
    }

    fn fence(&mut self, fence: &Fence, location: Option<u32>) -> Result<(), Stop> {
        let waits = match location {
            Some(location) => self.pending.contains(&location),
            None => fence.orders.contains(Orders::WR) && !self.pending.is_empty(),
        };
        if waits { Err(Stop::NotEnabled) } else { Ok(()) }
    }

    fn remote(&mut self, _: Remote) -> Result<(), Stop> {
        self.remote = true;
        Ok(())
    }

    fn flush(&mut self, _: ThreadId) -> Result<(), Stop> {
        if self.remote { Err(Stop::NotEnabled) } else { Ok(()) }
    }
}

/// The choices of a step, all in turn: each is counted down from the highest.
#[derive(Default)]
struct Script {
    /// The lowest, and the present one.
    chosen: Vec<(i64, i64)>,
    at: usize,
}

impl Script {
    fn next(&mut self) -> bool {
        while let Some((low, value)) = self.chosen.pop() {
            if value > low {
                self.chosen.push((low, value - 1));
                return true;
            }
        }
        false
    }
}

impl Choices for Script {
    fn choose(&mut self, low: i64, high: i64) -> Option<i64> {
        if low > high {
            return None;
        }
        if self.at == self.chosen.len() {
            self.chosen.push((low, high));
        }
        self.at += 1;
        Some(self.chosen[self.at - 1].1)
    }
}
