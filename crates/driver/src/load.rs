//! From an input to a program.

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use wattle_frontend::{Frontend, Options, Parsed};
use wattle_program::validate;
use wattle_source::{Diagnostic, FileId, LoadError, Loader, Sources, Span, did_you_mean};

use crate::Input;
use crate::codes;
use crate::frontends::{FRONTENDS, for_extension, named};

#[derive(Clone, Debug)]
pub struct Loaded {
    pub sources: Sources,
    pub file: FileId,
    pub frontend: &'static Frontend,
    pub parsed: Parsed,
}

/// Why there is no program.
#[derive(Clone, Debug)]
pub struct Refused {
    pub sources: Sources,
    pub diagnostics: Vec<Diagnostic>,
    /// The front end produced something that is not a program: a bug of wattle.
    pub internal: Option<String>,
}

pub fn load(input: &Input) -> Result<Loaded, Refused> {
    let refuse = |text: &str, diagnostics: Vec<Diagnostic>| {
        let (sources, _) = Sources::single(&input.name, text);
        Refused { sources, diagnostics, internal: None }
    };
    let text = input.read().map_err(|diagnostic| refuse("", vec![diagnostic]))?;
    let frontend = frontend(input).map_err(|diagnostic| refuse("", vec![diagnostic]))?;
    parse(frontend, input, &text)
}

/// Let a front end read a text.
fn parse(frontend: &'static Frontend, input: &Input, text: &str) -> Result<Loaded, Refused> {
    let (mut sources, file) = Sources::single(&input.name, text);
    let loader = Beside { folder: input.path().and_then(Path::parent).map(Path::to_path_buf) };
    // A front end that panics must not take the other files with it.
    let parsed = AssertUnwindSafe(|| (frontend.parse)(&mut sources, file, &Options { loader: &loader }));
    let parsed = std::panic::catch_unwind(parsed);
    let parsed = match parsed {
        Ok(Ok(parsed)) => parsed,
        Ok(Err(diagnostics)) => return Err(Refused { sources, diagnostics, internal: None }),
        Err(panic) => {
            let what = format!("the {} front end panicked: {}", frontend.name, panic_text(&*panic));
            return Err(Refused { sources, diagnostics: vec![], internal: Some(what) });
        }
    };
    if let Err(invalid) = validate(&parsed.program) {
        let what = format!("the {} front end made an invalid program: {invalid:?}", frontend.name);
        return Err(Refused { sources, diagnostics: parsed.warnings, internal: Some(what) });
    }
    Ok(Loaded { sources, file, frontend, parsed })
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

fn frontend(input: &Input) -> Result<&'static Frontend, Diagnostic> {
    let names = || FRONTENDS.iter().map(|frontend| frontend.name);
    let known = || names().collect::<Vec<_>>().join(", ");
    let error = |message: String| Diagnostic::error(codes::INPUT_LANGUAGE, Span::NOWHERE, message);
    if let Some(language) = &input.language {
        return named(language).ok_or_else(|| {
            let help = did_you_mean(language, names());
            let help = help.unwrap_or_else(|| format!("known languages: {}", known()));
            error(format!("unknown language `{language}`")).help(help)
        });
    }
    let extension = input.path().and_then(Path::extension).and_then(|extension| extension.to_str());
    extension.and_then(for_extension).ok_or_else(|| {
        let message = match extension {
            Some(extension) => format!("no language has the extension `.{extension}`"),
            None => "a file without an extension does not tell its language".into(),
        };
        error(message).help(format!("say which language it is with --lang ({})", known()))
    })
}

/// Includes are looked up beside the including file.
#[derive(Debug)]
pub(crate) struct Beside {
    pub folder: Option<PathBuf>,
}

impl Loader for Beside {
    fn include(&self, name: &str) -> Result<String, LoadError> {
        let Some(folder) = &self.folder else {
            return Err(LoadError(format!("cannot include `{name}` from here")));
        };
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(|error| LoadError(format!("{}: {error}", path.display())))
    }
}
