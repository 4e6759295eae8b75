//! `wattle compare`.

use wattle_driver::check::Check;
use wattle_driver::compare::{Compare, Compared, compare};
use wattle_driver::port::port;
use wattle_driver::{Input, models};
use wattle_report::text::Table;
use wattle_report::{CheckReport, Compared as Rows, Exit};

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
                print(Rows::Outcomes(&reports), &mut table, &inputs, output)
            }
            Compared::Verdicts(compared) => {
                let reports: Vec<&CheckReport> = compared.iter().map(|checked| &checked.report).collect();
                reports.iter().for_each(|report| exit = exit.worst(Exit::of_check(report, accept)));
                print(Rows::Verdicts(&reports), &mut table, &inputs, output)
            }
        },
    )?;
    Ok(exit)
}

/// A row of the table; for programs, each report is a line.
fn print(rows: Rows<'_>, table: &mut Option<Table>, inputs: &[Input], output: &mut Output) -> bool {
    match output.format {
        Format::Json => rows.reports().into_iter().all(|report| output.report(report)),
        Format::Text | Format::Svcomp => {
            let options = output.options;
            output.shown(&rows.text(table, inputs.iter().map(Input::stem), &options))
        }
    }
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
