//! The binary `wattle`: arguments, colour, progress, exit code. What the commands do is `driver`'s,
//! how results look is `report`'s.

// Only this crate prints, exits and reads the environment.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod args;
mod commands;
mod interrupt;
mod output;
mod progress;
mod solver;
mod units;
mod usage;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use wattle_report::Exit;

use args::{Cli, Command};
use commands::Session;

fn main() -> ExitCode {
    let parsed =
        Cli::command().try_get_matches().and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version come this way too, and exit with 0.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { Exit::BadInput.code() } else { 0 });
        }
    };
    match usage::check(&cli, &matches) {
        Ok(warnings) => warnings.iter().for_each(|warning| output::complain(&format!("warning: {warning}"))),
        Err(message) => {
            output::complain(&message);
            return ExitCode::from(Exit::BadInput.code());
        }
    }
    let mut session = Session::new(&cli.show, solver::candidates(cli.smt_library.as_deref()));
    let exit = match &cli.command {
        Command::Check(args) => commands::check::run(args, &mut session),
        Command::Fix(args) => commands::fix::run(args, &mut session),
        Command::Outcomes(args) => commands::outcomes::run(args, &mut session),
        Command::Compare(args) => commands::compare::run(args, &mut session),
        Command::Distinguish(args) => commands::distinguish::run(args, &mut session),
        Command::Generate(args) => commands::generate::run(args, &mut session),
        Command::Models => commands::models::run(&mut session),
        Command::Engines(args) => commands::engines::run(args, &mut session),
        Command::Replay(args) => commands::replay::run(args, &mut session),
        Command::Test(args) => commands::test::run(args, &mut session),
        Command::Explain { subject } => commands::explain::run(subject, &mut session),
        Command::Doctor => commands::doctor::run(&mut session),
        Command::Schema { command } => commands::schema::run(command.as_deref(), &mut session),
        Command::Completions { shell } => commands::completions::run(*shell, &mut session),
        Command::Man { command } => commands::man::run(command.as_deref(), &mut session),
    };
    let exit = exit.unwrap_or_else(|message| {
        output::complain(&message);
        Exit::BadInput
    });
    ExitCode::from(session.exit(exit).code())
}
