//! `wattle doctor`.

use serde_json::json;
use wattle_driver::doctor::doctor;
use wattle_report::Exit;
use wattle_report::json::SCHEMA;

use super::Session;
use crate::args::Format;

pub fn run(session: &mut Session) -> Result<Exit, String> {
    let health = doctor();
    let output = &mut session.output;
    if output.format == Format::Json {
        let models: Vec<_> = health.models.iter().map(|(name, _)| name).collect();
        let engines: Vec<_> = health.engines.iter().map(|(name, _)| name).collect();
        let languages: Vec<_> = health.languages.iter().map(|(name, _)| name).collect();
        output.json(&json!({
            "schema": SCHEMA,
            "version": health.version,
            "engines": engines,
            "languages": languages,
            "models": models,
        }));
        return Ok(Exit::Good);
    }
    let style = output.options.style;
    let mut text =
        format!("wattle {} ({} {})\n", health.version, std::env::consts::OS, std::env::consts::ARCH);
    let mut section = |name: &str, rows: Vec<(&str, &str)>| {
        text.push_str(&format!("{}\n", style.strong(name)));
        for (name, summary) in rows {
            text.push_str(&format!("  {name:<8} {summary}\n"));
        }
    };
    section("engines", health.engines);
    section("languages", health.languages.iter().map(|(name, text)| (*name, text.as_str())).collect());
    section("memory models", health.models);
    output.text(&text);
    Ok(Exit::Good)
}
