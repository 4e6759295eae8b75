//! `wattle man`.

use clap::CommandFactory;
use wattle_report::Exit;
use wattle_source::did_you_mean;

use super::Session;
use crate::args::Cli;

pub(crate) fn run(command: Option<&str>, session: &mut Session) -> Result<Exit, String> {
    let mut cli = Cli::command();
    cli.build();
    let page = match command {
        None => cli,
        Some(name) => match cli.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                let names: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
                return Err(match did_you_mean(name, names) {
                    Some(hint) => format!("no command `{name}`: {hint}"),
                    None => format!("no command `{name}`"),
                });
            }
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(|error| error.to_string())?;
    session.output.text(&String::from_utf8_lossy(&text));
    Ok(Exit::Good)
}
