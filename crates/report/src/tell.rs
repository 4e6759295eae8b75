//! From the schedule of a counterexample to its [`Story`].
//!
//! The schedule is run once more on the reference machine, beside the event graph that
//! [`observe`] makes of it, which knows who wrote what each load read. A step that only does hidden
//! work (a branch, a jump, a temporary) is left out, and consecutive steps of one statement become
//! one line, so that the story has about as many lines as the reader has things to think about.

use std::collections::{BTreeMap, BTreeSet};

use wattle_engine::{Counterexample, Violation};
use wattle_logic::{Kind, Sort, Value};
use wattle_memory::operational::{self, Action, Half, MoveResult, State, Stored};
use wattle_memory::{EventKind, Execution, Machine, observe};
use wattle_program::passes::Signal;
use wattle_program::step::{Access, AccessKind, Remote, RemoteUpdate};
use wattle_program::{
    Choice, Edge, EdgeId, Mode, Op, Origin, Point, ProcessId, Program, PropertyKind, Question, Role, Shape,
    ThreadId, joint_step,
};
use wattle_source::{Position, Sources, Span};

use crate::cycle::sc_cycle;
use crate::names::value_name;
use crate::{Actor, Effect, Finish, Move, Standing, Story, Via, Violated, ViolatedKind, Writer};

/// Up to this many locations are all shown at the end; of more, only those that matter.
const FEW_LOCATIONS: usize = 12;

/// `None` if the schedule cannot be run on `program`, which a confirmed one can.
pub fn tell(
    sources: &Sources,
    program: &Program,
    machine: Machine,
    counterexample: &Counterexample,
) -> Option<Story> {
    let shape = Shape::new(program).ok()?;
    let schedule = counterexample.schedule.as_ref()?;
    let start = operational::initial_state(program, &shape, &schedule.initial)?;
    let execution = observe(program, &shape, machine, &start, &schedule.actions)?;
    let mut teller = Teller {
        sources,
        program,
        shape: &shape,
        machine,
        sources_of_reads: sources_of_reads(&execution),
        execution: &execution,
        lines: Vec::new(),
        buffered: vec![Vec::new(); shape.threads.len()],
        started: Vec::new(),
        moves: Vec::new(),
        open: None,
    };
    let mut state = start.clone();
    for (number, action) in schedule.actions.iter().enumerate() {
        let result = operational::apply(program, &shape, machine, &state, action)?;
        teller.one(number, action, &state, &result);
        match result {
            MoveResult::Moved { state: next, .. } => state = next,
            MoveResult::Fault { .. } | MoveResult::Unsupported { .. } => break,
        }
    }
    let moves = std::mem::take(&mut teller.moves);
    let start = match schedule.initial.is_empty() {
        true => vec![],
        false => open_at_start(program, &shape, &start),
    };
    Some(Story {
        threads: shape.thread_ids().map(|thread| shape.thread_name(program, thread)).collect(),
        files: sources.names(),
        start,
        violated: violated(sources, program, &shape, &counterexample.violated),
        finish: finish(sources, program, &shape, &state, &counterexample.violated, &moves),
        moves,
        timeless: false,
        // Halves of remote operations are in no program order, so there is no cycle to show.
        cycle: match machine {
            Machine::Rma { .. } => vec![],
            // Nor is there one where what happens together is several events.
            _ if joint_step(program).is_some() => vec![],
            _ => sc_cycle(sources, program, &shape, &execution),
        },
        holds_under_sc: None,
    })
}

/// The text under a span on one line, without what follows its head.
pub fn statement_text(sources: &Sources, span: Span) -> String {
    let text = sources.slice(span);
    let head = condition_only(text).split('{').next().unwrap_or(text).trim();
    let head = if head.is_empty() { text } else { head };
    let words: Vec<&str> = head.split_whitespace().collect();
    let line = words.join(" ");
    line.trim_end_matches(';').trim_end().to_owned()
}

/// Of a branch or a loop, the part up to the end of its condition.
fn condition_only(text: &str) -> &str {
    let word = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    if !matches!(word, "if" | "while" | "for" | "switch") {
        return text;
    }
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return &text[..=at],
            ')' => depth -= 1,
            _ => {}
        }
    }
    text
}

struct Teller<'a> {
    sources: &'a Sources,
    program: &'a Program,
    shape: &'a Shape,
    machine: Machine,
    execution: &'a Execution,
    /// For each step, the writes that its reads took their values from.
    sources_of_reads: BTreeMap<usize, Vec<u32>>,
    /// The source line of each step so far.
    lines: Vec<Option<Position>>,
    /// The places of the stores in each thread's buffer, oldest first.
    buffered: Vec<Vec<(u32, Option<Position>)>>,
    /// The pending remote halves, with the places of the statements that started them.
    started: Vec<(ThreadId, Half, Option<Position>)>,
    moves: Vec<Move>,
    /// The statement that the last move belongs to, and its edges so far.
    open: Option<(ThreadId, Origin, BTreeSet<EdgeId>)>,
}

impl Teller<'_> {
    fn one(&mut self, number: usize, action: &Action, before: &State, result: &MoveResult) {
        let thread = action.thread();
        match action {
            Action::Step { edge, choices, .. } => {
                let id = *edge;
                let edge = self.program.process(self.shape.info(thread).process).cfg.edge(id);
                let place = self.place(edge.origin.0);
                self.lines.push(place);
                let effects = self.effects(number, thread, edge, choices, before, result);
                self.step(thread, id, edge, place, effects);
            }
            Action::Commit { location, .. } => {
                self.open = None;
                let buffered = &mut self.buffered[thread.0 as usize];
                let mut place = None;
                let mut reached = Vec::new();
                for (location, value) in leaving(before, thread, *location) {
                    let oldest = buffered.iter().position(|(other, _)| *other == location);
                    place = oldest.and_then(|oldest| buffered.remove(oldest).1);
                    reached.push((location, value));
                }
                let line = place;
                self.lines.push(line);
                let effects = reached.into_iter().map(|(location, value)| {
                    let (location, value) = self.cell(location, Some(value));
                    Effect::Reached { location, value, line }
                });
                let effects = effects.collect();
                self.push(thread, Actor::Buffer, place, "commit".into(), effects);
            }
            Action::Remote { half, .. } => {
                self.open = None;
                self.remote(number, thread, half, before, result);
            }
        }
    }

    fn step(
        &mut self,
        thread: ThreadId,
        id: EdgeId,
        edge: &Edge,
        place: Option<Position>,
        effects: Vec<Effect>,
    ) {
        let continues = self.open.as_ref().is_some_and(|(other, origin, edges)| {
            (*other, *origin) == (thread, edge.origin) && !edges.contains(&id)
        });
        if continues && let Some((_, _, edges)) = &mut self.open {
            edges.insert(id);
            if let Some(last) = self.moves.last_mut() {
                last.effects.extend(effects);
            }
        } else if !effects.is_empty() {
            let statement = match statement_text(self.sources, edge.origin.0) {
                text if text.is_empty() => "(no source text)".into(),
                text => text,
            };
            self.push(thread, Actor::Thread, place, statement, effects);
            self.open = Some((thread, edge.origin, BTreeSet::from([id])));
        }
        // A hidden step of another statement leaves `open` as it is only if nothing was shown for
        // it; then a later step of the open statement would be a new round of it.
        else if !continues {
            self.open = None;
        }
    }

    fn push(
        &mut self,
        thread: ThreadId,
        actor: Actor,
        place: Option<Position>,
        statement: String,
        effects: Vec<Effect>,
    ) {
        self.moves.push(Move { thread: thread.0 as usize, actor, place, statement, effects });
    }

    fn effects(
        &mut self,
        number: usize,
        thread: ThreadId,
        edge: &Edge,
        choices: &[i64],
        before: &State,
        result: &MoveResult,
    ) -> Vec<Effect> {
        let (accesses, failed, after) = match result {
            MoveResult::Fault { fault, .. } => return vec![Effect::Fault { what: fault.to_string() }],
            MoveResult::Unsupported { what } => return vec![Effect::Fault { what: what.to_string() }],
            MoveResult::Moved { accesses, failed, state } => (accesses, failed, state),
        };
        let place = self.place(edge.origin.0);
        let locals = &self.program.process(self.shape.info(thread).process).locals;
        let mut effects = Vec::new();
        let mut reads = 0;
        let mut choices = choices.iter();
        let is_flush = |access: &&Access| matches!(access.kind, AccessKind::Flush { .. });
        let flushes = accesses.iter().filter(is_flush).count();
        for (index, op) in edge.ops.iter().enumerate() {
            for access in accesses.iter().filter(|access| access.op == index) {
                match &access.kind {
                    AccessKind::Read { location, value } => {
                        let write =
                            self.sources_of_reads.get(&number).and_then(|writes| writes.get(reads)).copied();
                        reads += 1;
                        if let Some(signal) = signal(self.program, self.shape, *location, Some(value)) {
                            effects.extend(signal);
                            continue;
                        }
                        effects.push(self.read(thread, edge.mode, *location, value, write, before));
                    }
                    AccessKind::Write { location, value } => {
                        if let Some(signal) = signal(self.program, self.shape, *location, None) {
                            effects.extend(signal);
                            continue;
                        }
                        let (name, value) = self.cell(*location, Some(value));
                        let variable = self.shape.locations[*location as usize].variable;
                        let unbuffered = self.program.variables[variable as usize].unbuffered;
                        if self.machine.buffers_stores() && edge.mode != Mode::Locked && !unbuffered {
                            self.buffered[thread.0 as usize].push((*location, place));
                            effects.push(Effect::Buffered { location: name, value });
                        } else {
                            effects.push(Effect::Stored { location: name, value });
                        }
                    }
                    AccessKind::Fence => effects.push(Effect::Fence),
                    AccessKind::Remote(operation) => {
                        effects.push(Effect::Started { what: self.remote_text(operation) });
                        let known: Vec<&Half> = before.halves[thread.0 as usize].iter().collect();
                        for half in &after.halves[thread.0 as usize] {
                            let count = |halves: &[&Half]| halves.iter().filter(|one| **one == half).count();
                            let now: Vec<&Half> = after.halves[thread.0 as usize].iter().collect();
                            if count(&now) > count(&known) {
                                self.started.push((thread, half.clone(), place));
                            }
                        }
                    }
                    // A flush of every process is one step with a flush of each thread.
                    AccessKind::Flush { .. } if flushes > 1 => {
                        let all = Effect::Flushed { target: "*".into() };
                        if !effects.contains(&all) {
                            effects.push(all);
                        }
                    }
                    AccessKind::Flush { target } => {
                        let target = self.shape.thread_name(self.program, *target);
                        effects.push(Effect::Flushed { target });
                    }
                }
            }
            match op {
                Op::Assign { local, .. } if !locals[*local as usize].hidden => {
                    let name = locals[*local as usize].name.to_string();
                    let value = self.local(thread, after, *local);
                    effects.push(Effect::Local { name, value });
                }
                Op::Havoc { local, among } => {
                    let info = &locals[*local as usize];
                    // A parameter of a transition is chosen too, and has a name that the text gives it.
                    let named = !info.hidden || info.sort == Sort::Process;
                    let name = named.then(|| info.name.to_string());
                    let value = match choices.next() {
                        // From a set, the choice is only the position of the value.
                        Some(_) if name.is_some() || matches!(among, Choice::Member(_)) => {
                            self.local(thread, after, *local)
                        }
                        Some(code) => code.to_string(),
                        None => continue,
                    };
                    effects.push(Effect::Chosen { name, value });
                }
                Op::Assert { span, .. } if failed.contains(&index) => {
                    let assertion = statement_text(self.sources, *span);
                    effects.push(Effect::Failed { assertion });
                }
                _ => {}
            }
        }
        effects
    }

    fn read(
        &self,
        thread: ThreadId,
        mode: Mode,
        location: u32,
        value: &Value,
        write: Option<u32>,
        before: &State,
    ) -> Effect {
        let own = before.stores[thread.0 as usize].iter().any(|stored| stored.value_at(location).is_some());
        let via = if own && mode != Mode::Locked { Via::OwnBuffer } else { Via::Memory };
        let unseen = match via {
            Via::OwnBuffer => vec![],
            Via::Memory => self.on_its_way(location, before),
        };
        let (name, value) = self.cell(location, Some(value));
        Effect::Read { location: name, value, via, writer: self.writer(write), unseen }
    }

    fn writer(&self, write: Option<u32>) -> Writer {
        let event = write.and_then(|write| self.execution.events.get(write as usize));
        match event.and_then(|event| Some((event.thread?, event.step?))) {
            None => Writer::Initial,
            Some((thread, step)) => {
                Writer::Thread { thread: thread.0 as usize, line: self.lines.get(step).copied().flatten() }
            }
        }
    }

    /// Values that are pending for a location: of each thread the newest store, and remote halves.
    fn on_its_way(&self, location: u32, state: &State) -> Vec<(String, String)> {
        let mut pending = Vec::new();
        for thread in self.shape.thread_ids() {
            let name = self.shape.thread_name(self.program, thread);
            let stores = state.stores[thread.0 as usize].iter().rev();
            let store = stores.into_iter().find_map(|stored| stored.value_at(location));
            let half = state.halves[thread.0 as usize].iter().find_map(|half| match half {
                Half::Write { to, value, .. } if *to == location => Some(value),
                _ => None,
            });
            if let Some(value) = store.or(half) {
                pending.push((name, self.cell(location, Some(value)).1));
            }
        }
        pending
    }

    fn remote(&mut self, number: usize, thread: ThreadId, half: &Half, before: &State, result: &MoveResult) {
        let known = self.started.iter().position(|(other, pending, _)| *other == thread && pending == half);
        let place = known.and_then(|known| self.started.remove(known).2);
        let line = place;
        self.lines.push(line);
        let write = self.sources_of_reads.get(&number).and_then(|writes| writes.first()).copied();
        let content = |state: &State, at: u32| self.cell(at, state.memory.get(at as usize)).1;
        let read = |at: u32| Effect::Read {
            location: self.shape.location_name(self.program, at),
            value: content(before, at),
            via: Via::Memory,
            writer: self.writer(write),
            unseen: self.on_its_way(at, before),
        };
        let mut effects = Vec::new();
        match half {
            Half::Read { from, .. } => effects.push(read(*from)),
            Half::Write { to, value, .. } => {
                let (location, value) = self.cell(*to, Some(value));
                effects.push(Effect::Reached { location, value, line });
            }
            Half::Atomic { at, .. } => {
                effects.push(read(*at));
                if let MoveResult::Moved { state, .. } = result {
                    let location = self.shape.location_name(self.program, *at);
                    effects.push(Effect::Reached { location, value: content(state, *at), line });
                }
            }
        }
        match result {
            MoveResult::Moved { state, .. } => {
                for next in &state.halves[thread.0 as usize] {
                    if !before.halves[thread.0 as usize].contains(next) {
                        self.started.push((thread, next.clone(), place));
                    }
                }
            }
            MoveResult::Fault { fault, .. } => effects.push(Effect::Fault { what: fault.to_string() }),
            MoveResult::Unsupported { what } => effects.push(Effect::Fault { what: what.to_string() }),
        }
        self.push(thread, Actor::Network, place, "network".into(), effects);
    }

    fn remote_text(&self, operation: &Remote) -> String {
        let name = |location: &u32| self.shape.location_name(self.program, *location);
        match operation {
            Remote::PutLocation { remote, source } => format!("{} ⇢ {}", name(source), name(remote)),
            Remote::PutValue { remote, value } => {
                let (remote, value) = self.cell(*remote, Some(value));
                format!("{value} ⇢ {remote}")
            }
            Remote::Get { into, remote } => format!("{} ⇢ {}", name(remote), name(into)),
            Remote::Atomic { remote, update, .. } => {
                let remote = name(remote);
                match update {
                    RemoteUpdate::Add(value) => format!("add {value} to {remote}"),
                    RemoteUpdate::Replace(value) => format!("put {value} into {remote}"),
                    RemoteUpdate::CompareAndSwap { expected, new } => {
                        format!("put {new} into {remote} if it is {expected}")
                    }
                }
            }
        }
    }

    /// The names of a location and of a value in it.
    fn cell(&self, location: u32, value: Option<&Value>) -> (String, String) {
        cell(self.program, self.shape, location, value)
    }

    fn local(&self, thread: ThreadId, state: &State, local: u32) -> String {
        local_value(self.program, self.shape, state, thread, local)
    }

    fn place(&self, span: Span) -> Option<Position> {
        place(self.sources, span)
    }
}

pub(crate) fn place(sources: &Sources, span: Span) -> Option<Position> {
    (!span.is_nowhere()).then(|| sources.start(span))
}

/// What an access to a hidden location of the pass `threads` says to the reader, if it is one: that a thread starts
/// another, or that one has ended. (`read`: the value of a load.)
pub(crate) fn signal(
    program: &Program,
    shape: &Shape,
    location: u32,
    read: Option<&Value>,
) -> Option<Option<Effect>> {
    let variable = shape.locations[location as usize].variable;
    let (signal, process) = Signal::of(program, variable)?;
    let first = shape.locations_of(variable).min()?;
    let thread = || shape.thread_name(program, shape.thread(process, location - first));
    Some(match (signal, read) {
        (Signal::Started, None) => Some(Effect::Created { thread: thread() }),
        (Signal::Ended, Some(Value::Int(1))) => Some(Effect::Joined { thread: thread() }),
        // That it starts or ends is told where somebody else does something about it.
        _ => None,
    })
}

pub(crate) fn cell(
    program: &Program,
    shape: &Shape,
    location: u32,
    value: Option<&Value>,
) -> (String, String) {
    let sort = program.variables[shape.locations[location as usize].variable as usize].sort;
    let value = value.map_or_else(|| "?".into(), |value| value_name(program, shape, sort, value));
    (shape.location_name(program, location), value)
}

fn local_value(program: &Program, shape: &Shape, state: &State, thread: ThreadId, local: u32) -> String {
    let info = &program.process(shape.info(thread).process).locals[local as usize];
    let value = &state.threads[thread.0 as usize].locals[local as usize];
    value_name(program, shape, info.sort, value)
}

fn sources_of_reads(execution: &Execution) -> BTreeMap<usize, Vec<u32>> {
    let mut result: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (number, event) in execution.events.iter().enumerate() {
        if let (EventKind::Read { .. }, Some(step)) = (&event.kind, event.step) {
            let write = execution.reads_from.iter().find(|(_, read)| *read == number as u32);
            result.entry(step).or_default().push(write.map_or(0, |(write, _)| *write));
        }
    }
    result
}

fn open_at_start(program: &Program, shape: &Shape, start: &State) -> Vec<(String, String)> {
    let mut cells = Vec::new();
    for (location, content) in shape.initial_memory(program).unwrap_or_default().iter().enumerate() {
        if content.is_none() {
            cells.push(cell(program, shape, location as u32, start.memory.get(location)));
        }
    }
    for thread in shape.thread_ids() {
        let locals = &program.process(shape.info(thread).process).locals;
        let contents = shape.initial_locals(program, thread).unwrap_or_default();
        for (number, content) in contents.iter().enumerate() {
            if content.is_none() && !locals[number].hidden {
                let name = format!("{}.{}", shape.thread_name(program, thread), locals[number].name);
                cells.push((name, local_value(program, shape, start, thread, number as u32)));
            }
        }
    }
    cells
}

pub(crate) fn violated(
    sources: &Sources,
    program: &Program,
    shape: &Shape,
    violation: &Violation,
) -> Violated {
    let edge =
        |thread: &ThreadId, edge: &EdgeId| program.process(shape.info(*thread).process).cfg.edge(*edge);
    let at = |kind, span: Span| Violated {
        kind,
        text: statement_text(sources, span),
        place: place(sources, span),
    };
    match violation {
        Violation::Assertion { thread, edge: id, op } => match edge(thread, id).ops.get(*op) {
            Some(Op::Assert { span, .. }) => at(ViolatedKind::Assert, *span),
            _ => at(ViolatedKind::Assert, edge(thread, id).origin.0),
        },
        Violation::Property { property } => {
            let property = &program.properties[*property];
            let kind = match property.kind {
                PropertyKind::Forbid => ViolatedKind::Forbid,
                PropertyKind::Always => ViolatedKind::Always,
                PropertyKind::Finally => match &program.condition {
                    Some(condition) if condition.question != Question::Forall => ViolatedKind::Exists,
                    _ => ViolatedKind::Finally,
                },
            };
            at(kind, property.span)
        }
        Violation::Fault { thread, edge: id, fault, .. } => {
            Violated { text: fault.to_string(), ..at(ViolatedKind::Fault, edge(thread, id).origin.0) }
        }
        Violation::Undefined { axiom } => {
            Violated { kind: ViolatedKind::Undefined, text: axiom.replace('-', " "), place: None }
        }
        Violation::Deadlock => Violated {
            kind: ViolatedKind::Deadlock,
            text: "nothing can move, and not all threads have ended".into(),
            place: None,
        },
    }
}

pub(crate) fn finish(
    sources: &Sources,
    program: &Program,
    shape: &Shape,
    state: &State,
    violation: &Violation,
    moves: &[Move],
) -> Finish {
    let mut locations: BTreeSet<u32> = BTreeSet::new();
    let mut locals: Vec<(ThreadId, u32)> = Vec::new();
    match violation {
        Violation::Property { property } => {
            program.properties[*property].formula.walk(&mut |term| match term.kind() {
                Kind::Address { variable, .. } => locations.extend(shape.locations_of(*variable)),
                Kind::LocalOf { process, copy, local } => {
                    let copy = copy.as_value().and_then(Value::as_int);
                    let threads = shape.thread_ids().filter(|thread| {
                        let info = shape.info(*thread);
                        info.process == ProcessId(*process)
                            && copy.is_none_or(|copy| copy == i64::from(info.copy))
                    });
                    locals.extend(threads.map(|thread| (thread, *local)));
                }
                _ => {}
            })
        }
        Violation::Assertion { thread, edge, op } => {
            let process = program.process(shape.info(*thread).process);
            if let Some(Op::Assert { condition, .. }) = process.cfg.edge(*edge).ops.get(*op) {
                let shown = condition.locals().into_iter();
                let shown = shown.filter(|local| !process.locals[*local as usize].hidden);
                locals.extend(shown.map(|local| (*thread, local)));
            }
        }
        Violation::Fault { .. } | Violation::Deadlock | Violation::Undefined { .. } => {}
    }
    let touched: BTreeSet<&str> = moves.iter().flat_map(|one| &one.effects).filter_map(location_of).collect();
    let all = shape.locations.len() <= FEW_LOCATIONS;
    let memory = (0..shape.locations.len() as u32)
        .filter(|at| Signal::of(program, shape.locations[*at as usize].variable).is_none())
        .filter(|at| {
            all || locations.contains(at) || touched.contains(shape.location_name(program, *at).as_str())
        })
        .map(|at| cell(program, shape, at, state.memory.get(at as usize)))
        .collect();
    let mut seen = BTreeSet::new();
    locals.retain(|local| seen.insert(*local));
    let locals = (locals.into_iter())
        .map(|(thread, local)| {
            let info = &program.process(shape.info(thread).process).locals[local as usize];
            let name = format!("{}.{}", shape.thread_name(program, thread), info.name);
            (name, local_value(program, shape, state, thread, local))
        })
        .collect();
    // Who never leaves the only point that there is says nothing by standing there.
    let moves_on = |thread: &ThreadId| {
        let points = &program.process(shape.info(*thread).process).cfg.points;
        points.len() > 1 || points.iter().any(|point| point.end)
    };
    let threads = shape.thread_ids().filter(moves_on);
    let standing = threads.map(|thread| standing(sources, program, shape, state, thread)).collect();
    Finish { standing, memory, locals, buffers: buffers(program, shape, state) }
}

fn location_of(effect: &Effect) -> Option<&str> {
    match effect {
        Effect::Read { location, .. }
        | Effect::Buffered { location, .. }
        | Effect::Stored { location, .. }
        | Effect::Wrote { location, .. }
        | Effect::Reached { location, .. } => Some(location),
        _ => None,
    }
}

fn standing(
    sources: &Sources,
    program: &Program,
    shape: &Shape,
    state: &State,
    thread: ThreadId,
) -> Standing {
    let cfg = &program.process(shape.info(thread).process).cfg;
    let point: Point = state.threads[thread.0 as usize].point;
    let info = cfg.point(point);
    let leaving = cfg.leaving(point).next().map(|edge| cfg.edge(edge).origin.0);
    // Who stopped in the middle of a step stands in it.
    let stopped = |edge: &&Edge| edge.to == point && edge.role == Role::Asserts;
    let stopped = || cfg.edges.iter().find(stopped).map(|edge| edge.origin.0);
    let span = (!info.origin.0.is_nowhere()).then_some(info.origin.0).or(leaving).or_else(stopped);
    Standing {
        thread: shape.thread_name(program, thread),
        label: info.labels.first().map(ToString::to_string),
        line: span.and_then(|span| place(sources, span)),
        ended: info.end,
    }
}

/// The stores of one entry of a buffer.
fn stores_of(stored: &Stored) -> Vec<(u32, &Value)> {
    match stored {
        Stored::Write { location, value } => vec![(*location, value)],
        Stored::Group(stores) => stores.iter().map(|(location, value)| (*location, value)).collect(),
        Stored::Barrier => vec![],
    }
}

/// What leaves a buffer when the oldest entry with this name does.
fn leaving(state: &State, thread: ThreadId, location: u32) -> Vec<(u32, &Value)> {
    let mut stores = state.stores[thread.0 as usize].iter();
    stores.find(|stored| stored.location() == Some(location)).map(stores_of).unwrap_or_default()
}

fn buffers(program: &Program, shape: &Shape, state: &State) -> Vec<(String, Vec<(String, String)>)> {
    let mut result = Vec::new();
    for thread in shape.thread_ids() {
        let stores = state.stores[thread.0 as usize].iter().flat_map(stores_of);
        let stores = stores.map(|(location, value)| cell(program, shape, location, Some(value)));
        let halves = state.halves[thread.0 as usize].iter().map(|half| match half {
            Half::Read { from, to, .. } => {
                let from = shape.location_name(program, *from);
                (shape.location_name(program, *to), format!("({from}, not read yet)"))
            }
            Half::Write { to, value, .. } => cell(program, shape, *to, Some(value)),
            Half::Atomic { at, .. } => (shape.location_name(program, *at), "(not updated yet)".into()),
        });
        let pending: Vec<(String, String)> = stores.chain(halves).collect();
        if !pending.is_empty() {
            result.push((shape.thread_name(program, thread), pending));
        }
    }
    result
}
