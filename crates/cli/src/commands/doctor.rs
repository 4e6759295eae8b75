//! `wattle doctor`.

use wattle_driver::doctor::doctor;
use wattle_report::Exit;

use super::Session;

pub(crate) fn run(session: &mut Session) -> Result<Exit, String> {
    session.output.report(&doctor(&session.smt));
    Ok(Exit::Good)
}
