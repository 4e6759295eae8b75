//! Tests on which two memory models differ, and why (`wattle distinguish`).

use serde_json::{Value, json};

use crate::Report;
use crate::json::SCHEMA;
use crate::text::{Detail, Options, Shown};

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Distinguished {
    pub models: [String; 2],
    pub differences: Vec<Difference>,
    /// How many tests were run, and up to which size.
    pub tests: usize,
    pub size: usize,
    /// Tests without an answer, and why the first of them had none.
    pub undecided: usize,
    pub reason: Option<String>,
    pub interrupted: bool,
    /// An internal error of wattle.
    pub internal: Option<String>,
}

impl Distinguished {
    /// One report a difference; one that says so, if there is none.
    pub fn reports(&self) -> Vec<DifferenceReport<'_>> {
        let one = |difference| DifferenceReport { found: self, difference };
        match self.differences.is_empty() {
            true => vec![one(None)],
            false => self.differences.iter().map(|difference| one(Some(difference))).collect(),
        }
    }

    /// What is said beside the results.
    pub fn complaints(&self) -> Vec<String> {
        let reason = self.reason.as_deref().unwrap_or_default();
        let undecided =
            (self.undecided > 0).then(|| format!("{} tests had no answer, such as {reason}", self.undecided));
        let internal = self.internal.as_ref().map(|what| format!("INTERNAL ERROR: {what}"));
        undecided.into_iter().chain(internal).collect()
    }
}

/// A test on which the models differ.
#[derive(Clone, Debug)]
pub struct Difference {
    pub test: String,
    pub architecture: String,
    pub cycle: String,
    pub text: String,
    pub sides: [Side; 2],
    pub why: Option<Why>,
}

/// One model's answer.
#[derive(Clone, Debug)]
pub struct Side {
    pub model: String,
    /// Does it allow the cycle?
    pub allows: bool,
    pub states: usize,
    pub executions: u64,
    /// Final states that the other one does not have.
    pub only_here: usize,
}

/// Why one of the two forbids the cycle.
#[derive(Clone, Debug)]
pub struct Why {
    pub allowing: String,
    pub forbidding: String,
    pub axiom: String,
    /// The events in which the axiom fails.
    pub witness: Vec<String>,
    /// The cycle that sc forbids: event, relation to the next one.
    pub cycle: Vec<(String, &'static str)>,
}

/// One difference among what was tried; without one, only that.
#[derive(Clone, Copy, Debug)]
pub struct DifferenceReport<'a> {
    found: &'a Distinguished,
    difference: Option<&'a Difference>,
}

impl Report for DifferenceReport<'_> {
    fn text(&self, options: &Options) -> Shown {
        let result = match self.difference {
            Some(difference) => text(difference, options.detail),
            None => none(self.found),
        };
        Shown { result, ..Shown::default() }
    }

    fn json(&self, _: &Options) -> Value {
        let found = self.found;
        let difference = self.difference;
        json!({
            "schema": SCHEMA,
            "models": found.models,
            "tests": found.tests,
            "size": found.size,
            "undecided": found.undecided,
            "test": difference.map(|one| &one.test),
            "architecture": difference.map(|one| &one.architecture),
            "cycle": difference.map(|one| &one.cycle),
            "text": difference.map(|one| &one.text),
            "sides": difference.map_or(vec![], |one| one.sides.iter().map(side).collect()),
            "why": difference.and_then(|difference| difference.why.as_ref()).map(why),
        })
    }
}

fn side(side: &Side) -> Value {
    json!({
        "model": side.model,
        "allows": side.allows,
        "states": side.states,
        "executions": side.executions,
        "only_here": side.only_here,
    })
}

fn why(why: &Why) -> Value {
    let step = |(event, relation): &(String, &str)| json!({"event": event, "relation": relation});
    json!({
        "allowing": why.allowing,
        "forbidding": why.forbidding,
        "axiom": why.axiom,
        "witness": why.witness,
        "cycle": why.cycle.iter().map(step).collect::<Vec<_>>(),
    })
}

fn none(found: &Distinguished) -> String {
    let [one, other] = &found.models;
    format!(
        "no difference between {one} and {other} found among {} tests of up to {} edges\n",
        found.tests, found.size
    )
}

fn text(difference: &Difference, detail: Detail) -> String {
    let words = |side: &Side| format!("{} {}", side.model, if side.allows { "allows" } else { "forbids" });
    let [left, right] = &difference.sides;
    let headline = match left.allows == right.allows {
        true => {
            let both = if left.allows { "allow" } else { "forbid" };
            format!("{}: both {both} it, but other final states differ", difference.test)
        }
        false => format!("{}: {} it, {} it", difference.test, words(left), words(right)),
    };
    if detail == Detail::Quiet {
        return format!("{headline}\n");
    }
    let mut text = format!("{headline}\n\n");
    for line in difference.text.lines() {
        text.push_str(&format!("    {line}\n"));
    }
    text.push('\n');
    for side in &difference.sides {
        text.push_str(&format!(
            "{}: {} final states, {} of them only here; {} executions\n",
            side.model, side.states, side.only_here, side.executions
        ));
    }
    if let Some(why) = &difference.why {
        text.push_str(&reasons(why));
    }
    text + "\n"
}

fn reasons(why: &Why) -> String {
    let mut text = format!("The execution that {} allows goes round a cycle:\n", why.allowing);
    for (event, relation) in &why.cycle {
        text.push_str(&format!("    {event}  --{relation}-->\n"));
    }
    text.push_str(&format!("The axiom `{}` of {} forbids it", why.axiom, why.forbidding));
    match why.witness.is_empty() {
        true => text.push_str(".\n"),
        false => text.push_str(&format!(":\n    {}\n", why.witness.join(", "))),
    }
    text
}
