//! `wattle engines`.

use std::io;

use serde_json::{Value, json};
use wattle_driver::engines::{ENGINES, Settings, acceptances};
use wattle_driver::{gather, models};
use wattle_report::json::SCHEMA;
use wattle_report::{Exit, text};

use super::Session;
use crate::args::{self, Format};
use crate::output::aside;

pub(crate) fn run(args: &args::Engines, session: &mut Session) -> Result<Exit, String> {
    let settings = Settings { smt: session.smt.clone(), ..Settings::default() };
    let output = &mut session.output;
    let style = output.options.style;
    if args.files.is_empty() {
        let width = ENGINES.iter().map(|engine| engine.name.len()).max().unwrap_or(0);
        for engine in &ENGINES {
            match output.format {
                Format::Json => output.json(&line(None, None, engine.name, engine.summary, None)),
                Format::Text => {
                    let name = style.strong(&format!("{:<width$}", engine.name));
                    output.text(&format!("{name} {}\n", engine.summary))
                }
            };
        }
        return Ok(Exit::Good);
    }
    let models = match &args.model {
        Some(name) => vec![models::resolve(name, false)?],
        None => models::models().to_vec(),
    };
    let mut exit = Exit::Good;
    for input in gather(&args.files, args.lang.as_deref(), &mut io::stdin().lock()) {
        let input = input.with_copies(args.copies.clone());
        for model in &models {
            let acceptances = match acceptances(&input, model, &settings) {
                Ok(acceptances) => acceptances,
                Err(refused) => {
                    exit = Exit::BadInput;
                    let options = output.options;
                    aside(&text::diagnostics(&refused.sources, &refused.diagnostics, &options));
                    break;
                }
            };
            for one in acceptances {
                let file = Some(input.name.as_str());
                match output.format {
                    Format::Json => {
                        let accepts = Some(&one.accepts);
                        output.json(&line(file, Some(&model.name), one.engine, one.summary, accepts))
                    }
                    Format::Text => {
                        let says = match &one.accepts {
                            Ok(()) => style.good("accepts"),
                            Err(why) => format!("{}: {why}", style.doubtful("refuses")),
                        };
                        output.text(&format!("{}: {} under {}: {says}\n", input.name, one.engine, model.name))
                    }
                };
            }
        }
    }
    Ok(exit)
}

fn line(
    file: Option<&str>,
    model: Option<&str>,
    engine: &str,
    summary: &str,
    accepts: Option<&Result<(), String>>,
) -> Value {
    json!({
        "schema": SCHEMA,
        "file": file,
        "model": model,
        "engine": engine,
        "summary": summary,
        "accepts": accepts.map(Result::is_ok),
        "reason": accepts.and_then(|accepts| accepts.as_ref().err()),
    })
}
