//! A measurement in a process of its own, so that it can be stopped and its time and memory are its own.
//!
//! The child is this program again, with `--one` and a job; it prints one figure a line, `name=value`.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wattle_engine::{Figure, Statistics};

/// Figures by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Done(Vec<(String, String)>);

impl Done {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.parse().ok()
    }

    pub(crate) fn verdict(&self) -> &str {
        self.get("verdict").unwrap_or("T/O")
    }
}

/// `command --one arguments` in a child; nothing if it did not end in time.
pub(crate) fn measure(command: &str, arguments: &[String], seconds: u64) -> Result<Done, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(executable)
        .args([command, "--one"])
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let started = Instant::now();
    // A solver in the middle of a question may take a while to hear that time is up.
    let limit = Duration::from_secs(seconds + 5);
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if started.elapsed() > limit {
            child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
            return Ok(Done::default());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let figure = |line: &str| line.split_once('=').map(|(name, value)| (name.into(), value.into()));
    Ok(Done(text.lines().filter_map(figure).collect()))
}

/// The child's side.
pub(crate) fn print(statistics: &Statistics) {
    for (name, figure) in &statistics.0 {
        match figure {
            Figure::Count(value) | Figure::Bytes(value) => println!("{name}={value}"),
            Figure::Seconds(value) => println!("{name}={value}"),
        }
    }
}
