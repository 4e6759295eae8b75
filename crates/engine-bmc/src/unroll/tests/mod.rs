//! What structures look like, and whether they mean what the program means.

mod agree;
mod replay;
mod shapes;

use wattle_program::Program;

fn parse(text: &str) -> Program {
    let parsed = wattle_frontend_wtl::FRONTEND.read("test.wtl", text);
    parsed.unwrap_or_else(|problems| panic!("{problems:?}\n{text}")).program
}

/// The litmus tests of the corpus, in order.
fn litmus() -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/litmus");
    let mut files: Vec<_> = std::fs::read_dir(root).unwrap().flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.is_dir());
    let files = files.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap().flatten());
    let mut files: Vec<_> = files.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "litmus"));
    files.sort();
    files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}
