//! `replay`: run a saved counterexample again, on the reference machine.

use std::io;
use std::path::Path;

use wattle_engine::Halt;
use wattle_judge::confirm::confirm;
use wattle_report::{CheckReport, CheckVerdict, Head, Trace};
use wattle_source::{Diagnostic, Sources, Span};

use crate::codes;
use crate::copies::said;
use crate::story::story;
use crate::{Compiler, Goal, Input, load, models, prepare};

/// The story of a trace, or a report that says why it does not hold.
pub fn replay(input: &Input) -> CheckReport {
    let refuse = |code, message: String| {
        let (sources, _) = Sources::single(&input.name, "");
        let diagnostic = Diagnostic::error(code, Span::NOWHERE, message);
        empty(&input.name, sources, vec![diagnostic])
    };
    let text = match input.read() {
        Ok(text) => text,
        Err(diagnostic) => return empty(&input.name, Sources::single(&input.name, "").0, vec![diagnostic]),
    };
    let mut trace = match Trace::read(&text) {
        Ok(trace) => trace,
        Err(error) => return refuse(codes::TRACE_UNREADABLE, format!("not a trace: {error}")),
    };
    let memory = match models::resolve(&trace.model, trace.atomic_copy) {
        Ok(memory) => memory,
        Err(message) => return refuse(codes::TRACE_UNREADABLE, message),
    };
    let mut loaded = match load(&input_of(&trace)) {
        Ok(loaded) => loaded,
        Err(refused) => return empty(&trace.file, refused.sources, refused.diagnostics),
    };
    // A trace of an instance is about that one.
    let instance = std::mem::take(&mut trace.counterexample.instance);
    if let Err(why) = loaded.instantiate(instance) {
        return refuse(codes::TRACE_REJECTED, format!("the trace has other copies than its text: {why}"));
    }
    let copies = said(&loaded.parsed.program, &loaded.instance);
    let prepared = match prepare(&loaded, &memory, Goal::Verdict) {
        Ok(prepared) => prepared,
        Err(unsupported) => return refuse(codes::TRACE_REJECTED, unsupported.to_string()),
    };
    // A trace is an input, which may be wrong without a fault of wattle's.
    match confirm(&prepared.task(trace.property), &trace.counterexample) {
        Ok(_) => {}
        Err(Halt::Contradiction(why)) => {
            return refuse(codes::TRACE_REJECTED, format!("the trace does not replay: {}", why.denial.words));
        }
        Err(Halt::Unknown(why)) => {
            return refuse(codes::TRACE_REJECTED, format!("the trace cannot be replayed: {why}"));
        }
    }
    let verdict = match story(&prepared, trace.property, &trace.counterexample) {
        Some(story) => CheckVerdict::Unsafe { story: Box::new(story) },
        None => CheckVerdict::Internal { what: "a confirmed counterexample cannot be told".into() },
    };
    let head = Head {
        engine: Some("replay".into()),
        notes: prepared.notes(),
        translated: prepared.translated(),
        sources: Sources::new(),
        ..Head::new(trace.file, trace.model)
    };
    let mut report = CheckReport::new(head, trace.property);
    (report.verdict, report.confirmed, report.copies) = (verdict, true, copies);
    drop(prepared);
    report.sources = loaded.sources;
    report
}

/// The texts of a trace, read as they were.
fn input_of(trace: &Trace) -> Input {
    let text = |name: &str, text: &str| Input::text(name, &trace.language, text).beside(name);
    let compiler = Compiler { flags: trace.flags.clone(), ..Compiler::default() };
    let first = text(&trace.file, &trace.text).read_with(compiler, trace.settings.clone());
    let linked = trace.linked.iter().map(|(name, part)| text(name, part));
    let files = std::iter::once(first.clone()).chain(linked).collect();
    Input::link(files).unwrap_or(first)
}

/// Write a trace for [`replay`] to read.
pub fn save(path: &Path, trace: &Trace) -> io::Result<()> {
    std::fs::write(path, trace.write())
}

fn empty(file: &str, sources: Sources, diagnostics: Vec<Diagnostic>) -> CheckReport {
    let head = Head { sources, diagnostics, ..Head::new(file, "") };
    CheckReport::new(head, wattle_engine::Property::Stated)
}
