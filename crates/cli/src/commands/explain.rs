//! `wattle explain`.

use wattle_report::Exit;

use super::Session;

pub(crate) fn run(subject: &str, session: &mut Session) -> Result<Exit, String> {
    let text = wattle_driver::explain::explain(subject)?;
    session.output.text(&text);
    Ok(Exit::Good)
}
