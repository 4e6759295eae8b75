//! What wattle consists of, as `models`, `engines` and `doctor` say it.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::Report;
use crate::json::SCHEMA;
use crate::text::{Options, Shown};

/// A memory model, in a list whose names are so wide.
#[derive(Clone, Debug)]
pub struct ModelReport<'a> {
    pub name: &'a str,
    pub summary: &'a str,
    pub width: usize,
}

impl Report for ModelReport<'_> {
    fn text(&self, options: &Options) -> Shown {
        named(self.name, self.summary, self.width, options)
    }

    fn json(&self, _: &Options) -> Value {
        json!({"schema": SCHEMA, "model": self.name, "summary": self.summary})
    }
}

/// An engine, in a list whose names are so wide; with what it says to one file under one model, if it was asked.
#[derive(Clone, Debug)]
pub struct EngineReport<'a> {
    pub name: &'a str,
    pub summary: &'a str,
    pub width: usize,
    pub asked: Option<Asked<'a>>,
}

#[derive(Clone, Debug)]
pub struct Asked<'a> {
    pub file: &'a str,
    pub model: &'a str,
    /// `Err`: why not.
    pub accepts: &'a Result<(), String>,
}

impl Report for EngineReport<'_> {
    fn text(&self, options: &Options) -> Shown {
        let Some(Asked { file, model, accepts }) = &self.asked else {
            return named(self.name, self.summary, self.width, options);
        };
        let says = match accepts {
            Ok(()) => options.style.good("accepts"),
            Err(why) => format!("{}: {why}", options.style.doubtful("refuses")),
        };
        Shown { result: format!("{file}: {} under {model}: {says}\n", self.name), ..Shown::default() }
    }

    fn json(&self, _: &Options) -> Value {
        let asked = self.asked.as_ref();
        json!({
            "schema": SCHEMA,
            "file": asked.map(|asked| asked.file),
            "model": asked.map(|asked| asked.model),
            "engine": self.name,
            "summary": self.summary,
            "accepts": asked.map(|asked| asked.accepts.is_ok()),
            "reason": asked.and_then(|asked| asked.accepts.as_ref().err()),
        })
    }
}

fn named(name: &str, summary: &str, width: usize, options: &Options) -> Shown {
    let name = options.style.strong(&format!("{name:<width$}"));
    Shown { result: format!("{name} {summary}\n"), ..Shown::default() }
}

/// What this wattle consists of, and which Z3 it would load.
#[derive(Clone, Debug)]
pub struct Health {
    pub version: &'static str,
    /// Names and what they are.
    pub engines: Vec<(&'static str, &'static str)>,
    pub languages: Vec<(&'static str, String)>,
    pub models: Vec<(&'static str, &'static str)>,
    pub smt: Smt,
}

/// The SMT solver.
#[derive(Clone, Debug)]
pub struct Smt {
    /// Version and place; `Err` says what to do.
    pub found: Result<(String, PathBuf), String>,
    /// What was tried before, and why it was refused.
    pub refused: Vec<(PathBuf, String)>,
}

impl Report for Health {
    fn text(&self, options: &Options) -> Shown {
        let style = options.style;
        let mut text =
            format!("wattle {} ({} {})\n", self.version, std::env::consts::OS, std::env::consts::ARCH);
        // One column for all sections.
        let languages: Vec<(&str, &str)> =
            self.languages.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let names =
            [&self.engines, &languages, &self.models].into_iter().flatten().map(|(name, _)| name.len());
        let width = names.max().unwrap_or(0);
        let mut section = |name: &str, rows: &[(&str, &str)]| {
            text.push_str(&format!("{}\n", style.strong(name)));
            for (name, summary) in rows {
                text.push_str(&format!("  {name:<width$} {summary}\n"));
            }
        };
        section("engines", &self.engines);
        section("languages", &languages);
        section("memory models", &self.models);
        text.push_str(&format!("{}\n", style.strong("smt solver")));
        match &self.smt.found {
            Ok((version, path)) => text.push_str(&format!("  Z3 {version}, {}\n", path.display())),
            Err(advice) => text.push_str(&format!("  {advice}\n")),
        }
        for (path, reason) in &self.smt.refused {
            text.push_str(&format!("  {:<width$} {}: {reason}\n", "refused", path.display()));
        }
        Shown { result: text, ..Shown::default() }
    }

    fn json(&self, _: &Options) -> Value {
        let models: Vec<_> = self.models.iter().map(|(name, _)| name).collect();
        let engines: Vec<_> = self.engines.iter().map(|(name, _)| name).collect();
        let languages: Vec<_> = self.languages.iter().map(|(name, _)| name).collect();
        let refused = self.smt.refused.iter();
        let smt = json!({
            "version": self.smt.found.as_ref().ok().map(|(version, _)| version),
            "path": self.smt.found.as_ref().ok().map(|(_, path)| path.display().to_string()),
            "advice": self.smt.found.as_ref().err(),
            "refused": refused
                .map(|(path, reason)| json!({"path": path.display().to_string(), "reason": reason}))
                .collect::<Vec<_>>(),
        });
        json!({
            "schema": SCHEMA,
            "version": self.version,
            "engines": engines,
            "languages": languages,
            "models": models,
            "smt": smt,
        })
    }
}
