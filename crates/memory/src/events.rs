//! From the steps of a thread to events and dependencies.
//!
//! Whatever runs threads by `wattle_program::step` (the replay of a schedule, the replay of an
//! execution graph, the naive list of candidates) hands each step to a [`Recorder`], which makes the
//! events and knows which reads they depend on. Events are numbered by the caller's list.

use wattle_logic::{Term, Value};
use wattle_program::step::{Access, AccessKind, Dependencies, Reads, Thread};
use wattle_program::{Edge, EdgeId, Mode, Op, Orders, Program, Shape, Tags, ThreadId, Vocabulary};

use crate::{Event, EventKind, Execution};

/// What one thread has done so far.
#[derive(Clone, Debug)]
pub struct Recorder {
    thread: ThreadId,
    dependencies: Dependencies,
    steps: u32,
    /// The last exclusive read that still waits for its store.
    reserved: Option<(u32, u32)>,
}

/// The surroundings that do not change from step to step.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    pub program: &'a Program,
    pub shape: &'a Shape,
}

impl Recorder {
    pub fn new(thread: ThreadId) -> Recorder {
        Recorder { thread, dependencies: Dependencies::default(), steps: 0, reserved: None }
    }

    /// The thread takes `edge` from `locals`; `accesses` is what `step` reported. Events and
    /// dependencies are added to `execution`; reads-from and coherence are the caller's business. The
    /// result pairs each new event with the access that made it (an update has two).
    pub fn record(
        &mut self,
        world: Surroundings<'_>,
        edge: (EdgeId, &Edge),
        locals: &[Value],
        accesses: &[Access],
        execution: &mut Execution,
    ) -> Vec<(u32, Access)> {
        let (id, edge) = edge;
        let copy = world.shape.info(self.thread).copy;
        let mut view = Locals { shape: world.shape, copy, locals: locals.to_vec() };
        let selects = world.program.vocabulary == Vocabulary::Aarch64;
        let fuses = world.program.vocabulary == Vocabulary::C11;
        // On RISC-V what a store-conditional tells its thread depends on the store.
        let tells = world.program.vocabulary == Vocabulary::Riscv;
        let mut made: Vec<(u32, Access)> = Vec::new();
        let locked = edge.mode == Mode::Locked;
        let mut reads: Vec<(u32, u32)> = Vec::new();
        // What a comparison inside the instruction looked at.
        let mut compared = Reads::default();
        let mut rest = accesses.iter().peekable();
        self.dependencies.decide(&edge.guard, &|term| view.decides(term, selects));
        for (number, op) in edge.ops.iter().enumerate() {
            let access = rest.next_if(|access| access.op == number);
            let decided = |term: &Term| view.decides(term, selects);
            // A comparison inside an instruction picks what the instruction writes; it is no branch.
            if let (Op::Assume { condition }, true) = (op, selects && locked) {
                compared.join(&self.dependencies.of(condition, &decided).as_picked());
                continue;
            }
            let (Some(access), Some((address, data, tags))) = (access, parts(op)) else {
                self.dependencies.follow(op, &decided);
                if matches!(op, Op::StoreConditional { .. }) {
                    self.reserved = None;
                }
                view.follow(op);
                continue;
            };
            let of = |term: &Term| self.dependencies.of(term, &decided);
            let mut uses = Uses { address: address.map(of), data: data.map(of) };
            if let Some(data) = &mut uses.data {
                data.join(&compared);
            }
            let kind = match &access.kind {
                AccessKind::Read { location, value } => {
                    EventKind::Read { location: *location, value: value.clone() }
                }
                AccessKind::Write { location, value } => {
                    EventKind::Write { location: *location, value: value.clone() }
                }
                AccessKind::Fence => EventKind::Fence,
                // Remote operations make events when their halves happen.
                AccessKind::Remote(_) | AccessKind::Flush { .. } => continue,
            };
            let fused = match (&kind, reads.last()) {
                (EventKind::Write { location, value }, Some((other, read))) if fuses && other == location => {
                    Some((*read, value.clone()))
                }
                _ => None,
            };
            let event = match fused {
                Some((read, written)) => {
                    let event = &mut execution.events[read as usize];
                    if let EventKind::Read { location, value } = &event.kind {
                        event.kind = EventKind::Update { location: *location, read: value.clone(), written };
                    }
                    event.tags.extend(tags);
                    self.depend(read, &uses, execution, read);
                    read
                }
                None => {
                    execution.events.push(Event {
                        kind,
                        thread: Some(self.thread),
                        edge: Some(id),
                        step: None,
                        tags,
                        instruction: self.steps,
                        locked,
                        orders: if let Op::Fence(fence) = op { fence.orders } else { Orders::NONE },
                    });
                    let event = execution.events.len() as u32 - 1;
                    self.depend(event, &uses, execution, event);
                    event
                }
            };
            made.push((event, access.clone()));
            match (&access.kind, op) {
                (AccessKind::Read { location, value }, Op::Load { into, .. }) => {
                    self.dependencies.set(*into, Reads::one(event));
                    view.set(*into, value);
                    if locked {
                        reads.push((*location, event));
                    }
                }
                (AccessKind::Read { location, value }, Op::LoadExclusive { into, .. }) => {
                    self.dependencies.set(*into, Reads::one(event));
                    view.set(*into, value);
                    self.reserved = Some((*location, event));
                }
                (AccessKind::Write { .. }, Op::StoreConditional { success, .. }) => {
                    let source = if tells { Reads::one(event) } else { Reads::default() };
                    self.dependencies.set(*success, source);
                    view.set(*success, &Value::Int(1));
                    if let Some((_, read)) = self.reserved.take() {
                        execution.read_modify_write.push((read, event));
                    }
                }
                (AccessKind::Write { location, .. }, _) if !fuses => {
                    let pairs = reads.iter().filter(|(other, _)| other == location);
                    execution.read_modify_write.extend(pairs.map(|(_, read)| (*read, event)));
                }
                _ => {}
            }
        }
        self.steps += 1;
        made
    }

    /// The location that the last exclusive read reserved.
    pub fn reservation(&self) -> Option<u32> {
        self.reserved.map(|(location, _)| location)
    }

    fn depend(&self, event: u32, uses: &Uses, execution: &mut Execution, not: u32) {
        let control = &self.dependencies.control;
        let pairs = |reads: &std::collections::BTreeSet<u32>| {
            let reads: Vec<u32> = reads.iter().copied().filter(|read| *read != not).collect();
            reads.into_iter().map(move |read| (read, event))
        };
        if let Some(reads) = &uses.address {
            execution.address.extend(pairs(&reads.used));
            execution.pick.extend(pairs(&reads.picked));
            execution.pick_address.extend(pairs(&reads.picked));
        }
        if let Some(reads) = &uses.data {
            execution.data.extend(pairs(&reads.used));
            execution.pick.extend(pairs(&reads.picked));
            execution.pick_data.extend(pairs(&reads.picked));
        }
        execution.control.extend(pairs(&control.used));
        execution.pick.extend(pairs(&control.picked));
        for relation in [
            &mut execution.address,
            &mut execution.data,
            &mut execution.control,
            &mut execution.pick,
            &mut execution.pick_address,
            &mut execution.pick_data,
        ] {
            // Two runs that are in order already, which the stable sort merges.
            relation.sort();
            relation.dedup();
        }
    }
}

#[derive(Default)]
struct Uses {
    address: Option<Reads>,
    data: Option<Reads>,
}

/// The address, the value and the tags of an operation that makes an event.
fn parts(op: &Op) -> Option<(Option<&Term>, Option<&Term>, Tags)> {
    Some(match op {
        Op::Load { address, tags, .. } | Op::LoadExclusive { address, tags, .. } => {
            (Some(address), None, tags.clone())
        }
        Op::Store { address, value, tags } | Op::StoreConditional { address, value, tags, .. } => {
            (Some(address), Some(value), tags.clone())
        }
        Op::Fence(fence) => (None, None, Tags::from([fence.tag.clone()])),
        _ => return None,
    })
}

/// The locals of a thread in the middle of a step.
struct Locals<'a> {
    shape: &'a Shape,
    copy: u32,
    locals: Vec<Value>,
}

impl Locals<'_> {
    fn thread(&self) -> Thread<'_> {
        Thread { shape: self.shape, copy: self.copy, locals: &self.locals }
    }

    /// How the condition of a selection comes out, where that matters.
    fn decides(&self, condition: &Term, selects: bool) -> Option<bool> {
        if selects { condition.evaluate_bool(&self.thread()).ok() } else { None }
    }

    fn set(&mut self, local: u32, value: &Value) {
        self.locals[local as usize] = value.clone();
    }

    fn follow(&mut self, op: &Op) {
        match op {
            Op::Assign { local, value } => {
                if let Ok(value) = value.evaluate(&self.thread()) {
                    self.set(*local, &value);
                }
            }
            Op::StoreConditional { success, .. } => self.set(*success, &Value::Int(0)),
            _ => {}
        }
    }
}
