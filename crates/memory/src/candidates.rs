//! All candidate executions of a program, by brute force.
//!
//! A candidate is a path of each thread, a write for each read and an order of the writes to each
//! location. No memory model takes part: whoever asks judges each candidate. Reads guess their values
//! from what any thread could write there; the guesses grow until nothing new can be written. Written
//! to be obviously right: it checks proofs by enumeration, and tests compare the engine with it.
//!
//! Limits: a value that needs a chain of more than [`MOST_ROUNDS`] writes to arise, and remote
//! operations, are refused. Values out of thin air (a read that justifies itself) appear only if some
//! other write could give them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use wattle_logic::{Fault, Value};
use wattle_program::step::{Choices, Memory, Remote, Stop, ThreadState, step};
use wattle_program::{EdgeId, Fence, Mode, Point, Program, Shape, Tags, ThreadId};

use crate::events::{Recorder, Surroundings};
use crate::operational::{State, initial_states};
use crate::{Event, Execution};

pub const MOST_ROUNDS: usize = 24;

/// How a thread's part of an execution ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The thread has ended.
    Ended,
    /// It stands at a point and does not go on: it waits, or it was asked to stop there.
    Stopped,
    /// It would go round a loop once more than allowed.
    Cut,
}

/// One way through a thread, with the values that its reads guess.
#[derive(Clone, Debug)]
pub struct Trace {
    pub path: Vec<(EdgeId, Vec<i64>)>,
    /// Events and dependencies, numbered within the thread.
    part: Execution,
    pub state: ThreadState,
    pub end: End,
    /// Assertions that do not hold: the position in the path, and the operation.
    pub failed: Vec<(usize, usize)>,
    /// The last step of the path faults.
    pub fault: Option<(Option<usize>, Fault)>,
}

/// What to list.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How often a thread may come back to a point.
    pub unwind: u32,
    /// May every thread stop anywhere? (For `forbid`.)
    pub prefixes: bool,
    /// Give up after this many candidates or traces.
    pub most: u64,
}

/// Why the list is not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incomplete {
    TooMany,
    Unsupported(String),
}

/// One candidate.
#[derive(Debug)]
pub struct Candidate<'a> {
    pub execution: &'a Execution,
    pub traces: &'a [&'a Trace],
}

impl Candidate<'_> {
    /// Does some thread's last step have no result?
    pub fn faults(&self) -> bool {
        self.traces.iter().any(|trace| trace.fault.is_some())
    }

    pub fn has_ended(&self) -> bool {
        self.traces.iter().all(|trace| trace.end == End::Ended && trace.fault.is_none())
    }

    /// Where the threads stand, and what the last write of each location leaves in memory.
    pub fn final_state(&self) -> State {
        let last = |writes: &Vec<u32>| {
            let write = writes.last().and_then(|write| self.execution.events[*write as usize].written());
            write.cloned().unwrap_or(Value::Int(0))
        };
        State {
            threads: self.traces.iter().map(|trace| trace.state.clone()).collect(),
            memory: self.execution.coherence.iter().map(last).collect(),
            stores: vec![vec![]; self.traces.len()],
            halves: vec![vec![]; self.traces.len()],
        }
    }
}

/// Show every candidate to `see`, until it breaks. `Ok(true)`: some thread was cut.
pub fn for_each(
    program: &Program,
    shape: &Shape,
    limits: Limits,
    see: &mut dyn FnMut(&Candidate<'_>) -> ControlFlow<()>,
) -> Result<bool, Incomplete> {
    let mut cut = false;
    let mut left = limits.most;
    for start in initial_states(program, shape).map_err(Incomplete::Unsupported)? {
        let Some((_, start)) = start.map_err(Incomplete::Unsupported)? else { continue };
        let traces = all_traces(program, shape, &start, limits)?;
        cut |= traces.iter().flatten().any(|trace| trace.end == End::Cut);
        let mut chosen = Vec::new();
        if combine(&start, &traces, &mut chosen, &mut left, see)?.is_break() {
            break;
        }
    }
    Ok(cut)
}

/// The traces of each thread, with every value that can be read.
fn all_traces(
    program: &Program,
    shape: &Shape,
    start: &State,
    limits: Limits,
) -> Result<Vec<Vec<Trace>>, Incomplete> {
    let mut values: Vec<BTreeSet<Value>> =
        start.memory.iter().map(|value| BTreeSet::from([value.clone()])).collect();
    for _ in 0..MOST_ROUNDS {
        let domains: Vec<Vec<Value>> = values.iter().map(|values| values.iter().cloned().collect()).collect();
        let mut traces = Vec::new();
        for thread in shape.thread_ids() {
            let world = Surroundings { program, shape };
            let mut walk = Walk { world, thread, domains: &domains, limits, found: Vec::new() };
            let state = start.threads[thread.0 as usize].clone();
            walk.go(&Partial::new(thread, state))?;
            traces.push(walk.found);
        }
        let mut settled = true;
        for event in traces.iter().flatten().flat_map(|trace: &Trace| &trace.part.events) {
            if let (Some(location), Some(value)) = (event.location(), event.written()) {
                settled &= !values[location as usize].insert(value.clone());
            }
        }
        if settled {
            return Ok(traces);
        }
    }
    Err(Incomplete::Unsupported("values that a read can take do not settle".into()))
}

struct Walk<'a> {
    world: Surroundings<'a>,
    thread: ThreadId,
    domains: &'a [Vec<Value>],
    limits: Limits,
    found: Vec<Trace>,
}

#[derive(Clone)]
struct Partial {
    trace: Trace,
    recorder: Recorder,
    visits: BTreeMap<Point, u32>,
}

impl Partial {
    fn new(thread: ThreadId, state: ThreadState) -> Partial {
        let visits = BTreeMap::from([(state.point, 1)]);
        let part = Execution::default();
        let (path, failed, fault) = (vec![], vec![], None);
        let trace = Trace { path, part, state, end: End::Stopped, failed, fault };
        Partial { trace, recorder: Recorder::new(thread), visits }
    }
}

impl Walk<'_> {
    fn end(&mut self, partial: &Partial, end: End) -> Result<(), Incomplete> {
        if self.found.len() as u64 >= self.limits.most {
            return Err(Incomplete::TooMany);
        }
        self.found.push(Trace { end, ..partial.trace.clone() });
        Ok(())
    }

    fn go(&mut self, partial: &Partial) -> Result<(), Incomplete> {
        let Surroundings { program, shape } = self.world;
        let cfg = &program.process(shape.info(self.thread).process).cfg;
        let point = partial.trace.state.point;
        if cfg.point(point).end {
            return self.end(partial, End::Ended);
        }
        if cfg.point(point).inside.is_some() {
            return Err(Incomplete::Unsupported("an atomic section of several steps".into()));
        }
        let mut refused = false;
        for id in cfg.leaving(point) {
            let edge = cfg.edge(id);
            let mut script = Vec::new();
            loop {
                let oracle = Oracle::new(self.domains, script, partial.recorder.reservation());
                let state = &partial.trace.state;
                let (mut memory, mut choices) = (&oracle, &oracle);
                let result = step(program, shape, self.thread, state, edge, &mut memory, &mut choices);
                let inner = oracle.inner.into_inner();
                match result {
                    Ok(stepped) => {
                        let mut next = partial.clone();
                        let position = next.trace.path.len();
                        next.recorder.record(
                            self.world,
                            (id, edge),
                            &state.locals,
                            &stepped.accesses,
                            &mut next.trace.part,
                        );
                        next.trace.path.push((id, inner.chosen));
                        next.trace.failed.extend(stepped.failed.iter().map(|op| (position, *op)));
                        next.trace.state = stepped.state;
                        let visits = next.visits.entry(next.trace.state.point).or_default();
                        *visits += 1;
                        match *visits > self.limits.unwind.saturating_add(1) {
                            true => self.end(&next, End::Cut)?,
                            false => self.go(&next)?,
                        }
                    }
                    Err(Stop::NotEnabled) => refused = true,
                    Err(Stop::Fault { fault, op }) => {
                        let mut next = partial.clone();
                        next.trace.path.push((id, inner.chosen));
                        next.trace.fault = Some((op, fault));
                        self.end(&next, End::Stopped)?;
                    }
                    Err(Stop::Unsupported { what }) => return Err(Incomplete::Unsupported(what.to_string())),
                }
                script = inner.script;
                if !advance(&mut script, &inner.sizes) {
                    break;
                }
            }
        }
        if refused || self.limits.prefixes || cfg.leaving(point).next().is_none() {
            self.end(partial, End::Stopped)?;
        }
        Ok(())
    }
}

/// The next script in the order of an odometer.
fn advance(script: &mut Vec<usize>, sizes: &[usize]) -> bool {
    while let Some(last) = script.pop() {
        if last + 1 < sizes[script.len()] {
            script.push(last + 1);
            return true;
        }
    }
    false
}

/// Answers every question of a step by a script; questions beyond it get their first answer.
struct Oracle<'a> {
    domains: &'a [Vec<Value>],
    reserved: Option<u32>,
    inner: RefCell<Answers>,
}

#[derive(Default)]
struct Answers {
    script: Vec<usize>,
    sizes: Vec<usize>,
    chosen: Vec<i64>,
}

impl<'a> Oracle<'a> {
    fn new(domains: &'a [Vec<Value>], script: Vec<usize>, reserved: Option<u32>) -> Oracle<'a> {
        Oracle { domains, reserved, inner: RefCell::new(Answers { script, ..Answers::default() }) }
    }

    fn ask(&self, size: usize) -> usize {
        let mut inner = self.inner.borrow_mut();
        let question = inner.sizes.len();
        inner.sizes.push(size);
        if inner.script.len() <= question {
            inner.script.push(0);
        }
        inner.script[question]
    }

    fn guess(&self, location: u32) -> Value {
        let domain = &self.domains[location as usize];
        domain[self.ask(domain.len())].clone()
    }
}

impl Memory for &Oracle<'_> {
    fn load(&mut self, location: u32, _: Mode, _: &Tags) -> Result<Value, Stop> {
        Ok(self.guess(location))
    }
    fn store(&mut self, _: u32, _: Value, _: Mode, _: &Tags) -> Result<(), Stop> {
        Ok(())
    }
    fn fence(&mut self, _: &Fence, _: Option<u32>) -> Result<(), Stop> {
        Ok(())
    }
    fn remote(&mut self, _: Remote) -> Result<(), Stop> {
        Err(Stop::Unsupported { what: "remote operations under an axiomatic model".into() })
    }
    fn flush(&mut self, _: ThreadId) -> Result<(), Stop> {
        Err(Stop::Unsupported { what: "remote operations under an axiomatic model".into() })
    }
    fn load_exclusive(&mut self, location: u32, _: &Tags) -> Result<Value, Stop> {
        Ok(self.guess(location))
    }
    fn store_conditional(&mut self, location: u32, _: &Value, _: &Tags) -> Result<bool, Stop> {
        Ok(self.reserved == Some(location) && self.ask(2) == 0)
    }
}

impl Choices for &Oracle<'_> {
    fn choose(&mut self, low: i64, high: i64) -> Option<i64> {
        let size = usize::try_from(high.checked_sub(low)?.checked_add(1)?).ok().filter(|size| *size > 0)?;
        let code = low + self.ask(size) as i64;
        self.inner.borrow_mut().chosen.push(code);
        Some(code)
    }
}

type Seen<'s> = &'s mut dyn FnMut(&Candidate<'_>) -> ControlFlow<()>;

/// Choose a trace for each further thread.
fn combine<'t>(
    start: &State,
    traces: &'t [Vec<Trace>],
    chosen: &mut Vec<&'t Trace>,
    left: &mut u64,
    see: Seen<'_>,
) -> Result<ControlFlow<()>, Incomplete> {
    if chosen.len() == traces.len() {
        let mut execution = assemble(start, chosen);
        let reads: Vec<u32> = numbers(&execution, |event| event.read().is_some());
        return choose_writes(&mut execution, &reads, chosen, left, see);
    }
    for trace in &traces[chosen.len()] {
        chosen.push(trace);
        let flow = combine(start, traces, chosen, left, see)?;
        chosen.pop();
        if flow.is_break() {
            return Ok(flow);
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn numbers(execution: &Execution, wanted: impl Fn(&Event) -> bool) -> Vec<u32> {
    let numbered = execution.events.iter().enumerate().filter(|(_, event)| wanted(event));
    numbered.map(|(number, _)| number as u32).collect()
}

/// Initial writes, then the events of each thread.
fn assemble(start: &State, traces: &[&Trace]) -> Execution {
    let mut execution = Execution::default();
    for (location, value) in start.memory.iter().enumerate() {
        execution.events.push(Event::initial(location as u32, value.clone()));
        execution.coherence.push(vec![location as u32]);
    }
    for trace in traces {
        let first = execution.events.len() as u32;
        let part = &trace.part;
        execution.events.extend(part.events.iter().cloned());
        let shift = |pairs: &[(u32, u32)]| -> Vec<(u32, u32)> {
            pairs.iter().map(|(a, b)| (a + first, b + first)).collect()
        };
        execution.address.extend(shift(&part.address));
        execution.data.extend(shift(&part.data));
        execution.control.extend(shift(&part.control));
        execution.pick.extend(shift(&part.pick));
        execution.pick_address.extend(shift(&part.pick_address));
        execution.pick_data.extend(shift(&part.pick_data));
        execution.read_modify_write.extend(shift(&part.read_modify_write));
    }
    execution
}

fn choose_writes(
    execution: &mut Execution,
    reads: &[u32],
    traces: &[&Trace],
    left: &mut u64,
    see: Seen<'_>,
) -> Result<ControlFlow<()>, Incomplete> {
    let Some((read, rest)) = reads.split_first() else {
        return order_writes(execution, 0, traces, left, see);
    };
    let reader = &execution.events[*read as usize];
    let (location, value) = (reader.location(), reader.read().cloned());
    let writes = numbers(execution, |event| {
        event.location() == location && event.written().is_some() && event.written() == value.as_ref()
    });
    for write in writes.into_iter().filter(|write| write != read) {
        execution.reads_from.push((write, *read));
        let flow = choose_writes(execution, rest, traces, left, see)?;
        execution.reads_from.pop();
        if flow.is_break() {
            return Ok(flow);
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn order_writes(
    execution: &mut Execution,
    location: u32,
    traces: &[&Trace],
    left: &mut u64,
    see: Seen<'_>,
) -> Result<ControlFlow<()>, Incomplete> {
    if location as usize == execution.coherence.len() {
        *left = left.checked_sub(1).ok_or(Incomplete::TooMany)?;
        return Ok(see(&Candidate { execution, traces }));
    }
    let mut writes = numbers(execution, |event| {
        !event.is_initial() && event.location() == Some(location) && event.written().is_some()
    });
    permute(execution, location, &mut writes, 0, traces, left, see)
}

fn permute(
    execution: &mut Execution,
    location: u32,
    writes: &mut Vec<u32>,
    fixed: usize,
    traces: &[&Trace],
    left: &mut u64,
    see: Seen<'_>,
) -> Result<ControlFlow<()>, Incomplete> {
    if fixed == writes.len() {
        execution.coherence[location as usize].truncate(1);
        execution.coherence[location as usize].extend(writes.iter());
        return order_writes(execution, location + 1, traces, left, see);
    }
    for other in fixed..writes.len() {
        writes.swap(fixed, other);
        let flow = permute(execution, location, writes, fixed + 1, traces, left, see)?;
        writes.swap(fixed, other);
        if flow.is_break() {
            return Ok(flow);
        }
    }
    Ok(ControlFlow::Continue(()))
}
