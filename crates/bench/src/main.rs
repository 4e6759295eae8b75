//! The binary `wattle-bench`; what it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    wattle_bench::run(&arguments)
}
