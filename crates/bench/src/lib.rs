//! Benchmarks and fuzzing, to be run with `--release`.
//!
//! One file a subcommand: `fuzz` compares engines with the naive search on random programs,
//! `everyday` prints what a new user's first programs get, `explore` measures the explicit-state engine, `extrapolate` predicate abstraction, `refine` the search for
//! fences with abstract store buffers, `remote` the search for flushes, `backward` the proofs for any number of processes, `bmc` bounded model
//! checking, `agree` compares that with the
//! other engines, `order` measures acyclicity alone and tries the order theory at random, `tables` compares
//! with herd, `c` prints what it says of the tables of C programs, `limits` tries limits of time, `litmus` measures how fast suites of litmus tests are, `read` how fast they are read, `smt` how
//! fast the SMT solver answers, `reduction` compares programs whose buffers are locals with the machines.
//! Nothing here is shipped to users. It is a library so that the test of the tables (`tests/tables`) can use it.
#![warn(unreachable_pub)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod agree;
mod atomics;
mod backward;
mod bmc;
pub mod c;
mod child;
mod closing;
pub mod compiled;
mod deepen;
mod everyday;
mod explore;
mod extrapolate;
mod fuzz;
mod limits;
mod litmus;
mod order;
mod predicates;
mod read;
mod reduction;
mod refine;
mod remote;
mod smt;
pub mod tables;
pub mod twins;
pub mod written;

use std::process::ExitCode;

const USAGE: &str = "usage: wattle-bench fuzz [--count N] [--seed S] [--jobs N]
       wattle-bench read [FOLDER…] [--mutants N]
       wattle-bench reduction [COUNT [SEED]]
       wattle-bench everyday [PROGRAM…] [--limit SECONDS]
       wattle-bench explore
       wattle-bench extrapolate [tables|fences|found|PROGRAM]… [--quick | --limit SECONDS]
       wattle-bench remote [PROGRAM]… [--quick | --limit SECONDS]
       wattle-bench refine [tso|pso|alone|automatic|PROGRAM]… [--quick | --limit SECONDS] [--keep newest] [--rest havoc]
       wattle-bench backward [FILE]…
       wattle-bench c [FOLDER…] [--limit SECONDS] [--list]
       wattle-bench c executions|weakened [--limit SECONDS]
       wattle-bench bmc [exact|fixed|facts|workers|litmus|deepen]… [--quick]
       wattle-bench agree [FOLDER… | --loops COUNT [SEED] | --branching COUNT [SEED] | --extrapolate COUNT [SEED]
             | --refine COUNT [SEED] | --remote COUNT [SEED] | --any COUNT [SEED] | --atomics COUNT [SEED] | --atomics-table [COUNT [SEED]]]
       wattle-bench limits [MILLISECONDS]
       wattle-bench litmus [--quick]
       wattle-bench order [--quick | --cap SECONDS | --random COUNT [SEED]]
       wattle-bench smt
       wattle-bench tables [FOLDER…] [--jobs N] [--all]
       wattle-bench twins [FOLDER… | --random COUNT [SEED]]";

/// One subcommand with its arguments.
pub fn run(arguments: &[String]) -> ExitCode {
    let result = match arguments.split_first() {
        Some((command, rest)) if command == "fuzz" => {
            fuzz::Request::parse(rest).map(|request| fuzz::run(&request))
        }
        Some((command, rest)) if command == "read" => read::run(rest),
        Some((command, rest)) if command == "reduction" => reduction::run(rest),
        Some((command, rest)) if command == "everyday" => everyday::run(rest),
        Some((command, rest)) if command == "explore" => explore::run(rest),
        Some((command, rest)) if command == "extrapolate" || command == "seed-000" => extrapolate::run(rest),
        Some((command, rest)) if command == "refine" || command == "seed-001" => refine::run(rest),
        Some((command, rest)) if command == "remote" || command == "seed-003" => remote::run(rest),
        Some((command, rest)) if command == "backward" || command == "seed-002" => backward::run(rest),
        Some((command, rest)) if command == "bmc" => bmc::run(rest),
        Some((command, rest)) if command == "c" => c::run(rest),
        Some((command, rest)) if command == "agree" => agree::run(rest),
        Some((command, rest)) if command == "limits" => limits::run(rest),
        Some((command, rest)) if command == "litmus" => litmus::run(rest),
        Some((command, rest)) if command == "order" => order::run(rest),
        Some((command, rest)) if command == "smt" => smt::run(rest),
        Some((command, rest)) if command == "tables" => tables::run(rest),
        Some((command, rest)) if command == "twins" => twins::run(rest),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
