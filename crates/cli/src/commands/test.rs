//! `wattle test`.

use wattle_driver::check::Check;
use wattle_driver::models;
use wattle_driver::test::{Test, test};
use wattle_engine::Property;
use wattle_report::{Exit, Tally};

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
    let mut tally = Tally::default();
    let watch = session.watch.clone();
    session.each(
        &inputs,
        args.inputs.reading.jobs,
        |input, watch| test(&request, input, watch),
        |output, rows| {
            let mut open = true;
            for row in rows {
                row.warning().iter().for_each(|warning| complain(warning));
                tally.count(&row);
                open = output.report(&row);
            }
            open && !watch.is_cancelled()
        },
    )?;
    if session.output.format == Format::Text {
        session.output.text(&tally.closing());
    }
    Ok(tally.exit(!args.strict.deny.is_empty()))
}
