//! What the user asked to look at: files, folders, `@list` files, standard input.
//!
//! A bad input is still an input: it gets a place in the results, in order, with a diagnostic that
//! says what is wrong, and the rest still runs. So files are read only when their turn comes.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use wattle_source::{Code, Diagnostic, Span};

use crate::codes;
use crate::frontends::{FRONTENDS, extensions};
use crate::{Compiler, Copies};

/// One input. Reading it may fail, which is a result too.
#[derive(Clone, Debug)]
pub struct Input {
    /// As people see it: the path as given, or `<stdin>`.
    pub name: String,
    /// The language that the user named (`--lang`); otherwise the extension decides.
    pub language: Option<String>,
    /// How many copies there are of processes whose text leaves it open.
    pub copies: Vec<Copies>,
    /// What the command line says about languages, such as `data-model`.
    pub settings: Vec<(String, String)>,
    pub compiler: Compiler,
    /// Where files are looked for that the text includes, if not beside it.
    folder: Option<PathBuf>,
    content: Content,
    /// Further files of the same program, in the order in which they were given.
    linked: Vec<Input>,
}

#[derive(Clone, Debug)]
enum Content {
    File(PathBuf),
    Text(String),
    Broken { code: Code, message: String, help: Option<String> },
}

impl Input {
    pub fn file(path: impl Into<PathBuf>) -> Input {
        let path = path.into();
        let name = path.display().to_string();
        Input::of(name, None, Content::File(path))
    }

    /// A text that is already here.
    pub fn text(name: &str, language: &str, text: &str) -> Input {
        let content = Content::Text(text.to_owned());
        Input::of(name.to_owned(), Some(language.to_owned()), content)
    }

    fn of(name: String, language: Option<String>, content: Content) -> Input {
        let (settings, compiler) = (vec![], Compiler::default());
        Input { name, language, copies: vec![], settings, compiler, folder: None, content, linked: vec![] }
    }

    /// A text whose includes are looked for where a file of this name stands.
    pub(crate) fn beside(self, name: &str) -> Input {
        Input { folder: Path::new(name).parent().map(Path::to_path_buf), ..self }
    }

    pub fn with_copies(self, copies: Vec<Copies>) -> Input {
        Input { copies, ..self }
    }

    /// Files that are one program; the first gives it its name. `None`: there is no file.
    pub fn link(mut files: Vec<Input>) -> Option<Input> {
        if files.is_empty() {
            return None;
        }
        let linked = files.split_off(1);
        files.pop().map(|first| Input { linked, ..first })
    }

    /// All files of the program.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Input> {
        std::iter::once(self).chain(&self.linked)
    }

    /// The files beside the first.
    pub(crate) fn linked(&self) -> impl Iterator<Item = &Input> {
        self.linked.iter()
    }

    /// The program as people see it: the names of all its files.
    pub fn title(&self) -> String {
        self.files().map(|input| input.name.as_str()).collect::<Vec<_>>().join(" + ")
    }

    /// What the command line says about languages, and how C texts are preprocessed.
    pub fn read_with(self, compiler: Compiler, settings: Vec<(String, String)>) -> Input {
        Input { compiler, settings, ..self }
    }

    /// Does the command line say something about this?
    pub(crate) fn sets(&self, key: &str) -> bool {
        self.settings.iter().any(|(known, _)| known == key)
    }

    /// The same, read with one more setting.
    pub(crate) fn with(&self, key: &str, value: &str) -> Input {
        let mut input = self.clone();
        input.settings.push((key.to_owned(), value.to_owned()));
        input
    }

    /// Texts in the place of the files, read in the same way.
    pub(crate) fn replaced(&self, language: &str, texts: &[&str]) -> Input {
        let with = |file: &Input, text: &str| {
            let folder = file.folder().map(Path::to_path_buf);
            Input { folder, ..Input::text(&file.name, language, text) }
        };
        let linked = self.linked.iter().zip(texts.iter().skip(1)).map(|(file, text)| with(file, text));
        let (settings, compiler) = (self.settings.clone(), self.compiler.clone());
        let first = with(self, texts.first().unwrap_or(&""));
        Input { copies: self.copies.clone(), settings, compiler, linked: linked.collect(), ..first }
    }

    /// Where the text stands.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref().or_else(|| self.path().and_then(Path::parent))
    }

    fn broken(name: &str, code: Code, message: String, help: Option<String>) -> Input {
        let content = Content::Broken { code, message, help };
        Input::of(name.to_owned(), None, content)
    }

    /// What the preprocessor makes of a C text.
    pub fn preprocessed(&self) -> Result<String, String> {
        let text = self.read().map_err(|problem| problem.message)?;
        self.compiler.preprocess(&self.name, &text, self.folder()).map_err(|problem| problem.0)
    }

    /// The file on disk, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.content {
            Content::File(path) => Some(path),
            Content::Text(_) | Content::Broken { .. } => None,
        }
    }

    /// The name without folders and extension, which is often also the name of the test in it.
    pub fn stem(&self) -> &str {
        let name = self.name.rsplit('/').next().unwrap_or(&self.name);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// The text, or why there is none.
    pub fn read(&self) -> Result<String, Diagnostic> {
        let error = |code, message: String| Diagnostic::error(code, Span::NOWHERE, message);
        let bytes = match &self.content {
            Content::Text(text) => text.clone().into_bytes(),
            Content::Broken { code, message, help } => {
                let mut diagnostic = error(*code, message.clone());
                diagnostic.help.clone_from(help);
                return Err(diagnostic);
            }
            Content::File(path) => fs::read(path).map_err(|problem| {
                error(codes::INPUT_UNREADABLE, format!("cannot read: {}", plain(&problem)))
            })?,
        };
        if bytes.len() >= u32::MAX as usize {
            return Err(error(codes::INPUT_TOO_LARGE, "the text has 4 GB or more".into()));
        }
        let text = String::from_utf8(bytes).map_err(|problem| {
            let at = problem.utf8_error().valid_up_to();
            error(codes::INPUT_NOT_TEXT, format!("not a text: byte {} is not UTF-8", at + 1))
        })?;
        // Some editors begin a file with a mark for its byte order.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if text.trim().is_empty() {
            return Err(error(codes::INPUT_EMPTY, "the text is empty".into()));
        }
        Ok(text.to_owned())
    }
}

/// Turn the arguments of a command into inputs, in order. `-` reads `stdin`.
pub fn gather(arguments: &[String], language: Option<&str>, stdin: &mut dyn Read) -> Vec<Input> {
    let mut inputs = Vec::new();
    for argument in arguments {
        one(argument, language, stdin, &mut inputs, true);
    }
    for input in &mut inputs {
        if let (Some(language), None) = (language, &input.language) {
            input.language = Some(language.to_owned());
        }
    }
    inputs
}

fn one(
    argument: &str,
    language: Option<&str>,
    stdin: &mut dyn Read,
    inputs: &mut Vec<Input>,
    may_be_list: bool,
) {
    if argument == "-" {
        inputs.push(standard_input(language, stdin));
    } else if let (Some(list), true) = (argument.strip_prefix('@'), may_be_list) {
        match fs::read_to_string(list) {
            Err(problem) => {
                let message = format!("cannot read the list: {}", plain(&problem));
                inputs.push(Input::broken(list, codes::INPUT_UNREADABLE, message, None));
            }
            Ok(text) => {
                let lines = text.lines().map(str::trim);
                for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
                    // As herd has it, a list names files beside itself; a path from here goes first.
                    let beside = Path::new(list).with_file_name(line);
                    match !Path::new(line).exists() && beside.exists() {
                        true => one(&beside.display().to_string(), language, stdin, inputs, false),
                        false => one(line, language, stdin, inputs, false),
                    }
                }
            }
        }
    } else if Path::new(argument).is_dir() {
        folder(Path::new(argument), argument, inputs);
    } else {
        inputs.push(Input::file(argument));
    }
}

fn standard_input(language: Option<&str>, stdin: &mut dyn Read) -> Input {
    const NAME: &str = "<stdin>";
    let Some(language) = language else {
        let help = Some(format!("say which language it is, such as `--lang {}`", FRONTENDS[0].name));
        let message = "standard input has no file name to tell its language by".into();
        return Input::broken(NAME, codes::INPUT_LANGUAGE, message, help);
    };
    let mut bytes = Vec::new();
    match stdin.read_to_end(&mut bytes) {
        Err(problem) => {
            Input::broken(NAME, codes::INPUT_UNREADABLE, format!("cannot read: {}", plain(&problem)), None)
        }
        Ok(_) => match String::from_utf8(bytes) {
            Ok(text) => Input::text(NAME, language, &text),
            Err(_) => Input::broken(NAME, codes::INPUT_NOT_TEXT, "not a text: not UTF-8".into(), None),
        },
    }
}

/// All files with a known extension, sorted by path. Hidden folders and links to folders are not
/// entered.
fn folder(path: &Path, name: &str, inputs: &mut Vec<Input>) {
    let mut found = Vec::new();
    if let Err(problem) = walk(path, &mut found) {
        let message = format!("cannot read the folder: {}", plain(&problem));
        inputs.push(Input::broken(name, codes::INPUT_UNREADABLE, message, None));
        return;
    }
    if found.is_empty() {
        let known: Vec<String> = extensions().map(|extension| format!(".{extension}")).collect();
        let message = format!("no input in this folder (known: {})", known.join(", "));
        inputs.push(Input::broken(name, codes::INPUT_EMPTY, message, None));
        return;
    }
    found.sort();
    inputs.extend(found.into_iter().map(Input::file));
}

fn walk(path: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let path = entry.path();
        if kind.is_dir() && !hidden {
            walk(&path, found)?;
        } else if !kind.is_dir() && path.extension().is_some_and(|own| extensions().any(|known| own == known))
        {
            found.push(path);
        }
    }
    Ok(())
}

/// An error of the system without its number.
fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "it is a folder".into(),
        _ => error.to_string(),
    }
}
