//! `--dump`: what wattle made of the text.

use wattle_program::Program;

/// The program as text. (For now its plain structure; the printed form that parses again takes its
/// place here.)
pub fn program(program: &Program) -> String {
    format!("{program:#?}\n")
}
