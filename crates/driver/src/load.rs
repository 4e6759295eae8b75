//! From an input to a program.

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use wattle_frontend::{Frontend, Options, Parsed};
use wattle_program::{Instance, NotFixed, validate};
use wattle_source::{Diagnostic, FileId, LoadError, Loader, Sources, Span, did_you_mean};

use crate::codes;
use crate::copies::choose;
use crate::frontends::{FRONTENDS, for_extension, named};
use crate::{Compiler, Input};

#[derive(Clone, Debug)]
pub struct Loaded {
    pub sources: Sources,
    pub file: FileId,
    pub frontend: &'static Frontend,
    pub parsed: Parsed,
    /// How the text was read.
    pub(crate) input: Input,
    /// What was asked for with `--copies` means this for the text: the program has these numbers of copies.
    pub instance: Instance,
}

impl Loaded {
    /// Fix the number of copies where the text leaves it open.
    pub(crate) fn instantiate(&mut self, instance: Instance) -> Result<(), NotFixed> {
        if !instance.0.is_empty() {
            let program = instance.of(&self.parsed.program)?.into_owned();
            self.parsed.program = program;
            self.instance = instance;
        }
        Ok(())
    }

    /// Another text in the place of this one, with the same numbers of copies.
    pub(crate) fn again(&self, name: &str, text: &str) -> Input {
        self.input.replaced(name, self.frontend.name, text)
    }
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
    let mut loaded = parse(frontend, input, &text)?;
    let wrong = |diagnostic| refuse("", vec![diagnostic]);
    let instance = choose(&loaded.parsed.program, &input.copies).map_err(wrong)?;
    loaded
        .instantiate(instance)
        .map_err(|why| wrong(Diagnostic::error(codes::COPIES, Span::NOWHERE, why.to_string())))?;
    Ok(loaded)
}

/// Let a front end read a text.
fn parse(frontend: &'static Frontend, input: &Input, text: &str) -> Result<Loaded, Refused> {
    let (mut sources, file) = Sources::single(&input.name, text);
    let loader = Beside { folder: input.folder().map(Path::to_path_buf), compiler: input.compiler.clone() };
    let options = Options { loader: &loader, settings: &input.settings };
    // A front end that panics must not take the other files with it.
    let parsed = AssertUnwindSafe(|| (frontend.parse)(&mut sources, file, &options));
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
    Ok(Loaded { sources, file, frontend, parsed, input: input.clone(), instance: Instance::default() })
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
    pub compiler: Compiler,
}

impl Loader for Beside {
    fn preprocess(&self, name: &str, text: &str) -> Result<String, LoadError> {
        self.compiler.preprocess(name, text, self.folder.as_deref())
    }

    fn original(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(name).ok()
    }

    fn include(&self, name: &str) -> Result<String, LoadError> {
        let Some(folder) = &self.folder else {
            return Err(LoadError(format!("cannot include `{name}` from here")));
        };
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(|error| LoadError(format!("{}: {error}", path.display())))
    }
}

#[cfg(test)]
mod tests {
    use wattle_frontend::{Reading, wir};
    use wattle_report::text::{Options as Look, diagnostics};

    use super::*;

    wattle_source::codes! { WORD = "toy-word": "The word `bad` is not allowed."; }

    /// A language whose texts are names of files to include, one a line. No file may hold the word `bad`.
    const TOY: Frontend =
        Frontend { name: "toy", extensions: &["toy"], codes: CODES, parse: toy, ..wir::FRONTEND };

    fn toy(sources: &mut Sources, file: FileId, options: &Options<'_>) -> Reading {
        let names: Vec<String> = sources.text(file).lines().map(str::to_owned).collect();
        let mut problems = Vec::new();
        for name in names {
            let text = options.loader.include(&name).unwrap();
            let part = sources.add(&name, &text);
            let found = text.match_indices("bad");
            problems.extend(
                found.map(|(at, _)| Diagnostic::error(WORD, Span::new(part, at, at + 3), "a bad word")),
            );
        }
        Err(problems)
    }

    #[test]
    fn an_error_in_an_included_file_is_shown_there() {
        let folder = std::env::temp_dir().join(format!("wattle-load-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("first.part"), "all is well").unwrap();
        std::fs::write(folder.join("second.part"), "this\nis bad").unwrap();
        let input = Input::file(folder.join("main.toy"));
        let refused = parse(&TOY, &input, "first.part\nsecond.part\n").unwrap_err();
        std::fs::remove_dir_all(&folder).unwrap();
        let shown = diagnostics(&refused.sources, &refused.diagnostics, &Look::default());
        for part in ["error[toy-word]: a bad word", "second.part:2:4", "is bad"] {
            assert!(shown.contains(part), "{part} in\n{shown}");
        }
    }

    #[test]
    fn a_file_of_no_language_is_told_which_there_are() {
        let refused = frontend(&Input::file("notes.txt")).unwrap_err();
        assert_eq!(
            (refused.code, refused.message.as_str()),
            (codes::INPUT_LANGUAGE, "no language has the extension `.txt`")
        );
        let help = refused.help.unwrap();
        assert!(FRONTENDS.iter().all(|frontend| help.contains(frontend.name)), "{help}");
    }
}
