//! `--dump`: what wattle made of the text.

use wattle_program::Program;

use crate::{Input, Refused, load};

pub fn of_input(input: &Input) -> Result<String, Refused> {
    load(input).map(|loaded| program(&loaded.parsed.program))
}

/// The program as text. (For now its plain structure; the printed form that parses again takes its
/// place here.)
pub fn program(program: &Program) -> String {
    format!("{program:#?}\n")
}
