//! Simpler terms.

use wattle_logic::{Sort, Term, Value};
use wattle_program::Program;

use super::renumber::initial_terms;

/// Every term in turn, replaced by something smaller of its sort.
pub(super) fn simpler_terms(program: &Program) -> impl Iterator<Item = Program> {
    let mut terms = Vec::new();
    map_terms(program, &mut |term| {
        terms.push(term.clone());
        term.clone()
    });
    terms.into_iter().enumerate().flat_map(move |(wanted, term)| {
        simpler(&term).into_iter().map(move |new| {
            let mut number = 0;
            map_terms(program, &mut |old| {
                number += 1;
                if number - 1 == wanted { new.clone() } else { old.clone() }
            })
        })
    })
}

/// Smaller terms of the same sort: literals, parts, and the term with one part made smaller.
fn simpler(term: &Term) -> Vec<Term> {
    let mut result = Vec::new();
    let size = size(term);
    match term.sort() {
        Sort::Bool => result.extend([Term::bool(true), Term::bool(false)]),
        sort if sort.is_integer() => {
            result.extend([0, 1].map(|value| Term::value(Value::Int(value), sort)));
        }
        _ => {}
    }
    let children = term.children();
    result.extend(children.iter().filter(|child| child.sort() == term.sort()).map(|child| (*child).clone()));
    for (number, child) in children.iter().enumerate() {
        for smaller in simpler(child) {
            result.push(with_child(term, number, &smaller));
        }
    }
    result.retain(|new| self::size(new) < size);
    result
}

/// The weight of a term: its nodes, and literals by how unusual they are, so that every step of a
/// shrink goes down.
fn size(term: &Term) -> u64 {
    let mut size = 0;
    term.walk(&mut |node| {
        size += match node.as_value() {
            Some(Value::Int(value)) => value.unsigned_abs().min(8),
            Some(Value::Bool(value)) => u64::from(!*value),
            _ => 10,
        };
    });
    size
}

fn with_child(term: &Term, wanted: usize, new: &Term) -> Term {
    // Children are rebuilt in order; only direct ones may be replaced, so work on one level.
    use wattle_logic::Kind;
    let children: Vec<Term> = (term.children().into_iter().enumerate())
        .map(|(number, child)| if number == wanted { new.clone() } else { child.clone() })
        .collect();
    match (term.kind(), children.as_slice()) {
        (Kind::Unary(operator, _), [a]) => Term::unary(*operator, a.clone()),
        (Kind::Binary(operator, ..), [a, b]) => Term::binary(*operator, a.clone(), b.clone()),
        (Kind::If(..), [a, b, c]) => Term::if_then_else(a.clone(), b.clone(), c.clone()),
        (Kind::Address { variable, .. }, indices) => Term::address(*variable, indices.to_vec()),
        (Kind::Number(_), [a]) => Term::number(a.clone()),
        (Kind::Pointer(_), [a]) => Term::pointer(a.clone()),
        (Kind::Content(_), [a]) => Term::content(a.clone(), term.sort()),
        (Kind::At { process, point, .. }, [copy]) => Term::at(*process, copy.clone(), *point),
        (Kind::Ended { process, .. }, [copy]) => Term::ended(*process, copy.clone()),
        (Kind::LocalOf { process, local, .. }, [copy]) => {
            Term::local_of(*process, copy.clone(), *local, term.sort())
        }
        (Kind::Quantified { quantifier, bound, process, .. }, [body]) => {
            Term::quantified(*quantifier, *bound, *process, body.clone())
        }
        _ => term.clone(),
    }
}

/// The program with every term rewritten, always in the same order.
pub(super) fn map_terms(program: &Program, rewrite: &mut dyn FnMut(&Term) -> Term) -> Program {
    let mut result = program.clone();
    for variable in &mut result.variables {
        initial_terms(&mut variable.init).iter_mut().for_each(|term| *term = rewrite(term));
    }
    for process in &mut result.processes {
        for local in &mut process.locals {
            initial_terms(&mut local.init).iter_mut().for_each(|term| *term = rewrite(term));
        }
        for edge in &mut process.cfg.edges {
            edge.guard = rewrite(&edge.guard);
            edge.ops.iter_mut().for_each(|op| *op = op.map_terms(rewrite));
        }
    }
    let formulas = result.properties.iter_mut().map(|property| &mut property.formula);
    formulas
        .chain(&mut result.observed)
        .chain(result.condition.as_mut().map(|condition| &mut condition.formula))
        .chain(&mut result.filter)
        .chain(&mut result.init)
        .for_each(|term| *term = rewrite(term));
    result
}
