//! `wattle test`.

use wattle_driver::check::Check;
use wattle_driver::models;
use wattle_driver::test::{Status, Test, test};
use wattle_engine::Property;
use wattle_report::Exit;

use super::{Session, atomic_copy, budget_of_work, inputs, settings};
use crate::args::{self, Format};
use crate::output::complain;

pub(crate) fn run(args: &args::Test, session: &mut Session) -> Result<Exit, String> {
    let request = Test {
        check: Check {
            // The rows name their own.
            model: models::resolve("sc", atomic_copy(&args.search))?,
            property: Property::Stated,
            engine: args.search.engine.clone(),
            settings: settings(&args.search, session),
            budget: budget_of_work(&args.search),
            certify: false,
            atomic_copy: atomic_copy(&args.search),
            blame_weak_memory: false,
            litmus: false,
        },
        allow_missing: args.allow_missing,
    };
    let inputs = inputs(&args.inputs);
    let (mut passed, mut failed, mut internal, mut vacuous) = (0, 0, 0, 0);
    let mut ignored: Vec<String> = Vec::new();
    let watch = session.watch.clone();
    session.each(
        &inputs,
        args.inputs.reading.jobs,
        |input, watch| test(&request, input, watch),
        |output, rows| {
            let mut open = true;
            for row in rows {
                row.warning().iter().for_each(|warning| complain(warning));
                match &row.status {
                    Status::Passed => passed += 1,
                    Status::Vacuous => {
                        passed += 1;
                        vacuous += 1;
                    }
                    Status::Failed(_) => failed += 1,
                    Status::Internal(_) => {
                        failed += 1;
                        internal += 1;
                    }
                    Status::Ignored(why) => ignored.push(why.clone()),
                }
                open = output.report(&row);
            }
            open && !watch.is_cancelled()
        },
    )?;
    let output = &mut session.output;
    if output.format == Format::Text {
        let mut closing = format!("{passed} passed, {failed} failed");
        if vacuous > 0 {
            closing.push_str(&format!(", {vacuous} of those that passed are vacuous"));
        }
        if !ignored.is_empty() {
            let number = ignored.len();
            ignored.sort();
            ignored.dedup();
            closing.push_str(&format!(", {number} ignored ({})", ignored.join("; ")));
        }
        output.text(&format!("{closing}\n"));
    }
    Ok(match failed {
        _ if internal > 0 => Exit::Internal,
        0 if vacuous > 0 && !args.strict.deny.is_empty() => Exit::Undecided,
        0 => Exit::Good,
        _ => Exit::Violated,
    })
}
