//! C programs: threads, atomics, pointers and heap.
//!
//! A text goes through the machine's preprocessor (with headers of ours for threads and atomics, which keep their calls
//! recognisable), through [`prefilter`] and the parser `lang-c`, and then to a program ([`lower`]). [`places`] leads
//! every piece back to the text that the user wrote. `docs/c.md` says what is read and what it means.

mod codes;
mod declare;
mod edit;
mod library;
mod look;
mod lower;
mod places;
mod prefilter;
mod refusal;
mod settings;
#[cfg(test)]
mod tests;
mod types;

use lang_c::driver::{Config, Flavor};
use wattle_frontend::{Frontend, Options, Parsed, Reading};
use wattle_source::{Diagnostic, FileId, Severity, Sources, Span};

use places::{Part, Places};
use prefilter::Filtered;
use settings::Settings;

pub const FRONTEND: Frontend = Frontend {
    name: "c",
    extensions: &["c", "i"],
    summary: "C with pthreads and C11 atomics",
    links: true,
    codes: codes::CODES,
    parse,
    fences: edit::fences,
    edit: edit::edit,
    remove: edit::remove,
};

/// Headers of ours, which come before those of the system.
pub const HEADERS: &[(&str, &str)] = &[
    ("stdatomic.h", include_str!("../headers/stdatomic.h")),
    ("pthread.h", include_str!("../headers/pthread.h")),
    ("threads.h", include_str!("../headers/threads.h")),
    ("assert.h", include_str!("../headers/assert.h")),
    ("ctype.h", include_str!("../headers/ctype.h")),
    ("semaphore.h", include_str!("../headers/semaphore.h")),
    ("genmc.h", include_str!("../headers/genmc.h")),
];

/// Parser and translation go as deep as the text is nested.
const STACK: usize = 512 << 20;

fn parse(sources: &mut Sources, file: FileId, options: &Options<'_>) -> Reading {
    let settings = Settings::read(options.settings);
    let (mut texts, mut problems) = (Vec::new(), Vec::new());
    for file in std::iter::once(&file).chain(options.linked) {
        match preprocessed(sources, *file, options) {
            Ok(text) => texts.push((*file, text)),
            Err(errors) => problems.extend(errors),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut base = 0;
    let mut parts = Vec::new();
    for (file, text) in &texts {
        let part = match &text.made {
            None => Part::direct(&text.filtered, *file),
            Some(made) => Part::through(&text.filtered, made.clone(), sources, *file, options.loader),
        };
        parts.push((base, part));
        base += text.filtered.text.len() + 1;
    }
    let file = sources.add(library::NAME, library::TEXT);
    let filtered = prefilter::filter(library::TEXT, file).map_err(|problem| vec![problem])?;
    parts.push((base, Part::direct(&filtered, file)));
    let places = Places::new(parts);
    let names = texts.iter().map(|(file, _)| sources.name(*file)).chain([library::NAME]);
    let names: Vec<&str> = names.collect();
    let texts: Vec<&Filtered> = texts.iter().map(|(_, text)| &text.filtered).chain([&filtered]).collect();
    let result = std::thread::scope(|scope| {
        let work = || read(&names, &texts, &places, &settings);
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match worker.map(|worker| worker.join()) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => read(&names, &texts, &places, &settings),
        }
    });
    let mut parsed = result?;
    parsed.warnings.sort_by_key(Diagnostic::span);
    Ok(parsed)
}

/// The text of a file on its way to the parser.
struct Text {
    /// What the preprocessor made, if it was asked.
    made: Option<String>,
    filtered: Filtered,
}

fn preprocessed(sources: &mut Sources, file: FileId, options: &Options<'_>) -> Result<Text, Vec<Diagnostic>> {
    let text = sources.text(file).to_owned();
    let name = sources.name(file).to_owned();
    let made = match name.ends_with(".i") {
        true => None,
        false => match options.loader.preprocess(&name, &text) {
            Ok(made) => Some(made),
            Err(error) => return Err(preprocessor_errors(sources, file, &error.0)),
        },
    };
    let filtered = prefilter::filter(made.as_deref().unwrap_or(&text), file);
    Ok(Text { filtered: filtered.map_err(|problem| vec![problem])?, made })
}

/// Read these files, the last of which is the library.
fn read(names: &[&str], texts: &[&Filtered], places: &Places<'_>, settings: &Settings) -> Reading {
    let config = Config { cpp_command: String::new(), cpp_options: vec![], flavor: Flavor::GnuC11 };
    let (mut units, mut problems) = (Vec::new(), Vec::new());
    let mut base = 0;
    let (library, texts) = texts.split_last().unwrap_or((&texts[0], &[]));
    for text in texts {
        // Behind as many spaces as there are letters in the files before, so that each place has a number of its own.
        let behind = " ".repeat(base) + &text.text;
        match lang_c::driver::parse_preprocessed(&config, behind) {
            Ok(parse) => units.push(parse.unit),
            Err(error) => problems.push(syntax_error(text, base, places, &error)),
        }
        base += text.text.len() + 1;
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let library = library::needed(&units, || {
        let behind = " ".repeat(base) + &library.text;
        lang_c::driver::parse_preprocessed(&config, behind).ok().map(|parse| parse.unit)
    });
    let has_library = library.is_some();
    units.extend(library);
    let lowered = lower::lower(names, &units, has_library, places, settings);
    let mut problems = lowered.problems;
    problems.sort_by_key(Diagnostic::span);
    problems.dedup();
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        problems.retain(|problem| problem.severity == Severity::Error);
        problems.truncate(wattle_frontend::MOST_PROBLEMS);
        return Err(problems);
    }
    Ok(Parsed { program: lowered.program, warnings: problems })
}

fn syntax_error(
    filtered: &Filtered,
    base: usize,
    places: &Places<'_>,
    error: &lang_c::driver::SyntaxError,
) -> Diagnostic {
    let rest = &filtered.text[error.offset.saturating_sub(base).min(filtered.text.len())..];
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let length = match rest.bytes().next() {
        Some(byte) if word(byte) => rest.bytes().position(|byte| !word(byte)).unwrap_or(rest.len()),
        Some(_) => rest.chars().next().map_or(0, char::len_utf8),
        None => 0,
    };
    let found = match rest[..length].trim() {
        "" => "the text ends, or something is missing".to_owned(),
        word => format!("unexpected `{word}`"),
    };
    let span = places.span(lang_c::span::Span::span(error.offset, error.offset + length));
    let mut expected: Vec<String> = error.expected.iter().map(|token| token.to_string()).collect();
    expected.sort();
    expected.retain(|token| !token.starts_with('[') && !token.is_empty());
    let mut problem = Diagnostic::error(codes::SYNTAX, span, found);
    if !expected.is_empty() && expected.len() <= 6 {
        problem = problem.expecting(format!("expected {}", expected.join(" or ")));
    }
    problem
}

/// The messages of a preprocessor: `file:line:column: error: text`.
fn preprocessor_errors(sources: &mut Sources, file: FileId, text: &str) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for line in text.lines() {
        let Some((place, message)) = line.split_once("error: ") else { continue };
        let parts: Vec<&str> =
            place.trim_end_matches("fatal ").trim_end_matches([' ', ':']).rsplitn(3, ':').collect();
        let [column, row, name] = parts[..] else { continue };
        let (Ok(row), Ok(column)) = (row.trim().parse::<u32>(), column.trim().parse::<u32>()) else {
            continue;
        };
        let span = match name == sources.name(file) {
            true => at(sources, file, row, column),
            false => Span::NOWHERE,
        };
        let place = if span.is_nowhere() { format!(" ({name}:{row}:{column})") } else { String::new() };
        problems.push(Diagnostic::error(codes::PREPROCESS, span, format!("{message}{place}")));
    }
    if problems.is_empty() {
        problems.push(Diagnostic::error(codes::COMPILER, Span::NOWHERE, text.trim().to_owned()));
    }
    problems
}

fn at(sources: &Sources, file: FileId, row: u32, column: u32) -> Span {
    let text = sources.text(file);
    let mut start = 0;
    for (number, line) in text.split('\n').enumerate() {
        if number as u32 + 1 == row {
            let first = start + (column.max(1) as usize - 1).min(line.len());
            return Span::new(file, first, start + line.len());
        }
        start += line.len() + 1;
    }
    Span::NOWHERE
}
