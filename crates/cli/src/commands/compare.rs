//! `wattle compare`.

use wattle_driver::check::Check;
use wattle_driver::compare::{Compare, compare};
use wattle_driver::{in_order, models};
use wattle_report::text::{Detail, Options};
use wattle_report::{CheckVerdict, Exit, json, text};

use super::{Session, atomic_copy, budget, inputs, property, settings};
use crate::args::{self, Format};

pub fn run(args: &args::Compare, session: &mut Session) -> Result<Exit, String> {
    let copy = atomic_copy(&args.search);
    let models: Vec<_> =
        args.models.iter().map(|name| models::resolve(name, copy)).collect::<Result<_, _>>()?;
    let request = Compare {
        check: Check {
            model: models[0].clone(),
            property: property(args.check),
            engine: args.search.engine.clone(),
            settings: settings(&args.search),
            budget: budget(&args.search),
            certify: false,
            atomic_copy: copy,
            // Naming sc among the models asks that question; otherwise it was not asked.
            blame_weak_memory: false,
        },
        models,
    };
    let inputs = inputs(&args.inputs);
    let jobs = args.inputs.reading.jobs;
    let meter = session.meter(jobs);
    let (watch, output) = (session.watch.clone(), &mut session.output);
    let mut exit = Exit::Good;
    let mut problem = None;
    in_order(
        &inputs,
        jobs,
        |input| compare(&request, input, &watch),
        |_, compared| {
            let compared = match compared {
                Ok(compared) => compared,
                Err(message) => {
                    problem = Some(message);
                    return false;
                }
            };
            for checked in &compared {
                let report = &checked.report;
                exit = exit.worst(Exit::of_check(report, args.accept_bounded));
                // The verdicts side by side; stories only on demand. A bad file is bad once.
                let bad = matches!(report.verdict, CheckVerdict::Error);
                let brief = output.options.detail == Detail::Normal && !bad;
                let detail = if brief { Detail::Quiet } else { output.options.detail };
                let options = Options { detail, ..output.options };
                let open = meter.aside(|| match output.format {
                    Format::Json => output.json(&json::check(report, options.timing)),
                    Format::Text => output.text(&text::check(report, &options)),
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
