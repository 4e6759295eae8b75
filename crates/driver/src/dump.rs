//! `--dump`: what wattle made of the text.

use wattle_program::Program;

use crate::{Input, Refused, load};

pub fn of_input(input: &Input) -> Result<String, Refused> {
    load(input).map(|loaded| program(&loaded.parsed.program))
}

/// The printed form, which `--lang wir` reads again.
pub fn program(program: &Program) -> String {
    wattle_program::text::print(program)
}
