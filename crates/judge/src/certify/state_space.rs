//! A closed state space, checked by visiting it again: without reduction, without packing, on the
//! reference machine. Slow and plain on purpose; the naive search of the tests is the same code.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use wattle_engine::{
    Counterexample, Coverage, Halt, OutcomeSet, Property, Reason, Run, Schedule, Spent, Task, Unsupported,
    Violation, Work,
};
use wattle_logic::{Fault, Kind, Term, Value};
use wattle_memory::Machine;
use wattle_memory::operational::{
    self, Action, MoveResult, State, Stored, Successor, first_violation, initial_states, is_final, successors,
};
use wattle_program::step::ANOTHER_SIZE;
use wattle_program::{EdgeId, Op, ProcessId, Program, Role, Shape, ThreadId};

use super::{coverage, wrong};
use crate::confirm::is_deadlock;

/// Everything that a plain breadth-first search over the reference machine finds.
#[derive(Clone, Debug, Default)]
pub struct Closure {
    /// How many distinct states there are.
    pub states: u64,
    /// The first violation, by a shortest schedule.
    pub violation: Option<Counterexample>,
    /// The values of the observed terms in all final states.
    pub outcomes: OutcomeSet,
    /// Is there a final state (that the filter allows)?
    pub ends: bool,
    /// Was a move left out because a thread had as many pending operations as `capacity` allows?
    pub cut: bool,
    /// The edges taken at least once.
    pub taken: BTreeSet<(ProcessId, EdgeId)>,
    /// The most pending operations that any thread ever had.
    pub most_pending: usize,
}

/// Does the state space close with at most `capacity` pending operations a thread, without a
/// violation?
///
/// Where it does not, it is visited once more without buffered stores that change nothing: those to
/// a location that no other thread writes and no `fence(x)` waits for, of the value that the thread
/// itself sees there. Such a store leaves memory as it is when it arrives, so dropping it at once
/// loses no behaviour; kept, it can fill a buffer without end.
pub(super) fn state_space(
    task: &Task<'_>,
    capacity: usize,
    coverage: Option<&Coverage>,
    run: &Run,
) -> Result<u64, Halt> {
    super::starts(task, run)?;
    let mut closure = explore(task, Some(capacity), true, false, run)?;
    if closure.cut && closure.violation.is_none() {
        closure = explore(task, Some(capacity), true, true, run)?;
    }
    if let Some(counterexample) = closure.violation {
        return Err(wrong(format!("{:?}", counterexample.violated)));
    }
    if closure.cut {
        return Err(wrong("a buffer exceeds its capacity"));
    }
    coverage::same(task.program, coverage, &closure.taken, closure.ends)?;
    Ok(closure.states)
}

/// Visit everything reachable; with `stop`, only up to the first violation.
pub fn explore_all(
    task: &Task<'_>,
    capacity: Option<usize>,
    stop: bool,
    run: &Run,
) -> Result<Closure, Reason> {
    explore(task, capacity, stop, false, run)
}

/// The only thread whose edges may store to each location, if it is one thread. Locations that some
/// `fence(x)` waits for have none: there, even a store that changes nothing is waited for, and with
/// it the stores before it.
fn sole_writers(program: &Program, shape: &Shape) -> Vec<Option<ThreadId>> {
    let mut writers: Vec<BTreeSet<ThreadId>> = vec![BTreeSet::new(); shape.locations.len()];
    let mut awaited = BTreeSet::new();
    for thread in shape.thread_ids() {
        let info = shape.info(thread);
        let reach = |address: &Term| match (shape.fixed_location(address, info.copy), address.kind()) {
            (Some(location), _) => location..location + 1,
            (None, Kind::Address { variable, .. }) => shape.locations_of(*variable),
            (None, _) => 0..shape.locations.len() as u32,
        };
        for op in program.process(info.process).cfg.edges.iter().flat_map(|edge| &edge.ops) {
            match op {
                Op::Store { address, .. } => {
                    reach(address).for_each(|location| writers[location as usize].extend([thread]));
                }
                Op::Fence(fence) => awaited.extend(fence.location.iter().flat_map(reach)),
                _ => {}
            }
        }
    }
    let only = |(location, set): (usize, BTreeSet<ThreadId>)| {
        let may = set.len() == 1 && !awaited.contains(&(location as u32));
        set.first().copied().filter(|_| may)
    };
    writers.into_iter().enumerate().map(only).collect()
}

/// Take pending stores out again whose thread is the only writer of their location, where the store
/// before (or memory) has the same value.
fn drop_idle_stores(state: &mut State, sole: &[Option<ThreadId>]) {
    let State { memory, stores, .. } = state;
    for (thread, stores) in stores.iter_mut().enumerate() {
        let mut seen: BTreeMap<u32, Value> = BTreeMap::new();
        stores.retain(|stored| match stored {
            Stored::Write { location, value }
                if sole[*location as usize] == Some(ThreadId(thread as u32)) =>
            {
                let before = seen.insert(*location, value.clone());
                before.as_ref().unwrap_or(&memory[*location as usize]) != value
            }
            _ => true,
        });
        // Barriers that now stand first, or next to each other, say nothing.
        stores.dedup_by(|a, b| *a == Stored::Barrier && *b == Stored::Barrier);
        while stores.first() == Some(&Stored::Barrier) {
            stores.remove(0);
        }
    }
}

/// What visiting a state costs.
const STATE: Work = Work::microseconds(5);

fn spent(states: &[Rc<State>]) -> Spent {
    Spent { memory: (states.len() * 400) as u64, states: states.len() as u64 }
}

fn explore(
    task: &Task<'_>,
    capacity: Option<usize>,
    stop: bool,
    drop_idle: bool,
    run: &Run,
) -> Result<Closure, Reason> {
    let Some(machine) = task.memory.machine else {
        return Err(unsupported("the memory model has no machine"));
    };
    let shape = &Shape::new(task.program).map_err(|error| unsupported(error.to_string()))?;
    let sole = drop_idle.then(|| sole_writers(task.program, shape));
    let mut search = Search {
        task,
        machine,
        shape,
        capacity,
        sole,
        closure: Closure::default(),
        known: HashSet::default(),
        states: vec![],
        parents: vec![],
        initial: BTreeMap::new(),
    };
    search.start(run)?;
    let mut next = 0;
    while next < search.states.len() && !(stop && search.closure.violation.is_some()) {
        if next % 256 == 0 {
            run.poll(STATE * 256, spent(&search.states))?;
        }
        search.visit(next)?;
        let state = search.states[next].clone();
        for successor in successors(task.program, shape, machine, &state) {
            if stop && search.closure.violation.is_some() {
                break;
            }
            search.follow(next, successor)?;
        }
        next += 1;
    }
    search.closure.states = search.states.len() as u64;
    Ok(search.closure)
}

fn unsupported(what: impl Into<String>) -> Reason {
    Reason::Unsupported(Unsupported::new(what))
}

/// Breadth first, with every state kept as it is.
struct Search<'a> {
    task: &'a Task<'a>,
    machine: Machine,
    shape: &'a Shape,
    capacity: Option<usize>,
    /// See [`sole_writers`]; `None`: stores that change nothing are kept.
    sole: Option<Vec<Option<ThreadId>>>,
    closure: Closure,
    known: HashSet<Rc<State>, BuildHasherDefault<Mix>>,
    states: Vec<Rc<State>>,
    /// How each state was reached first.
    parents: Vec<Option<(usize, Action)>>,
    /// The choices of those that are initial.
    initial: BTreeMap<usize, Vec<i64>>,
}

impl Search<'_> {
    fn start(&mut self, run: &Run) -> Result<(), Reason> {
        let starts = initial_states(self.task.program, self.shape).map_err(unsupported)?;
        for (number, start) in starts.enumerate() {
            if number % 256 == 0 {
                run.poll(STATE * 256, spent(&self.states))?;
            }
            let Some((choices, state)) = start.map_err(unsupported)? else { continue };
            let number = self.states.len();
            if self.add(state, None) {
                self.initial.insert(number, choices);
            }
        }
        Ok(())
    }

    /// Is the state new?
    fn add(&mut self, state: State, parent: Option<(usize, Action)>) -> bool {
        let new = !self.known.contains(&state);
        if new {
            let state = Rc::new(state);
            self.known.insert(state.clone());
            self.states.push(state);
            self.parents.push(parent);
        }
        new
    }

    /// Records what holds in the state itself: a violation, an end with its outcome.
    fn visit(&mut self, number: usize) -> Result<(), Reason> {
        let (program, state) = (self.task.program, self.states[number].clone());
        let bad = match self.task.property {
            Property::Stated => match first_violation(program, self.shape, &state) {
                Some(found) if found.fault.is_some() => {
                    return Err(Reason::NoValue("a property has no value in a reachable state".into()));
                }
                Some(found) => Some(Violation::Property { property: found.property }),
                None => None,
            },
            Property::NoDeadlock => is_deadlock(program, self.shape, self.machine, &state)
                .map_err(|why| unsupported(why.to_string()))?
                .then_some(Violation::Deadlock),
        };
        if let Some(violated) = bad {
            self.report(violated, number, None);
        }
        if is_final(program, self.shape, &state) {
            let view = operational::View { program, shape: self.shape, state: &state };
            let filtered =
                program.filter.as_ref().is_some_and(|filter| filter.evaluate_bool(&view) == Ok(false));
            self.closure.ends |= !filtered;
            let values: Result<Vec<_>, _> =
                program.observed.iter().map(|term| term.evaluate(&view)).collect();
            if !filtered && let Ok(values) = values {
                self.closure.outcomes.insert(values);
            }
        }
        Ok(())
    }

    /// A move from a state, and where it leads.
    fn follow(&mut self, from: usize, Successor { action, result, .. }: Successor) -> Result<(), Reason> {
        let judged = self.task.property == Property::Stated;
        if !judged && only_asserts(self.task.program, self.shape, &action) {
            return Ok(());
        }
        match result {
            MoveResult::Moved { state: mut moved, failed, .. } => {
                if let Some(sole) = &self.sole {
                    drop_idle_stores(&mut moved, sole);
                }
                let pending = most_pending(self.shape, &moved);
                if self.capacity.is_some_and(|capacity| pending > capacity) {
                    self.closure.cut = true;
                    return Ok(());
                }
                self.closure.most_pending = self.closure.most_pending.max(pending);
                if let Action::Step { thread, edge, .. } = action {
                    self.closure.taken.insert((self.shape.info(thread).process, edge));
                    if let (true, Some(op)) = (judged, failed.first()) {
                        let violated = Violation::Assertion { thread, edge, op: *op };
                        self.report(violated, from, Some(&action));
                    }
                }
                self.add(moved, Some((from, action)));
            }
            MoveResult::Fault { fault: Fault::Overflow, .. } => return Err(Reason::Overflow),
            MoveResult::Fault { fault: Fault::Inside, .. } => {
                return Err(unsupported(ANOTHER_SIZE));
            }
            MoveResult::Fault { fault, op } => {
                if let (true, Action::Step { thread, edge, .. }) = (judged, &action) {
                    let violated = Violation::Fault { thread: *thread, edge: *edge, op, fault };
                    self.report(violated, from, Some(&action));
                }
            }
            MoveResult::Unsupported { what } => return Err(unsupported(what.to_string())),
        }
        Ok(())
    }

    /// Keep the first violation, with the moves to this state and perhaps one more.
    fn report(&mut self, violated: Violation, mut at: usize, last: Option<&Action>) {
        if self.closure.violation.is_some() {
            return;
        }
        let mut actions: Vec<Action> = last.into_iter().cloned().collect();
        while let Some((parent, action)) = &self.parents[at] {
            actions.push(action.clone());
            at = *parent;
        }
        actions.reverse();
        let initial = self.initial.get(&at).cloned().unwrap_or_default();
        let schedule = Schedule { initial, actions };
        self.closure.violation = Some(Counterexample::scheduled(violated, schedule));
    }
}

/// Is the move there for an assertion only?
fn only_asserts(program: &Program, shape: &Shape, action: &Action) -> bool {
    let Action::Step { thread, edge, .. } = action else { return false };
    program.process(shape.info(*thread).process).cfg.edge(*edge).role == Role::Asserts
}

/// The most pending operations of any thread.
pub(crate) fn most_pending(shape: &Shape, state: &State) -> usize {
    shape.thread_ids().map(|thread: ThreadId| state.pending(thread)).max().unwrap_or(0)
}

/// Multiply and rotate: whole states are hashed, so the hash of the standard library, which guards
/// against hostile keys, would take a third of the time.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
    fn write_i64(&mut self, value: i64) {
        self.write_u64(value as u64);
    }
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
}
