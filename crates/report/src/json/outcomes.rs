//! The line of `outcomes`, and of `compare` for a litmus test.

use serde_json::{Map, Value, json};

use super::check::of_bound;
use super::{SCHEMA, diagnostics, timed, translated};
use crate::{FinalState, Listing, OutcomesReport, OutcomesVerdict, Rests};

pub fn outcomes(report: &OutcomesReport, timing: bool) -> Value {
    let listing = report.verdict.listing();
    let reason = match &report.verdict {
        OutcomesVerdict::Unknown { reason } => json!(reason.to_string()),
        OutcomesVerdict::Internal { what } => json!(format!("internal error: {what}")),
        OutcomesVerdict::Listed(_) | OutcomesVerdict::Error => Value::Null,
    };
    let witnesses = listing.filter(|listing| listing.counted).map(Listing::witnesses);
    let one = |listing: &Listing, state: &FinalState| {
        let cells =
            listing.names.iter().cloned().zip(state.values.iter().map(|value| json!(value.to_string())));
        json!({
            "state": cells.collect::<Map<_, _>>(),
            "executions": listing.counted.then_some(state.executions),
            "holds": state.holds,
        })
    };
    let states: Vec<Value> =
        listing.iter().flat_map(|listing| listing.states.iter().map(|state| one(listing, state))).collect();
    let object = json!({
        "schema": SCHEMA,
        "file": report.file,
        "test": report.test,
        "model": report.model,
        "engine": report.engine,
        "observation": listing.map(Listing::observation),
        "verdict": report.verdict.word(),
        "condition": listing.map(|listing| &listing.condition),
        "states": listing.map(|listing| listing.states.len()),
        "executions": listing.and_then(Listing::executions),
        "positive": witnesses.map(|(positive, _)| positive),
        "negative": witnesses.map(|(_, negative)| negative),
        "outcomes": states,
        "flags": listing.map(|listing| listing.flags.clone()).unwrap_or_default(),
        "bound": listing.and_then(|listing| listing.bound.as_ref()).map(of_bound),
        "reason": reason,
        "diagnostics": diagnostics(&report.sources, &report.diagnostics),
        "translated": translated(&report.translated),
        "rests_on": report.rests().map(Rests::word),
        "notes": report.notes.iter().chain(&report.cautions).collect::<Vec<_>>(),
    });
    timed(object, report.seconds, timing)
}
