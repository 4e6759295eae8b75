//! From a schedule to the execution it shows: which write each read took its value from, and in
//! which order writes reached memory.
//!
//! The schedule is replayed on the reference machine; beside each state runs a shadow that holds
//! the *number* of a write where the state holds its value.

use wattle_program::step::{Access, AccessKind};
use wattle_program::{Edge, Mode, Op, Orders, Program, Shape, Tags, ThreadId};

use crate::events::{Recorder, Surroundings};
use crate::operational::{Action, Half, MoveResult, State, Stored, apply};
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
        let MoveResult::Moved { state: next, accesses, .. } = apply(program, shape, machine, &state, action)?
        else {
            break;
        };
        match action {
            Action::Step { thread, edge, .. } => {
                let info = program.process(shape.info(*thread).process).cfg.edge(*edge);
                let buffered = machine.buffers_stores() && info.mode != Mode::Locked;
                let locals = &state.threads[thread.0 as usize].locals;
                let execution = &mut observer.execution;
                let recorder = &mut observer.recorders[thread.0 as usize];
                let made = recorder.record(
                    Surroundings { program, shape },
                    (*edge, info),
                    locals,
                    &accesses,
                    execution,
                );
                let joint: Vec<&Access> = accesses.iter().filter(|access| is_joint(info, access)).collect();
                for (event, access) in made {
                    observer.execution.events[event as usize].step = Some(step);
                    observer.follow(*thread, event, &access, info.mode, buffered);
                }
                for access in joint {
                    let event = observer.joint(*thread, access, step);
                    let buffered = buffered && !outside(program, shape, access);
                    observer.follow(*thread, event, access, info.mode, buffered);
                }
            }
            Action::Commit { thread, location } => {
                let mut stores = state.stores[thread.0 as usize].iter();
                let entry = stores.find(|stored| stored.location() == Some(*location));
                match entry {
                    Some(Stored::Group(stores)) => {
                        stores.iter().for_each(|(location, _)| observer.commit(*thread, *location));
                    }
                    _ => observer.commit(*thread, *location),
                }
            }
            Action::Remote { thread, half } => observer.remote(*thread, half, &state, &next, step),
        }
        state = next;
    }
    Some(observer.execution)
}

/// Does an access belong to a joint step: seen in a term, or one of several stores?
fn is_joint(edge: &Edge, access: &Access) -> bool {
    !matches!(edge.ops[access.op], Op::Load { .. } | Op::Store { .. } | Op::Fence(_))
        && !matches!(edge.ops[access.op], Op::LoadExclusive { .. } | Op::StoreConditional { .. })
}

/// Is it to a variable outside the store buffers?
fn outside(program: &Program, shape: &Shape, access: &Access) -> bool {
    let (AccessKind::Read { location, .. } | AccessKind::Write { location, .. }) = &access.kind else {
        return false;
    };
    program.variables[shape.locations[*location as usize].variable as usize].unbuffered
}

struct Observer {
    execution: Execution,
    /// The write that memory holds, for each location.
    memory: Vec<u32>,
    /// The pending writes of each thread, oldest first.
    stores: Vec<Vec<(u32, u32)>>,
    recorders: Vec<Recorder>,
}

impl Observer {
    fn new(start: &State) -> Observer {
        let mut execution = Execution::default();
        for (location, value) in start.memory.iter().enumerate() {
            execution.events.push(Event::initial(location as u32, value.clone()));
            execution.coherence.push(vec![location as u32]);
        }
        Observer {
            execution,
            memory: (0..start.memory.len() as u32).collect(),
            stores: vec![vec![]; start.threads.len()],
            recorders: (0..start.threads.len() as u32)
                .map(|thread| Recorder::new(ThreadId(thread)))
                .collect(),
        }
    }

    /// An event of a joint step. It says where values come from, for stories; axioms do not judge it.
    fn joint(&mut self, thread: ThreadId, access: &Access, step: usize) -> u32 {
        let kind = match &access.kind {
            AccessKind::Read { location, value } => {
                EventKind::Read { location: *location, value: value.clone() }
            }
            AccessKind::Write { location, value } => {
                EventKind::Write { location: *location, value: value.clone() }
            }
            _ => EventKind::Fence,
        };
        self.add(thread, kind, Tags::new(), step)
    }

    /// An event that the network makes for a thread.
    fn add(&mut self, thread: ThreadId, kind: EventKind, tags: Tags, step: usize) -> u32 {
        self.execution.events.push(Event {
            kind,
            thread: Some(thread),
            edge: None,
            step: Some(step),
            tags,
            instruction: 0,
            locked: false,
            orders: Orders::NONE,
            section: None,
        });
        self.execution.events.len() as u32 - 1
    }

    fn reach_memory(&mut self, location: u32, write: u32) {
        self.memory[location as usize] = write;
        self.execution.coherence[location as usize].push(write);
    }

    /// Where a read took its value from, and where a write went.
    fn follow(&mut self, thread: ThreadId, event: u32, access: &Access, mode: Mode, buffered: bool) {
        let stores = &mut self.stores[thread.0 as usize];
        match &access.kind {
            AccessKind::Read { location, .. } => {
                let own = stores.iter().rev().find(|(other, _)| other == location);
                let write = own.filter(|_| mode != Mode::Locked).map(|(_, write)| *write);
                self.execution.reads_from.push((write.unwrap_or(self.memory[*location as usize]), event));
            }
            AccessKind::Write { location, .. } if buffered => stores.push((*location, event)),
            AccessKind::Write { location, .. } => self.reach_memory(*location, event),
            _ => {}
        }
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
        let (read, written) = match half {
            Half::Read { from, .. } => (Some(*from), None),
            Half::Write { to, .. } => (None, Some(*to)),
            Half::Atomic { at, .. } => (Some(*at), Some(*at)),
        };
        if let Some(location) = read {
            let value = before.memory[location as usize].clone();
            let event = self.add(thread, EventKind::Read { location, value }, tags.clone(), step);
            self.execution.reads_from.push((self.memory[location as usize], event));
        }
        if let Some(location) = written {
            let value = after.memory[location as usize].clone();
            let event = self.add(thread, EventKind::Write { location, value }, tags, step);
            self.reach_memory(location, event);
        }
    }
}
