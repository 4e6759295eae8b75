//! What must not be reached, and predicates: formulas over whole states.

use wattle_logic::{Binary, Sort, Term};
use wattle_program::{Process, Property, PropertyKind};
use wattle_source::{Diagnostic, Span, did_you_mean};

use super::ast::{Expression, File, PlaceKind};
use super::lower::{Labels, condition_term, expression_term};
use super::names::Names;
use crate::codes;

/// No row of labels is reached.
pub(crate) fn forbidden(
    file: &File,
    names: &Names,
    labels: &[Labels],
    processes: &[Process],
    problems: &mut Vec<Diagnostic>,
) -> Option<Property> {
    let mut rows = Vec::new();
    for row in &file.forbidden {
        if row.places.len() != names.threads() as usize {
            let message =
                format!("{} labels for {} processes (copies count)", row.places.len(), names.threads());
            let problem = Diagnostic::error(codes::FORBIDDEN, row.span, message);
            problems.push(problem.help("one label for each process, or `*` where any place will do"));
            continue;
        }
        let mut places = Vec::new();
        for (thread, (label, span)) in row.places.iter().enumerate() {
            let Some(label) = label else { continue };
            let (process, copy) = names.thread(thread as u32);
            match labels[process].get(label) {
                Some(found) if processes[process].cfg.point(found.point).inside.is_some() => {
                    let message = format!("`{label}` stands inside a locked block");
                    let problem = Diagnostic::error(codes::INSIDE_LOCKED, *span, message);
                    problems.push(problem.help("nothing is judged inside a block; put the label outside"));
                }
                Some(found) => {
                    places.push(Term::at(process as u32, Term::int(i64::from(copy)), found.point.0));
                }
                None => {
                    let message = format!("{} has no label `{label}`", names.process_name(process));
                    let mut problem = Diagnostic::error(codes::UNKNOWN_LABEL, *span, message);
                    problem.help = did_you_mean(label, labels[process].keys().map(|name| &**name));
                    problems.push(problem);
                }
            }
        }
        rows.push(balanced(places, Binary::And));
    }
    let span = file.forbidden.iter().map(|row| row.span).reduce(Span::to)?;
    Some(Property { kind: PropertyKind::Forbid, formula: balanced(rows, Binary::Or), span })
}

/// A tree of small depth, whatever the number of operands.
fn balanced(mut terms: Vec<Term>, operator: Binary) -> Term {
    match terms.len() {
        0 => Term::bool(operator == Binary::And),
        1 => terms.remove(0),
        count => {
            let right = terms.split_off(count.div_ceil(2));
            Term::binary(operator, balanced(terms, operator), balanced(right, operator))
        }
    }
}

/// Predicates over memory hold for the whole program. One that names registers or `x[my]` is meant
/// for each thread that has all of them.
pub(crate) fn predicates(file: &File, names: &Names, problems: &mut Vec<Diagnostic>) -> Vec<Term> {
    let mut result = Vec::new();
    for (condition, span) in &file.predicates {
        let mut found: Vec<Term> = Vec::new();
        for thread in 0..names.threads() {
            let (process, copy) = names.thread(thread);
            let mut complete = true;
            let term = condition_term(condition, &mut |expression| {
                expression_term(expression, &mut |leaf| {
                    state_leaf(leaf, names, process, copy).unwrap_or_else(|| {
                        complete = false;
                        Term::int(0)
                    })
                })
            });
            if complete && !found.contains(&term) {
                found.push(term);
            }
        }
        if found.is_empty() {
            let text = "this predicate is left out: no process has all that it names";
            problems.push(Diagnostic::warning(codes::PREDICATE, *span, text));
        }
        result.extend(found);
    }
    result
}

/// A register or memory location, as a formula over states names it.
fn state_leaf(leaf: &Expression, names: &Names, process: usize, copy: u32) -> Option<Term> {
    match leaf {
        Expression::Register(name, _) => {
            let number = names.registers[process].get(name)?;
            Some(Term::local_of(process as u32, Term::int(i64::from(copy)), *number, Sort::Int))
        }
        Expression::Memory(place) => {
            let address = match &place.kind {
                PlaceKind::Global(name) => Term::address(*names.globals.get(name)?, vec![]),
                PlaceKind::Own(name) => names.own(process, Some(copy), name)?,
                PlaceKind::Other(name, number) => names.other(process, Some(copy), name, *number)?,
                PlaceKind::Pointer(_) => return None,
            };
            Some(Term::content(address, Sort::Int))
        }
        _ => None,
    }
}
