//! From the steps of a thread to events and dependencies.
//!
//! Whatever runs threads by `wattle_program::step` (the replay of a schedule, the replay of an
//! execution graph, the naive list of candidates) hands each step to a [`Recorder`], which makes the
//! events and knows which reads they depend on. Events are numbered by the caller's list.
//!
//! Engines do not use this: they have `program::symbolic::operations`, on expressions. An execution that
//! an engine shows is judged by events and dependencies that are derived here anew, so the two must
//! stay two.

use wattle_logic::{Term, Value};
use wattle_program::step::{Access, AccessKind, Dependencies, Reads, Thread};
use wattle_program::{
    Edge, EdgeId, Mode, Op, Orders, Program, Shape, Tags, ThreadId, Vocabulary, is_inside, is_section,
};

use crate::{Event, EventKind, Execution};

/// What one thread has done so far.
#[derive(Clone, Debug)]
pub struct Recorder {
    thread: ThreadId,
    dependencies: Dependencies,
    steps: u32,
    /// The last exclusive read that still waits for its store.
    reserved: Option<(u32, u32)>,
    /// The first step of the atomic section that the thread stands in.
    section: Option<u32>,
}

/// The surroundings that do not change from step to step.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    pub program: &'a Program,
    pub shape: &'a Shape,
}

impl Recorder {
    pub fn new(thread: ThreadId) -> Recorder {
        Recorder { thread, dependencies: Dependencies::default(), steps: 0, reserved: None, section: None }
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
        let info = world.shape.info(self.thread);
        let copy = info.copy;
        let cfg = &world.program.process(info.process).cfg;
        let [stays, enters] = [edge.from, edge.to].map(|point| is_inside(cfg, point));
        let section = match stays {
            true => self.section,
            false => (enters || is_section(edge)).then_some(self.steps),
        };
        let mut step = Step {
            rules: Rules::of(world.program.vocabulary),
            view: Locals { shape: world.shape, copy, locals: locals.to_vec() },
            recorder: self,
            execution,
            id,
            locked: edge.mode == Mode::Locked,
            section,
            reads: Vec::new(),
            compared: Reads::default(),
            made: Vec::new(),
        };
        step.decide(&edge.guard);
        let mut rest = accesses.iter().peekable();
        for (number, op) in edge.ops.iter().enumerate() {
            match (rest.next_if(|access| access.op == number), parts(op)) {
                (Some(access), Some(parts)) => step.access(op, access, parts),
                _ => step.inside(op),
            }
        }
        let made = step.made;
        self.section = section.filter(|_| enters);
        self.steps += 1;
        made
    }

    /// The location that the last exclusive read reserved.
    pub fn reservation(&self) -> Option<u32> {
        self.reserved.map(|(location, _)| location)
    }

    /// An event depends on what it uses, and never on itself.
    fn depend(&self, event: u32, uses: &Uses, execution: &mut Execution) {
        let control = &self.dependencies.control;
        let pairs = |reads: &std::collections::BTreeSet<u32>| {
            let reads: Vec<u32> = reads.iter().copied().filter(|read| *read != event).collect();
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

/// What vocabularies say differently about events and dependencies. Engines have a table of their own
/// (`program::symbolic::Conventions`), for the judge must not repeat their mistakes.
#[derive(Clone, Copy)]
struct Rules {
    /// Selections are dependencies of their own kind.
    selects: bool,
    /// The two halves of a read-modify-write are one event.
    fuses: bool,
    /// What a store-conditional tells its thread depends on the store.
    tells: bool,
}

impl Rules {
    fn of(vocabulary: Vocabulary) -> Rules {
        Rules {
            selects: vocabulary == Vocabulary::Aarch64,
            fuses: vocabulary == Vocabulary::C11,
            tells: vocabulary == Vocabulary::Riscv,
        }
    }
}

/// A step whose first operations have been recorded.
struct Step<'r> {
    rules: Rules,
    view: Locals<'r>,
    recorder: &'r mut Recorder,
    execution: &'r mut Execution,
    id: EdgeId,
    locked: bool,
    section: Option<u32>,
    /// What a locked step has read: locations and events.
    reads: Vec<(u32, u32)>,
    /// What a comparison inside the instruction looked at.
    compared: Reads,
    made: Vec<(u32, Access)>,
}

impl Step<'_> {
    fn reads_of(&self, term: &Term) -> Reads {
        self.recorder.dependencies.of(term, &|term| self.view.decides(term, self.rules.selects))
    }

    fn decide(&mut self, condition: &Term) {
        let (view, rules) = (&self.view, self.rules);
        self.recorder.dependencies.decide(condition, &|term| view.decides(term, rules.selects));
    }

    /// An operation that does nothing to memory.
    fn inside(&mut self, op: &Op) {
        // A comparison inside an instruction picks what the instruction writes; it is no branch.
        if let (Op::Assume { condition }, true) = (op, self.rules.selects && self.locked) {
            self.compared.join(&self.reads_of(condition).as_picked());
            return;
        }
        let (view, rules) = (&self.view, self.rules);
        self.recorder.dependencies.follow(op, &|term| view.decides(term, rules.selects));
        if matches!(op, Op::StoreConditional { .. }) {
            self.recorder.reserved = None;
        }
        self.view.follow(op);
    }

    fn access(&mut self, op: &Op, access: &Access, (address, data, tags): Parts<'_>) {
        let mut uses = Uses {
            address: address.map(|term| self.reads_of(term)),
            data: data.map(|term| self.reads_of(term)),
        };
        if let Some(data) = &mut uses.data {
            data.join(&self.compared);
        }
        let (event, written) = match &access.kind {
            AccessKind::Read { location, value } => {
                (EventKind::Read { location: *location, value: value.clone() }, None)
            }
            AccessKind::Write { location, value } => {
                (EventKind::Write { location: *location, value: value.clone() }, Some((*location, value)))
            }
            AccessKind::Fence => (EventKind::Fence, None),
            // Remote operations make events when their halves happen.
            AccessKind::Remote(_) | AccessKind::Flush { .. } => return,
        };
        let event = match (written, self.reads.last()) {
            (Some((location, value)), Some((other, read))) if self.rules.fuses && *other == location => {
                self.fuse(*read, value, tags)
            }
            _ => self.event(op, event, tags),
        };
        self.recorder.depend(event, &uses, self.execution);
        self.made.push((event, access.clone()));
        self.after(op, access, event);
    }

    /// A read becomes an event that reads and writes.
    fn fuse(&mut self, read: u32, written: &Value, tags: Tags) -> u32 {
        let event = &mut self.execution.events[read as usize];
        if let EventKind::Read { location, value } = &event.kind {
            let (location, read) = (*location, value.clone());
            event.kind = EventKind::Update { location, read, written: written.clone() };
        }
        event.tags.extend(tags);
        read
    }

    fn event(&mut self, op: &Op, kind: EventKind, tags: Tags) -> u32 {
        self.execution.events.push(Event {
            kind,
            thread: Some(self.recorder.thread),
            edge: Some(self.id),
            step: None,
            tags,
            instruction: self.recorder.steps,
            locked: self.locked,
            orders: if let Op::Fence(fence) = op { fence.orders } else { Orders::NONE },
            section: self.section,
        });
        self.execution.events.len() as u32 - 1
    }

    /// What an event changes for those that follow: locals, and reads that wait for their writes.
    fn after(&mut self, op: &Op, access: &Access, event: u32) {
        match (&access.kind, op) {
            (AccessKind::Read { location, value }, Op::Load { into, .. }) => {
                self.recorder.dependencies.set(*into, Reads::one(event));
                self.view.set(*into, value);
                if self.locked {
                    self.reads.push((*location, event));
                }
            }
            (AccessKind::Read { location, value }, Op::LoadExclusive { into, .. }) => {
                self.recorder.dependencies.set(*into, Reads::one(event));
                self.view.set(*into, value);
                self.recorder.reserved = Some((*location, event));
            }
            (AccessKind::Write { .. }, Op::StoreConditional { success, .. }) => {
                let source = if self.rules.tells { Reads::one(event) } else { Reads::default() };
                self.recorder.dependencies.set(*success, source);
                self.view.set(*success, &Value::Int(1));
                if let Some((_, read)) = self.recorder.reserved.take() {
                    self.execution.read_modify_write.push((read, event));
                }
            }
            (AccessKind::Write { location, .. }, _) if !self.rules.fuses => {
                let pairs = self.reads.iter().filter(|(other, _)| other == location);
                self.execution.read_modify_write.extend(pairs.map(|(_, read)| (*read, event)));
            }
            _ => {}
        }
    }
}

struct Uses {
    address: Option<Reads>,
    data: Option<Reads>,
}

/// The address, the value and the tags of an operation that makes an event.
type Parts<'p> = (Option<&'p Term>, Option<&'p Term>, Tags);

fn parts(op: &Op) -> Option<Parts<'_>> {
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
