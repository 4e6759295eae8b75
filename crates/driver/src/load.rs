//! From an input to a program.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use wattle_frontend::{Edits, Frontend, Options, Parsed};
use wattle_program::passes::{Insertion, Spot};
use wattle_program::{Instance, NotFixed, validate};
use wattle_source::{Diagnostic, FileId, LoadError, Loader, Sources, Span, TextEdit, did_you_mean};

use crate::codes;
use crate::copies::choose;
use crate::frontends::{FRONTENDS, for_extension, named};
use crate::{Compiler, Input};

/// The texts of a program that a repair changes.
pub(crate) type Edited = BTreeMap<FileId, String>;

#[derive(Clone, Debug)]
pub struct Loaded {
    pub sources: Sources,
    pub file: FileId,
    /// All files of the program, that one first.
    pub files: Vec<FileId>,
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

    /// Other texts in the place of these, with the same numbers of copies.
    pub(crate) fn again(&self, edited: &Edited) -> Input {
        let text = |file: &FileId| edited.get(file).map_or(self.sources.text(*file), String::as_str);
        let texts: Vec<&str> = self.files.iter().map(text).collect();
        self.input.replaced(self.frontend.name, &texts)
    }

    /// The texts that edits change.
    pub(crate) fn edited(&self, edits: &[TextEdit]) -> Edited {
        let mut edited = Edited::new();
        for file in &self.files {
            let own: Vec<TextEdit> = edits.iter().filter(|edit| edit.span.file == *file).cloned().collect();
            if !own.is_empty() {
                edited.insert(*file, TextEdit::apply(self.sources.text(*file), &own));
            }
        }
        edited
    }

    /// Put fences or flushes into the texts of the program.
    pub(crate) fn edit(&self, insertions: &[Insertion]) -> Edits {
        let program = &self.parsed.program;
        let file_of = |insertion: &Insertion| {
            let file = match insertion.place.spot {
                Spot::After(origin) => origin.0.file,
                Spot::Before(point) => {
                    program.process(insertion.place.process).cfg.point(point).origin.0.file
                }
            };
            // What stands in no file of the program is refused by the front end.
            if self.files.contains(&file) { file } else { self.file }
        };
        let mut edits = Vec::new();
        for file in &self.files {
            let own: Vec<Insertion> =
                insertions.iter().filter(|insertion| file_of(insertion) == *file).cloned().collect();
            if !own.is_empty() {
                edits.extend((self.frontend.edit)(&self.sources, *file, program, &own)?);
            }
        }
        Ok(edits)
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
    let texts = texts(input).map_err(|diagnostic| refuse("", vec![diagnostic]))?;
    let frontend = frontend(input).map_err(|diagnostic| refuse("", vec![diagnostic]))?;
    for file in input.linked() {
        let other = self::frontend(file).map_err(|diagnostic| refuse("", vec![diagnostic]))?;
        if other.name != frontend.name {
            let message = format!("{} is {} and {} is {}", input.name, frontend.name, file.name, other.name);
            let error = Diagnostic::error(codes::INPUT_LANGUAGE, Span::NOWHERE, message);
            return Err(refuse("", vec![error.help("files of one program are in one language")]));
        }
    }
    let mut loaded = parse(frontend, input, &texts)?;
    let wrong = |diagnostic| refuse("", vec![diagnostic]);
    let instance = choose(&loaded.parsed.program, &input.copies).map_err(wrong)?;
    loaded
        .instantiate(instance)
        .map_err(|why| wrong(Diagnostic::error(codes::COPIES, Span::NOWHERE, why.to_string())))?;
    Ok(loaded)
}

/// The texts of all files of a program.
fn texts(input: &Input) -> Result<Vec<String>, Diagnostic> {
    let read = |file: &Input| {
        file.read().map_err(|mut diagnostic| {
            if !std::ptr::eq(file, input) {
                diagnostic.message = format!("{}: {}", file.name, diagnostic.message);
            }
            diagnostic
        })
    };
    input.files().map(read).collect()
}

/// Let a front end read the texts of a program.
fn parse<T: AsRef<str>>(frontend: &'static Frontend, input: &Input, texts: &[T]) -> Result<Loaded, Refused> {
    let mut sources = Sources::new();
    let files: Vec<FileId> =
        input.files().zip(texts).map(|(file, text)| sources.add(&file.name, text.as_ref())).collect();
    let file = files.first().copied().unwrap_or_default();
    if files.len() > 1 && !frontend.links {
        let message = format!("several files of language {} are not one program", frontend.name);
        let diagnostics = vec![Diagnostic::error(codes::INPUT_LANGUAGE, Span::NOWHERE, message)];
        return Err(Refused { sources, diagnostics, internal: None });
    }
    let folder = |input: &Input| input.folder().map(Path::to_path_buf);
    let loader = Beside {
        folder: folder(input),
        others: input.linked().map(|file| (file.name.clone(), folder(file))).collect(),
        compiler: input.compiler.clone(),
    };
    let options = Options { loader: &loader, settings: &input.settings, linked: &files[1..] };
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
    Ok(Loaded { sources, file, files, frontend, parsed, input: input.clone(), instance: Instance::default() })
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
    /// The folders of further files of the program, by the names of these.
    pub others: Vec<(String, Option<PathBuf>)>,
    pub compiler: Compiler,
}

impl Loader for Beside {
    fn preprocess(&self, name: &str, text: &str) -> Result<String, LoadError> {
        let other = self.others.iter().find(|(other, _)| other == name);
        let folder = other.map_or(&self.folder, |(_, folder)| folder);
        self.compiler.preprocess(name, text, folder.as_deref())
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
        let refused = parse(&TOY, &input, &["first.part\nsecond.part\n"]).unwrap_err();
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
