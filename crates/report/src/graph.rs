//! From the execution graph of a counterexample to its [`Story`].
//!
//! Where a model has no machine, moves have no order in time: a counterexample says what each thread did and which
//! write each load read, and no more. So the story goes through the threads one after another, and the
//! cycle that sequential consistency forbids shows how they are connected.

use wattle_engine::Counterexample;
use wattle_memory::operational::State;
use wattle_memory::{Event, EventKind, Execution};
use wattle_program::{Program, Shape, ThreadId};
use wattle_source::Sources;

use crate::cycle::sc_cycle;
use crate::tell::{cell, finish, place, statement_text, violated};
use crate::{Actor, Effect, Move, Story, Via, Writer};

/// The story of a graph that ends in `state`.
pub fn tell_graph(
    sources: &Sources,
    program: &Program,
    counterexample: &Counterexample,
    state: &State,
) -> Option<Story> {
    let shape = Shape::new(program).ok()?;
    let execution = counterexample.execution.as_ref()?;
    let teller = Teller { sources, program, shape: &shape, execution };
    let moves: Vec<Move> = shape.thread_ids().flat_map(|thread| teller.thread(thread)).collect();
    Some(Story {
        threads: shape.thread_ids().map(|thread| shape.thread_name(program, thread)).collect(),
        start: vec![],
        violated: violated(sources, program, &shape, &counterexample.violated),
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

impl Teller<'_> {
    /// One move an instruction that touches memory.
    fn thread(&self, thread: ThreadId) -> Vec<Move> {
        let mut moves: Vec<(u32, Move)> = Vec::new();
        for (number, event) in self.execution.events.iter().enumerate() {
            let (true, Some(edge)) = (event.thread == Some(thread), event.edge) else { continue };
            let effects = self.effects(number as u32, event);
            match moves.last_mut() {
                Some((instruction, last)) if *instruction == event.instruction => {
                    last.effects.extend(effects)
                }
                _ => {
                    let origin =
                        self.program.process(self.shape.info(thread).process).cfg.edge(edge).origin.0;
                    let one = Move {
                        thread: thread.0 as usize,
                        actor: Actor::Thread,
                        place: place(self.sources, origin),
                        statement: statement_text(self.sources, origin),
                        effects,
                    };
                    moves.push((event.instruction, one));
                }
            }
        }
        moves.into_iter().map(|(_, one)| one).collect()
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
                let line = place(self.sources, origin).map(|place| place.line);
                Writer::Thread { thread: thread.0 as usize, line }
            }
        }
    }
}
