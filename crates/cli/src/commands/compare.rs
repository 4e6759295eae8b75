//! `wattle compare`.

use wattle_driver::check::Check;
use wattle_driver::compare::{Compare, Compared, compare};
use wattle_driver::port::port;
use wattle_driver::{Input, models};
use wattle_report::text::{Detail, Options, Shown, Table};
use wattle_report::{CheckReport, CheckVerdict, Exit, OutcomesReport, text};

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
    let accept = accept(args.accept_bounded, &args.strict);
    let mut table = None;
    let mut exit = Exit::Good;
    session.each(
        &inputs,
        args.inputs.reading.jobs,
        |input, watch| compare(&request, input, watch),
        |output, compared| match compared {
            Compared::Outcomes(reports) => {
                reports.iter().for_each(|report| exit = exit.worst(Exit::of_outcomes(report, accept)));
                side_by_side(&reports, &mut table, &inputs, output)
            }
            Compared::Verdicts(compared) => {
                let reports: Vec<&CheckReport> = compared.iter().map(|checked| &checked.report).collect();
                reports.iter().for_each(|report| exit = exit.worst(Exit::of_check(report, accept)));
                verdicts(&reports, &mut table, &inputs, output)
            }
        },
    )?;
    Ok(exit)
}

/// The verdicts of one program as a row; stories only on demand.
fn verdicts(
    reports: &[&CheckReport],
    table: &mut Option<Table>,
    inputs: &[Input],
    output: &mut Output,
) -> bool {
    let options = output.options;
    let bad = reports.iter().find(|report| matches!(report.verdict, CheckVerdict::Error));
    match (output.format, options.detail, bad) {
        // A bad file is bad once.
        (Format::Text | Format::Svcomp, _, Some(report)) => output.report(*report),
        (Format::Json, ..) | (_, Detail::Verbose, _) => reports.iter().all(|report| output.report(*report)),
        (Format::Text | Format::Svcomp, ..) => {
            let models = reports.iter().map(|report| &*report.model);
            let (table, mut text) = under_header(table, models, inputs, &options);
            text.push_str(&table.verdicts(reports, &options));
            // What is said of the text is said once.
            let beside = reports.iter().map(|report| text::check(report, &options).aside);
            let aside = beside.into_iter().find(|aside| !aside.is_empty()).unwrap_or_default();
            output.shown(&Shown { result: text, aside })
        }
    }
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
        (Format::Json, _) => reports.iter().all(|report| output.report(report)),
        (Format::Text | Format::Svcomp, Detail::Verbose) => reports.iter().all(|report| {
            let mut shown = text::outcomes(report, &options);
            shown.result.insert_str(0, &format!("{}:\n", options.style.strong(&report.model)));
            output.shown(&shown)
        }),
        (Format::Text | Format::Svcomp, _) => {
            let models = reports.iter().map(|report| &*report.model);
            let (table, mut text) = under_header(table, models, inputs, &options);
            text.push_str(&table.row(reports, &options));
            output.text(&text)
        }
    }
}

/// The table, with its header if there was none before.
fn under_header<'t, 'a>(
    table: &'t mut Option<Table>,
    models: impl Iterator<Item = &'a str>,
    inputs: &'a [Input],
    options: &Options,
) -> (&'t Table, String) {
    let mut header = String::new();
    let table = table.get_or_insert_with(|| {
        let table = Table::new(models, inputs.iter().map(Input::stem));
        header = table.header(options);
        table
    });
    (table, header)
}

fn run_port(
    args: &args::Compare,
    request: &Compare,
    inputs: &[Input],
    session: &mut Session,
) -> Result<Exit, String> {
    let mut exit = Exit::Good;
    session.each(
        inputs,
        args.inputs.reading.jobs,
        |input, watch| port(request, input, watch),
        |output, report| {
            exit = exit.worst(Exit::of_port(&report));
            output.report(&report)
        },
    )?;
    Ok(exit)
}
