//! `wattle check`.

use wattle_driver::check::{Check, check};
use wattle_driver::dump::{self, Abstraction, Nothing, Unrolling};
use wattle_driver::engines::has_room_for;
use wattle_driver::{Input, in_order, load, models, replay};
use wattle_engine_extrapolate::Room;
use wattle_report::{CheckReport, CheckVerdict, Exit, json, text};

use super::{Session, accept, atomic_copy, budget, inputs, property, rest, room, settings_with};
use crate::args::{self, Dump, Emit, Format, View};
use crate::output::{Output, aside, complain};

pub(crate) fn run(args: &args::Check, session: &mut Session) -> Result<Exit, String> {
    let request = Check {
        model: models::resolve(&args.model, atomic_copy(&args.search))?,
        property: property(args.check),
        engine: args.search.engine.clone(),
        settings: settings_with(&args.search, &args.predicates, &args.abstract_buffers, session),
        budget: budget(&args.search),
        certify: args.certify,
        atomic_copy: atomic_copy(&args.search),
        blame_weak_memory: true,
        litmus: args.emit == Some(Emit::Litmus),
    };
    let inputs = inputs(&args.inputs);
    // A text that does not parse says so itself.
    let fits = |input: &Input| match load(input) {
        Ok(loaded) => has_room_for(&request.settings, &loaded, &request.model),
        Err(_) => Ok(()),
    };
    if let Some(view) = args.dump {
        let unrolled = |input: &Input, view| dump::unrolled(input, &request.model, &request.settings, view);
        let run = session.watch.run(request.budget);
        let abstracted =
            |input: &Input, view| dump::abstracted(input, &request.model, &request.settings, &run, view);
        let text = |input: &Input| match view {
            Dump::View(View::Program) => dump::after_pass(input, &request.model, "load"),
            Dump::After(pass) => dump::after_pass(input, &request.model, pass),
            Dump::View(View::Ssa) => unrolled(input, Unrolling::Ssa),
            Dump::View(View::Events) => unrolled(input, Unrolling::Events),
            Dump::View(View::Constraints) => unrolled(input, Unrolling::Constraints),
            Dump::View(View::Predicates) => abstracted(input, Abstraction::Predicates),
            Dump::View(View::Boolean) => abstracted(input, Abstraction::Boolean),
        };
        return print_all(&inputs, &fits, &text, session);
    }
    if args.emit == Some(Emit::Reduced) {
        let room = Room { rest: rest(&args.abstract_buffers), ..room(&args.search).unwrap_or(Room::all(1)) };
        return print_all(&inputs, &fits, &|input| dump::reduced(input, &request.model, &room), session);
    }
    let jobs = args.inputs.reading.jobs;
    let accept = accept(args.accept_bounded, &args.strict);
    let meter = session.meter(jobs);
    let (watch, output) = (session.watch.clone(), &mut session.output);
    let mut exit = Exit::Good;
    let mut problem = None;
    let (mut saved, mut graphs) = (false, false);
    in_order(
        &inputs,
        jobs,
        |input| check(&request, input, &watch),
        |_, checked| {
            let checked = match checked {
                Ok(checked) => checked,
                Err(message) => {
                    problem = Some(message);
                    return false;
                }
            };
            exit = exit.worst(Exit::of_check(&checked.report, accept));
            if let (Some(path), Some(trace), false) = (&args.save_trace, &checked.trace, saved) {
                saved = true;
                if let Err(error) = replay::save(path, trace) {
                    complain(&format!("cannot write {}: {error}", path.display()));
                    exit = exit.worst(Exit::BadInput);
                }
            }
            graphs |=
                checked.trace.is_none() && matches!(checked.report.verdict, CheckVerdict::Unsafe { .. });
            meter.aside(|| show(&checked.report, output))
        },
    );
    meter.finish();
    if args.save_trace.is_some() && !saved && problem.is_none() {
        complain(match graphs {
            true => "not saved: the counterexample is an execution graph, which has no schedule",
            false => "no counterexample to save",
        });
    }
    problem.map_or(Ok(exit), Err)
}

/// Print one report; `false` if the reader has gone away.
pub(crate) fn show(report: &CheckReport, output: &mut Output) -> bool {
    match output.format {
        Format::Json => output.json(&json::check(report, output.options.timing)),
        Format::Text => {
            let mut shown = text::check(report, &output.options);
            let long = !output.is_quiet() && matches!(report.verdict, CheckVerdict::Unsafe { .. });
            if long {
                shown.result.push('\n');
            }
            shown.result.push_str(report.litmus.as_deref().unwrap_or_default());
            output.shown(&shown)
        }
    }
}

fn print_all(
    inputs: &[Input],
    fits: &dyn Fn(&Input) -> Result<(), String>,
    text: &dyn Fn(&Input) -> Result<String, Nothing>,
    session: &mut Session,
) -> Result<Exit, String> {
    let mut exit = Exit::Good;
    for input in inputs {
        fits(input)?;
        match text(input) {
            Ok(text) => session.output.text(&text),
            Err(Nothing::Because(why)) => {
                exit = exit.worst(Exit::Undecided);
                complain(&format!("{}: nothing to show: {why}", input.name));
                true
            }
            Err(Nothing::Refused(refused)) => {
                exit = exit.worst(if refused.internal.is_some() { Exit::Internal } else { Exit::BadInput });
                let options = session.output.options;
                aside(&text::diagnostics(&refused.sources, &refused.diagnostics, &options));
                true
            }
        };
    }
    Ok(exit)
}
