//! Why an execution is not sequentially consistent: a shortest cycle of program order and of the
//! relations through memory.
//!
//! Sequential consistency says that po, rf, co and fr fit into one order (Shasha and Snir 1988;
//! Alglave et al. 2013), so a cycle among them is the whole reason. A shortest one names nothing that
//! does not matter. Stores that have not reached memory yet come after those that have: they cannot
//! reach it earlier any more.

use std::collections::VecDeque;

use wattle_memory::{Event, EventKind, Execution};
use wattle_program::{Program, Shape};
use wattle_source::Sources;

use crate::names::value_name;

/// One event of a cycle, and how it is related to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The name of the thread; empty for an initial write.
    pub thread: String,
    pub line: Option<u32>,
    /// `W x=1`, `R y=0`.
    pub event: String,
    /// `po`, `rf`, `co`, `fr`.
    pub relation: String,
}

/// Empty: there is none, and the execution is sequentially consistent.
pub fn sc_cycle(sources: &Sources, program: &Program, shape: &Shape, execution: &Execution) -> Vec<Link> {
    let links = Links::new(execution);
    let shortest = (0..execution.events.len()).filter_map(|start| links.shortest_from(start));
    let Some(cycle) = shortest.min_by_key(Vec::len) else { return vec![] };
    (cycle.into_iter())
        .map(|(event, relation)| link(sources, program, shape, &execution.events[event], relation))
        .collect()
}

/// An event as one link of a chain.
pub fn link(sources: &Sources, program: &Program, shape: &Shape, event: &Event, relation: &str) -> Link {
    let line = event.thread.zip(event.edge).and_then(|(thread, edge)| {
        let span = program.process(shape.info(thread).process).cfg.edge(edge).origin.0;
        (!span.is_nowhere()).then(|| sources.start(span).line)
    });
    Link {
        thread: event.thread.map(|thread| shape.thread_name(program, thread)).unwrap_or_default(),
        line,
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

/// The edges from each event.
struct Links(Vec<Vec<(usize, &'static str)>>);

impl Links {
    fn new(execution: &Execution) -> Links {
        let events = &execution.events;
        let mut links = vec![Vec::new(); events.len()];
        let mut written: Vec<(u32, Vec<u32>)> = Vec::new();
        for (location, order) in execution.coherence.iter().enumerate() {
            let known = |number: u32| order.contains(&number);
            let pending = (0..events.len() as u32).filter(|number| {
                let event = &events[*number as usize];
                event.written().is_some() && event.location() == Some(location as u32) && !known(*number)
            });
            // Those that wait are not ordered among each other; one at a time comes last.
            let pending: Vec<u32> = pending.collect();
            for (position, write) in order.iter().enumerate() {
                let later = order[position + 1..].iter().chain(&pending).copied().collect();
                written.push((*write, later));
            }
        }
        let overwrites = |write: u32| written.iter().find(|(one, _)| *one == write).map(|(_, later)| later);
        for (one, event) in events.iter().enumerate() {
            for (other, next) in events.iter().enumerate() {
                let same = event.thread.is_some() && event.thread == next.thread;
                // Within a step that reads and writes, the read comes first.
                let later = event.instruction < next.instruction
                    || event.instruction == next.instruction && one < other;
                if same && later {
                    links[one].push((other, "po"));
                }
            }
        }
        for (write, read) in &execution.reads_from {
            links[*write as usize].push((*read as usize, "rf"));
            for later in overwrites(*write).into_iter().flatten().filter(|later| *later != read) {
                links[*read as usize].push((*later as usize, "fr"));
            }
        }
        for (write, later) in &written {
            links[*write as usize].extend(later.iter().map(|later| (*later as usize, "co")));
        }
        Links(links)
    }

    /// The shortest way from an event back to itself, with the relation that leaves each event.
    fn shortest_from(&self, start: usize) -> Option<Vec<(usize, &'static str)>> {
        let mut before: Vec<Option<(usize, &'static str)>> = vec![None; self.0.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(event) = queue.pop_front() {
            for (next, relation) in &self.0[event] {
                if before[*next].is_some() {
                    continue;
                }
                before[*next] = Some((event, relation));
                if *next == start {
                    return Some(way_back(&before, start));
                }
                queue.push_back(*next);
            }
        }
        None
    }
}

fn way_back(before: &[Option<(usize, &'static str)>], start: usize) -> Vec<(usize, &'static str)> {
    let mut cycle = Vec::new();
    let mut at = start;
    while let Some((previous, relation)) = before[at] {
        cycle.push((previous, relation));
        at = previous;
        if at == start {
            break;
        }
    }
    cycle.reverse();
    cycle
}
