//! The line of `check` and `compare`.

use serde_json::{Value, json};
use wattle_engine::{Bound, Certificate, Property, Statistics};

use super::{SCHEMA, diagnostics, statistics, story, timed, translated};
use crate::{CheckReport, CheckVerdict, Rests};

pub fn check(report: &CheckReport, timing: bool) -> Value {
    let (bound, reason, certificate, counterexample) = match &report.verdict {
        CheckVerdict::Safe { certificate } => {
            (Value::Null, Value::Null, of_certificate(certificate, &report.statistics), Value::Null)
        }
        CheckVerdict::Bounded { bound } => (of_bound(bound), Value::Null, Value::Null, Value::Null),
        CheckVerdict::Unsafe { story } => (Value::Null, Value::Null, Value::Null, story::story(story)),
        CheckVerdict::Unknown { reason } => {
            (Value::Null, json!(reason.to_string()), Value::Null, Value::Null)
        }
        CheckVerdict::Error => (Value::Null, Value::Null, Value::Null, Value::Null),
        CheckVerdict::Internal { what } => {
            (Value::Null, json!(format!("internal error: {what}")), Value::Null, Value::Null)
        }
    };
    let copies: serde_json::Map<String, Value> =
        report.copies.iter().map(|(process, count)| (process.clone(), json!(count))).collect();
    let object = json!({
        "schema": SCHEMA,
        "file": report.file,
        "model": report.model,
        "property": property(report.property),
        "engine": report.engine,
        "verdict": report.verdict.word(),
        "bound": bound,
        "reason": reason,
        "confirmed": report.confirmed,
        "certified": report.certified,
        "certificate": certificate,
        "statistics": statistics(&report.statistics, timing),
        "counterexample": counterexample,
        "litmus": report.litmus,
        "diagnostics": diagnostics(&report.sources, &report.diagnostics),
        "translated": translated(&report.translated),
        "rests_on": report.rests().map(Rests::word),
        "copies": copies,
        "notes": report.notes,
    });
    timed(object, report.seconds, timing)
}

pub(super) fn property(property: Property) -> &'static str {
    match property {
        Property::Stated => "stated",
        Property::NoDeadlock => "no_deadlock",
    }
}

pub(super) fn of_bound(bound: &Bound) -> Value {
    match bound {
        Bound::Capacity(capacity) => json!({"kind": "capacity", "capacity": capacity}),
        Bound::Covered => json!({"kind": "covered"}),
        Bound::Unwinding(unwind) => json!({"kind": "unwinding", "unwind": unwind}),
    }
}

fn of_certificate(certificate: &Certificate, statistics: &Statistics) -> Value {
    match certificate {
        Certificate::StateSpace { capacity } => json!({
            "kind": "state_space", "states": statistics.counted("states"), "capacity": capacity,
        }),
        Certificate::Executions { .. } => {
            json!({"kind": "executions", "executions": statistics.counted("executions")})
        }
        Certificate::Abstraction(proof) => json!({
            "kind": "abstraction", "predicates": proof.predicates.len(), "triples": proof.triples.len(),
            "states": proof.states.len(),
        }),
        Certificate::Cubes(proof) => json!({"kind": "cubes", "cubes": proof.cubes.len()}),
        Certificate::Refutation(proof) => {
            let steps = proof.as_ref().map(|proof| proof.steps());
            json!({"kind": "refutation", "steps": steps})
        }
    }
}
