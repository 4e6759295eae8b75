//! Results for programs: one JSON object a line. Field names are part of the interface; [`schema`]
//! describes them, and a test holds the two together.

mod check;
mod fix;
mod outcomes;
mod port;
mod schema;
mod story;

use serde_json::{Map, Value, json};
use wattle_engine::{Figure, Statistics};
use wattle_source::{Diagnostic, FileId, Severity, Sources};

pub use check::check;
pub use fix::fix;
pub use outcomes::outcomes;
pub use port::port;
pub use schema::{COMMANDS, schema};

use crate::{Changed, Translated};

/// The version of the field names. It grows when a field changes its meaning or goes away.
pub const SCHEMA: u32 = 1;

fn diagnostics(sources: &Sources, diagnostics: &[Diagnostic]) -> Value {
    let one = |diagnostic: &Diagnostic| {
        let span = diagnostic.span();
        let place = sources.start(span);
        let mut fields = json!({
            "code": diagnostic.code.name(),
            "severity": match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            "message": diagnostic.message,
            "line": place.line,
            "column": place.column,
            "help": diagnostic.help,
        });
        // The line is one of the input, unless this says that it is one of a file that the input includes.
        if span.file != FileId::default() {
            fields["file"] = json!(sources.name(span.file));
        }
        fields
    };
    Value::Array(diagnostics.iter().map(one).collect())
}

/// Lines are those of the first file unless this says something else.
fn in_file(mut fields: Value, file: Option<&str>) -> Value {
    if let Some(file) = file {
        fields["file"] = json!(file);
    }
    fields
}

/// Without timing, only figures that are the same in every run.
fn statistics(statistics: &Statistics, timing: bool) -> Value {
    let mut map = Map::new();
    for (name, figure) in &statistics.0 {
        let value = match figure {
            Figure::Count(count) => json!(count),
            Figure::Bytes(bytes) if timing => json!(bytes),
            Figure::Seconds(seconds) if timing => json!(seconds),
            Figure::Bytes(_) | Figure::Seconds(_) => continue,
        };
        map.insert((*name).to_owned(), value);
    }
    Value::Object(map)
}

/// What is not as it was written.
fn translated(translated: &Translated) -> Value {
    let one = |change: &Changed| {
        json!({
            "written": change.written,
            "line": change.line,
            "became": change.became,
            "stronger": change.stronger,
            "weaker": change.weaker,
        })
    };
    translated.changes.iter().map(one).collect()
}

/// Add `seconds` only if times are wanted.
fn timed(mut object: Value, seconds: f64, timing: bool) -> Value {
    if let (true, Some(map)) = (timing, object.as_object_mut()) {
        map.insert("seconds".into(), json!((seconds * 1000.0).round() / 1000.0));
    }
    object
}
