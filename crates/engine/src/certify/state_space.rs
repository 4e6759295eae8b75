//! A closed state space, checked by visiting it again: without reduction, without packing, on the
//! reference machine. Slow and plain on purpose; the naive search of the tests is the same code.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use wattle_logic::{Kind, Term, Value};
use wattle_memory::operational::{
    self, Action, Outcome as Moved, State, Stored, first_violation, initial_states, is_final, successors,
};
use wattle_program::{EdgeId, Op, ProcessId, Program, Role, Shape, ThreadId};

use super::WRONG;
use crate::confirm::is_deadlock;
use crate::{
    Counterexample, OutcomeSet, Property, Reason, Run, Schedule, Spent, Task, Unsupported, Violation, Work,
};

/// The result of re-exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certified {
    pub states: u64,
}

/// Everything that a plain breadth-first search over the reference machine finds.
#[derive(Clone, Debug, Default)]
pub struct Closure {
    /// How many distinct states there are.
    pub states: u64,
    /// The first violation, by a shortest schedule.
    pub violation: Option<Counterexample>,
    /// The values of the observed terms in all final states.
    pub outcomes: OutcomeSet,
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
pub fn state_space(task: &Task<'_>, capacity: usize, run: &Run) -> Result<Certified, Reason> {
    super::starts(task, run)?;
    let mut closure = explore(task, Some(capacity), true, false, run)?;
    if closure.cut && closure.violation.is_none() {
        closure = explore(task, Some(capacity), true, true, run)?;
    }
    if let Some(counterexample) = closure.violation {
        return Err(Reason::GaveUp(format!("{WRONG}: {:?}", counterexample.violated)));
    }
    if closure.cut {
        return Err(Reason::GaveUp(format!("{WRONG}: a buffer exceeds its capacity")));
    }
    Ok(Certified { states: closure.states })
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
        return Err(Reason::Unsupported(Unsupported::new("the memory model has no machine")));
    };
    let program = task.program;
    let unsupported = |what: String| Reason::Unsupported(Unsupported::new(what));
    let shape = Shape::new(program).map_err(|error| unsupported(error.to_string()))?;
    let sole = drop_idle.then(|| sole_writers(program, &shape));
    let mut closure = Closure::default();
    let mut known: HashSet<Rc<State>, BuildHasherDefault<Mix>> = HashSet::default();
    let mut states: Vec<Rc<State>> = Vec::new();
    let mut parents: Vec<Option<(usize, Action)>> = Vec::new();
    let mut initial: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
    for (number, start) in initial_states(program, &shape).map_err(unsupported)?.enumerate() {
        if number % 256 == 0 {
            run.poll(STATE * 256, spent(&states))?;
        }
        let Some((choices, state)) = start.map_err(unsupported)? else { continue };
        let state = Rc::new(state);
        if known.insert(state.clone()) {
            initial.insert(states.len(), choices);
            states.push(state);
            parents.push(None);
        }
    }
    let mut next = 0;
    let schedule = |at: usize, last: Option<Action>, parents: &[Option<(usize, Action)>]| {
        let mut actions: Vec<Action> = last.into_iter().collect();
        let mut at = at;
        while let Some((parent, action)) = &parents[at] {
            actions.push(action.clone());
            at = *parent;
        }
        actions.reverse();
        Schedule { initial: initial.get(&at).cloned().unwrap_or_default(), actions }
    };
    while next < states.len() {
        if next % 256 == 0 {
            run.poll(STATE * 256, spent(&states))?;
        }
        let state = states[next].clone();
        let report = |violated, last, parents: &[_]| Counterexample {
            paths: vec![],
            violated,
            schedule: Some(schedule(next, last, parents)),
            execution: None,
        };
        let bad = match task.property {
            Property::Stated => match first_violation(program, &shape, &state) {
                Some(found) if found.fault.is_some() => {
                    let text = "a property has no value in a reachable state";
                    return Err(Reason::GaveUp(text.into()));
                }
                Some(found) => Some(Violation::Property { property: found.property }),
                None => None,
            },
            Property::NoDeadlock => is_deadlock(program, &shape, machine, &state)
                .map_err(|why| unsupported(why.to_string()))?
                .then_some(Violation::Deadlock),
        };
        if let Some(violated) = bad
            && closure.violation.is_none()
        {
            closure.violation = Some(report(violated, None, &parents));
        }
        if stop && closure.violation.is_some() {
            break;
        }
        if is_final(program, &shape, &state) {
            let view = operational::View { program, shape: &shape, state: &state };
            let filtered =
                program.filter.as_ref().is_some_and(|filter| filter.evaluate_bool(&view) == Ok(false));
            let values: Result<Vec<_>, _> =
                program.observed.iter().map(|term| term.evaluate(&view)).collect();
            if !filtered && let Ok(values) = values {
                closure.outcomes.insert(values);
            }
        }
        for successor in successors(program, &shape, machine, &state) {
            let action = successor.action;
            if task.property == Property::NoDeadlock && only_asserts(program, &shape, &action) {
                continue;
            }
            match successor.outcome {
                Moved::Moved { state: mut moved, failed, .. } => {
                    if let Some(sole) = &sole {
                        drop_idle_stores(&mut moved, sole);
                    }
                    let pending = most_pending(&shape, &moved);
                    if capacity.is_some_and(|capacity| pending > capacity) {
                        closure.cut = true;
                        continue;
                    }
                    closure.most_pending = closure.most_pending.max(pending);
                    if let Action::Step { thread, edge, .. } = &action {
                        closure.taken.insert((shape.info(*thread).process, *edge));
                        if let Some(op) = failed.first()
                            && task.property == Property::Stated
                            && closure.violation.is_none()
                        {
                            let violated = Violation::Assertion { thread: *thread, edge: *edge, op: *op };
                            closure.violation = Some(report(violated, Some(action.clone()), &parents));
                        }
                    }
                    if !known.contains(&moved) {
                        let moved = Rc::new(moved);
                        known.insert(moved.clone());
                        states.push(moved);
                        parents.push(Some((next, action)));
                    }
                }
                Moved::Fault { fault: wattle_logic::Fault::Overflow, .. } => {
                    return Err(Reason::GaveUp("an integer left 64 bits".into()));
                }
                Moved::Fault { fault, op } => {
                    if let Action::Step { thread, edge, .. } = &action
                        && task.property == Property::Stated
                        && closure.violation.is_none()
                    {
                        let violated = Violation::Fault { thread: *thread, edge: *edge, op, fault };
                        closure.violation = Some(report(violated, Some(action.clone()), &parents));
                    }
                }
                Moved::Unsupported { what } => return Err(unsupported(what.to_string())),
            }
            if stop && closure.violation.is_some() {
                break;
            }
        }
        next += 1;
    }
    closure.states = states.len() as u64;
    Ok(closure)
}

/// Is the move there for an assertion only?
fn only_asserts(program: &Program, shape: &Shape, action: &Action) -> bool {
    let Action::Step { thread, edge, .. } = action else { return false };
    program.process(shape.info(*thread).process).cfg.edge(*edge).role == Role::Asserts
}

/// The most pending operations of any thread.
pub fn most_pending(shape: &Shape, state: &State) -> usize {
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
