//! `wattle models`.

use wattle_driver::models::{ALIASES, models};
use wattle_report::{Exit, ModelReport};

use super::Session;
use crate::args::Format;

pub(crate) fn run(session: &mut Session) -> Result<Exit, String> {
    let output = &mut session.output;
    let width = models().iter().map(|model| model.name.len()).max().unwrap_or(0);
    for model in models() {
        output.report(&ModelReport { name: &model.name, summary: &model.summary, width });
    }
    if output.format == Format::Text {
        let also = ALIASES.map(|(alias, known)| format!("{alias} = {known}"));
        output.text(&format!("also called: {}\n", also.join(", ")));
    }
    Ok(Exit::Good)
}
