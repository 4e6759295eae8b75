//! The line of `fix`.

use serde_json::{Value, json};

use super::check::property;
use super::{SCHEMA, diagnostics, statistics, timed, translated};
use crate::{FixReport, FixVerdict, Placement, Rests};

pub fn fix(report: &FixReport, timing: bool) -> Value {
    let (mut count, mut source_count, mut minimal) = (Value::Null, Value::Null, json!(false));
    let (mut placements, mut sets, mut removed) = (json!([]), Value::Null, json!([]));
    let (mut proof, mut reason) = (Value::Null, Value::Null);
    match &report.verdict {
        FixVerdict::AlreadySafe { proof: of } => {
            (count, source_count, minimal) = (json!(0), json!(0), json!(true));
            proof = json!(of.word());
        }
        FixVerdict::Repaired { proof: of, count: n, source_count: s, minimal: m, sets: found, .. } => {
            (count, source_count, minimal) = (json!(n), json!(s), json!(m));
            proof = json!(of.word());
            placements = found.first().map_or_else(|| json!([]), |set| of_set(set));
            sets = Value::Array(found.iter().map(|set| of_set(set)).collect());
        }
        FixVerdict::Relaxed { proof: of, keep, remove, minimal: m, .. } => {
            (count, source_count, minimal) = (json!(keep.len()), json!(keep.len()), json!(m));
            proof = json!(of.word());
            (placements, removed) = (of_set(keep), of_set(remove));
        }
        FixVerdict::Unrepairable { why } => reason = json!(why),
        FixVerdict::Unknown { reason: why } => reason = json!(why.to_string()),
        FixVerdict::Error => {}
        FixVerdict::Internal { what } => reason = json!(format!("internal error: {what}")),
    }
    let object = json!({
        "schema": SCHEMA,
        "file": report.file,
        "model": report.model,
        "property": property(report.property),
        "engine": report.engine,
        "verdict": report.verdict.word(),
        "count": count,
        "minimal": minimal,
        "source_count": source_count,
        "placements": placements,
        "sets": sets,
        "removed": removed,
        "diff": report.diff(),
        "proof": proof,
        "reason": reason,
        "statistics": statistics(&report.statistics, timing),
        "diagnostics": diagnostics(&report.sources, &report.diagnostics),
        "translated": translated(&report.translated),
        "rests_on": report.rests().map(Rests::word),
        "notes": report.notes,
    });
    timed(object, report.seconds, timing)
}

fn of_set(set: &[Placement]) -> Value {
    let one = |placement: &Placement| {
        let fields = json!({
            "thread": placement.thread,
            "copy": placement.copy,
            "line": placement.line,
            "after": placement.after,
            "kind": placement.kind,
            "target": placement.target,
        });
        super::in_file(fields, placement.file.as_deref())
    };
    Value::Array(set.iter().map(one).collect())
}
