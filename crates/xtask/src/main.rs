//! Chores of the repository: `cargo xtask test | tidy | bless | bench | fuzz | setup`.
//!
//! No dependencies: it shells out, so that it builds in a second and cannot break with the rest.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod layers;
mod pages;
mod setup;
mod tidy;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask COMMAND

  test         setup, all tests, then the expectations of corpus/ and examples/
  tidy         layers, pages, file lengths, lints that clippy has not
  bless        rewrite the snapshots of what users see (never expected answers)
  bench NAME   a benchmark, in the release profile
  fuzz         random programs through all engines, in the release profile
  setup        fetch Z3, which engines with an SMT solver load when they run";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some((command, rest)) = arguments.split_first() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let root = root();
    let done = match command.as_str() {
        "test" => test(&root, rest),
        "tidy" => tidy::tidy(&root),
        "bless" => bless(&root),
        "bench" => bench(&root, rest),
        "fuzz" => bench(&root, &[&["fuzz".to_owned()], rest].concat()),
        "setup" => setup::setup(&root),
        _ => {
            eprintln!("unknown command `{command}`\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask {command}: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The top of the repository.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

fn test(root: &Path, rest: &[String]) -> Result<(), String> {
    setup::setup(root)?;
    let mut cargo = cargo(root);
    // All but examples in comments: there are none, and asking each crate for them takes a while.
    cargo.args(["test", "--quiet", "--workspace", "--all-targets"]).args(rest);
    run(&mut cargo)?;
    let mut folders = ["corpus", "examples"].iter().filter(|folder| root.join(folder).is_dir()).peekable();
    if folders.peek().is_none() {
        return Ok(());
    }
    // The binary that the tests have just built.
    let jobs = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let mut wattle = self::cargo(root);
    wattle.args(["run", "--quiet", "--package", "wattle-cli", "--", "test", "--jobs", &jobs]).args(folders);
    run(&mut wattle)
}

fn bless(root: &Path) -> Result<(), String> {
    let mut cargo = cargo(root);
    // The litmus tests of the corpus are made from docs/shapes.md, which has the answers.
    cargo.args(["test", "--quiet", "--package", "wattle-cli", "--package", "wattle-generate"]);
    cargo.env("WATTLE_BLESS", "1");
    run(&mut cargo)
}

fn bench(root: &Path, arguments: &[String]) -> Result<(), String> {
    // Cold starts are measured on the binary that users get.
    if arguments.first().is_some_and(|name| name == "litmus") {
        let mut cargo = cargo(root);
        cargo.args(["build", "--quiet", "--release", "--package", "wattle-cli"]);
        run(&mut cargo)?;
    }
    let mut cargo = cargo(root);
    cargo.args(["run", "--quiet", "--release", "--package", "wattle-bench", "--"]).args(arguments);
    run(&mut cargo)
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed ({status})")) }
}
