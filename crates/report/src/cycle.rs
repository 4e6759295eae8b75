//! Cycles of events with the names that the text has.
//!
//! Sequential consistency says that po, rf, co and fr fit into one order (Shasha and Snir 1988;
//! Alglave et al. 2013), so a cycle among them is the whole reason why an execution is not one of its
//! own; another model's axiom names another cycle. Stores that have not reached memory yet come after
//! those that have: they cannot reach it earlier any more.

use wattle_memory::axiomatic::{Judgement, explain_cycle, relation};
use wattle_memory::{Event, EventKind, Execution};
use wattle_program::{Program, Shape};
use wattle_source::{FileId, Sources};

use crate::names::value_name;

/// One event of a cycle, and how it is related to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The name of the thread; empty for an initial write.
    pub thread: String,
    pub line: Option<u32>,
    /// The file of the line, if it is not the first.
    pub file: Option<String>,
    /// `W x=1`, `R y=0`.
    pub event: String,
    /// `po`, `rf`, `co`, `fr`.
    pub relation: String,
}

impl Link {
    /// The line: its number, behind the name of its file if that is not the first.
    pub(crate) fn line_name(&self) -> String {
        let file = self.file.as_deref().map(|file| file.rsplit('/').next().unwrap_or(file));
        match (file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (None, Some(line)) => line.to_string(),
            (_, None) => String::new(),
        }
    }
}

/// Empty: there is none, and the execution is sequentially consistent.
pub fn sc_cycle(sources: &Sources, program: &Program, shape: &Shape, execution: &Execution) -> Vec<Link> {
    let steps = explain_cycle(&completed(execution)).unwrap_or_default();
    (steps.into_iter())
        .map(|(event, relation, _)| {
            link(sources, program, shape, &execution.events[event as usize], relation)
        })
        .collect()
}

/// Where an axiom of any model fails. Steps that are more than one step of the execution (through a
/// fence, or through other threads) have no name of their own.
pub fn axiom_cycle(
    sources: &Sources,
    program: &Program,
    shape: &Shape,
    execution: &Execution,
    broken: &Judgement,
) -> Vec<Link> {
    let mut named: Vec<(&str, _)> = Vec::new();
    for name in ["rf", "co", "po", "rmw"] {
        named.extend(relation(execution, name).map(|pairs| (name, pairs)));
    }
    let witness = &broken.witness;
    let successors = witness.iter().cycle().skip(1);
    (witness.iter().zip(successors))
        .map(|(event, next)| {
            let known = named.iter().find(|(_, pairs)| pairs.contains(*event, *next));
            let name = known.map_or_else(|| from_read(execution, *event, *next), |(name, _)| name);
            link(sources, program, shape, &execution.events[*event as usize], name)
        })
        .collect()
}

fn from_read(execution: &Execution, read: u32, write: u32) -> &'static str {
    let source = execution.reads_from.iter().find(|(_, other)| *other == read).map(|(source, _)| *source);
    let overwritten = execution.coherence.iter().any(|order| {
        let place = |event: u32| order.iter().position(|other| *other == event);
        source.and_then(place).zip(place(write)).is_some_and(|(source, write)| source < write)
    });
    if overwritten { "fr" } else { "…" }
}

/// The execution with all its stores in memory.
fn completed(execution: &Execution) -> Execution {
    let mut completed = execution.clone();
    for (number, event) in execution.events.iter().enumerate() {
        if let (Some(location), Some(_)) = (event.location(), event.written())
            && let Some(order) = completed.coherence.get_mut(location as usize)
            && !order.contains(&(number as u32))
        {
            order.push(number as u32);
        }
    }
    completed
}

/// An event as one link of a chain.
pub(crate) fn link(
    sources: &Sources,
    program: &Program,
    shape: &Shape,
    event: &Event,
    relation: &str,
) -> Link {
    let line = event.thread.zip(event.edge).and_then(|(thread, edge)| {
        let span = program.process(shape.info(thread).process).cfg.edge(edge).origin.0;
        (!span.is_nowhere()).then(|| sources.start(span))
    });
    Link {
        thread: event.thread.map(|thread| shape.thread_name(program, thread)).unwrap_or_default(),
        line: line.map(|place| place.line),
        file: (line.filter(|place| place.file != FileId::default()))
            .map(|place| sources.name(place.file).to_owned()),
        event: event_name(program, shape, event),
        relation: relation.to_owned(),
    }
}

/// `W x=1`, `R y=0`, `RW l=0→1`, `F`.
fn event_name(program: &Program, shape: &Shape, event: &Event) -> String {
    let at = |location: u32| {
        let sort = program.variables[shape.locations[location as usize].variable as usize].sort;
        (shape.location_name(program, location), sort)
    };
    match &event.kind {
        EventKind::Fence => "F".into(),
        EventKind::Read { location, value } => {
            let (name, sort) = at(*location);
            format!("R {name}={}", value_name(program, shape, sort, value))
        }
        EventKind::Write { location, value } => {
            let (name, sort) = at(*location);
            format!("W {name}={}", value_name(program, shape, sort, value))
        }
        EventKind::Update { location, read, written } => {
            let (name, sort) = at(*location);
            let value = |value| value_name(program, shape, sort, value);
            format!("RW {name}={}→{}", value(read), value(written))
        }
    }
}
