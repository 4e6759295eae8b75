//! `wattle test`.

use serde_json::{Value, json};
use wattle_driver::check::Check;
use wattle_driver::test::{Row, Status, Test, test};
use wattle_driver::{in_order, models};
use wattle_engine::Property;
use wattle_report::Exit;
use wattle_report::json::SCHEMA;
use wattle_report::text::Detail;

use super::{Session, atomic_copy, budget_of_work, inputs, settings};
use crate::args::{self, Format};
use crate::output::complain;

pub(crate) fn run(args: &args::Test, session: &mut Session) -> Result<Exit, String> {
    let request = Test {
        check: Check {
            // The rows name their own.
            model: models::resolve("sc", atomic_copy(&args.search))?,
            property: Property::Stated,
            engine: args.search.engine.clone(),
            settings: settings(&args.search, session),
            budget: budget_of_work(&args.search),
            certify: false,
            atomic_copy: atomic_copy(&args.search),
            blame_weak_memory: false,
            litmus: false,
        },
        allow_missing: args.allow_missing,
    };
    let inputs = inputs(&args.inputs);
    let jobs = args.inputs.reading.jobs;
    let meter = session.meter(jobs);
    let (watch, output) = (session.watch.clone(), &mut session.output);
    let (mut passed, mut failed, mut internal, mut vacuous) = (0, 0, 0, 0);
    let mut ignored: Vec<String> = Vec::new();
    let (mut open, mut misused) = (true, None);
    in_order(
        &inputs,
        jobs,
        |input| test(&request, input, &watch),
        |_, rows| {
            let rows = match rows {
                Ok(rows) => rows,
                Err(why) => {
                    misused = Some(why);
                    return false;
                }
            };
            for row in rows {
                match &row.status {
                    Status::Passed => passed += 1,
                    Status::Vacuous => {
                        passed += 1;
                        vacuous += 1;
                        complain(&format!("{}: {VACUOUS}", place(&row)));
                    }
                    Status::Failed(_) => failed += 1,
                    Status::Internal(_) => {
                        failed += 1;
                        internal += 1;
                    }
                    Status::Ignored(why) => ignored.push(why.clone()),
                }
                open = meter.aside(|| match output.format {
                    Format::Json => output.json(&line(&row)),
                    Format::Text => match text(&row, output.options.detail) {
                        Some(text) => output.text(&text),
                        None => true,
                    },
                });
            }
            open && !watch.is_cancelled()
        },
    );
    meter.finish();
    if let Some(why) = misused {
        return Err(why);
    }
    if output.format == Format::Text {
        let mut closing = format!("{passed} passed, {failed} failed");
        if vacuous > 0 {
            closing.push_str(&format!(", {vacuous} of those that passed are vacuous"));
        }
        if !ignored.is_empty() {
            let number = ignored.len();
            ignored.sort();
            ignored.dedup();
            closing.push_str(&format!(", {number} ignored ({})", ignored.join("; ")));
        }
        output.text(&format!("{closing}\n"));
    }
    Ok(match failed {
        _ if internal > 0 => Exit::Internal,
        0 if vacuous > 0 && !args.strict.deny.is_empty() => Exit::Undecided,
        0 => Exit::Good,
        _ => Exit::Violated,
    })
}

const VACUOUS: &str =
    "warning: as expected, but no execution reaches anything that the property speaks about";

fn place(row: &Row) -> String {
    let model = row.model.as_ref().map(|model| format!(" {model}")).unwrap_or_default();
    format!("{}:{}:{model} {}", row.file, row.line, row.what)
}

fn text(row: &Row, detail: Detail) -> Option<String> {
    let place = place(row);
    match &row.status {
        Status::Failed(message) => Some(format!("FAILED {place}: {message}\n")),
        Status::Internal(what) => Some(format!("FAILED {place}: INTERNAL ERROR: {what}\n")),
        Status::Passed | Status::Vacuous if detail == Detail::Verbose => Some(format!("passed {place}\n")),
        Status::Ignored(why) if detail == Detail::Verbose => Some(format!("ignored {place}: {why}\n")),
        Status::Passed | Status::Vacuous | Status::Ignored(_) => None,
    }
}

fn line(row: &Row) -> Value {
    let (status, message) = match &row.status {
        Status::Passed => ("passed", None),
        Status::Vacuous => ("passed", Some(VACUOUS)),
        Status::Failed(message) => ("failed", Some(message.as_str())),
        Status::Internal(what) => ("internal", Some(what.as_str())),
        Status::Ignored(why) => ("ignored", Some(why.as_str())),
    };
    json!({
        "schema": SCHEMA,
        "file": row.file,
        "line": row.line,
        "model": row.model,
        "what": row.what,
        "status": status,
        "message": message,
    })
}
