//! `wattle fix`.

use wattle_driver::fix::{All, Fix, Method, fix};
use wattle_driver::{in_order, models};
use wattle_report::{Exit, json, text};

use super::{Session, accept, atomic_copy, budget, inputs, settings_with};
use crate::args::{self, Format};

pub(crate) fn run(args: &args::Fix, session: &mut Session) -> Result<Exit, String> {
    let request = Fix {
        model: models::resolve(&args.model, atomic_copy(&args.search))?,
        engine: args.search.engine.clone(),
        settings: settings_with(&args.search, &args.predicates, &args.abstract_buffers, session),
        budget: budget(&args.search),
        atomic_copy: atomic_copy(&args.search),
        all: match args.all {
            None => All::One,
            Some(args::All::Minimum) => All::Minimum,
            Some(args::All::Subset) => All::Subset,
        },
        anywhere: args.anywhere,
        per_thread: args.per_thread,
        method: match (args.extract, args.descend) {
            (true, _) => Method::Extract,
            (_, true) => Method::Descend,
            _ => Method::Fewest,
        },
        relax: args.relax,
        costs: args.cost.clone(),
        write: args.write,
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
        |input| fix(&request, input, &watch),
        |_, report| match report {
            Err(message) => {
                problem = Some(message);
                false
            }
            Ok(report) => {
                exit = exit.worst(Exit::of_fix(&report, accept(args.accept_bounded, &args.strict)));
                meter.aside(|| match output.format {
                    Format::Json => output.json(&json::fix(&report, output.options.timing)),
                    Format::Text => output.shown(&text::fix(&report, &output.options)),
                })
            }
        },
    );
    meter.finish();
    problem.map_or(Ok(exit), Err)
}
