//! The field `counterexample`.

use serde_json::{Map, Value, json};
use wattle_source::Position;

use crate::{Actor, Effect, Link, Move, Story, Via, Writer};

pub(super) fn story(story: &Story) -> Value {
    let violated = &story.violated;
    let finish = &story.finish;
    let standing: Vec<Value> = (finish.standing.iter())
        .map(|one| {
            let standing =
                json!({"thread": one.thread, "label": one.label, "line": null, "ended": one.ended});
            at_line(story, standing, one.line)
        })
        .collect();
    let pending: Map<String, Value> =
        finish.buffers.iter().map(|(thread, stores)| (thread.clone(), cells_in_order(stores))).collect();
    json!({
        "violated": at(
            story,
            json!({"kind": violated.kind.word(), "text": violated.text, "line": null, "column": null}),
            violated.place,
        ),
        "holds_under_sc": story.holds_under_sc,
        "threads": story.threads,
        "start": cells(&story.start),
        "timeless": story.timeless,
        "cycle": story.cycle.iter().map(link).collect::<Vec<_>>(),
        "moves": story.moves.iter().map(|one| one_move(story, one)).collect::<Vec<_>>(),
        "final": {
            "threads": standing,
            "memory": cells(&finish.memory),
            "locals": cells(&finish.locals),
            "pending": pending,
        },
    })
}

pub(super) fn link(link: &Link) -> Value {
    let fields =
        json!({"thread": link.thread, "line": link.line, "event": link.event, "relation": link.relation});
    super::in_file(fields, link.file.as_deref())
}

fn at_line(story: &Story, mut fields: Value, place: Option<Position>) -> Value {
    fields["line"] = json!(place.map(|place| place.line));
    super::in_file(fields, place.and_then(|place| story.file(place)))
}

fn at(story: &Story, mut fields: Value, place: Option<Position>) -> Value {
    fields["column"] = json!(place.map(|place| place.column));
    at_line(story, fields, place)
}

fn one_move(story: &Story, one: &Move) -> Value {
    let fields = json!({
        "thread": story.threads.get(one.thread),
        "actor": match one.actor {
            Actor::Thread => "thread",
            Actor::Buffer => "buffer",
            Actor::Network => "network",
        },
        "line": null,
        "column": null,
        "statement": one.statement,
        "effects": one.effects.iter().map(|effect| of_effect(story, effect)).collect::<Vec<_>>(),
    });
    at(story, fields, one.place)
}

fn of_effect(story: &Story, effect: &Effect) -> Value {
    match effect {
        Effect::Read { location, value, via, writer, unseen } => json!({
            "kind": "read",
            "location": location,
            "value": value,
            "via": match via {
                Via::Memory => "memory",
                Via::OwnBuffer => "buffer",
            },
            "from": match writer {
                Writer::Initial => Value::Null,
                Writer::Thread { thread, line } => {
                    at_line(story, json!({"thread": story.threads.get(*thread)}), *line)
                }
            },
            "unseen": unseen
                .iter()
                .map(|(thread, value)| json!({"thread": thread, "value": value}))
                .collect::<Vec<_>>(),
        }),
        Effect::Buffered { location, value } => {
            json!({"kind": "buffered", "location": location, "value": value})
        }
        Effect::Stored { location, value } => json!({"kind": "stored", "location": location, "value": value}),
        Effect::Wrote { location, value } => json!({"kind": "wrote", "location": location, "value": value}),
        Effect::Reached { location, value, line } => {
            at_line(story, json!({"kind": "reached", "location": location, "value": value}), *line)
        }
        Effect::Local { name, value } => json!({"kind": "local", "name": name, "value": value}),
        Effect::Chosen { name, value } => json!({"kind": "chosen", "name": name, "value": value}),
        Effect::Fence => json!({"kind": "fence"}),
        Effect::Started { what } => json!({"kind": "started", "what": what}),
        Effect::Created { thread } => json!({"kind": "created", "thread": thread}),
        Effect::Joined { thread } => json!({"kind": "joined", "thread": thread}),
        Effect::Flushed { target } => json!({"kind": "flushed", "target": target}),
        Effect::Failed { assertion } => json!({"kind": "failed", "assertion": assertion}),
        Effect::Fault { what } => json!({"kind": "fault", "what": what}),
    }
}

fn cells(cells: &[(String, String)]) -> Value {
    Value::Object(cells.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
}

/// A list, because a buffer may hold several stores to one location.
fn cells_in_order(cells: &[(String, String)]) -> Value {
    cells.iter().map(|(name, value)| json!({"location": name, "value": value})).collect()
}
