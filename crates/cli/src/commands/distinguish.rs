//! `wattle distinguish`.

use serde_json::{Value, json};
use wattle_driver::distinguish::{
    Difference, Distinguish, Distinguished, Side, Why, architectures, distinguish,
};
use wattle_driver::engines::Settings;
use wattle_driver::models;
use wattle_driver::outcomes::Outcomes;
use wattle_engine::Budget;
use wattle_report::Exit;
use wattle_report::json::SCHEMA;
use wattle_report::text::Detail;

use super::Session;
use super::generate::family;
use crate::args::{self, Format};

pub(crate) fn run(args: &args::Distinguish, session: &mut Session) -> Result<Exit, String> {
    let models = [models::resolve(&args.one, false)?, models::resolve(&args.other, false)?];
    let of = match args.arch {
        Some(arch) => vec![arch.0],
        None => architectures(&models)?,
    };
    let request = Distinguish {
        families: of.into_iter().map(|one| family(&args.family, one)).collect::<Result<_, _>>()?,
        count: args.count,
        outcomes: Outcomes {
            model: None,
            engine: None,
            settings: Settings::default(),
            budget: Budget {
                time: (!args.timeout.is_zero()).then_some(args.timeout),
                memory: None,
                states: None,
                work: None,
            },
            atomic_copy: false,
        },
        models,
    };
    let found = distinguish(&request, &session.watch)?;
    let names = [&*request.models[0].name, &*request.models[1].name];
    let output = &mut session.output;
    match output.format {
        Format::Json => {
            for difference in &found.differences {
                output.json(&line(&found, names, Some(difference)));
            }
        }
        Format::Text | Format::Svcomp => {
            for difference in &found.differences {
                output.text(&text(difference, output.options.detail));
            }
        }
    }
    if found.undecided > 0 {
        let reason = found.reason.as_deref().unwrap_or_default();
        crate::output::complain(&format!("{} tests had no answer, such as {reason}", found.undecided));
    }
    if let Some(what) = &found.internal {
        crate::output::complain(&format!("INTERNAL ERROR: {what}"));
        return Ok(Exit::Internal);
    }
    if found.differences.is_empty() {
        match output.format {
            Format::Text | Format::Svcomp => output.text(&none(&found, names)),
            Format::Json => output.json(&line(&found, names, None)),
        };
        return Ok(Exit::Undecided);
    }
    Ok(Exit::Good)
}

fn none(found: &Distinguished, [one, other]: [&str; 2]) -> String {
    format!(
        "no difference between {one} and {other} found among {} tests of up to {} edges\n",
        found.tests, found.size
    )
}

fn text(difference: &Difference, detail: Detail) -> String {
    let words = |side: &Side| format!("{} {}", side.model, if side.allows { "allows" } else { "forbids" });
    let [left, right] = &difference.sides;
    let headline = match left.allows == right.allows {
        true => {
            let both = if left.allows { "allow" } else { "forbid" };
            format!("{}: both {both} it, but other final states differ", difference.test)
        }
        false => format!("{}: {} it, {} it", difference.test, words(left), words(right)),
    };
    if detail == Detail::Quiet {
        return format!("{headline}\n");
    }
    let mut text = format!("{headline}\n\n");
    for line in difference.text.lines() {
        text.push_str(&format!("    {line}\n"));
    }
    text.push('\n');
    for side in &difference.sides {
        text.push_str(&format!(
            "{}: {} final states, {} of them only here; {} executions\n",
            side.model, side.states, side.only_here, side.executions
        ));
    }
    if let Some(why) = &difference.why {
        text.push_str(&reasons(why));
    }
    text + "\n"
}

fn reasons(why: &Why) -> String {
    let mut text = format!("The execution that {} allows goes round a cycle:\n", why.allowing);
    for (event, relation) in &why.cycle {
        text.push_str(&format!("    {event}  --{relation}-->\n"));
    }
    text.push_str(&format!("The axiom `{}` of {} forbids it", why.axiom, why.forbidding));
    match why.witness.is_empty() {
        true => text.push_str(".\n"),
        false => text.push_str(&format!(":\n    {}\n", why.witness.join(", "))),
    }
    text
}

/// Without a difference, what was tried.
fn line(found: &Distinguished, models: [&str; 2], difference: Option<&Difference>) -> Value {
    let side = |side: &Side| {
        json!({
            "model": side.model,
            "allows": side.allows,
            "states": side.states,
            "executions": side.executions,
            "only_here": side.only_here,
        })
    };
    let why = difference.and_then(|difference| difference.why.as_ref()).map(|why| {
        let step = |(event, relation): &(String, &str)| json!({"event": event, "relation": relation});
        json!({
            "allowing": why.allowing,
            "forbidding": why.forbidding,
            "axiom": why.axiom,
            "witness": why.witness,
            "cycle": why.cycle.iter().map(step).collect::<Vec<_>>(),
        })
    });
    json!({
        "schema": SCHEMA,
        "models": models,
        "tests": found.tests,
        "size": found.size,
        "undecided": found.undecided,
        "test": difference.map(|one| &one.test),
        "architecture": difference.map(|one| one.architecture.name()),
        "cycle": difference.map(|one| &one.cycle),
        "text": difference.map(|one| &one.text),
        "sides": difference.map_or(vec![], |one| one.sides.iter().map(side).collect()),
        "why": why,
    })
}
