//! `wattle check`.

use std::path::Path;

use wattle_driver::check::{Check, check};
use wattle_driver::dump::{self, Abstraction, Nothing, Unrolling};
use wattle_driver::engines::has_room_for;
use wattle_driver::{Input, load, models, replay};
use wattle_engine_extrapolate::Room;
use wattle_report::{Exit, text};

use super::{Session, accept, atomic_copy, budget, inputs, property, rest, room, settings_with};
use crate::args::{self, Dump, Emit, View};
use crate::output::{aside, complain};

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
    if let Some(file) = &args.property_file {
        is_known_property(file)?;
    }
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
    let accept = accept(args.accept_bounded, &args.strict);
    let (mut exit, mut saved) = (Exit::Good, false);
    session.each(
        &inputs,
        args.inputs.reading.jobs,
        |input, watch| check(&request, input, watch),
        |output, checked| {
            exit = exit.worst(Exit::of_check(&checked.report, accept));
            if let (Some(path), Some(trace), false) = (&args.save_trace, &checked.trace, saved) {
                saved = true;
                if let Err(error) = replay::save(path, trace) {
                    complain(&format!("cannot write {}: {error}", path.display()));
                    exit = exit.worst(Exit::BadInput);
                }
            }
            output.report(&checked.report)
        },
    )?;
    if args.save_trace.is_some() && !saved {
        complain("no counterexample to save");
    }
    Ok(exit)
}

/// Is the property of this file that no error function is called? That is what a C program states by itself.
fn is_known_property(file: &Path) -> Result<(), String> {
    let problem = |what: &dyn std::fmt::Display| format!("{}: {what}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| problem(&error))?;
    let words: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    let error =
        words.strip_prefix("CHECK(init(main()),LTL(G!call(").and_then(|rest| rest.strip_suffix("())))"));
    match error {
        Some("reach_error" | "__VERIFIER_error") => Ok(()),
        _ => Err(problem(
            &"wattle checks no such property, only `CHECK( init(main()), LTL(G ! call(reach_error())) )`",
        )),
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
