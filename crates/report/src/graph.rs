//! From the execution graph of a counterexample to its [`Story`].
//!
//! Where a model has no machine, moves have no order in time: a counterexample says what each thread did and which
//! write each load read, and no more. So the story goes through the threads one after another, and the
//! cycle that sequential consistency forbids shows how they are connected.

use wattle_engine::{Counterexample, Violation};
use wattle_memory::operational::State;
use wattle_memory::{Event, EventKind, Execution};
use wattle_program::{EdgeId, Program, Shape, ThreadId};
use wattle_source::{Position, Sources, Span};

use crate::cycle::sc_cycle;
use crate::tell::{cell, finish, place, signal, statement_text, violated};
use crate::{Actor, Effect, Move, Story, Via, Writer};

/// The story of a graph that ends in `state`.
pub fn tell_graph(
    sources: &Sources,
    program: &Program,
    counterexample: &Counterexample,
    culprits: &[u32],
    state: &State,
) -> Option<Story> {
    let shape = Shape::new(program).ok()?;
    let execution = counterexample.execution.as_ref()?;
    let teller = Teller { sources, program, shape: &shape, execution };
    let of_thread = |thread| {
        let mut rows = teller.thread(thread);
        teller.fault(thread, counterexample, &mut rows);
        rows.into_iter().map(|row| row.one)
    };
    let moves: Vec<Move> = shape.thread_ids().flat_map(of_thread).collect();
    let mut violated = violated(sources, program, &shape, &counterexample.violated);
    if !culprits.is_empty() {
        let accesses: Vec<String> = culprits.iter().map(|event| teller.access(*event)).collect();
        violated.text = format!("{}: {}", violated.text, accesses.join(" and "));
        violated.place = culprits.last().and_then(|event| teller.place(*event));
    }
    Some(Story {
        threads: shape.thread_ids().map(|thread| shape.thread_name(program, thread)).collect(),
        files: sources.names(),
        start: vec![],
        violated,
        finish: finish(sources, program, &shape, state, &counterexample.violated, &moves),
        moves,
        timeless: true,
        cycle: sc_cycle(sources, program, &shape, execution),
        holds_under_sc: None,
    })
}

struct Teller<'a> {
    sources: &'a Sources,
    program: &'a Program,
    shape: &'a Shape,
    execution: &'a Execution,
}

/// What is told in one row: the last of its instructions, and the edges of all of them.
struct Row {
    instruction: u32,
    edges: Vec<EdgeId>,
    one: Move,
}

impl Row {
    /// One statement may become an access with a fence before it and one after it. (If it comes round again, it is told again.)
    fn takes(&self, edge: EdgeId, next: &Move) -> bool {
        let same = (self.one.place, &self.one.statement) == (next.place, &next.statement);
        same && !self.edges.contains(&edge) && (only_fences(&self.one) || only_fences(next))
    }

    fn join(&mut self, edge: EdgeId, instruction: u32, next: Move) {
        self.instruction = instruction;
        self.edges.push(edge);
        let told = self.one.effects.contains(&Effect::Fence);
        self.one.effects.extend(next.effects.into_iter().filter(|effect| !told || *effect != Effect::Fence));
    }
}

fn only_fences(one: &Move) -> bool {
    one.effects.iter().all(|effect| *effect == Effect::Fence)
}

impl Teller<'_> {
    fn place(&self, event: u32) -> Option<Position> {
        place(self.sources, self.origin(event)?)
    }

    fn origin(&self, event: u32) -> Option<Span> {
        let event = self.execution.events.get(event as usize)?;
        let process = self.program.process(self.shape.info(event.thread?).process);
        Some(process.cfg.edge(event.edge?).origin.0)
    }

    /// The statement of an event, where it stands and whose it is.
    fn access(&self, event: u32) -> String {
        let Some(origin) = self.origin(event) else { return "an initial value".into() };
        let thread = self.execution.events[event as usize].thread;
        let thread = thread.map(|thread| self.shape.thread_name(self.program, thread)).unwrap_or_default();
        let line = place(self.sources, origin);
        let line = line.map(|place| format!(", line {}", self.sources.line_name(place)));
        format!("`{}` of {thread}{}", statement_text(self.sources, origin), line.unwrap_or_default())
    }

    /// One move an instruction that touches memory.
    fn thread(&self, thread: ThreadId) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for (number, event) in self.execution.events.iter().enumerate() {
            let (true, Some(edge)) = (event.thread == Some(thread), event.edge) else { continue };
            let effects = self.effects(number as u32, event);
            if effects.is_empty() {
                continue;
            }
            match rows.last_mut() {
                Some(last) if last.instruction == event.instruction => last.one.effects.extend(effects),
                last => {
                    let one = self.step(thread, edge, effects);
                    match last {
                        Some(last) if last.takes(edge, &one) => last.join(edge, event.instruction, one),
                        _ => rows.push(Row { instruction: event.instruction, edges: vec![edge], one }),
                    }
                }
            }
        }
        rows
    }

    /// The step without a result in which the thread ends, if that is the violation. It may have done something before.
    fn fault(&self, thread: ThreadId, counterexample: &Counterexample, rows: &mut Vec<Row>) {
        let Violation::Fault { thread: faulty, edge, fault, .. } = &counterexample.violated else { return };
        if thread != *faulty {
            return;
        }
        let effect = Effect::Fault { what: fault.to_string() };
        let instruction = counterexample.paths[thread.0 as usize].len() as u32 - 1;
        match rows.last_mut() {
            Some(last) if last.instruction == instruction => last.one.effects.push(effect),
            _ => rows.push(Row {
                instruction,
                edges: vec![*edge],
                one: self.step(thread, *edge, vec![effect]),
            }),
        }
    }

    fn step(&self, thread: ThreadId, edge: EdgeId, effects: Vec<Effect>) -> Move {
        let origin = self.program.process(self.shape.info(thread).process).cfg.edge(edge).origin.0;
        Move {
            thread: thread.0 as usize,
            actor: Actor::Thread,
            place: place(self.sources, origin),
            statement: statement_text(self.sources, origin),
            effects,
        }
    }

    fn effects(&self, number: u32, event: &Event) -> Vec<Effect> {
        let read = |location, value| {
            let (location, value) = cell(self.program, self.shape, location, Some(value));
            Effect::Read { location, value, via: Via::Memory, writer: self.writer(number), unseen: vec![] }
        };
        let wrote = |location, value| {
            let (location, value) = cell(self.program, self.shape, location, Some(value));
            Effect::Wrote { location, value }
        };
        let signal = |location, read| signal(self.program, self.shape, location, read);
        let signalled = match &event.kind {
            EventKind::Read { location, value } => signal(*location, Some(value)),
            EventKind::Write { location, .. } => signal(*location, None),
            _ => None,
        };
        if let Some(signalled) = signalled {
            return signalled.into_iter().collect();
        }
        match &event.kind {
            EventKind::Read { location, value } => vec![read(*location, value)],
            EventKind::Write { location, value } => vec![wrote(*location, value)],
            EventKind::Update { location, read: old, written } => {
                vec![read(*location, old), wrote(*location, written)]
            }
            EventKind::Fence => vec![Effect::Fence],
        }
    }

    fn writer(&self, read: u32) -> Writer {
        let write = self.execution.reads_from.iter().find(|(_, other)| *other == read);
        let event = write.and_then(|(write, _)| self.execution.events.get(*write as usize));
        match event.and_then(|event| Some((event.thread?, event.edge?))) {
            None => Writer::Initial,
            Some((thread, edge)) => {
                let origin = self.program.process(self.shape.info(thread).process).cfg.edge(edge).origin.0;
                let line = place(self.sources, origin);
                Writer::Thread { thread: thread.0 as usize, line }
            }
        }
    }
}
