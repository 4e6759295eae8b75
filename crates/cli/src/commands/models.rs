//! `wattle models`.

use serde_json::json;
use wattle_driver::models::models;
use wattle_report::Exit;
use wattle_report::json::SCHEMA;

use super::Session;
use crate::args::Format;

pub(crate) fn run(session: &mut Session) -> Result<Exit, String> {
    let output = &mut session.output;
    let width = models().iter().map(|model| model.name.len()).max().unwrap_or(0);
    for model in models() {
        match output.format {
            Format::Json => {
                output.json(&json!({"schema": SCHEMA, "model": &*model.name, "summary": model.summary}))
            }
            Format::Text => {
                let name = output.options.style.strong(&format!("{:<width$}", model.name));
                output.text(&format!("{name} {}\n", model.summary))
            }
        };
    }
    Ok(Exit::Good)
}
