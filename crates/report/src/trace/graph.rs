//! Execution graphs in saved traces.
//!
//! Written is what nobody derives: the edges that each thread takes and what their choices chose, its accesses with the values that
//! they read and write, who reads from whom, and the order of the writes of each location. Tags and dependencies are the judge's to
//! find, from the text; so `replay` needs no word of them, and a trace cannot lie about them.

use std::ops::Range;

use serde_json::{Value as Json, json};
use wattle_engine::Path;
use wattle_memory::{Event, EventKind, Execution};
use wattle_program::{EdgeId, Orders, Tags, ThreadId};

use super::{TraceError, bad, integer, list, read_value, small, write_value};

pub(super) fn write_paths(paths: &[Path]) -> Json {
    let step = |(edge, choices): &(EdgeId, Vec<i64>)| json!({"step": edge.0, "choices": choices});
    paths.iter().map(|path| path.iter().map(step).collect::<Json>()).collect()
}

pub(super) fn read_paths(json: &Json) -> Result<Vec<Path>, TraceError> {
    let step = |step: &Json| {
        let choices = list(&step["choices"])?.iter().map(integer).collect::<Result<_, _>>()?;
        Ok((EdgeId(small(&step["step"])?), choices))
    };
    list(json)?.iter().map(|path| list(path)?.iter().map(step).collect()).collect()
}

pub(super) fn write(execution: &Execution) -> Json {
    json!({
        "events": execution.events.iter().map(write_event).collect::<Json>(),
        "reads_from": execution.reads_from,
        "coherence": execution.coherence,
    })
}

/// Numbers of events are numbers of events that there are.
pub(super) fn read(json: &Json) -> Result<Execution, TraceError> {
    let events: Vec<Event> = list(&json["events"])?.iter().map(read_event).collect::<Result<_, _>>()?;
    let known = 0..events.len() as u32;
    let event = |json: &Json| number_in(json, &known);
    let pair = |pair: &Json| Ok((event(&pair[0])?, event(&pair[1])?));
    let order = |order: &Json| list(order)?.iter().map(event).collect::<Result<_, _>>();
    let execution = Execution {
        reads_from: list(&json["reads_from"])?.iter().map(pair).collect::<Result<_, _>>()?,
        coherence: list(&json["coherence"])?.iter().map(order).collect::<Result<_, _>>()?,
        events,
        ..Execution::default()
    };
    let locations = 0..execution.coherence.len() as u32;
    match execution.events.iter().filter_map(Event::location).all(|at| locations.contains(&at)) {
        true => Ok(execution),
        false => bad("an event is at a location that has no order of writes"),
    }
}

fn number_in(json: &Json, known: &Range<u32>) -> Result<u32, TraceError> {
    let number = small(json)?;
    if known.contains(&number) { Ok(number) } else { bad("there is no event with such a number") }
}

fn write_event(event: &Event) -> Json {
    let kind = match &event.kind {
        EventKind::Read { location, value } => json!({"read": write_value(value), "location": location}),
        EventKind::Write { location, value } => json!({"write": write_value(value), "location": location}),
        EventKind::Update { location, read, written } => {
            json!({"read": write_value(read), "write": write_value(written), "location": location})
        }
        EventKind::Fence => json!({}),
    };
    let by = event.thread.zip(event.edge).map(|(thread, edge)| {
        json!({"thread": thread.0, "step": edge.0, "position": event.instruction, "locked": event.locked, "orders": event.orders.0})
    });
    json!({"kind": kind, "by": by})
}

fn read_event(json: &Json) -> Result<Event, TraceError> {
    let (kind, by) = (&json["kind"], &json["by"]);
    let location = || small(&kind["location"]);
    let kind = match (kind["read"].is_null(), kind["write"].is_null()) {
        (true, true) => EventKind::Fence,
        (false, true) => EventKind::Read { location: location()?, value: read_value(&kind["read"])? },
        (true, false) => EventKind::Write { location: location()?, value: read_value(&kind["write"])? },
        (false, false) => EventKind::Update {
            location: location()?,
            read: read_value(&kind["read"])?,
            written: read_value(&kind["write"])?,
        },
    };
    let initial = Event { kind, ..Event::initial(0, wattle_logic::Value::Int(0)) };
    if by.is_null() {
        return Ok(initial);
    }
    Ok(Event {
        thread: Some(ThreadId(small(&by["thread"])?)),
        edge: Some(EdgeId(small(&by["step"])?)),
        instruction: small(&by["position"])?,
        locked: by["locked"].as_bool().unwrap_or(false),
        orders: Orders(u8::try_from(small(&by["orders"])?).unwrap_or(0)),
        tags: Tags::new(),
        ..initial
    })
}
