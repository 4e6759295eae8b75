//! What structures look like, and whether they mean what the program means.

mod replay;
mod shapes;

use wattle_program::Program;
use wattle_source::{NoLoader, Sources};

fn parse(text: &str) -> Program {
    let (sources, file) = Sources::single("test.wtl", text);
    let parsed = (wattle_frontend::wtl::FRONTEND.parse)(&sources, file, &NoLoader);
    parsed.unwrap_or_else(|problems| panic!("{problems:?}\n{text}")).program
}
