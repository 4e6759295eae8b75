//! What names stand for: memory, registers, threads.
//!
//! `data` before the first process declares global variables. `data` of a process declares a
//! location for each copy of it; the locations that several processes declare under one name are
//! one family, an array with one element for each of these threads in their order. Only where the
//! declarations disagree (other domains, or `*` here and a value there) does each process get a
//! variable of its own, because a variable has one domain.
//!
//! Global variables come first, so that the address of the first one plus `e` is what `[e]` means.

use std::collections::BTreeMap;

use wattle_logic::{Binary, Sort, Term};
use wattle_program::{Dimension, Init, Name, ProcessId, Replicas, Variable};
use wattle_source::{Diagnostic, Span};

use super::ast::{Declaration, File};
use crate::codes;

#[derive(Debug)]
pub(crate) struct Names {
    pub variables: Vec<Variable>,
    pub globals: BTreeMap<Name, u32>,
    /// What each process calls its own memory.
    cells: Vec<BTreeMap<Name, Cell>>,
    pub registers: Vec<BTreeMap<Name, u32>>,
    /// The number of the first thread of each process, and one past the last.
    first: Vec<u32>,
}

/// The memory that one process declares under one name.
#[derive(Clone, Copy, Debug)]
struct Cell {
    variable: u32,
    /// The element of the first copy; `None`: the variable is a scalar.
    base: Option<u32>,
}

impl Names {
    pub(crate) fn new(file: &File, problems: &mut Vec<Diagnostic>) -> Names {
        let mut names = Names {
            variables: Vec::new(),
            globals: BTreeMap::new(),
            cells: vec![BTreeMap::new(); file.processes.len()],
            registers: Vec::new(),
            first: vec![0],
        };
        for declaration in unique(&file.data, problems) {
            names.globals.insert(declaration.name.clone(), names.variables.len() as u32);
            names.add(declaration.name.clone(), vec![], initial(declaration), declaration);
        }
        let mut families: Vec<(Name, Vec<(usize, &Declaration)>)> = Vec::new();
        for (number, process) in file.processes.iter().enumerate() {
            names.first.push(names.first[number] + process.copies);
            for declaration in unique(&process.data, problems) {
                match families.iter_mut().find(|(name, _)| *name == declaration.name) {
                    Some((_, members)) => members.push((number, declaration)),
                    None => families.push((declaration.name.clone(), vec![(number, declaration)])),
                }
            }
            let registers = unique(&process.registers, problems);
            let numbered =
                registers.iter().enumerate().map(|(at, register)| (register.name.clone(), at as u32));
            names.registers.push(numbered.collect());
        }
        for (name, members) in families {
            names.family(&name, &members);
        }
        names
    }

    fn add(&mut self, name: Name, dimensions: Vec<Dimension>, init: Init, declaration: &Declaration) -> u32 {
        self.variables.push(Variable {
            name,
            sort: Sort::Int,
            dimensions,
            range: declaration.range,
            init,
            unbuffered: false,
            place: None,
            owner: None,
            span: declaration.span,
        });
        self.variables.len() as u32 - 1
    }

    fn family(&mut self, name: &Name, members: &[(usize, &Declaration)]) {
        let (first, model) = members[0];
        let alike = |other: &Declaration| {
            other.range == model.range && other.initial.is_some() == model.initial.is_some()
        };
        if members.iter().all(|(_, declaration)| alike(declaration)) {
            let mut elements = Vec::new();
            let variable = self.variables.len() as u32;
            for (process, declaration) in members {
                let cell = Cell { variable, base: Some(elements.len() as u32) };
                self.cells[*process].insert(name.clone(), cell);
                let copies = self.copies(*process) as usize;
                elements.extend(std::iter::repeat_n(declaration.initial, copies));
            }
            let dimension = match self.replicas(first) {
                Replicas::Exactly(_) if members.len() == 1 => Dimension::Copies(ProcessId(first as u32)),
                _ => Dimension::Fixed(elements.len() as u32),
            };
            let values: Option<Vec<Term>> = elements.iter().map(|value| value.map(Term::int)).collect();
            let init = match values {
                None => Init::Any,
                Some(values) if values.iter().all(|value| *value == values[0]) => {
                    Init::Values(values.into_iter().take(1).collect())
                }
                Some(values) => Init::Values(values),
            };
            self.add(name.clone(), vec![dimension], init, model);
            return;
        }
        for (process, declaration) in members {
            let (dimensions, base) = match self.replicas(*process) {
                Replicas::Exactly(_) => (vec![Dimension::Copies(ProcessId(*process as u32))], Some(0)),
                _ => (vec![], None),
            };
            let full_name = format!("{}.{name}", self.process_name(*process));
            let variable = self.add(full_name.into(), dimensions, initial(declaration), declaration);
            self.cells[*process].insert(name.clone(), Cell { variable, base });
        }
    }

    pub(crate) fn threads(&self) -> u32 {
        self.first.last().copied().unwrap_or(0)
    }

    /// The process and copy of a thread.
    pub(crate) fn thread(&self, thread: u32) -> (usize, u32) {
        let process = self.first.partition_point(|first| *first <= thread) - 1;
        (process, thread - self.first[process])
    }

    fn copies(&self, process: usize) -> u32 {
        self.first[process + 1] - self.first[process]
    }

    pub(crate) fn replicas(&self, process: usize) -> Replicas {
        match self.copies(process) {
            1 => Replicas::Once,
            copies => Replicas::Exactly(copies),
        }
    }

    /// `P` and the number of its first thread, as Memorax counts.
    pub(crate) fn process_name(&self, process: usize) -> Name {
        format!("P{}", self.first[process]).into()
    }

    /// The address that copy `copy` of `process` declares under `name`; `None` stands for the copy
    /// that evaluates the term, so this is `name[my]`.
    pub(crate) fn own(&self, process: usize, copy: Option<u32>, name: &str) -> Option<Term> {
        let cell = self.cells[process].get(name)?;
        let Some(base) = cell.base else { return Some(Term::address(cell.variable, vec![])) };
        let index = match (copy, self.replicas(process)) {
            (None, Replicas::Exactly(_)) => shifted(base, Term::me()),
            (copy, _) => Term::int(i64::from(base + copy.unwrap_or(0))),
        };
        Some(Term::address(cell.variable, vec![index]))
    }

    /// `name[number]`: of the thread that is number `number` among all but the evaluating one.
    pub(crate) fn other(&self, process: usize, copy: Option<u32>, name: &str, number: u32) -> Option<Term> {
        if number + 1 >= self.threads() {
            return None;
        }
        let (first, copies) = (self.first[process], self.copies(process));
        let known = match copy {
            Some(copy) if number < first + copy => Some(number),
            Some(_) => Some(number + 1),
            None if number < first => Some(number),
            None if number + 1 >= first + copies => Some(number + 1),
            None => None,
        };
        if let Some(thread) = known {
            let (process, copy) = self.thread(thread);
            return self.own(process, Some(copy), name);
        }
        // Another copy of the same process: the copies after mine have moved up by one.
        let cell = self.cells[process].get(name)?;
        let before = i64::from(number - first);
        let index = if copies == 2 {
            Term::binary(Binary::Subtract, Term::int(1), Term::me())
        } else {
            let after_mine = Term::binary(Binary::LessEqual, Term::me(), Term::int(before));
            Term::if_then_else(after_mine, Term::int(before + 1), Term::int(before))
        };
        Some(Term::address(cell.variable, vec![shifted(cell.base?, index)]))
    }

    /// The names of memory that every process or some process declares, for suggestions.
    pub(crate) fn of_processes(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().flat_map(|cells| cells.keys()).map(|name| &**name)
    }
}

fn shifted(base: u32, index: Term) -> Term {
    match base {
        0 => index,
        base => Term::binary(Binary::Add, Term::int(i64::from(base)), index),
    }
}

pub(crate) fn initial(declaration: &Declaration) -> Init {
    match declaration.initial {
        None => Init::Any,
        Some(value) => Init::Values(vec![Term::int(value)]),
    }
}

/// The declarations without those of a name that came before.
fn unique<'a>(list: &'a [Declaration], problems: &mut Vec<Diagnostic>) -> Vec<&'a Declaration> {
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    let mut result = Vec::new();
    for declaration in list {
        match seen.get(&*declaration.name) {
            Some(before) => {
                let message = format!("`{}` is declared twice", declaration.name);
                let problem = Diagnostic::error(codes::DUPLICATE, declaration.span, message);
                problems.push(problem.label(*before, "first here"));
            }
            None => {
                seen.insert(&declaration.name, declaration.span);
                result.push(declaration);
            }
        }
    }
    result
}
