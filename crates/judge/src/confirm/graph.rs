//! The confirmation of an execution graph.
//!
//! Each thread runs along its path by `wattle_program::step`, with the values that the graph says it
//! reads; events and dependencies are made anew on the way and must be those of the graph. The
//! relations that no thread decides (reads-from and coherence) must be well formed. Then the axioms
//! are evaluated on what was rebuilt, and the violation is judged in the state where the threads stand.

use std::collections::VecDeque;

use wattle_engine::{Counterexample, Halt, Path, Reason, Schedule, Task, Violation};
use wattle_logic::{Fault, Value};
use wattle_memory::events::{Recorder, Surroundings};
use wattle_memory::operational::{self, Action, State};
use wattle_memory::{Event, EventKind, Execution, Machine, axiomatic, has_twins, observe};
use wattle_program::step::{ANOTHER_SIZE, AccessKind, Choices, Memory, Remote, Stop, ThreadState, step};
use wattle_program::{
    Edge, EdgeId, Fence, Mode, Program, Property, PropertyKind, Shape, Tags, ThreadId, is_inside, joint_step,
};

use super::{is_deadlock, reject, rejected, unsupported};

/// See the module. The state in which the threads stand at the end.
pub(crate) fn confirm(
    task: &Task<'_>,
    counterexample: &Counterexample,
    execution: &Execution,
) -> Result<State, Halt> {
    let program = task.program;
    let shape = Shape::new(program).map_err(|error| rejected(error.to_string()))?;
    if counterexample.paths.len() != shape.threads.len() {
        return reject("the graph does not have one path a thread");
    }
    let mut result = reject("the graph does not start in an initial state");
    // States with the same memory differ in what locals hold.
    for start in starts(program, &shape, execution)? {
        result = confirm_from(task, &shape, &start, counterexample, execution);
        if result.is_ok() {
            break;
        }
    }
    result
}

fn confirm_from(
    task: &Task<'_>,
    shape: &Shape,
    start: &State,
    counterexample: &Counterexample,
    execution: &Execution,
) -> Result<State, Halt> {
    let program = task.program;
    let world = Surroundings { program, shape };
    let mut rebuilt = Execution { coherence: execution.coherence.clone(), ..Execution::default() };
    rebuilt.reads_from.clone_from(&execution.reads_from);
    rebuilt.events.extend_from_slice(&execution.events[..shape.locations.len()]);
    let mut threads = Vec::new();
    let mut failures = Failures::default();
    for (thread, path) in shape.thread_ids().zip(&counterexample.paths) {
        let events = execution.events.iter().filter(|event| event.thread == Some(thread)).cloned().collect();
        let state = start.threads[thread.0 as usize].clone();
        threads.push(follow(world, thread, path, state, events, &mut rebuilt, &mut failures)?);
    }
    let same = rebuilt.events.len() == execution.events.len()
        && (rebuilt.events.iter().zip(&execution.events)).all(|(ours, theirs)| {
            (&ours.kind, ours.thread, ours.edge, ours.instruction)
                == (&theirs.kind, theirs.thread, theirs.edge, theirs.instruction)
        });
    if !same {
        return reject("the events of the graph are not those of its paths");
    }
    if !locked_steps_are_single(&rebuilt) {
        return reject("a locked step does more than read and then write one location");
    }
    for (thread, state) in shape.thread_ids().zip(&threads) {
        let cfg = &program.process(shape.info(thread).process).cfg;
        if is_inside(cfg, state.point) && !happens_in(&counterexample.violated, thread) {
            return reject("a thread stops inside an atomic section");
        }
    }
    judge(task, &rebuilt)?;
    if let Violation::Undefined { axiom } = &counterexample.violated {
        takes_meaning_away(task, &rebuilt, axiom)?;
    }
    let last = |writes: &Vec<u32>| {
        let write = writes.last().and_then(|write| rebuilt.events[*write as usize].written());
        write.cloned().unwrap_or(Value::Int(0))
    };
    let memory = rebuilt.coherence.iter().map(last).collect();
    let idle = threads.len();
    let state = State { threads, memory, stores: vec![vec![]; idle], halves: vec![vec![]; idle] };
    is_violated(task, shape, &counterexample.violated, &state, &failures)?;
    Ok(state)
}

/// The axioms on an execution.
fn judge(task: &Task<'_>, execution: &Execution) -> Result<(), Halt> {
    let Some(axioms) = &task.memory.axioms else { return Ok(()) };
    if execution.events.iter().any(|event| event.section.is_some()) && !axioms.core.names("section") {
        return Err(unsupported(format!("an atomic section of several accesses under {}", task.memory.name)));
    }
    axiomatic::well_formed(execution).map_err(rejected)?;
    let evaluation = axiomatic::evaluate(&axioms.tree, execution).map_err(unsupported)?;
    match evaluation.broken() {
        Some(broken) => reject(format!("axiom {} of {} forbids it", broken.name, task.memory.name)),
        None => Ok(()),
    }
}

/// Does the execution fail an axiom without which the program has no meaning?
fn takes_meaning_away(task: &Task<'_>, execution: &Execution, axiom: &str) -> Result<(), Halt> {
    let Some(axioms) = &task.memory.axioms else {
        return reject(format!("{} has no axioms", task.memory.name));
    };
    let evaluation = axiomatic::evaluate(&axioms.tree, execution).map_err(unsupported)?;
    let fails = evaluation.undefined().any(|judged| &*judged.name == axiom);
    if fails { Ok(()) } else { reject(format!("the execution does not fail {axiom}")) }
}

/// What a replayed schedule shows, judged by the axioms: machine and text must be twins.
pub(crate) fn judge_schedule(task: &Task<'_>, schedule: &Schedule, states: &[State]) -> Result<(), Halt> {
    if task.memory.axioms.is_none() || !has_twins(task.program) {
        return Ok(());
    }
    match graph_of(task, schedule, states) {
        Some(execution) => judge(task, &execution),
        None => reject("the stores that are still pending cannot reach memory"),
    }
}

/// The event graph of a counterexample that has a schedule. `None`: there is no schedule, it does not replay, or the
/// model's machine does things that are no events.
pub fn observed(task: &Task<'_>, counterexample: &Counterexample) -> Option<Execution> {
    let schedule = counterexample.schedule.as_ref()?;
    // What happens together in a joint step is no graph of single events.
    if joint_step(task.program).is_some() {
        return None;
    }
    let replayed = super::replay(task, counterexample).ok()?;
    graph_of(task, schedule, &replayed.states)
}

/// Stores that are still pending reach memory first, which the machine may do at any time.
fn graph_of(task: &Task<'_>, schedule: &Schedule, states: &[State]) -> Option<Execution> {
    let program = task.program;
    let (machine, shape) = (task.memory.machine?, Shape::new(program).ok()?);
    let mut actions = schedule.actions.clone();
    // A fault ends the schedule without a state of its own.
    actions.truncate(states.len() - 1);
    actions.extend(drain(program, &shape, machine, states.last()?));
    observe(program, &shape, machine, states.first()?, &actions)
}

/// The commits that empty all buffers.
fn drain(program: &Program, shape: &Shape, machine: Machine, state: &State) -> Vec<Action> {
    let mut state = state.clone();
    let mut actions = Vec::new();
    loop {
        let commits = shape.thread_ids().flat_map(|thread| {
            let stores = &state.stores[thread.0 as usize];
            let location = move |stored: &operational::Stored| stored.location();
            stores.iter().filter_map(location).map(move |location| Action::Commit { thread, location })
        });
        let next = commits.into_iter().find_map(|action| {
            match operational::apply(program, shape, machine, &state, &action)? {
                operational::MoveResult::Moved { state, .. } => Some((action, state)),
                _ => None,
            }
        });
        let Some((action, moved)) = next else { return actions };
        actions.push(action);
        state = moved;
    }
}

/// Does it end an execution in the middle of what a thread does?
fn happens_in(violated: &Violation, thread: ThreadId) -> bool {
    match violated {
        Violation::Assertion { thread: own, .. } | Violation::Fault { thread: own, .. } => *own == thread,
        Violation::Property { .. } | Violation::Deadlock | Violation::Undefined { .. } => false,
    }
}

/// A locked step that is no atomic section is a read, a write, or a read and then a write of the same location: a graph
/// says nothing of what else could happen inside. (Fences inside say nothing that the step does not.)
fn locked_steps_are_single(execution: &Execution) -> bool {
    let is_access =
        |event: &&Event| event.locked && event.section.is_none() && event.kind != EventKind::Fence;
    let locked: Vec<&Event> = execution.events.iter().filter(is_access).collect();
    locked.windows(2).all(|pair| {
        let same = (pair[0].thread, pair[0].instruction) == (pair[1].thread, pair[1].instruction);
        let single = matches!(pair[0].kind, EventKind::Read { .. })
            && matches!(pair[1].kind, EventKind::Write { .. })
            && pair[0].location() == pair[1].location();
        !same || single
    })
}

/// The initial states whose memory is what the graph's initial writes say.
fn starts(program: &Program, shape: &Shape, execution: &Execution) -> Result<Vec<State>, Halt> {
    let locations = shape.locations.len();
    let initial = execution.events.get(..locations).unwrap_or_default();
    let is_start = |state: &State| {
        initial.len() == locations
            && initial.iter().zip(&state.memory).enumerate().all(|(number, (event, value))| {
                event.is_initial()
                    && event.location() == Some(number as u32)
                    && event.written() == Some(value)
            })
    };
    let mut starts = Vec::new();
    let memory: Vec<Value> = initial.iter().map_while(|event| event.written().cloned()).collect();
    for start in operational::initial_states_with(program, shape, &memory).map_err(unsupported)? {
        starts.extend(start.map_err(unsupported)?.map(|(_, state)| state).filter(is_start));
    }
    Ok(starts)
}

/// What went wrong in the steps of the paths.
#[derive(Default)]
struct Failures {
    assertions: Vec<(ThreadId, EdgeId, usize)>,
    faults: Vec<Violation>,
}

/// Run a thread along its path.
fn follow(
    world: Surroundings<'_>,
    thread: ThreadId,
    path: &Path,
    mut state: ThreadState,
    events: VecDeque<Event>,
    rebuilt: &mut Execution,
    failures: &mut Failures,
) -> Result<ThreadState, Halt> {
    let Surroundings { program, shape } = world;
    let cfg = &program.process(shape.info(thread).process).cfg;
    let mut recorder = Recorder::new(thread);
    let mut memory = Told { events, edge: EdgeId(0), reserved: None, half: None };
    for (number, (id, codes)) in path.iter().enumerate() {
        let known = (id.0 as usize) < cfg.edges.len() && cfg.edge(*id).from == state.point;
        if !known {
            return reject(format!("thread {} is not where edge {} starts", thread.0, id.0));
        }
        let edge = cfg.edge(*id);
        memory.edge = *id;
        memory.reserved = recorder.reservation();
        let mut choices = Given(codes.clone().into());
        let before = (number + 1 == path.len()).then(|| memory.clone());
        match step(program, shape, thread, &state, edge, &mut memory, &mut choices) {
            Ok(stepped) => {
                recorder.record(world, (*id, edge), &state.locals, &stepped.accesses, rebuilt);
                let failed = stepped.failed.iter().map(|op| (thread, *id, *op));
                failures.assertions.extend(failed);
                state = stepped.state;
            }
            Err(Stop::Fault { fault: Fault::Inside, .. }) => {
                return Err(unsupported(ANOTHER_SIZE.to_owned()));
            }
            Err(Stop::Fault { fault, op }) if number + 1 == path.len() => {
                failures.faults.push(Violation::Fault { thread, edge: *id, op, fault });
                // What the step did before it had no result has happened.
                let begun = Edge { ops: edge.ops[..op.unwrap_or(0)].to_vec(), ..edge.clone() };
                let mut choices = Given(codes.clone().into());
                memory = before.unwrap_or(memory);
                if op.is_some() {
                    let done = step(program, shape, thread, &state, &begun, &mut memory, &mut choices);
                    let done = done.map_err(|stop| rejected(format!("half of a step: {stop:?}")))?;
                    // Others would see what never reached memory.
                    if done.accesses.iter().any(|access| matches!(access.kind, AccessKind::Write { .. })) {
                        return reject("a step without a result has stored");
                    }
                    recorder.record(world, (*id, &begun), &state.locals, &done.accesses, rebuilt);
                }
            }
            Err(Stop::Fault { fault: Fault::Overflow, .. }) => return Err(Reason::Overflow.into()),
            Err(Stop::Unsupported { what }) => return Err(unsupported(what.to_string())),
            Err(stop) => return reject(format!("thread {} cannot take edge {}: {stop:?}", thread.0, id.0)),
        }
    }
    match memory.events.is_empty() && memory.half.is_none() {
        true => Ok(state),
        false => reject(format!("thread {} has events that its path does not make", thread.0)),
    }
}

/// Memory as the graph tells it to one thread.
#[derive(Clone)]
struct Told {
    events: VecDeque<Event>,
    edge: EdgeId,
    reserved: Option<u32>,
    /// An update whose read has happened: its location and what it writes.
    half: Option<(u32, Value)>,
}

impl Told {
    fn read(&mut self, location: u32) -> Result<Value, Stop> {
        let event = self.events.pop_front().ok_or(Stop::NotEnabled)?;
        if event.location() != Some(location) || event.edge != Some(self.edge) {
            return Err(Stop::NotEnabled);
        }
        if let EventKind::Update { written, .. } = &event.kind {
            self.half = Some((location, written.clone()));
        }
        event.read().cloned().ok_or(Stop::NotEnabled)
    }

    fn write(&mut self, location: u32, value: &Value) -> Result<(), Stop> {
        if let Some((at, written)) = self.half.take() {
            return if at == location && written == *value { Ok(()) } else { Err(Stop::NotEnabled) };
        }
        let event = self.events.pop_front().ok_or(Stop::NotEnabled)?;
        let same = event.edge == Some(self.edge)
            && event.kind == EventKind::Write { location, value: value.clone() };
        if same { Ok(()) } else { Err(Stop::NotEnabled) }
    }
}

impl Memory for Told {
    fn load(&mut self, location: u32, _: Mode, _: &Tags) -> Result<Value, Stop> {
        self.read(location)
    }
    fn store(&mut self, location: u32, value: Value, _: Mode, _: &Tags) -> Result<(), Stop> {
        self.write(location, &value)
    }
    fn fence(&mut self, _: &Fence, _: Option<u32>) -> Result<(), Stop> {
        match self.events.pop_front() {
            Some(event) if event.kind == EventKind::Fence && event.edge == Some(self.edge) => Ok(()),
            _ => Err(Stop::NotEnabled),
        }
    }
    fn remote(&mut self, _: Remote) -> Result<(), Stop> {
        Err(Stop::NotEnabled)
    }
    fn flush(&mut self, _: ThreadId) -> Result<(), Stop> {
        Err(Stop::NotEnabled)
    }
    fn load_exclusive(&mut self, location: u32, _: &Tags) -> Result<Value, Stop> {
        self.read(location)
    }
    fn store_conditional(&mut self, location: u32, value: &Value, _: &Tags) -> Result<bool, Stop> {
        // Between two tries of one edge stands a read, so the edge tells whose event is next.
        let next = self.events.front().is_some_and(|event| event.edge == Some(self.edge));
        if next && self.reserved != Some(location) {
            return Err(Stop::NotEnabled);
        }
        if next {
            self.write(location, value)?;
        }
        Ok(next)
    }
}

struct Given(VecDeque<i64>);

impl Choices for Given {
    fn knows(&self) -> bool {
        true
    }
    fn choose(&mut self, low: i64, high: i64) -> Option<i64> {
        self.0.pop_front().filter(|code| low <= *code && *code <= high)
    }
}

fn is_violated(
    task: &Task<'_>,
    shape: &Shape,
    violated: &Violation,
    state: &State,
    failures: &Failures,
) -> Result<(), Halt> {
    let program = task.program;
    match violated {
        Violation::Assertion { thread, edge, op } => {
            let found = failures.assertions.contains(&(*thread, *edge, *op));
            if found { Ok(()) } else { reject("the assertion holds") }
        }
        Violation::Fault { .. } => {
            if failures.faults.contains(violated) {
                Ok(())
            } else {
                reject("no such fault happens")
            }
        }
        Violation::Property { property } => {
            let Some(stated) = program.properties.get(*property) else {
                return reject("there is no such property");
            };
            if !failures.faults.is_empty() {
                return reject("a thread faults instead");
            }
            if stated.kind == PropertyKind::Finally && !operational::is_final(program, shape, state) {
                return reject("not all threads have ended");
            }
            holds(program, shape, stated, state)
        }
        Violation::Deadlock => waits_for_ever(task, shape, state, failures),
        // Judged by the axioms.
        Violation::Undefined { .. } if failures.faults.is_empty() => Ok(()),
        Violation::Undefined { .. } => reject("a thread faults instead"),
    }
}

/// Who reads the last write of each location gets no further, and an execution that ends with such reads is allowed with them
/// as well as without: nothing comes after them in any order of the models of the catalogue.
fn waits_for_ever(task: &Task<'_>, shape: &Shape, state: &State, failures: &Failures) -> Result<(), Halt> {
    if task.property != wattle_engine::Property::NoDeadlock {
        return reject("deadlock was not asked for");
    }
    if !failures.faults.is_empty() {
        return reject("a thread faults instead");
    }
    if !task.memory.is_of_the_catalogue() {
        return Err(unsupported("deadlock under a model that someone else wrote"));
    }
    // Nothing is pending: each store is an event of the graph, and in its place in the order of its location.
    let machine = task.memory.machine.unwrap_or(Machine::Sc { atomic_copy: false });
    match is_deadlock(task.program, shape, machine, state) {
        Ok(true) => Ok(()),
        Ok(false) => reject("a thread can go on"),
        Err(many) => Err(unsupported(many.to_string())),
    }
}

/// `Ok` if the property does *not* hold in the state.
fn holds(program: &Program, shape: &Shape, property: &Property, state: &State) -> Result<(), Halt> {
    let view = operational::View { program, shape, state };
    let value = property.formula.evaluate_bool(&view).map_err(|fault| rejected(fault.to_string()))?;
    let good = match property.kind {
        PropertyKind::Forbid => !value,
        PropertyKind::Always | PropertyKind::Finally => value,
    };
    let filtered = match &program.filter {
        Some(filter) if property.kind == PropertyKind::Finally => {
            !filter.evaluate_bool(&view).map_err(|fault| rejected(fault.to_string()))?
        }
        _ => false,
    };
    if good || filtered { reject("the property holds where the threads stand") } else { Ok(()) }
}
