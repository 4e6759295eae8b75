//! `wattle doctor`.

use serde_json::json;
use wattle_driver::doctor::doctor;
use wattle_report::Exit;
use wattle_report::json::SCHEMA;

use super::Session;
use crate::args::Format;

pub(crate) fn run(session: &mut Session) -> Result<Exit, String> {
    let health = doctor(&session.smt);
    let output = &mut session.output;
    if output.format == Format::Json {
        let models: Vec<_> = health.models.iter().map(|(name, _)| name).collect();
        let engines: Vec<_> = health.engines.iter().map(|(name, _)| name).collect();
        let languages: Vec<_> = health.languages.iter().map(|(name, _)| name).collect();
        let refused = health.smt.refused.iter();
        let smt = json!({
            "version": health.smt.found.as_ref().ok().map(|(version, _)| version),
            "path": health.smt.found.as_ref().ok().map(|(_, path)| path.display().to_string()),
            "advice": health.smt.found.as_ref().err(),
            "refused": refused
                .map(|(path, reason)| json!({"path": path.display().to_string(), "reason": reason}))
                .collect::<Vec<_>>(),
        });
        output.json(&json!({
            "schema": SCHEMA,
            "version": health.version,
            "engines": engines,
            "languages": languages,
            "models": models,
            "smt": smt,
        }));
        return Ok(Exit::Good);
    }
    let style = output.options.style;
    let mut text =
        format!("wattle {} ({} {})\n", health.version, std::env::consts::OS, std::env::consts::ARCH);
    // One column for all sections.
    let languages: Vec<(&str, &str)> =
        health.languages.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let names =
        [&health.engines, &languages, &health.models].into_iter().flatten().map(|(name, _)| name.len());
    let width = names.max().unwrap_or(0);
    let mut section = |name: &str, rows: &[(&str, &str)]| {
        text.push_str(&format!("{}\n", style.strong(name)));
        for (name, summary) in rows {
            text.push_str(&format!("  {name:<width$} {summary}\n"));
        }
    };
    section("engines", &health.engines);
    section("languages", &languages);
    section("memory models", &health.models);
    text.push_str(&format!("{}\n", style.strong("smt solver")));
    match &health.smt.found {
        Ok((version, path)) => text.push_str(&format!("  Z3 {version}, {}\n", path.display())),
        Err(advice) => text.push_str(&format!("  {advice}\n")),
    }
    for (path, reason) in &health.smt.refused {
        text.push_str(&format!("  {:<width$} {}: {reason}\n", "refused", path.display()));
    }
    output.text(&text);
    Ok(Exit::Good)
}
