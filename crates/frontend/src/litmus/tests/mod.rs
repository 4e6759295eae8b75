//! Tests of the `.litmus` front end.

mod edits;
mod errors;
mod robust;
mod samples;
mod structure;
mod table;

use wattle_program::{Program, text, validate};
use wattle_source::{Diagnostic, NoLoader, Sources};

use crate::Parsed;

fn read(text: &str) -> Result<Parsed, Vec<Diagnostic>> {
    let (sources, file) = Sources::single("test.litmus", text);
    (super::FRONTEND.parse)(&sources, file, &NoLoader)
}

/// The program of a text that must be right; it is well formed and comes back from its printed form.
fn checked(text: &str) -> Result<Program, Vec<Diagnostic>> {
    let parsed = read(text)?;
    validate(&parsed.program).unwrap_or_else(|invalid| panic!("{invalid}\n{text}"));
    let printed = text::print(&parsed.program);
    let (sources, file) = Sources::single("test.wir", &printed);
    assert_eq!(text::parse(&sources, file).as_ref(), Ok(&parsed.program), "{printed}");
    Ok(parsed.program)
}
