//! Running one expectation.

use wattle_engine::certify::{Closure, explore_all};
use wattle_engine::{Property, Task};
use wattle_memory::MemoryModel;
use wattle_program::passes;
use wattle_report::{CheckReport, CheckVerdict};

use super::{Expectation, Key, Row, Status, Test};
use crate::check::{Check, check};
use crate::{Input, Watch, load, models};

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
        let model = match models::resolve(name, request.check.atomic_copy) {
            Ok(model) => model,
            Err(message) => {
                add("verdict", Status::Failed(message));
                continue;
            }
        };
        let capacity = expectation.keys.iter().find_map(|key| match key {
            Key::Capacity(capacity) => Some(*capacity),
            _ => None,
        });
        let mut of_row = Check { model, property: Property::Stated, ..request.check.clone() };
        if let Some(capacity) = capacity {
            of_row.settings.explore.max_capacity = capacity;
        }
        add("verdict", verdict(&of_row, input, &expectation.verdict, watch));
        let mut closure = None;
        for key in &expectation.keys {
            match key {
                Key::Capacity(_) => {}
                Key::Deadlock(expected) => {
                    let deadlock = Check { property: Property::NoDeadlock, ..of_row.clone() };
                    add("deadlock", verdict(&deadlock, input, expected, watch));
                }
                Key::Fix(_) => add("fix", Status::Ignored("fix is not wired".into())),
                Key::Source(_) => add("source", Status::Ignored("fix is not wired".into())),
                Key::States(expected) => {
                    let closure =
                        closure.get_or_insert_with(|| close(&of_row.model, &of_row, input, capacity, watch));
                    add("states", compare(closure, "states", *expected, |closure| closure.states));
                }
                Key::Outcomes(expected) => {
                    let closure =
                        closure.get_or_insert_with(|| close(&of_row.model, &of_row, input, capacity, watch));
                    let count = |closure: &Closure| closure.outcomes.len() as u64;
                    add("outcomes", compare(closure, "outcomes", *expected as u64, count));
                }
            }
        }
    }
    rows
}

fn verdict(request: &Check, input: &Input, expected: &str, watch: &Watch) -> Status {
    match check(request, input, watch) {
        Err(message) => Status::Failed(message),
        Ok(checked) if checked.report.verdict.word() == expected && !is_internal(&checked.report) => {
            Status::Passed
        }
        Ok(checked) => {
            let report = checked.report;
            let detail = detail(&report);
            Status::Failed(format!("expected {expected}, found {}{detail}", report.verdict.word()))
        }
    }
}

fn is_internal(report: &CheckReport) -> bool {
    matches!(report.verdict, CheckVerdict::Internal { .. })
}

fn detail(report: &CheckReport) -> String {
    match &report.verdict {
        CheckVerdict::Unknown { reason } => format!(" ({reason})"),
        CheckVerdict::Internal { what } => format!(" (INTERNAL ERROR: {what})"),
        CheckVerdict::Bounded { bound } => format!(" ({bound})"),
        CheckVerdict::Error => match report.diagnostics.first() {
            Some(diagnostic) => {
                let place = report.sources.start(diagnostic.span());
                format!(" ({}:{}: {})", place.line, place.column, diagnostic.message)
            }
            None => String::new(),
        },
        CheckVerdict::Safe { .. } | CheckVerdict::Unsafe { .. } => String::new(),
    }
}

/// The plain search on the program that engines get.
fn close(
    memory: &MemoryModel,
    request: &Check,
    input: &Input,
    capacity: Option<usize>,
    watch: &Watch,
) -> Result<Closure, String> {
    let loaded = load(input).map_err(|_| "the file does not parse".to_owned())?;
    let program = passes::forget_dead(&loaded.parsed.program);
    let task = Task { program: &program, memory, property: Property::Stated };
    if let Some(what) = memory.refuses(&program) {
        return Err(what);
    }
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
        Ok(closure) if found(closure) == expected => Status::Passed,
        Ok(closure) => Status::Failed(format!("expected {expected} {what}, found {}", found(closure))),
    }
}
