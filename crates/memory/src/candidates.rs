//! All candidate executions of a program, by brute force.
//!
//! A candidate is a path of each thread, a write for each read and an order of the writes to each
//! location. No memory model takes part: the caller judges each candidate. Reads guess their values
//! from what any thread could write there; the guesses grow until nothing new can be written. Written
//! to be obviously right: it checks proofs by enumeration, and tests compare the engine with it.
//!
//! A value comes from a chain of writes, each of which depends on a read of the one before, so no chain is
//! longer than a candidate has writes: that many rounds of guesses are enough, even where the guesses
//! would grow for ever, as with a counter.
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

/// A path of one thread through its control flow, with its events and the values that its reads guess.
#[derive(Clone, Debug)]
pub struct ThreadPath {
    pub steps: Vec<(EdgeId, Vec<i64>)>,
    /// Events and dependencies, numbered within the thread.
    part: Execution,
    pub state: ThreadState,
    pub end: End,
    /// Assertions that do not hold: the position among the steps, and the operation.
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
    /// Give up after this many candidates or paths.
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
    pub paths: &'a [&'a ThreadPath],
}

impl Candidate<'_> {
    /// Does some thread's last step have no result?
    pub fn faults(&self) -> bool {
        self.paths.iter().any(|path| path.fault.is_some())
    }

    pub fn has_ended(&self) -> bool {
        self.paths.iter().all(|path| path.end == End::Ended && path.fault.is_none())
    }

    /// Where the threads stand, and what the last write of each location leaves in memory.
    pub fn final_state(&self) -> State {
        let last = |writes: &Vec<u32>| {
            let write = writes.last().and_then(|write| self.execution.events[*write as usize].written());
            write.cloned().unwrap_or(Value::Int(0))
        };
        State {
            threads: self.paths.iter().map(|path| path.state.clone()).collect(),
            memory: self.execution.coherence.iter().map(last).collect(),
            stores: vec![vec![]; self.paths.len()],
            halves: vec![vec![]; self.paths.len()],
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
        let paths = all_paths(program, shape, &start, limits)?;
        cut |= paths.iter().flatten().any(|path| path.end == End::Cut);
        let mut chosen = Vec::new();
        if combine(&start, &paths, &mut chosen, &mut left, see)?.is_break() {
            break;
        }
    }
    Ok(cut)
}

/// The paths of each thread, with every value that can be read.
fn all_paths(
    program: &Program,
    shape: &Shape,
    start: &State,
    limits: Limits,
) -> Result<Vec<Vec<ThreadPath>>, Incomplete> {
    let mut values: Vec<BTreeSet<Value>> =
        start.memory.iter().map(|value| BTreeSet::from([value.clone()])).collect();
    for round in 0..MOST_ROUNDS {
        let domains: Vec<Vec<Value>> = values.iter().map(|values| values.iter().cloned().collect()).collect();
        let mut paths = Vec::new();
        for thread in shape.thread_ids() {
            let world = Surroundings { program, shape };
            let mut walk = Walk { world, thread, domains: &domains, limits, found: Vec::new() };
            let state = start.threads[thread.0 as usize].clone();
            walk.go(&Partial::new(thread, state))?;
            paths.push(walk.found);
        }
        let mut settled = true;
        for event in paths.iter().flatten().flat_map(|path: &ThreadPath| &path.part.events) {
            if let (Some(location), Some(value)) = (event.location(), event.written()) {
                settled &= !values[location as usize].insert(value.clone());
            }
        }
        let writes =
            |path: &ThreadPath| path.part.events.iter().filter(|one| one.written().is_some()).count();
        let longest: usize = paths.iter().map(|all| all.iter().map(writes).max().unwrap_or(0)).sum();
        if settled || round >= longest {
            return Ok(paths);
        }
    }
    Err(Incomplete::Unsupported("values that a read can take do not settle".into()))
}

struct Walk<'a> {
    world: Surroundings<'a>,
    thread: ThreadId,
    domains: &'a [Vec<Value>],
    limits: Limits,
    found: Vec<ThreadPath>,
}

#[derive(Clone)]
struct Partial {
    path: ThreadPath,
    recorder: Recorder,
    visits: BTreeMap<Point, u32>,
}

impl Partial {
    fn new(thread: ThreadId, state: ThreadState) -> Partial {
        let visits = BTreeMap::from([(state.point, 1)]);
        let part = Execution::default();
        let (steps, failed, fault) = (vec![], vec![], None);
        let path = ThreadPath { steps, part, state, end: End::Stopped, failed, fault };
        Partial { path, recorder: Recorder::new(thread), visits }
    }
}

impl Walk<'_> {
    fn end(&mut self, partial: &Partial, end: End) -> Result<(), Incomplete> {
        if self.found.len() as u64 >= self.limits.most {
            return Err(Incomplete::TooMany);
        }
        self.found.push(ThreadPath { end, ..partial.path.clone() });
        Ok(())
    }

    fn go(&mut self, partial: &Partial) -> Result<(), Incomplete> {
        let Surroundings { program, shape } = self.world;
        let cfg = &program.process(shape.info(self.thread).process).cfg;
        let point = partial.path.state.point;
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
                let state = &partial.path.state;
                let (mut memory, mut choices) = (&oracle, &oracle);
                let result = step(program, shape, self.thread, state, edge, &mut memory, &mut choices);
                let inner = oracle.inner.into_inner();
                match result {
                    Ok(stepped) => {
                        let mut next = partial.clone();
                        let position = next.path.steps.len();
                        next.recorder.record(
                            self.world,
                            (id, edge),
                            &state.locals,
                            &stepped.accesses,
                            &mut next.path.part,
                        );
                        next.path.steps.push((id, inner.chosen));
                        next.path.failed.extend(stepped.failed.iter().map(|op| (position, *op)));
                        next.path.state = stepped.state;
                        let visits = next.visits.entry(next.path.state.point).or_default();
                        *visits += 1;
                        match *visits > self.limits.unwind.saturating_add(1) {
                            true => self.end(&next, End::Cut)?,
                            false => self.go(&next)?,
                        }
                    }
                    Err(Stop::NotEnabled) => refused = true,
                    Err(Stop::Fault { fault, op }) => {
                        let mut next = partial.clone();
                        next.path.steps.push((id, inner.chosen));
                        next.path.fault = Some((op, fault));
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

/// Choose a path for each further thread.
fn combine<'t>(
    start: &State,
    paths: &'t [Vec<ThreadPath>],
    chosen: &mut Vec<&'t ThreadPath>,
    left: &mut u64,
    see: Seen<'_>,
) -> Result<ControlFlow<()>, Incomplete> {
    if chosen.len() == paths.len() {
        let mut execution = assemble(start, chosen);
        let reads: Vec<u32> = numbers(&execution, |event| event.read().is_some());
        return choose_writes(&mut execution, &reads, chosen, left, see);
    }
    for path in &paths[chosen.len()] {
        chosen.push(path);
        let flow = combine(start, paths, chosen, left, see)?;
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
fn assemble(start: &State, paths: &[&ThreadPath]) -> Execution {
    let mut execution = Execution::default();
    for (location, value) in start.memory.iter().enumerate() {
        execution.events.push(Event::initial(location as u32, value.clone()));
        execution.coherence.push(vec![location as u32]);
    }
    for path in paths {
        let first = execution.events.len() as u32;
        let part = &path.part;
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
    paths: &[&ThreadPath],
    left: &mut u64,
    see: Seen<'_>,
) -> Result<ControlFlow<()>, Incomplete> {
    let Some((read, rest)) = reads.split_first() else {
        return order_writes(execution, 0, paths, left, see);
    };
    let reader = &execution.events[*read as usize];
    let (location, value) = (reader.location(), reader.read().cloned());
    let writes = numbers(execution, |event| {
        event.location() == location && event.written().is_some() && event.written() == value.as_ref()
    });
    for write in writes.into_iter().filter(|write| write != read) {
        execution.reads_from.push((write, *read));
        let flow = choose_writes(execution, rest, paths, left, see)?;
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
    paths: &[&ThreadPath],
    left: &mut u64,
    see: Seen<'_>,
) -> Result<ControlFlow<()>, Incomplete> {
    if location as usize == execution.coherence.len() {
        *left = left.checked_sub(1).ok_or(Incomplete::TooMany)?;
        return Ok(see(&Candidate { execution, paths }));
    }
    let mut writes = numbers(execution, |event| {
        !event.is_initial() && event.location() == Some(location) && event.written().is_some()
    });
    permute(execution, location, &mut writes, 0, paths, left, see)
}

fn permute(
    execution: &mut Execution,
    location: u32,
    writes: &mut Vec<u32>,
    fixed: usize,
    paths: &[&ThreadPath],
    left: &mut u64,
    see: Seen<'_>,
) -> Result<ControlFlow<()>, Incomplete> {
    if fixed == writes.len() {
        execution.coherence[location as usize].truncate(1);
        execution.coherence[location as usize].extend(writes.iter());
        return order_writes(execution, location + 1, paths, left, see);
    }
    for other in fixed..writes.len() {
        writes.swap(fixed, other);
        let flow = permute(execution, location, writes, fixed + 1, paths, left, see)?;
        writes.swap(fixed, other);
        if flow.is_break() {
            return Ok(flow);
        }
    }
    Ok(ControlFlow::Continue(()))
}
