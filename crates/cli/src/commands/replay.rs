//! `wattle replay`.

use wattle_driver::Input;
use wattle_driver::replay::replay;
use wattle_report::{Accept, Exit};

use super::Session;

pub(crate) fn run(args: &crate::args::Replay, session: &mut Session) -> Result<Exit, String> {
    let mut exit = Exit::Good;
    for file in &args.trace {
        let report = replay(&Input::file(file));
        exit = exit.worst(Exit::of_check(&report, Accept::default()));
        if !session.output.report(&report) {
            break;
        }
    }
    Ok(exit)
}
