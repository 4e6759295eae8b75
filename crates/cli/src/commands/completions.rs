//! `wattle completions`.

use clap::CommandFactory;
use clap_complete::{Shell, generate};
use wattle_report::Exit;

use super::Session;
use crate::args::Cli;

pub(crate) fn run(shell: Shell, session: &mut Session) -> Result<Exit, String> {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "wattle", &mut script);
    session.output.text(&String::from_utf8_lossy(&script));
    Ok(Exit::Good)
}
