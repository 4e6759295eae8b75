//! What one edge does to one thread.
//!
//! [`step`] runs the operations of an edge in order. Memory answers through the [`Memory`] trait,
//! non-determinism through [`Choices`]; so the same code serves every machine, the replay of a
//! schedule, and the enumeration of executions. Operations on memory are reported as [`Access`]es,
//! from which [`Dependencies`] derives address, data and control dependencies: the loads whose
//! values reach the free locals of a term *as written*.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::{Environment, Fault, Kind, Sort, Symbol, Term, Value};

use crate::{
    Broadcast, Choice, Edge, Fence, Mode, Name, Op, Point, Process, ProcessId, Program, Range, Shape, Source,
    Tags,
};
use crate::{ThreadId, Update, Variable};

/// Where a thread stands and what its locals hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadState {
    pub point: Point,
    pub locals: Vec<Value>,
}

/// Memory as one thread sees it during one step.
pub trait Memory {
    fn load(&mut self, location: u32, mode: Mode, tags: &Tags) -> Result<Value, Stop>;
    fn store(&mut self, location: u32, value: Value, mode: Mode, tags: &Tags) -> Result<(), Stop>;
    fn fence(&mut self, fence: &Fence, location: Option<u32>) -> Result<(), Stop>;
    fn remote(&mut self, operation: Remote) -> Result<(), Stop>;
    fn flush(&mut self, target: ThreadId) -> Result<(), Stop>;
    /// What memory holds at a location that lies outside the store buffers.
    fn content(&self, _location: u32) -> Result<Value, Fault> {
        Err(Fault::Meaningless)
    }
    /// What a thread would load from a location now.
    fn seen(&self, _thread: ThreadId, _location: u32) -> Result<Value, Fault> {
        Err(Fault::Meaningless)
    }
    /// Stores that become visible together.
    fn store_together(&mut self, _stores: &[(u32, Value)], _mode: Mode) -> Result<(), Stop> {
        Err(Stop::Unsupported { what: "stores that become visible together".into() })
    }
    fn load_exclusive(&mut self, _location: u32, _tags: &Tags) -> Result<Value, Stop> {
        Err(no_exclusives())
    }
    /// Did the store happen?
    fn store_conditional(&mut self, _location: u32, _value: &Value, _tags: &Tags) -> Result<bool, Stop> {
        Err(no_exclusives())
    }
}

fn no_exclusives() -> Stop {
    Stop::Unsupported { what: "exclusive access on a store-buffer machine".into() }
}

/// A remote operation with its terms evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Remote {
    PutLocation { remote: u32, source: u32 },
    PutValue { remote: u32, value: Value },
    Get { into: u32, remote: u32 },
    Atomic { into: Option<u32>, remote: u32, update: RemoteUpdate },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RemoteUpdate {
    Add(Value),
    Replace(Value),
    CompareAndSwap { expected: Value, new: Value },
}

/// Chooses the value of each `havoc`.
pub trait Choices {
    /// One of `low..=high`, or `None` if there is nothing to choose from.
    fn choose(&mut self, low: i64, high: i64) -> Option<i64>;

    /// Does it know what to choose? Otherwise it runs through all values, and more than [`MOST_CHOICES`] are too many.
    fn knows(&self) -> bool {
        false
    }
}

/// Why an edge was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A guard or assumption is false, a fence waits, or a value leaves its declared range.
    NotEnabled,
    /// Operation number `op` (or the guard, `None`) has no value.
    Fault {
        fault: Fault,
        op: Option<usize>,
    },
    Unsupported {
        what: Name,
    },
}

/// What a taken edge did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stepped {
    pub state: ThreadState,
    /// The assertions (operation numbers) that do not hold.
    pub failed: Vec<usize>,
    /// What happened in memory, in order.
    pub accesses: Vec<Access>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    pub op: usize,
    pub kind: AccessKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessKind {
    Read { location: u32, value: Value },
    Write { location: u32, value: Value },
    Fence,
    Remote(Remote),
    Flush { target: ThreadId },
}

/// What the terms of a thread may speak of: its locals, its number, addresses.
#[derive(Clone, Copy, Debug)]
pub struct Thread<'a> {
    pub shape: &'a Shape,
    pub copy: u32,
    pub locals: &'a [Value],
}

impl Environment for Thread<'_> {
    fn locate(&self, variable: u32, indices: &[i64]) -> Result<u32, Fault> {
        self.shape.locate(variable, indices)
    }
    fn number(&self, location: u32) -> Result<i64, Fault> {
        self.shape.number(location)
    }
    fn pointer(&self, number: i64) -> Result<u32, Fault> {
        self.shape.pointer(number)
    }
    fn local(&self, local: u32) -> Result<Value, Fault> {
        self.locals.get(local as usize).cloned().ok_or(Fault::Meaningless)
    }
    fn me(&self) -> Result<i64, Fault> {
        Ok(i64::from(self.copy))
    }
    fn copies(&self, process: u32) -> Result<i64, Fault> {
        Ok(i64::from(self.shape.copies_of(ProcessId(process))))
    }
}

/// Run `edge` in `state` for `thread`. The caller has checked that `state.point == edge.from`.
pub fn step(
    program: &Program,
    shape: &Shape,
    thread: ThreadId,
    state: &ThreadState,
    edge: &Edge,
    memory: &mut dyn Memory,
    choices: &mut dyn Choices,
) -> Result<Stepped, Stop> {
    let info = shape.info(thread);
    let process = program.process(info.process);
    match edge.guard.evaluate_bool(&Thread { shape, copy: info.copy, locals: &state.locals }) {
        Ok(true) => {}
        Ok(false) => return Err(Stop::NotEnabled),
        Err(fault) => return Err(Stop::Fault { fault, op: None }),
    }
    let mut run = Run {
        program,
        shape,
        process,
        me: thread,
        copy: info.copy,
        locals: state.locals.clone(),
        seen: RefCell::default(),
    };
    let mut failed = Vec::new();
    let mut accesses = Vec::new();
    for (number, op) in edge.ops.iter().enumerate() {
        let at = Some(number);
        let mut record = |kind| accesses.push(Access { op: number, kind });
        match op {
            Op::Load { into, address, tags } => {
                let location = run.location(memory, address, at)?;
                run.sized(location, process.locals[*into as usize].sort)?;
                let value = memory.load(location, edge.mode, tags)?;
                record(AccessKind::Read { location, value: value.clone() });
                run.set(*into, value)?;
            }
            Op::Store { address, value, tags } => {
                let location = run.location(memory, address, at)?;
                run.sized(location, value.sort())?;
                let value = run.stored(memory, location, value, at)?;
                memory.store(location, value.clone(), edge.mode, tags)?;
                record(AccessKind::Write { location, value });
            }
            Op::Together { stores } => {
                let stores = run.together(memory, stores, at)?;
                run.seen
                    .take()
                    .into_iter()
                    .for_each(|(location, value)| record(AccessKind::Read { location, value }));
                memory.store_together(&stores, edge.mode)?;
                stores
                    .into_iter()
                    .for_each(|(location, value)| record(AccessKind::Write { location, value }));
            }
            Op::Assign { local, value } => {
                let value = run.value(memory, value, at)?;
                run.set(*local, value)?;
            }
            Op::Havoc { local, among } => {
                let value = run.choose(memory, *local, among, choices, at)?;
                run.set(*local, value)?;
            }
            Op::Forget { local } => {
                let sort = process.locals[*local as usize].sort;
                run.locals[*local as usize] = sort.zero();
            }
            Op::Assume { condition } => {
                if !run.holds(memory, condition, at)? {
                    return Err(Stop::NotEnabled);
                }
            }
            Op::Assert { condition, .. } => {
                if !run.holds(memory, condition, at)? {
                    failed.push(number);
                }
            }
            Op::Fence(fence) => {
                let location =
                    fence.location.as_ref().map(|term| run.location(memory, term, at)).transpose()?;
                memory.fence(fence, location)?;
                record(AccessKind::Fence);
            }
            Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } => {
                let operation = run.remote(memory, op, at)?;
                memory.remote(operation.clone())?;
                record(AccessKind::Remote(operation));
            }
            Op::Flush { process, copy } => {
                let copy = run.value(memory, copy, at)?.as_int().unwrap_or(-1);
                let target = shape.checked_thread(process.0, copy);
                let target = target.map_err(|fault| Stop::Fault { fault, op: at })?;
                memory.flush(target)?;
                record(AccessKind::Flush { target });
            }
            Op::LoadExclusive { into, address, tags } => {
                let location = run.location(memory, address, at)?;
                let value = memory.load_exclusive(location, tags)?;
                record(AccessKind::Read { location, value: value.clone() });
                run.set(*into, value)?;
            }
            Op::StoreConditional { success, address, value, tags } => {
                let location = run.location(memory, address, at)?;
                let value = run.stored(memory, location, value, at)?;
                let happened = memory.store_conditional(location, &value, tags)?;
                if happened {
                    record(AccessKind::Write { location, value });
                }
                run.set(*success, Value::Int(i64::from(happened)))?;
            }
            Op::Spawn { .. } | Op::Join { .. } => {
                return Err(Stop::Unsupported { what: "spawn and join".into() });
            }
            // The edge leads to where nothing leads away.
            Op::Cut { .. } => {}
            Op::Unsupported { what, .. } => return Err(Stop::Unsupported { what: what.clone() }),
        }
        for (location, value) in run.seen.take() {
            accesses.push(Access { op: number, kind: AccessKind::Read { location, value } });
        }
    }
    let state = ThreadState { point: edge.to, locals: run.locals };
    Ok(Stepped { state, failed, accesses })
}

struct Run<'a> {
    program: &'a Program,
    shape: &'a Shape,
    process: &'a Process,
    me: ThreadId,
    copy: u32,
    locals: Vec<Value>,
    /// What the thread itself saw in buffered memory since this was last emptied.
    seen: RefCell<BTreeMap<u32, Value>>,
}

/// What the terms of a thread may speak of, memory included.
struct Sight<'a> {
    run: &'a Run<'a>,
    memory: &'a dyn Memory,
}

impl Sight<'_> {
    fn thread(&self) -> Thread<'_> {
        Thread { shape: self.run.shape, copy: self.run.copy, locals: &self.run.locals }
    }
}

impl Environment for Sight<'_> {
    fn locate(&self, variable: u32, indices: &[i64]) -> Result<u32, Fault> {
        self.thread().locate(variable, indices)
    }
    fn number(&self, location: u32) -> Result<i64, Fault> {
        self.thread().number(location)
    }
    fn pointer(&self, number: i64) -> Result<u32, Fault> {
        self.thread().pointer(number)
    }
    fn local(&self, local: u32) -> Result<Value, Fault> {
        self.thread().local(local)
    }
    fn me(&self) -> Result<i64, Fault> {
        self.thread().me()
    }
    fn copies(&self, process: u32) -> Result<i64, Fault> {
        self.thread().copies(process)
    }
    fn content(&self, location: u32) -> Result<Value, Fault> {
        self.memory.content(location)
    }
    fn seen(&self, process: u32, copy: i64, location: u32) -> Result<Value, Fault> {
        let thread = self.run.shape.checked_thread(process, copy)?;
        let value = self.memory.seen(thread, location)?;
        if thread == self.run.me {
            self.run.seen.borrow_mut().insert(location, value.clone());
        }
        Ok(value)
    }
}

impl Run<'_> {
    fn value(&self, memory: &dyn Memory, term: &Term, op: Option<usize>) -> Result<Value, Stop> {
        self.value_for(memory, term, &[], op)
    }

    /// With values for bound variables.
    fn value_for(
        &self,
        memory: &dyn Memory,
        term: &Term,
        bound: &[(u32, i64)],
        op: Option<usize>,
    ) -> Result<Value, Stop> {
        term.evaluate_bound(&Sight { run: self, memory }, bound).map_err(|fault| Stop::Fault { fault, op })
    }

    /// The stores of a step that happen together, by location.
    fn together(
        &self,
        memory: &dyn Memory,
        stores: &[Broadcast],
        op: Option<usize>,
    ) -> Result<Vec<(u32, Value)>, Stop> {
        let mut result = BTreeMap::new();
        for store in stores {
            for bound in store.instances(|process| self.shape.copies_of(process)) {
                let bound = &bound[..];
                let fault = Stop::Fault { fault: Fault::Meaningless, op };
                if !self.value_for(memory, &store.when, bound, op)?.as_bool().ok_or(fault)? {
                    continue;
                }
                let location = match self.value_for(memory, &store.address, bound, op)? {
                    Value::Address(location) if (location as usize) < self.shape.locations.len() => location,
                    _ => return Err(Stop::Fault { fault: Fault::OutOfBounds, op }),
                };
                let value = self.value_for(memory, &store.value, bound, op)?;
                result.insert(location, self.fitting(location, value)?);
            }
        }
        Ok(result.into_iter().collect())
    }

    fn holds(&self, memory: &dyn Memory, term: &Term, op: Option<usize>) -> Result<bool, Stop> {
        let fault = Stop::Fault { fault: Fault::Meaningless, op };
        self.value(memory, term, op)?.as_bool().ok_or(fault)
    }

    fn location(&self, memory: &dyn Memory, term: &Term, op: Option<usize>) -> Result<u32, Stop> {
        match self.value(memory, term, op)? {
            Value::Address(location) if (location as usize) < self.shape.locations.len() => Ok(location),
            _ => Err(Stop::Fault { fault: Fault::OutOfBounds, op }),
        }
    }

    fn sized(&self, location: u32, sort: Sort) -> Result<(), Stop> {
        let variable = self.shape.locations[location as usize].variable;
        match fits_size(&self.program.variables[variable as usize], sort) {
            true => Ok(()),
            false => Err(Stop::Unsupported { what: ANOTHER_SIZE.into() }),
        }
    }

    /// The value of a term, as stored into a location: within its range, or not enabled.
    fn stored(
        &self,
        memory: &dyn Memory,
        location: u32,
        term: &Term,
        op: Option<usize>,
    ) -> Result<Value, Stop> {
        self.fitting(location, self.value(memory, term, op)?)
    }

    fn fitting(&self, location: u32, value: Value) -> Result<Value, Stop> {
        let variable = self.shape.locations[location as usize].variable;
        let variable = &self.program.variables[variable as usize];
        fit(value, variable.sort, variable.range)
    }

    fn set(&mut self, local: u32, value: Value) -> Result<(), Stop> {
        let info = &self.process.locals[local as usize];
        self.locals[local as usize] = fit(value, info.sort, info.range)?;
        Ok(())
    }

    fn choose(
        &self,
        memory: &dyn Memory,
        local: u32,
        among: &Choice,
        choices: &mut dyn Choices,
        op: Option<usize>,
    ) -> Result<Value, Stop> {
        let info = &self.process.locals[local as usize];
        match among {
            Choice::Any => {
                let few = domain(self.program, info.sort, info.range);
                let (low, high) = few
                    .or_else(|| choices.knows().then(|| extent(info.sort, info.range)))
                    .ok_or(Stop::Unsupported { what: "a choice among more than 65,536 values".into() })?;
                let code = choices.choose(low, high).ok_or(Stop::NotEnabled)?;
                info.sort.decode(code).ok_or(Stop::NotEnabled)
            }
            Choice::Between(low, high) => {
                let low = self.value(memory, low, op)?.code().ok_or(Stop::NotEnabled)?;
                let high = self.value(memory, high, op)?.code().ok_or(Stop::NotEnabled)?;
                if high.saturating_sub(low) >= MOST_CHOICES && !choices.knows() {
                    return Err(Stop::Unsupported { what: "a choice among more than 65,536 values".into() });
                }
                let code = choices.choose(low, high).ok_or(Stop::NotEnabled)?;
                info.sort.decode(code).ok_or(Stop::NotEnabled)
            }
            Choice::Member(set) => {
                let Value::Set(set) = self.value(memory, set, op)? else {
                    return Err(Stop::Fault { fault: Fault::Meaningless, op });
                };
                let index = choices.choose(0, set.len() as i64 - 1).ok_or(Stop::NotEnabled)?;
                set.iter().nth(index as usize).map(|value| Value::Int(*value)).ok_or(Stop::NotEnabled)
            }
        }
    }

    fn remote(&self, memory: &dyn Memory, operation: &Op, op: Option<usize>) -> Result<Remote, Stop> {
        Ok(match operation {
            Op::Put { remote, source: Source::Location(source) } => Remote::PutLocation {
                remote: self.location(memory, remote, op)?,
                source: self.location(memory, source, op)?,
            },
            Op::Put { remote, source: Source::Value(value) } => {
                let remote = self.location(memory, remote, op)?;
                Remote::PutValue { remote, value: self.stored(memory, remote, value, op)? }
            }
            Op::Get { into, remote } => Remote::Get {
                into: self.location(memory, into, op)?,
                remote: self.location(memory, remote, op)?,
            },
            Op::RemoteAtomic { into, remote, update } => Remote::Atomic {
                into: into.as_ref().map(|into| self.location(memory, into, op)).transpose()?,
                remote: self.location(memory, remote, op)?,
                update: match update {
                    Update::Add(value) => RemoteUpdate::Add(self.value(memory, value, op)?),
                    Update::Replace(value) => RemoteUpdate::Replace(self.value(memory, value, op)?),
                    Update::CompareAndSwap { expected, new } => RemoteUpdate::CompareAndSwap {
                        expected: self.value(memory, expected, op)?,
                        new: self.value(memory, new, op)?,
                    },
                },
            },
            _ => return Err(Stop::Unsupported { what: "not a remote operation".into() }),
        })
    }
}

/// The most values that one choice may have: each of them is a step of its own.
pub const MOST_CHOICES: i64 = 1 << 16;

/// A value as a cell of this sort and range holds it; outside the range the step is not enabled.
pub fn fit(value: Value, sort: Sort, range: Option<Range>) -> Result<Value, Stop> {
    let value = match value {
        Value::Int(value) => Value::Int(sort.wrap(value)),
        other => other,
    };
    match (range, value.code()) {
        (Some(range), Some(code)) if !range.contains(code) => Err(Stop::NotEnabled),
        _ => Ok(value),
    }
}

/// What an access through a pointer of another type is called.
pub const ANOTHER_SIZE: &str = "an access through a pointer to an object of another size";

/// May something of this sort be read from a variable, or written to it, through a pointer?
pub fn fits_size(variable: &Variable, sort: Sort) -> bool {
    match (variable.sort, sort) {
        (Sort::Bits { width, .. }, Sort::Bits { width: other, .. }) => {
            width == other || variable.place.is_none()
        }
        _ => true,
    }
}

/// The codes of all values of a sort of machine integers, for those who need not list them.
pub fn wide_domain(sort: Sort, range: Option<Range>) -> Option<(i64, i64)> {
    (range.is_some() || matches!(sort, Sort::Bits { .. })).then(|| extent(sort, range))
}

/// The codes of all values of a sort and range, where they are finite and few enough to list.
pub fn domain(program: &Program, sort: Sort, range: Option<Range>) -> Option<(i64, i64)> {
    match (range, sort) {
        (Some(range), _) if range.high.saturating_sub(range.low) >= MOST_CHOICES => None,
        (Some(range), _) => Some((range.low, range.high)),
        (None, Sort::Bool) => Some((0, 1)),
        (None, Sort::Process) => {
            let copies = program.process(program.named_process()?).replicas.count()?;
            Some((0, i64::from(copies) - 1))
        }
        (None, Sort::Enum(number)) => {
            Some((0, program.enumerations[number as usize].constructors.len() as i64 - 1))
        }
        (None, Sort::Bits { width, signed }) if width <= 16 => {
            let size = 1i64 << width;
            Some(if signed { (-size / 2, size / 2 - 1) } else { (0, size - 1) })
        }
        _ => None,
    }
}

/// The least and the greatest code of a sort and range that has too many to list.
fn extent(sort: Sort, range: Option<Range>) -> (i64, i64) {
    match (range, sort) {
        (Some(range), _) => (range.low, range.high),
        (None, Sort::Bits { width, signed: true }) if width < 64 => {
            (-(1 << (width - 1)), (1 << (width - 1)) - 1)
        }
        (None, Sort::Bits { width, signed: false }) if width < 63 => (0, (1 << width) - 1),
        _ => (i64::MIN, i64::MAX),
    }
}

/// Which earlier reads a thread's locals depend on. Reads are numbered by the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    locals: Vec<Reads>,
    /// The reads that decided what runs now.
    pub control: Reads,
}

/// The reads that something depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Their values are used.
    pub used: BTreeSet<u32>,
    /// Their values decided a selection (the condition of an `if` inside a term) on the way.
    pub picked: BTreeSet<u32>,
}

impl Reads {
    pub fn one(read: u32) -> Reads {
        Reads { used: BTreeSet::from([read]), picked: BTreeSet::new() }
    }

    pub fn join(&mut self, other: &Reads) {
        self.used.extend(&other.used);
        self.picked.extend(&other.picked);
    }

    /// All of them, as what decided a selection.
    pub fn as_picked(&self) -> Reads {
        Reads { used: BTreeSet::new(), picked: self.used.union(&self.picked).copied().collect() }
    }
}

/// How a selection was decided, where selections are not plain uses of their conditions; `None` makes
/// the condition and both branches used.
pub type Decided<'a> = &'a dyn Fn(&Term) -> Option<bool>;

impl Dependencies {
    /// The reads that a term's value depends on.
    pub fn of(&self, term: &Term, decided: Decided<'_>) -> Reads {
        let mut reads = Reads::default();
        match term.kind() {
            Kind::Symbol(Symbol::Local(local)) => {
                if let Some(local) = self.locals.get(*local as usize) {
                    reads.join(local);
                }
            }
            Kind::If(condition, then, otherwise) => match decided(condition) {
                Some(yes) => {
                    reads.join(&self.of(condition, decided).as_picked());
                    reads.join(&self.of(if yes { then } else { otherwise }, decided));
                }
                None => {
                    [condition, then, otherwise].iter().for_each(|part| reads.join(&self.of(part, decided)));
                }
            },
            _ => term.children().into_iter().for_each(|child| reads.join(&self.of(child, decided))),
        }
        reads
    }

    /// A guard or assumption was decided: everything later depends on it.
    pub fn decide(&mut self, condition: &Term, decided: Decided<'_>) {
        let reads = self.of(condition, decided);
        self.control.join(&reads);
    }

    pub fn set(&mut self, local: u32, reads: Reads) {
        let local = local as usize;
        if self.locals.len() <= local {
            self.locals.resize(local + 1, Reads::default());
        }
        self.locals[local] = reads;
    }

    /// What an operation without effect on memory does to dependencies.
    pub fn follow(&mut self, op: &Op, decided: Decided<'_>) {
        match op {
            Op::Assign { local, value } => {
                let reads = self.of(value, decided);
                self.set(*local, reads);
            }
            Op::Havoc { local, .. } | Op::Forget { local } => self.set(*local, Reads::default()),
            Op::StoreConditional { success: local, .. } => self.set(*local, Reads::default()),
            Op::Assume { condition } => self.decide(condition, decided),
            _ => {}
        }
    }
}
