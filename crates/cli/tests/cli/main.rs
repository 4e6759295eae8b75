//! What users see, from the outside: the binary is run on small inputs.
//!
//! `snapshot` compares whole outputs with files (`cargo xtask bless` rewrites them), `schema` holds
//! JSON lines against `wattle schema`, `pages` runs the examples of the documentation, `behaviour` is about exit codes, order, pipes and traces.

mod behaviour;
mod pages;
mod schema;
mod snapshot;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run left behind.
struct Ran {
    stdout: String,
    stderr: String,
    code: i32,
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattle"));
    command
        .args(arguments)
        .current_dir(here().join("inputs"))
        .env_remove("NO_COLOR")
        .env_remove("COLUMNS")
        .env("TERM", "dumb");
    command
}

/// Run in the folder of inputs.
fn wattle(arguments: &[&str], stdin: &str) -> Ran {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("wattle starts");
    let mut input = child.stdin.take().expect("a pipe");
    // Not every command reads it.
    let _ = input.write_all(stdin.as_bytes());
    drop(input);
    let output = child.wait_with_output().expect("wattle ends");
    Ran {
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
        code: output.status.code().unwrap_or(-1),
    }
}
