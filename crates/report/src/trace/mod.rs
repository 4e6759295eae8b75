//! Saved counterexamples: what `check --save-trace` writes and `replay` reads.
//!
//! A trace holds the schedule, or the execution graph under a model without a machine, by numbers (threads, edges, locations),
//! which mean something only for the very text they were made from; so the text travels with it.

mod graph;

use std::fmt;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use wattle_engine::{Counterexample, Property, Schedule, Violation};
use wattle_logic::{Fault, Value};
use wattle_memory::operational::{Action, Half};
use wattle_program::step::RemoteUpdate;
use wattle_program::{EdgeId, Instance, ProcessId, ThreadId};

const VERSION: u64 = 1;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    pub file: String,
    /// The front end that read the text.
    pub language: String,
    pub text: String,
    /// Further files of the program: their names and texts.
    pub linked: Vec<(String, String)>,
    /// How the language was read, such as `instances`.
    pub settings: Vec<(String, String)>,
    /// What the preprocessor of C was told.
    pub flags: Vec<String>,
    pub model: String,
    /// Under sc: is a remote copy one step?
    pub atomic_copy: bool,
    pub property: Property,
    pub counterexample: Counterexample,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError(pub String);

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Trace {
    pub fn write(&self) -> String {
        let mut object = json!({
            "wattle_trace": VERSION,
            "file": self.file,
            "language": self.language,
            "model": self.model,
            "atomic_copy": self.atomic_copy,
            "property": match self.property {
                Property::Stated => "stated",
                Property::NoDeadlock => "no_deadlock",
            },
            "violated": write_violation(&self.counterexample.violated),
            "copies": self.counterexample.instance.0.iter().map(|(process, copies)| [process.0, *copies]).collect::<Vec<_>>(),
            "text": self.text,
        });
        for (key, pairs) in [("linked", &self.linked), ("settings", &self.settings)] {
            if !pairs.is_empty() {
                object[key] = json!(pairs);
            }
        }
        if !self.flags.is_empty() {
            object["flags"] = json!(self.flags);
        }
        let Counterexample { schedule, execution, paths, .. } = &self.counterexample;
        if let Some(schedule) = schedule {
            object["initial"] = json!(schedule.initial);
            object["actions"] = schedule.actions.iter().map(write_action).collect();
        } else if let Some(execution) = execution {
            object["paths"] = graph::write_paths(paths);
            object["execution"] = graph::write(execution);
        }
        format!("{object:#}\n")
    }

    pub fn read(text: &str) -> Result<Trace, TraceError> {
        let json: Json = serde_json::from_str(text).map_err(|error| TraceError(error.to_string()))?;
        if json["wattle_trace"].as_u64() != Some(VERSION) {
            return bad("not a wattle trace of version 1");
        }
        let violated = read_violation(&json["violated"])?;
        let counterexample = match json["execution"].is_null() {
            true => {
                let initial = list(&json["initial"])?.iter().map(integer).collect::<Result<_, _>>()?;
                let actions = list(&json["actions"])?.iter().map(read_action).collect::<Result<_, _>>()?;
                Counterexample::scheduled(violated, Schedule { initial, actions })
            }
            false => Counterexample::graph(
                violated,
                graph::read_paths(&json["paths"])?,
                graph::read(&json["execution"])?,
            ),
        };
        Ok(Trace {
            file: string(&json["file"])?,
            language: string(&json["language"])?,
            text: string(&json["text"])?,
            linked: read_pairs(&json["linked"])?,
            settings: read_pairs(&json["settings"])?,
            flags: read_texts(&json["flags"])?,
            model: string(&json["model"])?,
            atomic_copy: json["atomic_copy"].as_bool().unwrap_or(false),
            property: match json["property"].as_str() {
                Some("stated") => Property::Stated,
                Some("no_deadlock") => Property::NoDeadlock,
                _ => return bad("unknown property"),
            },
            counterexample: Counterexample { instance: read_instance(&json["copies"])?, ..counterexample },
        })
    }
}

fn bad<T>(what: &str) -> Result<T, TraceError> {
    Err(TraceError(what.to_owned()))
}

/// Traces of programs whose text fixes all numbers of copies say nothing of them.
fn read_instance(json: &Json) -> Result<Instance, TraceError> {
    let pair = |pair: &Json| match (pair[0].as_u64(), pair[1].as_u64()) {
        (Some(process), Some(copies)) => Ok((ProcessId(process as u32), copies as u32)),
        _ => bad("a number of copies is missing"),
    };
    let pairs = json.as_array().map_or(&[][..], Vec::as_slice);
    Ok(Instance(pairs.iter().map(pair).collect::<Result<_, _>>()?))
}

fn read_texts(json: &Json) -> Result<Vec<String>, TraceError> {
    json.as_array().map_or(&[][..], Vec::as_slice).iter().map(string).collect()
}

/// Pairs of texts; none where the trace says nothing of them.
fn read_pairs(json: &Json) -> Result<Vec<(String, String)>, TraceError> {
    let pairs = json.as_array().map_or(&[][..], Vec::as_slice);
    pairs.iter().map(|pair| Ok((string(&pair[0])?, string(&pair[1])?))).collect()
}

fn string(json: &Json) -> Result<String, TraceError> {
    json.as_str().map(ToOwned::to_owned).ok_or(TraceError("a text is missing".into()))
}

fn integer(json: &Json) -> Result<i64, TraceError> {
    json.as_i64().ok_or(TraceError("a number is missing".into()))
}

fn small(json: &Json) -> Result<u32, TraceError> {
    let number = json.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or(TraceError("a number is missing".into()))
}

fn list(json: &Json) -> Result<&Vec<Json>, TraceError> {
    json.as_array().ok_or(TraceError("a list is missing".into()))
}

fn write_violation(violation: &Violation) -> Json {
    match violation {
        Violation::Assertion { thread, edge, op } => {
            json!({"kind": "assert", "thread": thread.0, "edge": edge.0, "op": op})
        }
        Violation::Property { property } => json!({"kind": "property", "property": property}),
        Violation::Fault { thread, edge, op, fault } => {
            json!({"kind": "fault", "thread": thread.0, "edge": edge.0, "op": op, "fault": fault.to_string()})
        }
        Violation::Deadlock => json!({"kind": "deadlock"}),
        Violation::Undefined { axiom } => json!({"kind": "undefined", "axiom": &**axiom}),
    }
}

fn read_violation(json: &Json) -> Result<Violation, TraceError> {
    let thread = || small(&json["thread"]).map(ThreadId);
    let edge = || small(&json["edge"]).map(EdgeId);
    Ok(match json["kind"].as_str() {
        Some("assert") => {
            Violation::Assertion { thread: thread()?, edge: edge()?, op: small(&json["op"])? as usize }
        }
        Some("property") => Violation::Property { property: small(&json["property"])? as usize },
        Some("fault") => {
            let known = [Fault::DivisionByZero, Fault::OutOfBounds, Fault::Overflow, Fault::Meaningless];
            let fault = known.into_iter().find(|fault| json["fault"].as_str() == Some(&fault.to_string()));
            Violation::Fault {
                thread: thread()?,
                edge: edge()?,
                op: json["op"].as_u64().map(|op| op as usize),
                fault: fault.ok_or(TraceError("unknown fault".into()))?,
            }
        }
        Some("deadlock") => Violation::Deadlock,
        Some("undefined") => Violation::Undefined { axiom: string(&json["axiom"])?.into() },
        _ => return bad("unknown kind of violation"),
    })
}

fn write_action(action: &Action) -> Json {
    match action {
        Action::Step { thread, edge, choices } => {
            json!({"step": edge.0, "thread": thread.0, "choices": choices})
        }
        Action::Commit { thread, location } => json!({"commit": location, "thread": thread.0}),
        Action::Remote { thread, half } => json!({"remote": write_half(half), "thread": thread.0}),
    }
}

fn read_action(json: &Json) -> Result<Action, TraceError> {
    let thread = ThreadId(small(&json["thread"])?);
    Ok(if json["step"].is_u64() {
        let choices = list(&json["choices"])?.iter().map(integer).collect::<Result<_, _>>()?;
        Action::Step { thread, edge: EdgeId(small(&json["step"])?), choices }
    } else if json["commit"].is_u64() {
        Action::Commit { thread, location: small(&json["commit"])? }
    } else {
        Action::Remote { thread, half: read_half(&json["remote"])? }
    })
}

fn write_half(half: &Half) -> Json {
    match half {
        Half::Read { target, from, to } => json!({"target": target.0, "read": from, "to": to}),
        Half::Write { target, to, value } => {
            json!({"target": target.0, "write": to, "value": write_value(value)})
        }
        Half::Atomic { target, at, into, update } => {
            let update = match update {
                RemoteUpdate::Add(value) => json!({"add": write_value(value)}),
                RemoteUpdate::Replace(value) => json!({"replace": write_value(value)}),
                RemoteUpdate::CompareAndSwap { expected, new } => {
                    json!({"expected": write_value(expected), "new": write_value(new)})
                }
            };
            json!({"target": target.0, "atomic": at, "into": into, "update": update})
        }
    }
}

fn read_half(json: &Json) -> Result<Half, TraceError> {
    let target = ThreadId(small(&json["target"])?);
    Ok(if json["read"].is_u64() {
        Half::Read { target, from: small(&json["read"])?, to: small(&json["to"])? }
    } else if json["write"].is_u64() {
        Half::Write { target, to: small(&json["write"])?, value: read_value(&json["value"])? }
    } else {
        let update = &json["update"];
        let update = if !update["add"].is_null() {
            RemoteUpdate::Add(read_value(&update["add"])?)
        } else if !update["replace"].is_null() {
            RemoteUpdate::Replace(read_value(&update["replace"])?)
        } else {
            let expected = read_value(&update["expected"])?;
            RemoteUpdate::CompareAndSwap { expected, new: read_value(&update["new"])? }
        };
        let into = if json["into"].is_null() { None } else { Some(small(&json["into"])?) };
        Half::Atomic { target, at: small(&json["atomic"])?, into, update }
    })
}

fn write_value(value: &Value) -> Json {
    match value {
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Symbol(number) => json!({"symbol": number}),
        Value::Address(location) => json!({"address": location}),
        Value::Process(number) => json!({"process": number}),
        Value::Set(set) => json!({"set": set.iter().collect::<Vec<_>>()}),
    }
}

fn read_value(json: &Json) -> Result<Value, TraceError> {
    Ok(match json {
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(_) => Value::Int(integer(json)?),
        _ if !json["symbol"].is_null() => Value::Symbol(small(&json["symbol"])?),
        _ if !json["address"].is_null() => Value::Address(small(&json["address"])?),
        _ if !json["process"].is_null() => Value::Process(small(&json["process"])?),
        _ => {
            let set = list(&json["set"])?.iter().map(integer).collect::<Result<_, _>>()?;
            Value::Set(Arc::new(set))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_reads_back_as_it_was_written() {
        let thread = ThreadId(1);
        let half = |value| Half::Write { target: ThreadId(0), to: 2, value };
        let update = RemoteUpdate::CompareAndSwap { expected: Value::Int(0), new: Value::Int(-3) };
        let actions = vec![
            Action::Step { thread, edge: EdgeId(4), choices: vec![-1, 2] },
            Action::Commit { thread, location: 3 },
            Action::Remote { thread, half: half(Value::Set(Arc::new([1, 2].into()))) },
            Action::Remote { thread, half: half(Value::Symbol(2)) },
            Action::Remote { thread, half: Half::Read { target: thread, from: 0, to: 1 } },
            Action::Remote { thread, half: Half::Atomic { target: thread, at: 0, into: None, update } },
        ];
        let violated =
            Violation::Fault { thread, edge: EdgeId(4), op: Some(1), fault: Fault::DivisionByZero };
        let trace = Trace {
            file: "a.wtl".into(),
            language: "wtl".into(),
            linked: vec![("b.wtl".into(), "shared y;\n".into())],
            settings: vec![("instances".into(), "4".into())],
            flags: vec!["-DX".into()],
            text: "shared x;\n".into(),
            model: "rma".into(),
            atomic_copy: false,
            property: Property::Stated,
            counterexample: Counterexample {
                instance: Instance([(ProcessId(1), 3)].into()),
                ..Counterexample::scheduled(violated, Schedule { initial: vec![7], actions })
            },
        };
        assert_eq!(Trace::read(&trace.write()), Ok(trace));
    }
}
