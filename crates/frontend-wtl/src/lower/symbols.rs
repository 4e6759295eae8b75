//! The names that a text declares outside its threads' bodies.
//!
//! One name space, and nothing shadows anything (but for the names that a quantifier binds): an
//! algorithm whose local hides a shared variable is more likely a slip than a wish. Variables that
//! a process owns are the exception: their names belong to the process, so two may use the same.

use std::collections::BTreeMap;

use wattle_logic::{Environment, Fault, Sort, Term, Value};
use wattle_program::{Dimension, Enumeration, Name, ProcessId, Replicas, Variable};
use wattle_source::{Diagnostic, Span};

use super::super::ast::Ident;
use super::super::problems::{Problems, shorten};
use crate::codes;

#[derive(Debug, Default)]
pub(crate) struct Symbols {
    pub enumerations: Vec<Enumeration>,
    pub variables: Vec<Variable>,
    pub processes: Vec<ProcessSymbol>,
    names: BTreeMap<Name, (Meaning, Span)>,
}

#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    Constant(Term),
    Enumeration(u32),
    Variable(u32),
    Process(ProcessId),
    /// Declared wrongly: the error is reported, its uses are not.
    Broken,
}

#[derive(Debug)]
pub(crate) struct ProcessSymbol {
    pub name: Name,
    pub replicas: Replicas,
    /// A `process`, which owns memory.
    pub is_process: bool,
    pub owned: BTreeMap<Name, (Meaning, Span)>,
}

impl Symbols {
    pub(crate) fn find(&self, name: &str) -> Option<&Meaning> {
        self.names.get(name).map(|(meaning, _)| meaning)
    }

    pub(crate) fn declared_at(&self, name: &str) -> Option<Span> {
        self.names.get(name).map(|(_, span)| *span)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(|name| &**name)
    }

    pub(crate) fn declare(&mut self, name: &Ident, meaning: Meaning, problems: &mut Problems) {
        match self.declared_at(&name.name) {
            Some(earlier) => duplicate(name, earlier, problems),
            None => {
                self.names.insert(name.name.clone(), (meaning, name.span));
            }
        }
    }

    pub(crate) fn process(&self, process: ProcessId) -> &ProcessSymbol {
        &self.processes[process.0 as usize]
    }

    pub(crate) fn process_ids(&self) -> impl Iterator<Item = ProcessId> + use<> {
        (0..self.processes.len() as u32).map(ProcessId)
    }

    /// The process that a text names, or an error.
    pub(crate) fn process_named(&self, name: &Ident, problems: &mut Problems) -> Option<ProcessId> {
        match self.find(&name.name) {
            Some(Meaning::Process(process)) => Some(*process),
            Some(Meaning::Broken) => None,
            Some(_) => {
                let message = format!("`{}` is not a thread or process", name.name);
                problems.error(codes::UNKNOWN_NAME, name.span, message);
                None
            }
            None => {
                let names = self.processes.iter().map(|process| &*process.name);
                problems.unknown(name.span, &name.name, "thread or process", names);
                None
            }
        }
    }

    /// Does the first dimension of this variable number the copies of the process that owns it?
    pub(crate) fn is_per_copy(&self, variable: u32) -> bool {
        let variable = &self.variables[variable as usize];
        let owner = variable.owner.map(Dimension::Copies);
        owner.is_some() && variable.dimensions.first().copied() == owner
    }

    /// A sort as the text calls it.
    pub(crate) fn sort_name(&self, sort: Sort) -> String {
        match sort {
            Sort::Enum(number) => {
                self.enumerations.get(number as usize).map_or("enum".into(), |info| info.name.to_string())
            }
            _ => sort.to_string(),
        }
    }

    /// What a closed term over `me` is worth. `None` if the number of copies of a process matters
    /// and is open.
    pub(crate) fn evaluate(&self, term: &Term, me: u32) -> Option<Result<Value, Fault>> {
        match term.evaluate(&Closed { symbols: self, me }) {
            Err(Fault::Meaningless) => None,
            result => Some(result),
        }
    }
}

struct Closed<'a> {
    symbols: &'a Symbols,
    me: u32,
}

impl Environment for Closed<'_> {
    fn locate(&self, _: u32, _: &[i64]) -> Result<u32, Fault> {
        Err(Fault::Meaningless)
    }
    fn me(&self) -> Result<i64, Fault> {
        Ok(i64::from(self.me))
    }
    fn copies(&self, process: u32) -> Result<i64, Fault> {
        let process = self.symbols.processes.get(process as usize).ok_or(Fault::Meaningless)?;
        process.replicas.count().map(i64::from).ok_or(Fault::Meaningless)
    }
}

pub(crate) fn duplicate(name: &Ident, earlier: Span, problems: &mut Problems) {
    let message = format!("the name `{}` is declared twice", shorten(&name.name));
    problems.push(
        Diagnostic::error(codes::DUPLICATE, name.span, message)
            .expecting("declared again")
            .label(earlier, "first declared here"),
    );
}
