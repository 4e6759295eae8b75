//! Several files as one program (`--link`).
//!
//! Every file is declared in an outermost scope of its own, so that `static` names and types are apart. What has external
//! linkage goes by its name through [`Shared::externals`]: a function or variable is one object, whose type must be
//! the same in all files and which one file may define.
//!
//! Types of the same tag in two files are compatible if they have the same members (C11 6.2.7). Those are one type here, which
//! is found out before anything is declared for good ([`agreeing`]): each file is declared by itself, and
//! tags whose members differ, or have types that differ, are taken away until nothing changes. What is left is the
//! largest set that agrees, so that types that speak of each other agree.

use std::collections::{BTreeMap, HashMap, HashSet};

use lang_c::ast::TranslationUnit;
use wattle_source::Diagnostic;

use super::{Function, Unit};
use crate::codes;
use crate::declare::{Meaning, Storage};
use crate::places::Places;
use crate::refusal::{Low, wrong};
use crate::settings::Settings;
use crate::types::{Kind, Signature, Type, Types};

/// Types within types are compared so deeply; names end it long before.
const DEEPEST: usize = 64;

/// The types of one file.
struct File {
    types: Types,
    /// By full name (`struct node`).
    tags: BTreeMap<String, usize>,
    /// Names of structs and unions that have no tag.
    unnamed: BTreeMap<String, usize>,
}

impl File {
    fn read(unit: &TranslationUnit, places: &Places<'_>, settings: &Settings) -> File {
        let units = std::slice::from_ref(unit);
        let mut lowering = Unit::new(&[], units, places, settings);
        lowering.declare_all(unit);
        let types = lowering.types;
        let name = |record: usize| types.records[record].name.clone();
        let tags = lowering.scopes.outermost_tags().map(|(_, record)| (name(record), record)).collect();
        let unnamed = lowering.scopes.outermost_types().filter_map(|(name, of)| match of.kind {
            Kind::Record(record) if !is_tagged(&types.records[record].name) => Some((name.clone(), record)),
            _ => None,
        });
        let unnamed = unnamed.collect();
        File { types, tags, unnamed }
    }

    fn is_complete(&self, tag: &str) -> bool {
        self.tags.get(tag).is_some_and(|record| self.types.records[*record].fields.is_some())
    }
}

fn is_tagged(name: &str) -> bool {
    !name.starts_with("an unnamed")
}

/// How the name of an unnamed type stands in the set of those that agree.
fn named(name: &str) -> String {
    format!("typedef {name}")
}

/// For each file, the types that are the same in the first file that has them.
pub(super) fn agreeing(
    units: &[TranslationUnit],
    places: &Places<'_>,
    settings: &Settings,
) -> Vec<HashSet<String>> {
    let files: Vec<File> = units.iter().map(|unit| File::read(unit, places, settings)).collect();
    let mut owners: HashMap<&str, usize> = HashMap::new();
    for (number, file) in files.iter().enumerate() {
        for tag in file.tags.keys().filter(|tag| file.is_complete(tag)) {
            owners.entry(tag).or_insert(number);
        }
    }
    let mut typedefs: HashMap<&str, usize> = HashMap::new();
    for (number, file) in files.iter().enumerate() {
        for name in file.unnamed.keys() {
            typedefs.entry(name).or_insert(number);
        }
    }
    let mut agreeing: Vec<HashSet<String>> = (files.iter())
        .map(|file| file.tags.keys().cloned().chain(file.unnamed.keys().map(|name| named(name))).collect())
        .collect();
    loop {
        let mut differing = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let compare = |own: usize, owner: usize, other: usize| {
                let pair =
                    Pair { left: &file.types, right: &files[owner].types, agreeing: &agreeing[number] };
                pair.records(own, other, DEEPEST)
            };
            for (tag, record) in &file.tags {
                let owner = owners.get(tag.as_str()).copied().unwrap_or(number);
                let same = !file.is_complete(tag) || compare(*record, owner, files[owner].tags[tag]);
                if agreeing[number].contains(tag) && !same {
                    differing.push((number, tag.clone()));
                }
            }
            for (name, record) in &file.unnamed {
                let owner = typedefs[name.as_str()];
                let title = named(name);
                if agreeing[number].contains(&title) && !compare(*record, owner, files[owner].unnamed[name]) {
                    differing.push((number, title));
                }
            }
        }
        if differing.is_empty() {
            return agreeing;
        }
        for (number, name) in differing {
            agreeing[number].remove(&name);
        }
    }
}

/// Types of two files, where tags of the set are taken to be the same.
struct Pair<'a> {
    left: &'a Types,
    right: &'a Types,
    agreeing: &'a HashSet<String>,
}

impl Pair<'_> {
    fn records(&self, left: usize, right: usize, depth: usize) -> bool {
        let (left, right) = (&self.left.records[left], &self.right.records[right]);
        let (Some(ours), Some(theirs)) = (&left.fields, &right.fields) else { return true };
        (left.is_union, left.align) == (right.is_union, right.align)
            && ours.len() == theirs.len()
            && ours.iter().zip(theirs).all(|(ours, theirs)| {
                ours.name == theirs.name
                    && (ours.offset, ours.is_bits) == (theirs.offset, theirs.is_bits)
                    && self.types(&ours.of, &theirs.of, depth)
            })
    }

    fn types(&self, left: &Type, right: &Type, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if (left.atomic, left.volatile) != (right.atomic, right.volatile) {
            return false;
        }
        match (&left.kind, &right.kind) {
            (Kind::Pointer(left), Kind::Pointer(right)) => self.types(left, right, depth),
            (Kind::Array(left, own), Kind::Array(right, other)) => {
                own == other && self.types(left, right, depth)
            }
            (Kind::Function(left), Kind::Function(right)) => {
                left.variadic == right.variadic
                    && left.parameters.len() == right.parameters.len()
                    && self.types(&left.result, &right.result, depth)
                    && (left.parameters.iter().zip(&right.parameters))
                        .all(|(left, right)| self.types(left, right, depth))
            }
            (Kind::Record(left), Kind::Record(right)) => {
                let name = &self.left.records[*left].name;
                let same_name = *name == self.right.records[*right].name;
                match is_tagged(name) {
                    true => same_name && self.agreeing.contains(name),
                    false => same_name && self.records(*left, *right, depth),
                }
            }
            (left, right) => left == right,
        }
    }
}

impl<'a> Unit<'a> {
    /// Are there several files?
    pub(super) fn links(&self) -> bool {
        self.scopes.shared.agreeing.len() > 1
    }

    /// What a global is called: one of a later file that has the name of another, by its file too.
    pub(super) fn title(&self, number: usize) -> String {
        let global = &self.globals[number];
        let taken =
            self.globals[..number].iter().any(|other| other.name == global.name && other.file != global.file);
        match (taken, self.files.get(global.file)) {
            (true, Some(file)) => format!("{file}:{}", global.name),
            _ => global.name.clone(),
        }
    }

    /// The type that this name means in the first file that has it, if it is the same here.
    pub(super) fn shared_type(&mut self, name: &str, of: Type) -> Type {
        let is_unnamed =
            matches!(of.kind, Kind::Record(record) if !is_tagged(&self.types.records[record].name));
        let agreeing = self.scopes.shared.agreeing.get(self.scopes.file());
        let agrees = agreeing.is_some_and(|names| names.contains(&named(name)));
        match is_unnamed && agrees && self.scopes.depth() == 1 {
            true => self.scopes.shared.types.entry(name.to_owned()).or_insert(of).clone(),
            false => of,
        }
    }

    /// A function that this file has not declared before. Its number.
    pub(super) fn add_function(&mut self, name: &str, of: Type, span: lang_c::span::Span) -> Low<usize> {
        let file = self.scopes.file();
        let is_private = self.look.is_private(name, file);
        let known = self.scopes.shared.externals.get(name).cloned().filter(|_| !is_private);
        let number = match known {
            Some(Meaning::Function(number)) if self.library == Some(file) => number,
            Some(Meaning::Function(number)) if self.fit(&self.functions[number].of, &of) => number,
            Some(Meaning::Function(number)) => return self.differs(name, span, self.functions[number].span),
            Some(Meaning::Global(number)) => return self.differs(name, span, self.globals[number].span),
            _ => {
                let (key, span) = (self.look.key(name, file), self.places.span(span));
                self.functions.push(Function {
                    name: name.to_owned(),
                    key,
                    of,
                    definition: None,
                    file,
                    span,
                });
                self.functions.len() - 1
            }
        };
        if !is_private {
            self.scopes.shared.externals.insert(name.to_owned(), Meaning::Function(number));
        }
        self.scopes.declare_global(name, Meaning::Function(number));
        Ok(number)
    }

    /// The variable of this name that another file has.
    pub(super) fn external_global(
        &self,
        name: &str,
        of: &Type,
        span: lang_c::span::Span,
    ) -> Low<Option<usize>> {
        match self.scopes.shared.externals.get(name) {
            Some(Meaning::Global(number)) if self.fit(&self.globals[*number].of, of) => Ok(Some(*number)),
            Some(Meaning::Global(number)) => self.differs(name, span, self.globals[*number].span),
            Some(Meaning::Function(number)) => self.differs(name, span, self.functions[*number].span),
            _ => Ok(None),
        }
    }

    /// A declaration outside of functions defines its variable unless it is `extern` and has no value. One file may do that, and one
    /// declaration may give a value.
    pub(super) fn defines(
        &mut self,
        number: usize,
        storage: Storage,
        has_value: bool,
        span: lang_c::span::Span,
    ) -> Low<()> {
        if storage.is_extern && !has_value {
            return Ok(());
        }
        let file = self.scopes.file();
        let global = &self.globals[number];
        match global.defined {
            Some((other, place, valued)) if other != file || valued && has_value => {
                self.twice(&global.name.clone(), span, place)
            }
            Some((_, _, true)) => Ok(()),
            _ => {
                let place = self.places.span(span);
                let global = &mut self.globals[number];
                (global.defined, global.file) = (Some((file, place, has_value)), file);
                Ok(())
            }
        }
    }

    /// May two files speak of one thing with these types? What one of them leaves open may be anything.
    fn fit(&self, left: &Type, right: &Type) -> bool {
        let open = |signature: &Signature| signature.variadic && signature.parameters.is_empty();
        match (&left.kind, &right.kind) {
            (Kind::Array(left, own), Kind::Array(right, other)) => {
                (own.is_none() || other.is_none() || own == other) && self.fit(left, right)
            }
            (Kind::Pointer(left), Kind::Pointer(right)) => self.fit(left, right),
            (Kind::Function(left), Kind::Function(right)) => {
                self.fit(&left.result, &right.result)
                    && (open(left)
                        || open(right)
                        || left.parameters.len() == right.parameters.len()
                            && (left.parameters.iter().zip(&right.parameters))
                                .all(|(left, right)| self.fit(left, right)))
            }
            (left, right) => left == right,
        }
    }

    fn differs<T>(&self, name: &str, span: lang_c::span::Span, other: wattle_source::Span) -> Low<T> {
        let mut problem = wrong::<T>(codes::LINK, format!("`{name}` has another type in another file"), span);
        if let Err(refusal) = &mut problem {
            refusal.other = Some((other, "it is declared here, too".into()));
        }
        problem
    }

    pub(super) fn twice<T>(
        &self,
        name: &str,
        span: lang_c::span::Span,
        other: wattle_source::Span,
    ) -> Low<T> {
        let mut problem = wrong::<T>(codes::LINK, format!("`{name}` is defined twice"), span);
        if let Err(refusal) = &mut problem {
            refusal.other = Some((other, "the first definition".into()));
        }
        problem
    }

    /// The error that a refusal is.
    pub(super) fn diagnostic(&self, refusal: &crate::refusal::Refusal) -> Option<Diagnostic> {
        let span = self.places.span(refusal.span);
        let problem = Diagnostic::error(refusal.error?, span, refusal.what.clone());
        Some(match &refusal.other {
            Some((place, text)) if !place.is_nowhere() => problem.label(*place, text.clone()),
            _ => problem,
        })
    }
}
