//! A model and the files that it includes.
//!
//! A file is looked for where the user's model is; what is not there comes from the library, our own
//! text for the helper files that models in circulation include. A file is evaluated each time it is
//! included, so its tree is put in place each time. Of `if "variant"`, only the branch that is taken is
//! loaded: the other may include files that are not there.

use wattle_source::{Diagnostic, FileId, Loader, Sources, Span};

use super::library;
use super::parse::parse;
use super::syntax::{Instruction, InstructionKind, Procedure, Tree};
use crate::cat::codes;

/// Files inside each other, and files in all.
const DEEPEST: usize = 20;
const MOST: usize = 1000;

pub(crate) struct Loaded {
    pub title: Option<String>,
    pub tree: Tree,
}

pub(crate) fn load(
    sources: &mut Sources,
    file: FileId,
    loader: &dyn Loader,
    variants: &[String],
) -> Result<Loaded, Vec<Diagnostic>> {
    let one = |problem| vec![problem];
    let prelude = sources.add("prelude.cat", library::PRELUDE);
    let prelude = parse(sources, prelude).map_err(one)?.instructions;
    let main = parse(sources, file).map_err(one)?;
    let mut load =
        Load { sources, loader, variants, open: vec![], count: 0, found: vec![], problems: vec![] };
    let instructions = load.all(main.instructions);
    if !load.problems.is_empty() {
        return Err(load.problems);
    }
    let tree = Tree { prelude, instructions, variants: variants.to_vec() };
    Ok(Loaded { title: main.title, tree })
}

struct Load<'a> {
    sources: &'a mut Sources,
    loader: &'a dyn Loader,
    variants: &'a [String],
    /// The files that are being read, outermost first, and where each was included.
    open: Vec<(String, Span)>,
    count: usize,
    /// Files read before, so that a file that is included twice has one number.
    found: Vec<(String, FileId)>,
    problems: Vec<Diagnostic>,
}

impl Load<'_> {
    fn all(&mut self, instructions: Vec<Instruction>) -> Vec<Instruction> {
        let mut all = Vec::with_capacity(instructions.len());
        for Instruction { kind, span } in instructions {
            let kind = match kind {
                InstructionKind::Include { file, .. } => match self.include(&file, span) {
                    Ok(body) => InstructionKind::Include { file, body },
                    Err(problem) => {
                        self.problems.push(problem);
                        continue;
                    }
                },
                InstructionKind::If { condition, then, otherwise } => {
                    let taken = if condition.holds(self.variants) { then } else { otherwise };
                    all.extend(self.all(taken));
                    continue;
                }
                InstructionKind::Procedure { name, procedure } => {
                    let body = self.all(procedure.body.clone());
                    let pattern = procedure.pattern.clone();
                    InstructionKind::Procedure { name, procedure: Procedure { pattern, body }.into() }
                }
                other => other,
            };
            all.push(Instruction { kind, span });
        }
        all
    }

    fn include(&mut self, name: &str, span: Span) -> Result<Vec<Instruction>, Diagnostic> {
        let error = |code, message: String| Diagnostic::error(code, span, message);
        if let Some(at) = self.open.iter().position(|(other, _)| other == name) {
            let mut problem = error(codes::INCLUDE_CYCLE, format!("`{name}` includes itself"));
            for (other, place) in &self.open[at..] {
                problem = problem.label(*place, format!("`{other}` is included here"));
            }
            return Err(problem);
        }
        self.count += 1;
        if self.open.len() >= DEEPEST || self.count > MOST {
            let message = format!("more than {DEEPEST} files inside each other, or {MOST} in all");
            return Err(error(codes::NESTING, message));
        }
        let file = match self.found.iter().find(|(other, _)| other == name) {
            Some((_, file)) => *file,
            None => {
                let text = match (self.loader.include(name), library::find(name)) {
                    (Ok(text), _) if text.len() < u32::MAX as usize => text,
                    (Ok(_), _) => return Err(error(codes::INCLUDE, format!("`{name}` has 4 GB or more"))),
                    (Err(_), Some(text)) => text.to_owned(),
                    (Err(problem), None) => {
                        return Err(error(codes::INCLUDE, format!("cannot include `{name}`: {problem}")));
                    }
                };
                let file = self.sources.add(name, &text);
                self.found.push((name.to_owned(), file));
                file
            }
        };
        let parsed = parse(self.sources, file).map_err(|problem| problem.label(span, "included here"))?;
        self.open.push((name.to_owned(), span));
        let body = self.all(parsed.instructions);
        self.open.pop();
        Ok(body)
    }
}
