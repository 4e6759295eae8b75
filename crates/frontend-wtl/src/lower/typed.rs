//! Types of operators, the same in threads, formulas and initial values.
//!
//! Leaves differ (a shared name is a load in a thread and a content in a formula), so they come from
//! the [`Leaves`] of the place where the expression stands. Terms are built exactly as written:
//! which locals occur in them is what dependencies mean. Operands are visited left to right, which
//! fixes the order of loads.

use wattle_logic::{Binary, Sort, Term, Unary};
use wattle_source::Diagnostic;

use super::super::ast::{Expr, ExprKind};
use super::super::problems::Problems;
use super::symbols::Symbols;
use crate::codes;

pub(crate) trait Leaves {
    fn symbols(&self) -> &Symbols;
    fn problems(&mut self) -> &mut Problems;
    /// Everything but literals and operators. `None`: an error was reported.
    fn leaf(&mut self, expr: &Expr) -> Option<Term>;
}

/// The term of an expression; `None` if an error was reported.
pub(crate) fn term<L: Leaves>(leaves: &mut L, expr: &Expr) -> Option<Term> {
    match &expr.kind {
        ExprKind::Int(value) => Some(Term::int(*value)),
        ExprKind::Bool(value) => Some(Term::bool(*value)),
        ExprKind::Unary(Unary::Not, operand) => Some(condition(leaves, operand)?.negated()),
        ExprKind::Unary(operator, operand) => Some(Term::unary(*operator, integer(leaves, operand)?)),
        ExprKind::Binary(operator, left, right) if operator.is_logical() => {
            let a = condition(leaves, left);
            let b = condition(leaves, right);
            Some(Term::binary(*operator, a?, b?))
        }
        ExprKind::Binary(operator @ (Binary::Equal | Binary::NotEqual), left, right) => {
            let a = term(leaves, left);
            let b = term(leaves, right);
            let (a, b) = (a?, b?);
            comparable(leaves, &a, &b, right)?;
            Some(Term::binary(*operator, a, b))
        }
        ExprKind::Binary(operator, left, right) => {
            let a = integer(leaves, left);
            let b = integer(leaves, right);
            let (a, b) = (a?, b?);
            comparable(leaves, &a, &b, right)?;
            Some(Term::binary(*operator, a, b))
        }
        ExprKind::If(test, then, otherwise) => {
            let c = condition(leaves, test);
            let a = term(leaves, then);
            let b = term(leaves, otherwise);
            let (c, a, b) = (c?, a?, b?);
            comparable(leaves, &a, &b, otherwise)?;
            // The whole takes the sort of its second part, and a literal adapts to a machine integer.
            Some(match (a.sort(), b.sort()) {
                (Sort::Int, Sort::Bits { .. }) => Term::if_then_else(c.negated(), b, a),
                _ => Term::if_then_else(c, a, b),
            })
        }
        _ => leaves.leaf(expr),
    }
}

/// An expression where a condition is needed; an integer means "not 0".
pub(crate) fn condition<L: Leaves>(leaves: &mut L, expr: &Expr) -> Option<Term> {
    let term = term(leaves, expr)?;
    match term.sort() {
        Sort::Bool => Some(term),
        sort if sort.is_integer() => Some(Term::binary(Binary::NotEqual, term, Term::int(0))),
        sort => mismatch(leaves, expr, "a condition", sort),
    }
}

pub(crate) fn integer<L: Leaves>(leaves: &mut L, expr: &Expr) -> Option<Term> {
    let term = term(leaves, expr)?;
    if term.sort().is_integer() { Some(term) } else { mismatch(leaves, expr, "an integer", term.sort()) }
}

/// An expression that is stored where values of `sort` live.
pub(crate) fn of_sort<L: Leaves>(leaves: &mut L, expr: &Expr, sort: Sort) -> Option<Term> {
    let term = term(leaves, expr)?;
    fits(leaves, expr, term.sort(), sort)?;
    Some(term)
}

/// May a value of sort `found` be stored where `wanted` lives?
pub(crate) fn fits<L: Leaves>(leaves: &mut L, expr: &Expr, found: Sort, wanted: Sort) -> Option<()> {
    if found == wanted || (found.is_integer() && wanted.is_integer()) {
        return Some(());
    }
    let wanted = leaves.symbols().sort_name(wanted);
    mismatch(leaves, expr, &wanted, found)
}

fn comparable<L: Leaves>(leaves: &mut L, left: &Term, right: &Term, at: &Expr) -> Option<()> {
    let (a, b) = (left.sort(), right.sort());
    let fits = a == b || matches!((a, b), (Sort::Int, Sort::Bits { .. }) | (Sort::Bits { .. }, Sort::Int));
    if fits {
        return Some(());
    }
    let wanted = leaves.symbols().sort_name(a);
    mismatch(leaves, at, &format!("{wanted}, like the left side"), b)
}

fn mismatch<T, L: Leaves>(leaves: &mut L, expr: &Expr, wanted: &str, found: Sort) -> Option<T> {
    let found_name = leaves.symbols().sort_name(found);
    let message = format!("expected {wanted}, found {found_name}");
    let mut diagnostic =
        Diagnostic::error(codes::TYPE, expr.span, message).expecting(format!("this is {found_name}"));
    if found == Sort::Bool {
        diagnostic = diagnostic.help("`c ? 1 : 0` makes an integer of a condition");
    } else if wanted.starts_with("bool") && found.is_integer() {
        diagnostic = diagnostic.help("`e != 0` makes a condition of an integer");
    }
    leaves.problems().push(diagnostic);
    None
}
