//! `wattle distinguish`.

use wattle_driver::distinguish::{Distinguish, architectures, distinguish};
use wattle_driver::engines::Settings;
use wattle_driver::models;
use wattle_driver::outcomes::Outcomes;
use wattle_engine::Budget;
use wattle_report::Exit;

use super::Session;
use super::generate::family;
use crate::args;

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
    for report in found.reports() {
        if !session.output.report(&report) {
            break;
        }
    }
    found.complaints().iter().for_each(|what| crate::output::complain(what));
    Ok(match (&found.internal, found.differences.is_empty()) {
        (Some(_), _) => Exit::Internal,
        (None, true) => Exit::Undecided,
        (None, false) => Exit::Good,
    })
}
