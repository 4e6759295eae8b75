//! One row in a process of its own: the search for flushes, and then the proof of what it found.

use std::path::Path;
use std::time::Duration;

use wattle_driver::check::{Check, check};
use wattle_driver::engines::Settings;
use wattle_driver::fix::{Fix, fix};
use wattle_driver::{Input, Watch, load, models};
use wattle_engine::Budget;
use wattle_engine_extrapolate::Method;
use wattle_report::{FixVerdict, Proof};
use wattle_smt::Library;

use crate::bmc::{processor, resident};
use crate::child::{self, Done};

/// What to do with a program.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub text: String,
    /// `None`: look for the fewest flushes. A method: prove the program with those, by that method.
    pub method: Option<String>,
    pub seconds: u64,
}

impl Job {
    /// In a child.
    pub(super) fn run(&self) -> Result<Done, String> {
        let method = self.method.clone().unwrap_or_else(|| SEARCH.into());
        child::measure("remote", &[self.text.clone(), method, self.seconds.to_string()], self.seconds)
    }
}

const SEARCH: &str = "search";

fn settings() -> Result<Settings, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut settings = Settings { smt: Library::beside(&executable), ..Settings::default() };
    settings.extrapolate.ignore_given = true;
    Ok(settings)
}

/// The child's side.
pub(super) fn one(arguments: &[String]) -> Result<bool, String> {
    let [text, method, seconds] = arguments else { return Err("three arguments describe a job".into()) };
    let seconds = seconds.parse().map_err(|_| format!("`{seconds}` is no number"))?;
    let budget = Budget { time: Some(Duration::from_secs(seconds)), ..Budget::default() };
    match method.as_str() {
        SEARCH => search(text, budget)?,
        method => prove(text, method, budget)?,
    }
    println!("mb={}", resident());
    Ok(true)
}

fn search(text: &str, budget: Budget) -> Result<(), String> {
    let model = models::resolve("rma", false)?;
    let input = Input::file(Path::new(text));
    let loaded = load(&input).map_err(|_| format!("{text}: cannot be read"))?;
    let places = wattle_repair::places(&loaded.parsed.program, &model, false, &[]);
    let request = Fix { settings: settings()?, budget, ..Fix::new(model) };
    let report = fix(&request, &input, &Watch::default())?;
    println!("cpu={}\nplaces={}", processor(), places.len());
    let proved = |proof: Proof| if proof == Proof::Safe { "safe" } else { "bounded" };
    match &report.verdict {
        FixVerdict::AlreadySafe { proof } => {
            println!("verdict={}\nflushes=0\nminimal=true", proved(*proof));
        }
        FixVerdict::Repaired { proof, count, minimal, .. } => {
            println!("verdict={}\nflushes={count}\nminimal={minimal}", proved(*proof));
        }
        FixVerdict::Unknown { reason } => match reason.to_string() {
            why if why.starts_with("time limit") => println!("verdict=T/O"),
            why => println!("verdict=unknown: {why}"),
        },
        FixVerdict::Internal { what } => println!("verdict=INTERNAL ERROR: {what}"),
        other => println!("verdict={}", other.word()),
    }
    println!("engine={}", report.engine.as_deref().unwrap_or("–"));
    child::print(&report.statistics);
    Ok(())
}

/// Prove a program that has its flushes.
fn prove(text: &str, method: &str, budget: Budget) -> Result<(), String> {
    let mut settings = settings()?;
    settings.extrapolate.method =
        Method::ALL.iter().find(|(name, _)| *name == method).ok_or("no such method")?.1;
    let request = Check {
        engine: Some("extrapolate".into()),
        settings,
        budget,
        ..Check::new(models::resolve("rma", false)?)
    };
    let checked = check(&request, &Input::file(Path::new(text)), &Watch::default())?;
    println!("cpu={}\nverdict={}", processor(), checked.report.verdict.word());
    child::print(&checked.report.statistics);
    Ok(())
}
