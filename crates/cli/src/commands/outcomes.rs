//! `wattle outcomes`.

use wattle_driver::models;
use wattle_driver::outcomes::{Outcomes, outcomes};
use wattle_report::{Accept, Exit};

use super::{Session, atomic_copy, budget, inputs, settings};
use crate::args;
use crate::output::rendered;

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
    let accept = Accept { bounded: args.accept_bounded, ..Accept::default() };
    let (format, options) = (session.output.format, session.output.options);
    let mut exit = Exit::Good;
    session.each(
        &inputs,
        args.inputs.reading.jobs,
        // The workers render too; what is left for this thread is to write.
        |input, watch| {
            let report = outcomes(&request, input, watch)?;
            Ok((Exit::of_outcomes(&report, accept), rendered(&report, format, &options)))
        },
        |output, (one, shown)| {
            exit = exit.worst(one);
            output.shown(&shown)
        },
    )?;
    Ok(exit)
}
