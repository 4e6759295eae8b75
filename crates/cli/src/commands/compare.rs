//! `wattle compare`.

use wattle_driver::check::Check;
use wattle_driver::compare::{Compare, Compared, compare};
use wattle_driver::port::port;
use wattle_driver::{Input, in_order, models};
use wattle_report::text::{Detail, Options, Table};
use wattle_report::{CheckVerdict, Exit, OutcomesReport, json, text};

use super::{Session, accept, atomic_copy, budget, inputs, property, settings};
use crate::args::{self, Format};
use crate::output::Output;

pub(crate) fn run(args: &args::Compare, session: &mut Session) -> Result<Exit, String> {
    let copy = atomic_copy(&args.search);
    let names = args.models.iter().chain(&args.from).chain(&args.to);
    let models: Vec<_> = names.map(|name| models::resolve(name, copy)).collect::<Result<_, _>>()?;
    let request = Compare {
        check: Check {
            model: models[0].clone(),
            property: property(args.check),
            engine: args.search.engine.clone(),
            settings: settings(&args.search, session),
            budget: budget(&args.search),
            certify: false,
            atomic_copy: copy,
            // Naming sc among the models asks that question; otherwise it was not asked.
            blame_weak_memory: false,
            litmus: false,
        },
        models,
    };
    let inputs = inputs(&args.inputs);
    if args.from.is_some() {
        return run_port(args, &request, &inputs, session);
    }
    let jobs = args.inputs.reading.jobs;
    let meter = session.meter(jobs);
    let (watch, output) = (session.watch.clone(), &mut session.output);
    let accept = accept(args.accept_bounded, &args.strict);
    let mut table = None;
    let mut exit = Exit::Good;
    let mut problem = None;
    in_order(
        &inputs,
        jobs,
        |input| compare(&request, input, &watch),
        |_, compared| {
            let compared = match compared {
                Ok(Compared::Verdicts(compared)) => compared,
                Ok(Compared::Outcomes(reports)) => {
                    for report in &reports {
                        exit = exit.worst(Exit::of_outcomes(report, accept));
                    }
                    return meter.aside(|| side_by_side(&reports, &mut table, &inputs, output));
                }
                Err(message) => {
                    problem = Some(message);
                    return false;
                }
            };
            for checked in &compared {
                let report = &checked.report;
                exit = exit.worst(Exit::of_check(report, accept));
                // The verdicts side by side; stories only on demand. A bad file is bad once.
                let bad = matches!(report.verdict, CheckVerdict::Error);
                let brief = output.options.detail == Detail::Normal && !bad;
                let detail = if brief { Detail::Quiet } else { output.options.detail };
                let options = Options { detail, ..output.options };
                let open = meter.aside(|| match output.format {
                    Format::Json => output.json(&json::check(report, options.timing)),
                    Format::Text => output.shown(&text::check(report, &options)),
                });
                if !open {
                    return false;
                }
                if bad && output.format == Format::Text {
                    break;
                }
            }
            true
        },
    );
    meter.finish();
    problem.map_or(Ok(exit), Err)
}

/// One row, under the header if it is the first. With `-v` whole lists follow each other instead.
fn side_by_side(
    reports: &[OutcomesReport],
    table: &mut Option<Table>,
    inputs: &[Input],
    output: &mut Output,
) -> bool {
    let options = output.options;
    match (output.format, options.detail) {
        (Format::Json, _) => {
            reports.iter().all(|report| output.json(&json::outcomes(report, options.timing)))
        }
        (Format::Text, Detail::Verbose) => reports.iter().all(|report| {
            let mut shown = text::outcomes(report, &options);
            shown.result.insert_str(0, &format!("{}:\n", options.style.strong(&report.model)));
            output.shown(&shown)
        }),
        (Format::Text, _) => {
            let mut text = String::new();
            let table = table.get_or_insert_with(|| {
                let table =
                    Table::new(reports.iter().map(|report| &*report.model), inputs.iter().map(Input::stem));
                text.push_str(&table.header(&options));
                table
            });
            text.push_str(&table.row(reports, &options));
            output.text(&text)
        }
    }
}

fn run_port(
    args: &args::Compare,
    request: &Compare,
    inputs: &[Input],
    session: &mut Session,
) -> Result<Exit, String> {
    let jobs = args.inputs.reading.jobs;
    let meter = session.meter(jobs);
    let (watch, output) = (session.watch.clone(), &mut session.output);
    let mut exit = Exit::Good;
    let mut problem = None;
    in_order(
        inputs,
        jobs,
        |input| port(request, input, &watch),
        |_, report| match report {
            Err(message) => {
                problem = Some(message);
                false
            }
            Ok(report) => {
                exit = exit.worst(Exit::of_port(&report));
                meter.aside(|| match output.format {
                    Format::Json => output.json(&json::port(&report, output.options.timing)),
                    Format::Text => output.shown(&text::port(&report, &output.options)),
                })
            }
        },
    );
    meter.finish();
    problem.map_or(Ok(exit), Err)
}
