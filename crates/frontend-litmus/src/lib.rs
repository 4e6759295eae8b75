//! Litmus tests (`.litmus`), as the herd tools write and read them.
//!
//! A test is an envelope around a program: a first line with the architecture and the name, lines of
//! information, the initial state in braces, the program, and what is asked of final states. The
//! envelope is the same for all architectures and read here ([`init`], [`tail`]); the program is a
//! table of assembly instructions ([`asm`]). Everything is read once, from left to right: the initial
//! state and the program fill the tables of [`names`], and the condition, which comes last, finds
//! there what it speaks of. `docs/litmus.md` says what is read.
//!
//! What herd knows and wattle does not is the error `litmus-unsupported`, which names the construct.

mod asm;
mod c;
mod codes;
mod edit;
mod init;
mod lex;
mod names;
mod sizes;
mod tail;
#[cfg(test)]
mod tests;

use wattle_frontend::{Frontend, MOST_PROBLEMS, Options, Parsed, Reading};
use wattle_program::{Program, Vocabulary};
use wattle_source::{Diagnostic, FileId, Sources, Span};

use lex::{Cursor, Read};
use names::Names;

pub const FRONTEND: Frontend = Frontend {
    name: "litmus",
    extensions: &["litmus"],
    summary: "litmus tests of the herd tools",
    links: false,
    codes: codes::CODES,
    parse,
    fences: wattle_program::Vocabulary::fences,
    edit: edit::edit,
    remove: edit::remove,
};

/// What differs between the languages of programs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Language {
    /// The first word of a test.
    pub name: &'static str,
    pub vocabulary: Vocabulary,
    pub canonical: names::Canonical,
    /// Numbers that leave 31 bits are handled by reading again: see [`Names::see`].
    pub wraps: bool,
    pub addresses: sizes::AddressSize,
    /// Read the program section and leave the cursor behind it. Errors inside an instruction or a
    /// statement go to `names.problems`; only what makes the rest unreadable is returned.
    pub program: for<'a> fn(&mut Cursor<'a>, &mut Names<'a>) -> Read<()>,
}

const LANGUAGES: [Language; 6] = [
    asm::x86::LANGUAGE,
    asm::ppc::LANGUAGE,
    asm::arm::LANGUAGE,
    asm::riscv::LANGUAGE,
    asm::aarch64::LANGUAGE,
    c::LANGUAGE,
];

/// Languages that herd reads and wattle does not.
const FOREIGN: [&str; 6] = ["X86_64", "MIPS", "BPF", "LISA", "ASL", "JAVA"];

fn parse(sources: &mut Sources, file: FileId, _: &Options<'_>) -> Reading {
    read(sources.text(file), file)
}

fn read(text: &str, file: FileId) -> Reading {
    let mut cursor = Cursor::new(text, file);
    let (language, name) = header(&mut cursor).map_err(|problem| vec![*problem])?;
    let start = cursor;
    let mut names = Names::new(language.canonical, false);
    let mut finished = sections(&mut cursor, language, name, &mut names);
    if names.leaves && language.wraps {
        cursor = start;
        names = Names::new(language.canonical, true);
        finished = sections(&mut cursor, language, name, &mut names);
    }
    let mut problems = std::mem::take(&mut names.problems);
    match finished {
        Ok(program) if problems.is_empty() => return Ok(Parsed { program, warnings: vec![] }),
        Ok(_) => {}
        Err(problem) => problems.push(*problem),
    }
    problems.sort_by_key(|problem| problem.span());
    problems.dedup();
    problems.truncate(MOST_PROBLEMS);
    Err(problems)
}

/// The first line: the architecture and the name. The rest of it is a remark.
fn header<'a>(cursor: &mut Cursor<'a>) -> Read<(&'static Language, &'a str)> {
    let byte_order_mark = cursor.text.starts_with('\u{feff}');
    cursor.at += if byte_order_mark { '\u{feff}'.len_utf8() } else { 0 };
    cursor.blank();
    let start = cursor.at;
    let Some(architecture) = cursor.word() else {
        return Err(cursor.expected("the name of an architecture, such as `X86`"));
    };
    let Some(language) = LANGUAGES.iter().find(|language| language.name == architecture) else {
        if FOREIGN.contains(&architecture) {
            let message = format!("tests for {architecture} are not supported");
            return Err(cursor.error(start, codes::UNSUPPORTED, message));
        }
        let known = LANGUAGES.iter().map(|language| language.name);
        let help = wattle_source::did_you_mean(architecture, known.clone());
        let help = help.unwrap_or_else(|| format!("known are {}", known.collect::<Vec<_>>().join(", ")));
        let message = format!("`{architecture}` is not an architecture that wattle knows");
        let problem = cursor.error(start, codes::ARCHITECTURE, message);
        return Err(Box::new(problem.help(help)));
    };
    let rest = &cursor.text[cursor.at..];
    let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
    let Some(name) = line.split_whitespace().next() else {
        return Err(cursor.expected("the name of the test"));
    };
    cursor.skip_line();
    Ok((language, name))
}

fn sections<'a>(
    cursor: &mut Cursor<'a>,
    language: &Language,
    name: &'a str,
    names: &mut Names<'a>,
) -> Read<Program> {
    information(cursor)?;
    init::read(cursor, names)?;
    (language.program)(cursor, names)?;
    names.check_starts();
    let mut program = Program::empty(name, language.vocabulary);
    tail::read(cursor, names, &mut program)?;
    sizes::check(names, language.addresses);
    program.variables = std::mem::take(&mut names.variables);
    program.processes =
        std::mem::take(&mut names.threads).into_iter().map(|thread| thread.into_process()).collect();
    Ok(program)
}

/// Strings and lines `key=value`, up to the initial state.
fn information(cursor: &mut Cursor<'_>) -> Read<()> {
    loop {
        cursor.blank();
        match cursor.peek() {
            b'{' => return Ok(()),
            b'"' => {
                let start = cursor.at;
                let rest = &cursor.text.as_bytes()[start + 1..];
                let mut escaped = false;
                let close = rest.iter().position(|byte| {
                    let closes = *byte == b'"' && !escaped;
                    escaped = *byte == b'\\' && !escaped;
                    closes
                });
                match close {
                    Some(close) => cursor.at = start + close + 2,
                    // A lone quotation mark in a line of text.
                    None => cursor.skip_line(),
                }
            }
            _ if cursor.at >= cursor.end => return Err(cursor.expected("the initial state, `{ … }`")),
            _ => cursor.skip_line(),
        }
    }
}

/// The error for what herd knows and wattle does not.
fn unsupported(span: Span, what: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(codes::UNSUPPORTED, span, format!("{what} is not supported")))
}
