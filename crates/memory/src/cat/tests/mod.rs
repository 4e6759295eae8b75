//! What the .cat language reads and what it makes of it.

mod damage;
mod docs;
mod errors;
mod grammar;
mod interpret;
mod meaning;
mod styles;

use wattle_source::{Diagnostic, LoadError, Loader, Sources};

use super::{Axioms, read};

/// Files by name.
#[derive(Debug)]
struct Files<'a>(&'a [(&'a str, &'a str)]);

impl Loader for Files<'_> {
    fn include(&self, name: &str) -> Result<String, LoadError> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| text.to_string()).ok_or_else(|| LoadError("no such file".into()))
    }
}

fn with_files(text: &str, files: &[(&str, &str)]) -> (Sources, Result<Axioms, Vec<Diagnostic>>) {
    let (mut sources, file) = Sources::single("test.cat", text);
    let result = read(&mut sources, file, &Files(files), &[]);
    (sources, result)
}

fn axioms(text: &str) -> Axioms {
    match with_files(text, &[]) {
        (_, Ok(axioms)) => axioms,
        (sources, Err(problems)) => {
            let shown = problems.iter().map(|problem| {
                let place = sources.start(problem.span());
                format!("{}:{}: {}\n", sources.name(problem.span().file), place.line, problem.message)
            });
            panic!("{}in\n{text}", shown.collect::<String>())
        }
    }
}

/// Code and text under the first label of each error.
fn errors(text: &str) -> Vec<(&'static str, String)> {
    errors_with(text, &[])
}

fn errors_with(text: &str, files: &[(&str, &str)]) -> Vec<(&'static str, String)> {
    let (sources, result) = with_files(text, files);
    let problems = result.expect_err("an error");
    problems.iter().map(|problem| (problem.code.name(), sources.slice(problem.span()).to_owned())).collect()
}
