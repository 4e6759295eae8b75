//! From a schedule to the execution it shows: which write each read took its value from, and in
//! which order writes reached memory.
//!
//! The schedule is replayed on the reference machine; beside each state runs a shadow that holds
//! the *number* of a write where the state holds its value.

use std::collections::BTreeSet;

use wattle_program::step::{AccessKind, Dependencies};
use wattle_program::{Edge, Mode, Op, Orders, Program, Shape, Tags, ThreadId};

use crate::operational::{Action, Half, Outcome, State, apply};
use crate::{Event, EventKind, Execution, Machine};

/// `None` if the schedule cannot be replayed from `start`.
pub fn observe(
    program: &Program,
    shape: &Shape,
    machine: Machine,
    start: &State,
    actions: &[Action],
) -> Option<Execution> {
    let mut observer = Observer::new(start);
    let mut state = start.clone();
    for (step, action) in actions.iter().enumerate() {
        let Outcome::Moved { state: next, accesses, .. } = apply(program, shape, machine, &state, action)?
        else {
            break;
        };
        match action {
            Action::Step { thread, edge, .. } => {
                let info = program.process(shape.info(*thread).process).cfg.edge(*edge);
                let buffered = machine.buffers_stores() && info.mode != Mode::Locked;
                observer.edge(
                    *thread,
                    info,
                    accesses.iter().map(|access| (access.op, &access.kind)),
                    buffered,
                );
                for event in &mut observer.execution.events {
                    if event.step.is_none() && event.thread == Some(*thread) {
                        (event.step, event.edge) = (Some(step), Some(*edge));
                    }
                }
            }
            Action::Commit { thread, location } => observer.commit(*thread, *location),
            Action::Remote { thread, half } => observer.remote(*thread, half, &state, &next, step),
        }
        state = next;
    }
    Some(observer.execution)
}

struct Observer {
    execution: Execution,
    /// The write that memory holds, for each location.
    memory: Vec<u32>,
    /// The pending writes of each thread, oldest first.
    stores: Vec<Vec<(u32, u32)>>,
    dependencies: Vec<Dependencies>,
    /// How many steps each thread has made.
    steps: Vec<u32>,
}

impl Observer {
    fn new(start: &State) -> Observer {
        let mut execution = Execution::default();
        for (location, value) in start.memory.iter().enumerate() {
            let kind = EventKind::Write { location: location as u32, value: value.clone() };
            execution.events.push(Event {
                kind,
                thread: None,
                edge: None,
                step: None,
                tags: Tags::new(),
                instruction: 0,
                locked: false,
                orders: Orders::NONE,
            });
            execution.coherence.push(vec![location as u32]);
        }
        Observer {
            execution,
            memory: (0..start.memory.len() as u32).collect(),
            stores: vec![vec![]; start.threads.len()],
            dependencies: vec![Dependencies::default(); start.threads.len()],
            steps: vec![0; start.threads.len()],
        }
    }

    fn add(&mut self, thread: ThreadId, kind: EventKind, tags: Tags) -> u32 {
        let instruction = self.steps[thread.0 as usize];
        let (thread, edge, step) = (Some(thread), None, None);
        let (locked, orders) = (false, Orders::NONE);
        self.execution.events.push(Event { kind, thread, edge, step, tags, instruction, locked, orders });
        self.execution.events.len() as u32 - 1
    }

    fn reach_memory(&mut self, location: u32, write: u32) {
        self.memory[location as usize] = write;
        self.execution.coherence[location as usize].push(write);
    }

    fn edge<'a>(
        &mut self,
        thread: ThreadId,
        edge: &Edge,
        accesses: impl Iterator<Item = (usize, &'a AccessKind)>,
        buffered: bool,
    ) {
        let me = thread.0 as usize;
        self.steps[me] += 1;
        let first = self.execution.events.len();
        self.dependencies[me].decide(&edge.guard);
        let mut accesses = accesses.peekable();
        let mut locked_reads: Vec<(u32, u32)> = Vec::new();
        for (number, op) in edge.ops.iter().enumerate() {
            let Some((_, kind)) = accesses.next_if(|(at, _)| *at == number) else {
                self.dependencies[me].follow(op);
                continue;
            };
            match (kind, op) {
                (AccessKind::Read { location, value }, Op::Load { into, address, tags }) => {
                    let kind = EventKind::Read { location: *location, value: value.clone() };
                    let read = self.add(thread, kind, tags.clone());
                    self.depend(me, read, Some(address), None);
                    self.dependencies[me].set(*into, BTreeSet::from([read]));
                    let own = self.stores[me].iter().rev().find(|(other, _)| other == location);
                    let write = own.filter(|_| edge.mode != Mode::Locked).map(|(_, write)| *write);
                    self.execution.reads_from.push((write.unwrap_or(self.memory[*location as usize]), read));
                    locked_reads.push((*location, read));
                }
                (AccessKind::Write { location, value }, Op::Store { address, value: term, tags }) => {
                    let kind = EventKind::Write { location: *location, value: value.clone() };
                    let write = self.add(thread, kind, tags.clone());
                    self.depend(me, write, Some(address), Some(term));
                    if edge.mode == Mode::Locked {
                        let pairs = locked_reads.iter().filter(|(other, _)| other == location);
                        let pairs = pairs.map(|(_, read)| (*read, write));
                        self.execution.read_modify_write.extend(pairs);
                    }
                    match buffered {
                        true => self.stores[me].push((*location, write)),
                        false => self.reach_memory(*location, write),
                    }
                }
                (AccessKind::Fence, Op::Fence(fence)) => {
                    let event = self.add(thread, EventKind::Fence, Tags::from([fence.tag.clone()]));
                    self.execution.events[event as usize].orders = fence.orders;
                    self.depend(me, event, None, None);
                }
                // Remote operations make events when their halves happen.
                _ => {}
            }
        }
        for event in &mut self.execution.events[first..] {
            event.locked = edge.mode == Mode::Locked;
        }
    }

    fn depend(
        &mut self,
        thread: usize,
        event: u32,
        address: Option<&wattle_logic::Term>,
        data: Option<&wattle_logic::Term>,
    ) {
        let dependencies = &self.dependencies[thread];
        let pairs = |reads: BTreeSet<u32>| reads.into_iter().map(move |read| (read, event));
        let of =
            |term: Option<&wattle_logic::Term>| term.map(|term| dependencies.of(term)).unwrap_or_default();
        self.execution.address.extend(pairs(of(address)));
        self.execution.data.extend(pairs(of(data)));
        self.execution.control.extend(pairs(dependencies.control.clone()));
    }

    fn commit(&mut self, thread: ThreadId, location: u32) {
        let stores = &mut self.stores[thread.0 as usize];
        if let Some(oldest) = stores.iter().position(|(other, _)| *other == location) {
            let (_, write) = stores.remove(oldest);
            self.reach_memory(location, write);
        }
    }

    /// The network acts for a thread: events of that thread, marked `remote`.
    fn remote(&mut self, thread: ThreadId, half: &Half, before: &State, after: &State, step: usize) {
        let tags = Tags::from(["remote".into()]);
        let first = self.execution.events.len();
        let (read, written) = match half {
            Half::Read { from, .. } => (Some(*from), None),
            Half::Write { to, .. } => (None, Some(*to)),
            Half::Atomic { at, .. } => (Some(*at), Some(*at)),
        };
        if let Some(location) = read {
            let value = before.memory[location as usize].clone();
            let event = self.add(thread, EventKind::Read { location, value }, tags.clone());
            self.execution.reads_from.push((self.memory[location as usize], event));
        }
        if let Some(location) = written {
            let value = after.memory[location as usize].clone();
            let event = self.add(thread, EventKind::Write { location, value }, tags);
            self.reach_memory(location, event);
        }
        for event in &mut self.execution.events[first..] {
            event.step = Some(step);
        }
    }
}
