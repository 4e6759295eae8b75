//! Functions of the C library that are written in C (`headers/library.c`): a further file of every program that calls one of
//! them and has none of its own.

use std::collections::HashSet;

use lang_c::ast::*;
use lang_c::span::Span;
use lang_c::visit::{self, Visit};

use crate::look::declared_name;

pub(crate) const TEXT: &str = include_str!("../headers/library.c");

/// The name of the file. No file of a user is called so, and nobody wants to hear of lines of it that are not reached.
pub(crate) const NAME: &str = "<library>/library.c";

/// Names of functions that stand for calls with certain arguments begin so.
pub(crate) const SPECIAL: &str = "__wattle_";

/// The functions that files define, and those that they call by name.
#[derive(Default)]
struct Names {
    defined: HashSet<String>,
    called: HashSet<String>,
}

impl<'a> Visit<'a> for Names {
    fn visit_call_expression(&mut self, call: &'a CallExpression, span: &'a Span) {
        if let Expression::Identifier(name) = &call.callee.node {
            self.called.insert(name.node.name.clone());
        }
        visit::visit_call_expression(self, call, span);
    }

    fn visit_function_definition(&mut self, function: &'a FunctionDefinition, span: &'a Span) {
        self.defined.extend(declared_name(&function.declarator));
        visit::visit_function_definition(self, function, span);
    }
}

/// Of the library, what these files need: nothing if they call none of its functions, else all that they do not define.
pub(crate) fn needed(
    files: &[TranslationUnit],
    read: impl FnOnce() -> Option<TranslationUnit>,
) -> Option<TranslationUnit> {
    let mut names = Names::default();
    files.iter().for_each(|file| names.visit_translation_unit(file));
    let is_open = |name: &str| !names.defined.contains(name);
    let starts = |name: &str| TEXT.contains(&format!("{name}("));
    if !names.called.iter().any(|name| is_open(name) && starts(name)) {
        return None;
    }
    let mut library = read()?;
    let own = |item: &ExternalDeclaration| match item {
        ExternalDeclaration::FunctionDefinition(function) => declared_name(&function.node.declarator),
        _ => None,
    };
    let is_called = |name: &str| names.called.contains(name.strip_prefix(SPECIAL).unwrap_or(name));
    let calls =
        library.0.iter().filter_map(|item| own(&item.node)).any(|name| is_open(&name) && is_called(&name));
    library.0.retain(|item| own(&item.node).is_none_or(|name| is_open(&name)));
    calls.then_some(library)
}
