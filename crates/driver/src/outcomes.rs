//! `outcomes`: all final states of a program, and how many executions end in each.
//!
//! A folder of litmus tests is ten thousand small questions, so whatever does not depend on the test
//! is done before the first one: models are read once, and a request is shared by all workers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wattle_engine::{Budget, Halt, Outcome, Property, Reason, Run, Task, Unsupported};
use wattle_logic::{Environment, Fault, Kind, Value};
use wattle_memory::MemoryModel;
use wattle_program::{Program, Shape, Vocabulary};
use wattle_report::{Head, OutcomesReport, OutcomesVerdict, list};
use wattle_source::{Diagnostic, Sources, Span};

use crate::codes;
use crate::engines::{Settings, choose, is_known, lists};
use crate::load::panic_text;
use crate::portfolio::{Listed, listed};
use crate::{Goal, Input, Loaded, Refused, Watch, load, models, prepare};

#[derive(Clone, Debug)]
pub struct Outcomes {
    /// `None`: the one that the program's vocabulary belongs to.
    pub model: Option<MemoryModel>,
    /// Only this engine.
    pub engine: Option<String>,
    pub settings: Settings,
    pub budget: Budget,
    /// Under sc: is a remote copy one step?
    pub atomic_copy: bool,
}

/// `Err`: the request itself makes no sense.
pub fn outcomes(request: &Outcomes, input: &Input, watch: &Watch) -> Result<OutcomesReport, String> {
    is_known(request.engine.as_deref(), &request.settings)?;
    lists(request.engine.as_deref())?;
    let run = watch.run(request.budget);
    let mut report = match load(input) {
        Err(refused) => of_refused(&input.title(), refused),
        Ok(loaded) => of_loaded(request, &input.title(), &loaded, &run),
    };
    if let (true, Some(model)) = (report.model.is_empty(), &request.model) {
        report.model = model.name.to_string();
    }
    report.seconds = run.elapsed().as_secs_f64();
    Ok(report)
}

fn blank(file: &str, sources: Sources) -> OutcomesReport {
    let head = Head { sources, ..Head::new(file, "") };
    OutcomesReport { head, test: String::new(), verdict: OutcomesVerdict::Error, cautions: vec![] }
}

fn of_refused(file: &str, refused: Refused) -> OutcomesReport {
    let verdict = match refused.internal {
        Some(what) => OutcomesVerdict::Internal { what },
        None => OutcomesVerdict::Error,
    };
    let mut report = OutcomesReport { verdict, ..blank(file, refused.sources) };
    report.diagnostics = refused.diagnostics;
    report
}

/// The same for a text that was read already; `seconds` is left to the caller.
pub(crate) fn of_loaded(request: &Outcomes, file: &str, loaded: &Loaded, run: &Run) -> OutcomesReport {
    let mut report = blank(file, loaded.sources.clone());
    report.test = loaded.parsed.program.name.to_string();
    report.diagnostics.clone_from(&loaded.parsed.warnings);
    let vocabulary = loaded.parsed.program.vocabulary;
    let default;
    let model = match (&request.model, default_model(vocabulary)) {
        (Some(model), _) => model,
        (None, Some(name)) => match models::resolve(name, request.atomic_copy) {
            Ok(model) => {
                let vocabulary = vocabulary.name();
                report.notes.push(format!("model {name}: what {vocabulary} tests mean by default"));
                default = model;
                &default
            }
            Err(message) => {
                report.diagnostics.push(Diagnostic::error(codes::MODEL_MISSING, Span::NOWHERE, message));
                return report;
            }
        },
        (None, None) => {
            let message = "the text does not tell its memory model";
            let missing = Diagnostic::error(codes::MODEL_MISSING, Span::NOWHERE, message);
            report.diagnostics.push(missing.help("say which one with --model (see `wattle models`)"));
            return report;
        }
    };
    report.model = model.name.to_string();
    let prepared = match prepare(loaded, model, Goal::Listing) {
        Ok(prepared) => prepared,
        Err(unsupported) => {
            report.verdict = OutcomesVerdict::Unknown { reason: Reason::Unsupported(unsupported) };
            return report;
        }
    };
    report.cautions.extend(prepared.notes());
    report.translated = prepared.translated();
    let task = prepared.task(Property::Stated);
    report.verdict = match count(request, &task, run) {
        Err(Stopped::Internal(what)) => OutcomesVerdict::Internal { what },
        Err(Stopped::Reason(reason)) => {
            if let Reason::Unsupported(Unsupported { span: Some(span), .. }) = &reason {
                let place = Diagnostic::warning(codes::UNSUPPORTED, *span, "the search ends here");
                report.diagnostics.push(place.expecting("not supported"));
            }
            OutcomesVerdict::Unknown { reason }
        }
        Ok(Listed { engine, census, executions }) => {
            report.engine = Some(engine.to_owned());
            if let Some(bound) = &census.bound {
                report
                    .cautions
                    .push(format!("only executions with {bound} are counted; others are not known"));
            }
            match Shape::new(task.program) {
                Ok(shape) => {
                    let listing = list(&report.sources, task.program, &shape, census, executions);
                    OutcomesVerdict::Listed(listing)
                }
                Err(error) => OutcomesVerdict::Internal { what: error.to_string() },
            }
        }
    };
    report
}

/// A condition says nothing of a test in which nothing happens, so there is no answer to give.
fn no_execution(program: &Program) -> String {
    let filter = if program.filter.is_some() { " and passes the filter" } else { "" };
    format!("the test has no execution that ends{filter}, so its condition holds in none and fails in none")
}

/// The model that tests of an architecture are written for.
pub(crate) fn default_model(vocabulary: Vocabulary) -> Option<&'static str> {
    Some(match vocabulary {
        Vocabulary::Generic => return None,
        Vocabulary::C11 => "rc11",
        Vocabulary::X86 => "tso",
        Vocabulary::Ppc => "power",
        Vocabulary::Arm => "arm",
        Vocabulary::Aarch64 => "aarch64",
        Vocabulary::Riscv => "riscv",
        Vocabulary::Rma => "rma",
    })
}

pub(crate) enum Stopped {
    Reason(Reason),
    /// An internal error of wattle.
    Internal(String),
}

/// Of a test with a condition there is at least one execution.
pub(crate) fn count(request: &Outcomes, task: &Task<'_>, run: &Run) -> Result<Listed, Stopped> {
    let engines = choose(request.engine.as_deref(), &request.settings).map_err(Stopped::Internal)?;
    // A panic in an engine must not take the other files with it.
    match catch_unwind(AssertUnwindSafe(|| listed(task, &engines, run, condition_holds))) {
        Err(panic) => Err(Stopped::Internal(format!("an engine panicked: {}", panic_text(&*panic)))),
        Ok(Ok(Listed { census, .. })) if census.outcomes.is_empty() && task.program.condition.is_some() => {
            Err(Stopped::Reason(Reason::NoExecution(no_execution(task.program))))
        }
        Ok(counted) => counted.map_err(|halt| match halt {
            Halt::Unknown(reason) => Stopped::Reason(reason),
            Halt::Contradiction(contradiction) => Stopped::Internal(contradiction.to_string()),
        }),
    }
}

fn condition_holds(program: &Program, outcome: &Outcome) -> Result<bool, Fault> {
    match &program.condition {
        Some(condition) => condition.formula.evaluate_bool(&End { program, outcome }),
        None => Ok(true),
    }
}

/// A final state as far as the program observes it, which is all that its condition speaks of.
struct End<'a> {
    program: &'a Program,
    outcome: &'a Outcome,
}

impl End<'_> {
    fn observed(&self, is_it: impl Fn(&Kind) -> bool) -> Result<Value, Fault> {
        let position = self.program.observed.iter().position(|term| is_it(term.kind()));
        position.and_then(|number| self.outcome.get(number)).cloned().ok_or(Fault::Meaningless)
    }
}

impl Environment for End<'_> {
    fn locate(&self, variable: u32, indices: &[i64]) -> Result<u32, Fault> {
        Shape::new(self.program).map_err(|_| Fault::Meaningless)?.locate(variable, indices)
    }
    fn number(&self, location: u32) -> Result<i64, Fault> {
        Shape::new(self.program).map_err(|_| Fault::Meaningless)?.number(location)
    }
    fn content(&self, location: u32) -> Result<Value, Fault> {
        let shape = Shape::new(self.program).map_err(|_| Fault::Meaningless)?;
        self.observed(|kind| match kind {
            Kind::Content(address) => shape.fixed_location(address, 0) == Some(location),
            _ => false,
        })
    }
    fn local_of(&self, process: u32, _copy: i64, local: u32) -> Result<Value, Fault> {
        self.observed(|kind| match kind {
            Kind::LocalOf { process: other, local: register, .. } => (*other, *register) == (process, local),
            _ => false,
        })
    }
}
