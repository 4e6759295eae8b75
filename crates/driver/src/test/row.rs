//! Running one expectation.

use wattle_engine::Property;
use wattle_judge::certify::{Closure, explore_all};
use wattle_memory::MemoryModel;
use wattle_report::{CheckReport, CheckVerdict, FixVerdict, Listing, OutcomesVerdict, Proof};

use super::{Expectation, Key, Row, Status, Test};
use crate::check::{Check, check};
use crate::compare::outcomes_request;
use crate::engines::lists;
use crate::fix::{Fix, fix};
use crate::outcomes::outcomes;
use crate::{Copies, Goal, Input, Watch, load, models, prepare};

pub(super) fn run(request: &Test, input: &Input, expectation: &Expectation, watch: &Watch) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in &expectation.models {
        let mut add = |what: &str, status: Status| {
            rows.push(Row {
                file: input.name.clone(),
                line: expectation.line,
                model: Some(name.clone()),
                what: what.to_owned(),
                status,
            });
        };
        match models::resolve(name, request.check.atomic_copy) {
            Ok(model) => under(model, request, input, expectation, watch, &mut add),
            Err(message) => add("verdict", Status::Failed(message)),
        }
    }
    rows
}

/// The verdict and all figures that are expected under one model.
fn under(
    model: MemoryModel,
    request: &Test,
    input: &Input,
    expectation: &Expectation,
    watch: &Watch,
    add: &mut dyn FnMut(&str, Status),
) {
    let capacity = expectation.keys.iter().find_map(|key| match key {
        Key::Capacity(capacity) => *capacity,
        _ => None,
    });
    let copies = expectation.keys.iter().find_map(|key| match key {
        Key::Copies(count) => Some(Copies { process: None, count: *count }),
        _ => None,
    });
    let instance = copies.map(|copies| input.clone().with_copies(vec![copies]));
    let input = instance.as_ref().unwrap_or(input);
    let mut request = Check { model, property: Property::Stated, ..request.check.clone() };
    if let Some(capacity) = capacity {
        request.settings.explore.max_capacity = Some(capacity);
    }
    add("verdict", verdict(&request, input, &expectation.verdict, watch));
    let mut figures =
        Figures { request: &request, input, capacity, watch, closure: None, fixed: None, listed: None };
    for (what, status) in expectation.keys.iter().filter_map(|key| figures.status(key)) {
        add(what, status);
    }
    // Where the plain search ran anyway, it also knows the least capacity.
    if let (Some(capacity), Some(Ok(closure))) = (capacity, &figures.closure)
        && !closure.cut
        && expectation.verdict == "safe"
    {
        add("capacity", equal("pending operations", capacity as u64, closure.most_pending as u64));
    }
}

/// What several expectations ask of one file and model, found out when the first one asks.
struct Figures<'a> {
    request: &'a Check,
    input: &'a Input,
    capacity: Option<usize>,
    watch: &'a Watch,
    closure: Option<Result<Closure, String>>,
    fixed: Option<Result<Fewest, Missing>>,
    listed: Option<Result<Listing, Missing>>,
}

impl Figures<'_> {
    /// The name of the row of a key, and what becomes of it; a capacity is no row of its own.
    fn status(&mut self, key: &Key) -> Option<(&'static str, Status)> {
        Some(match key {
            Key::Capacity(_) | Key::Copies(_) => return None,
            Key::Deadlock(expected) => {
                let deadlock = Check { property: Property::NoDeadlock, ..self.request.clone() };
                ("deadlock", verdict(&deadlock, self.input, expected, self.watch))
            }
            Key::Fix(expected) => ("fix", fewest(self.fixed(), *expected, |fewest| Some(fewest.count))),
            Key::Source(expected) => ("source", fewest(self.fixed(), *expected, |fewest| fewest.source)),
            Key::Kinds(expected) => ("kinds", kinds(self.fixed(), expected)),
            Key::States(None) => ("states", Status::Ignored("states not written down".into())),
            Key::States(Some(expected)) => {
                ("states", compare(self.closure(), "states", *expected, |closure| closure.states))
            }
            Key::Outcomes(_) | Key::Executions(_) if lists(self.request.engine.as_deref()).is_err() => {
                ("outcomes", Status::Ignored("an engine that lists no final states".into()))
            }
            Key::Outcomes(expected) if self.request.model.axioms.is_some() => {
                let count = |listing: &Listing| Some(listing.states.len() as u64);
                ("outcomes", figure(self.listed(), "outcomes", *expected as u64, count))
            }
            Key::Executions(expected) => {
                ("executions", figure(self.listed(), "executions", *expected, Listing::executions))
            }
            Key::Outcomes(expected) => {
                let count = |closure: &Closure| closure.outcomes.len() as u64;
                ("outcomes", compare(self.closure(), "outcomes", *expected as u64, count))
            }
        })
    }

    fn closure(&mut self) -> &Result<Closure, String> {
        let (request, input, watch) = (self.request, self.input, self.watch);
        self.closure.get_or_insert_with(|| close(request, input, self.capacity, watch))
    }

    fn fixed(&mut self) -> &Result<Fewest, Missing> {
        self.fixed.get_or_insert_with(|| fences(self.request, self.input, self.watch))
    }

    fn listed(&mut self) -> &Result<Listing, Missing> {
        self.listed.get_or_insert_with(|| list(self.request, self.input, self.watch))
    }
}

fn verdict(request: &Check, input: &Input, expected: &str, watch: &Watch) -> Status {
    match check(request, input, watch) {
        Err(message) => Status::Failed(message),
        Ok(checked) if checked.report.verdict.word() == expected => {
            match checked.report.diagnostics.iter().any(|one| one.code == "vacuous") {
                true => Status::Vacuous,
                false => Status::Passed,
            }
        }
        Ok(checked) => {
            let report = checked.report;
            if let CheckVerdict::Internal { what } = report.verdict {
                return Status::Internal(what);
            }
            let detail = detail(&report);
            Status::Failed(format!("expected {expected}, found {}{detail}", report.verdict.word()))
        }
    }
}

/// Why a figure is not known.
#[derive(Clone, Debug)]
struct Missing {
    why: String,
    /// An internal error of wattle.
    internal: bool,
}

impl From<String> for Missing {
    fn from(why: String) -> Missing {
        Missing { why, internal: false }
    }
}

impl Missing {
    fn internal(why: String) -> Missing {
        Missing { why, internal: true }
    }

    fn status(&self, expected: &str) -> Status {
        match self.internal {
            true => Status::Internal(self.why.clone()),
            false => Status::Failed(format!("{expected}: {}", self.why)),
        }
    }
}

fn detail(report: &CheckReport) -> String {
    match &report.verdict {
        CheckVerdict::Unknown { reason } => format!(" ({reason})"),
        CheckVerdict::Bounded { bound } => format!(" ({bound})"),
        CheckVerdict::Error => match report.diagnostics.first() {
            Some(diagnostic) => {
                let place = report.sources.start(diagnostic.span());
                format!(" ({}:{}: {})", place.line, place.column, diagnostic.message)
            }
            None => String::new(),
        },
        CheckVerdict::Safe { .. } | CheckVerdict::Unsafe { .. } | CheckVerdict::Internal { .. } => {
            String::new()
        }
    }
}

/// The plain search on the program that engines get.
fn close(request: &Check, input: &Input, capacity: Option<usize>, watch: &Watch) -> Result<Closure, String> {
    let loaded = load(input).map_err(|_| "the file does not parse".to_owned())?;
    let prepared = prepare(&loaded, &request.model, Goal::Verdict).map_err(|why| why.to_string())?;
    let task = prepared.task(Property::Stated);
    task.has_meaning().map_err(|refused| refused.to_string())?;
    explore_all(&task, capacity, false, &watch.run(request.budget)).map_err(|reason| reason.to_string())
}

fn compare(
    closure: &Result<Closure, String>,
    what: &str,
    expected: u64,
    found: impl Fn(&Closure) -> u64,
) -> Status {
    match closure {
        Err(message) => Status::Failed(format!("the plain search did not finish: {message}")),
        Ok(closure) => equal(what, expected, found(closure)),
    }
}

fn list(request: &Check, input: &Input, watch: &Watch) -> Result<Listing, Missing> {
    let report = outcomes(&outcomes_request(request, Some(&request.model)), input, watch)?;
    match report.verdict {
        OutcomesVerdict::Listed(listing) => Ok(listing),
        OutcomesVerdict::Unknown { reason } => Err(reason.to_string().into()),
        OutcomesVerdict::Internal { what } => Err(Missing::internal(what)),
        OutcomesVerdict::Error => Err("the file does not parse".to_owned().into()),
    }
}

fn figure(
    listed: &Result<Listing, Missing>,
    what: &str,
    expected: u64,
    found: impl Fn(&Listing) -> Option<u64>,
) -> Status {
    match listed.as_ref().map(found) {
        Err(missing) => missing.status(&format!("expected {expected} {what}")),
        Ok(None) => Status::Failed(format!("expected {expected} {what}, which a machine does not count")),
        Ok(Some(found)) => equal(what, expected, found),
    }
}

fn equal(what: &str, expected: u64, found: u64) -> Status {
    match expected == found {
        true => Status::Passed,
        false => Status::Failed(format!("expected {expected} {what}, found {found}")),
    }
}

/// The fewest fences, counted by copies and in the text, and what they are called.
struct Fewest {
    count: usize,
    source: Option<usize>,
    kinds: Vec<String>,
}

fn fences(request: &Check, input: &Input, watch: &Watch) -> Result<Fewest, Missing> {
    let request = Fix {
        engine: request.engine.clone(),
        settings: request.settings.clone(),
        budget: request.budget,
        atomic_copy: request.atomic_copy,
        ..Fix::new(request.model.clone())
    };
    let report = fix(&request, input, watch)?;
    match report.verdict {
        FixVerdict::AlreadySafe { .. } => Ok(Fewest { count: 0, source: Some(0), kinds: vec![] }),
        // With a bounded proof nothing is minimal in the strict sense; the number still counts.
        FixVerdict::Repaired { minimal, proof, count, source_count, sets, .. }
            if minimal || proof == Proof::Bounded =>
        {
            let mut kinds: Vec<String> = sets.into_iter().take(1).flatten().map(|one| one.kind).collect();
            kinds.sort();
            Ok(Fewest { count, source: source_count, kinds })
        }
        FixVerdict::Repaired { count, .. } => Err(format!("{count} do, but fewer were not ruled out").into()),
        FixVerdict::Unrepairable { why } => Err(why.into()),
        FixVerdict::Unknown { reason } => Err(reason.to_string().into()),
        FixVerdict::Internal { what } => Err(Missing::internal(what)),
        FixVerdict::Relaxed { .. } | FixVerdict::Error => Err(report.verdict.word().to_owned().into()),
    }
}

fn kinds(found: &Result<Fewest, Missing>, expected: &[String]) -> Status {
    let wanted = expected.join(" ");
    match found {
        Ok(found) if found.kinds == expected => Status::Passed,
        Ok(found) => Status::Failed(format!("expected {wanted}, found {}", found.kinds.join(" "))),
        Err(missing) => missing.status(&format!("expected {wanted}")),
    }
}

fn fewest(
    found: &Result<Fewest, Missing>,
    expected: usize,
    count: impl Fn(&Fewest) -> Option<usize>,
) -> Status {
    match found.as_ref().map(count) {
        Err(missing) => missing.status(&format!("expected {expected}")),
        Ok(None) => Status::Failed(format!("expected {expected}, found no number for the text")),
        Ok(Some(found)) => equal("placed", expected as u64, found as u64),
    }
}
