//! The line of `compare --from … --to …`.

use serde_json::{Map, Value, json};

use super::story::link;
use super::{SCHEMA, diagnostics, timed, translated};
use crate::{PortReport, PortVerdict, Rests, Translated};

pub fn port(report: &PortReport, timing: bool) -> Value {
    let (outcomes, gone, reason) = match &report.verdict {
        PortVerdict::Compared { names, fresh, gone } => {
            let one = |state: &crate::Fresh| {
                let cells = names.iter().cloned().zip(state.values.iter().map(|value| json!(value)));
                json!({
                    "state": cells.collect::<Map<_, _>>(),
                    "holds": state.holds,
                    "axiom": state.axiom,
                    "cycle": state.cycle.iter().map(link).collect::<Vec<_>>(),
                })
            };
            (fresh.iter().map(one).collect(), Some(*gone), Value::Null)
        }
        PortVerdict::Unknown { model, reason } => (vec![], None, json!(format!("under {model}: {reason}"))),
        PortVerdict::Internal { what } => (vec![], None, json!(format!("internal error: {what}"))),
        PortVerdict::Error => (vec![], None, Value::Null),
    };
    let changes = report.translated.iter().flat_map(|one| &one.changes).cloned().collect();
    let object = json!({
        "schema": SCHEMA,
        "file": report.file,
        "test": report.test,
        "from": report.from,
        "to": report.to,
        "verdict": report.verdict.word(),
        "new": outcomes,
        "gone": gone,
        "reason": reason,
        "diagnostics": diagnostics(&report.sources, &report.diagnostics),
        "translated": translated(&Translated { changes }),
        "rests_on": report.rests().map(Rests::word),
    });
    timed(object, report.seconds, timing)
}
