//! The first state: `init`, and what `invariant` says of what never changes.
//!
//! Conditions of the form `A[p] = constant` become the initial value of the variable, so that searches do not have to
//! choose among all values first. Everything else is the formula `init` of the program, for all processes.

use wattle_logic::{Binary, Kind, Quantifier, Symbol, Term};
use wattle_program::{Init, Program};
use wattle_source::{Diagnostic, Span};

use super::formula::{Place, Scope, bound_in};
use super::names::Names;
use super::{Lowered, PROC, cube};
use crate::ast::{Block, File};
use crate::codes;

pub(super) fn start(tree: &File, names: &Names<'_>, program: &mut Program, problems: &mut Vec<Diagnostic>) {
    let mut conditions = Vec::new();
    match &tree.inits[..] {
        [] => {
            let at = program.processes.first().map_or(Span::NOWHERE, |process| process.span);
            let problem =
                Diagnostic::error(codes::INIT, at, "there is no `init`: how does the system begin?");
            problems.push(problem.help("write `init (p) { … }`"));
        }
        [init, rest @ ..] => {
            for second in rest {
                let problem = Diagnostic::error(codes::DUPLICATE, second.span, "there is one `init` already");
                problems.push(problem.label(init.span, "first here"));
            }
            match initial(init, names) {
                Ok(found) => conditions.extend(found),
                Err(problem) => problems.push(*problem),
            }
        }
    }
    conditions.retain(|condition| !set_initial(condition, program));
    for block in tree.invariants.iter().filter(|block| names.is_constant(&block.body)) {
        match cube(block, names, Place::Init) {
            Ok(excluded) => conditions.push(excluded.negated()),
            Err(problem) => problems.push(*problem),
        }
    }
    program.init = conditions.into_iter().map(for_all).reduce(Term::and);
}

/// The conditions of `init`, one by one.
fn initial(block: &Block, names: &Names<'_>) -> Lowered<Vec<Term>> {
    let mut scope = Scope::new(names, Place::Init);
    scope.bind_all(&block.parameters)?;
    let mut open = vec![scope.formula(&block.body)?];
    let mut conditions = Vec::new();
    while let Some(condition) = open.pop() {
        match condition.kind() {
            Kind::Binary(Binary::And, left, right) => open.extend([right.clone(), left.clone()]),
            _ => conditions.push(condition),
        }
    }
    Ok(conditions)
}

fn for_all(condition: Term) -> Term {
    let mut free = bound_in(&condition);
    condition.walk(&mut |node| {
        if let Kind::Quantified { bound, .. } = node.kind() {
            free.retain(|number| number != bound);
        }
    });
    free.into_iter()
        .rev()
        .fold(condition, |body, number| Term::quantified(Quantifier::Forall, number, PROC, body))
}

/// `A[p] = constant` and the like as an initial value. `false`: it is something else, or the variable has one.
fn set_initial(condition: &Term, program: &mut Program) -> bool {
    let Kind::Binary(Binary::Equal, left, right) = condition.kind() else { return false };
    let ways = [(left, right), (right, left)];
    ways.into_iter().any(|(cell, value)| {
        let Kind::Content(address) = cell.kind() else { return false };
        let Kind::Address { variable, indices } = address.kind() else { return false };
        let bound = |index: &Term| match index.kind() {
            Kind::Symbol(Symbol::Bound(number)) => Some(*number),
            _ => None,
        };
        let numbers: Option<Vec<u32>> = indices.iter().map(bound).collect();
        let Some(numbers) = numbers else { return false };
        let all = numbers.windows(2).all(|pair| pair[0] != pair[1]);
        let value = match value.kind() {
            Kind::Value(_) => value.clone(),
            // The cell of each process names that process.
            Kind::Symbol(Symbol::Bound(number)) if numbers == [*number] => Term::me_process(),
            _ => return false,
        };
        let variable = &mut program.variables[*variable as usize];
        let open = variable.init == Init::Any;
        if all && open {
            variable.init = Init::Values(vec![value]);
        }
        all && open
    })
}
