//! `wattle schema`.

use serde_json::{Map, Value};
use wattle_report::Exit;
use wattle_report::json::{COMMANDS, schema};
use wattle_source::did_you_mean;

use super::Session;

pub(crate) fn run(command: Option<&str>, session: &mut Session) -> Result<Exit, String> {
    let value = match command {
        Some(command) => schema(command).ok_or_else(|| match did_you_mean(command, COMMANDS) {
            Some(hint) => format!("no lines of `{command}`: {hint}"),
            None => format!("`{command}` prints no JSON lines (these do: {})", COMMANDS.join(", ")),
        })?,
        None => {
            let all = COMMANDS.iter().filter_map(|name| Some(((*name).to_owned(), schema(name)?)));
            Value::Object(all.collect::<Map<_, _>>())
        }
    };
    session.output.text(&format!("{value:#}\n"));
    Ok(Exit::Good)
}
