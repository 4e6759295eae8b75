//! `wattle outcomes`.

use wattle_driver::outcomes::{Outcomes, outcomes};
use wattle_driver::{in_order, models};
use wattle_report::text::Shown;
use wattle_report::{Accept, Exit, json, text};

use super::{Session, atomic_copy, budget, inputs, settings};
use crate::args::{self, Format};

pub(crate) fn run(args: &args::Outcomes, session: &mut Session) -> Result<Exit, String> {
    let copy = atomic_copy(&args.search);
    let request = Outcomes {
        model: args.model.as_deref().map(|name| models::resolve(name, copy)).transpose()?,
        engine: args.search.engine.clone(),
        settings: settings(&args.search, session),
        budget: budget(&args.search),
        atomic_copy: copy,
    };
    let inputs = inputs(&args.inputs);
    let jobs = args.inputs.reading.jobs;
    let meter = session.meter(jobs);
    let (watch, output) = (session.watch.clone(), &mut session.output);
    let mut exit = Exit::Good;
    let mut problem = None;
    let accept = Accept { bounded: args.accept_bounded, ..Accept::default() };
    let (format, options) = (output.format, output.options);
    in_order(
        &inputs,
        jobs,
        // The workers render too; what is left for this thread is to write.
        |input| {
            let report = outcomes(&request, input, &watch)?;
            let shown = match format {
                Format::Json => {
                    let result = format!("{}\n", json::outcomes(&report, options.timing));
                    Shown { result, ..Shown::default() }
                }
                Format::Text => text::outcomes(&report, &options),
            };
            Ok((Exit::of_outcomes(&report, accept), shown))
        },
        |_, done: Result<(Exit, Shown), String>| match done {
            Err(message) => {
                problem = Some(message);
                false
            }
            Ok((one, shown)) => {
                exit = exit.worst(one);
                meter.aside(|| output.shown(&shown))
            }
        },
    );
    meter.finish();
    problem.map_or(Ok(exit), Err)
}
