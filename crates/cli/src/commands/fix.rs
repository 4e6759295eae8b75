//! `wattle fix`.

use wattle_driver::fix::{All, Fix, Method, fix};
use wattle_driver::models;
use wattle_report::Exit;

use super::{Session, accept, atomic_copy, budget, inputs, property, settings_with};
use crate::args;

pub(crate) fn run(args: &args::Fix, session: &mut Session) -> Result<Exit, String> {
    let request = Fix {
        model: models::resolve(&args.model, atomic_copy(&args.search))?,
        property: property(args.check),
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
    let accept = accept(args.accept_bounded, &args.strict);
    let mut exit = Exit::Good;
    session.each(
        &inputs,
        args.inputs.reading.jobs,
        |input, watch| fix(&request, input, watch),
        |output, report| {
            exit = exit.worst(Exit::of_fix(&report, accept));
            output.report(&report)
        },
    )?;
    Ok(exit)
}
