//! First pass: constants and enumerations, then threads, then shared variables, so that a type may
//! use a constant and a size the copies of a thread that stands further down.

use std::collections::BTreeMap;

use wattle_logic::{Sort, Term, Value};
use wattle_program::{Dimension, Enumeration, Init, ProcessId, Replicas, Variable};
use wattle_source::Diagnostic;

use super::super::ast::{Copies, ExprKind, File, Initial, Item, Thread, Var};
use super::super::problems::Problems;
use super::initial::{cell, constant, constant_integer};
use super::symbols::{Meaning, ProcessSymbol, Symbols, duplicate};
use crate::codes;

/// Memory locations in all, and copies of one thread: what no engine could explore is a slip.
const MOST_LOCATIONS: u64 = 65_536;
const MOST_COPIES: i64 = 64;

pub(crate) fn declare(file: &File, problems: &mut Problems) -> Symbols {
    let mut symbols = Symbols::default();
    for item in &file.items {
        match item {
            Item::Const { name, value } => {
                let meaning = constant(value, &symbols, problems).map_or(Meaning::Broken, Meaning::Constant);
                symbols.declare(name, meaning, problems);
            }
            Item::Enum { name, constructors } => {
                let number = symbols.enumerations.len() as u32;
                symbols.declare(name, Meaning::Enumeration(number), problems);
                for (code, constructor) in constructors.iter().enumerate() {
                    let value = Term::value(Value::Symbol(code as u32), Sort::Enum(number));
                    symbols.declare(constructor, Meaning::Constant(value), problems);
                }
                symbols.enumerations.push(Enumeration {
                    name: name.name.clone(),
                    constructors: constructors.iter().map(|one| one.name.clone()).collect(),
                });
            }
            _ => {}
        }
    }
    let threads: Vec<&Thread> = threads(file).collect();
    for thread in &threads {
        let replicas = replicas(thread, &symbols, problems);
        let process = ProcessId(symbols.processes.len() as u32);
        symbols.processes.push(ProcessSymbol {
            name: thread.name.name.clone(),
            replicas,
            is_process: thread.is_process,
            owned: BTreeMap::new(),
        });
        symbols.declare(&thread.name, Meaning::Process(process), problems);
    }
    let mut locations = 0;
    for item in &file.items {
        if let Item::Shared(vars) = item {
            for var in vars {
                let meaning = variable(var, None, &mut symbols, &mut locations, problems);
                symbols.declare(&var.name, meaning, problems);
            }
        }
    }
    for (process, thread) in symbols.process_ids().zip(threads) {
        for var in &thread.shared {
            let earlier = symbols.processes[process.0 as usize].owned.get(&var.name.name);
            let earlier = earlier.map(|(_, span)| *span).or(symbols.declared_at(&var.name.name));
            let meaning = variable(var, Some(process), &mut symbols, &mut locations, problems);
            match earlier {
                Some(earlier) => duplicate(&var.name, earlier, problems),
                None => {
                    let owned = &mut symbols.processes[process.0 as usize].owned;
                    owned.insert(var.name.name.clone(), (meaning, var.name.span));
                }
            }
        }
    }
    symbols
}

pub(crate) fn threads(file: &File) -> impl Iterator<Item = &Thread> {
    file.items.iter().filter_map(|item| match item {
        Item::Thread(thread) => Some(thread),
        _ => None,
    })
}

fn replicas(thread: &Thread, symbols: &Symbols, problems: &mut Problems) -> Replicas {
    match &thread.copies {
        None => Replicas::Once,
        Some(Copies::Any) => Replicas::Any,
        Some(Copies::Fixed(count)) => match constant_integer(count, symbols, problems) {
            Some(number) if (1..=MOST_COPIES).contains(&number) => Replicas::Exactly(number as u32),
            Some(number) => {
                let message = format!("{number} copies: there may be 1 to {MOST_COPIES}");
                let diagnostic = Diagnostic::error(codes::COPIES, count.span, message);
                problems.push(
                    diagnostic.help("systems of any number of processes are written in the language .cub"),
                );
                Replicas::Once
            }
            None => Replicas::Once,
        },
    }
}

fn variable(
    var: &Var,
    owner: Option<ProcessId>,
    symbols: &mut Symbols,
    locations: &mut u64,
    problems: &mut Problems,
) -> Meaning {
    match try_variable(var, owner, symbols, locations, problems) {
        Some(variable) => {
            symbols.variables.push(variable);
            Meaning::Variable(symbols.variables.len() as u32 - 1)
        }
        None => Meaning::Broken,
    }
}

fn try_variable(
    var: &Var,
    owner: Option<ProcessId>,
    symbols: &Symbols,
    locations: &mut u64,
    problems: &mut Problems,
) -> Option<Variable> {
    let mut dimensions = Vec::new();
    // An owner with copies has the variable once a copy.
    let per_copy = owner.filter(|owner| symbols.process(*owner).replicas != Replicas::Once);
    dimensions.extend(per_copy.map(Dimension::Copies));
    let mut length = None;
    if let Some(size) = &var.size {
        let dimension = match &size.kind {
            ExprKind::Copies(process) => {
                let process = symbols.process_named(process, problems)?;
                length = symbols.process(process).replicas.count();
                Dimension::Copies(process)
            }
            _ => {
                let number = constant_integer(size, symbols, problems)?;
                let count = u32::try_from(number).ok().filter(|&n| n > 0 && u64::from(n) <= MOST_LOCATIONS);
                let Some(count) = count else {
                    let message =
                        format!("an array of {number} elements: there may be 1 to {MOST_LOCATIONS}");
                    problems.error(codes::SIZE, size.span, message);
                    return None;
                };
                length = Some(count);
                Dimension::Fixed(count)
            }
        };
        dimensions.push(dimension);
    }
    let copies = per_copy.map_or(1, |owner| symbols.process(owner).replicas.count().unwrap_or(1));
    *locations += u64::from(length.unwrap_or(1)) * u64::from(copies);
    if *locations > MOST_LOCATIONS {
        let message = format!("more than {MOST_LOCATIONS} memory locations in all");
        problems.error(codes::SIZE, var.name.span, message);
        return None;
    }
    let size = if var.size.is_some() { Some(length.unwrap_or(0)) } else { None };
    let ty = var.ty.as_ref();
    let initial = var.initial.as_ref();
    let mut cell = cell(ty, initial, size, owner, var.name.span, symbols, problems)?;
    if let (Some(owner), Some(Initial::List(_, span)), Init::Values(values)) =
        (per_copy, initial, &mut cell.init)
    {
        // One list for each copy, in row-major order.
        let Some(count) = symbols.process(owner).replicas.count() else {
            let message = "a list of values needs a fixed number of copies";
            problems.error(codes::INITIAL, *span, message);
            return None;
        };
        *values = std::iter::repeat_n(values.clone(), count as usize).flatten().collect();
    }
    Some(Variable {
        name: var.name.name.clone(),
        sort: cell.sort,
        dimensions,
        range: cell.range,
        init: cell.init,
        unbuffered: false,
        place: None,
        owner,
        span: var.name.span,
    })
}
