//! Conditions under which something is reached, kept small.
//!
//! A guard is a chain of conditions that a thread met on its way, `((a && b) && c)`. Ways that part at
//! a branch share the chain up to it; when they meet again the chain is cut back to what they share:
//! `g && c` or `g && !c` is `g`. So straight-line code after a branch has the guard that it had before
//! it, mostly the constant *true*, which costs the solver nothing.
//!
//! These functions treat conditions as having a value. Where one of an operand does not, an earlier
//! condition of the chain says so and is false (see `Arena::evaluate_all`).

use wattle_logic::{Binary, Sort, Unary};
use wattle_program::symbolic::{Arena, Expr, Node};

pub(crate) fn not(arena: &mut Arena<'_>, condition: Expr) -> Expr {
    arena.unary(Unary::Not, Sort::Bool, condition)
}

/// So many conditions of a guard are looked at for one that decides the next; long loops make long
/// guards, and what is far back rarely matters.
const LOOK_BACK: usize = 64;

/// `guard && condition`. A condition that the guard decides already is not repeated.
pub(crate) fn and(arena: &mut Arena<'_>, guard: Expr, condition: Expr) -> Expr {
    if let (Some(0), _) | (_, Some(0)) = (arena.value(guard), arena.value(condition)) {
        return arena.constant(0);
    }
    let mut rest = guard;
    for _ in 0..LOOK_BACK {
        let (before, last) = match arena.node(rest) {
            Node::Binary(Binary::And, _, before, last) => (Some(before), last),
            _ => (None, rest),
        };
        if last == condition || rest == condition {
            return guard;
        }
        if let Node::Unary(Unary::Not, _, denied) = arena.node(condition)
            && are_exclusive(arena, last, denied)
        {
            return guard;
        }
        if are_exclusive(arena, last, condition) || arena.are_opposite(rest, condition) {
            return arena.constant(0);
        }
        match before {
            Some(before) => rest = before,
            None => break,
        }
    }
    arena.binary(Binary::And, Sort::Bool, guard, condition)
}

/// Can two conditions not hold together, as far as can be seen?
pub(crate) fn are_exclusive(arena: &Arena<'_>, a: Expr, b: Expr) -> bool {
    let differ = |a, b| matches!((arena.value(a), arena.value(b)), (Some(a), Some(b)) if a != b);
    match (arena.node(a), arena.node(b)) {
        (Node::Binary(Binary::Equal, _, x, y), Node::Binary(Binary::Equal, _, z, w)) => {
            (x == z && differ(y, w)) || (y == w && differ(x, z))
        }
        _ => arena.are_opposite(a, b),
    }
}

/// `a || b`
pub(crate) fn or(arena: &mut Arena<'_>, a: Expr, b: Expr) -> Expr {
    match (arena.value(a), arena.value(b)) {
        (Some(0), _) => return b,
        (_, Some(0)) => return a,
        (Some(_), _) | (_, Some(_)) => return arena.constant(1),
        _ => {}
    }
    let parted = part(arena, a, b);
    let rest = either(arena, &parted.a, &parted.b);
    and(arena, parted.shared, rest)
}

/// `a => b`
pub(crate) fn implies(arena: &mut Arena<'_>, a: Expr, b: Expr) -> Expr {
    let not_a = not(arena, a);
    or(arena, not_a, b)
}

/// Where `a` and `b` do not hold together: a condition that tells `a` from `b`, given that one holds.
pub(crate) fn tell(arena: &mut Arena<'_>, a: Expr, b: Expr) -> Expr {
    let parted = part(arena, a, b);
    match (parted.a.first(), parted.b.first()) {
        (Some(first), Some(other)) if arena.are_opposite(*first, *other) => *first,
        _ if parted.b.len() < parted.a.len() => {
            let other = chained(arena, &parted.b);
            not(arena, other)
        }
        _ => chained(arena, &parted.a),
    }
}

/// Does `a` begin with `b`? Then it implies it.
pub(crate) fn begins(arena: &Arena<'_>, a: Expr, b: Expr) -> bool {
    if arena.value(b) == Some(1) {
        return true;
    }
    let mut rest = a;
    while rest != b {
        match arena.node(rest) {
            Node::Binary(Binary::And, _, before, _) => rest = before,
            _ => return false,
        }
    }
    true
}

/// The conditions of a guard, first to last.
pub(crate) fn chain(arena: &Arena<'_>, guard: Expr) -> Vec<Expr> {
    let mut conditions = Vec::new();
    let mut rest = guard;
    while let Node::Binary(Binary::And, _, before, last) = arena.node(rest) {
        conditions.push(last);
        rest = before;
    }
    if arena.value(rest) != Some(1) {
        conditions.push(rest);
    }
    conditions.reverse();
    conditions
}

struct Parted {
    shared: Expr,
    a: Vec<Expr>,
    b: Vec<Expr>,
}

fn part(arena: &mut Arena<'_>, a: Expr, b: Expr) -> Parted {
    let (mut a, mut b) = (chain(arena, a), chain(arena, b));
    let same = a.iter().zip(&b).take_while(|(left, right)| left == right).count();
    let b = b.split_off(same);
    let rest = a.split_off(same);
    Parted { shared: chained(arena, &a), a: rest, b }
}

fn chained(arena: &mut Arena<'_>, conditions: &[Expr]) -> Expr {
    let mut guard = arena.constant(1);
    for condition in conditions {
        guard = arena.binary(Binary::And, Sort::Bool, guard, *condition);
    }
    guard
}

/// The disjunction of two chains that share nothing at their beginnings.
fn either(arena: &mut Arena<'_>, a: &[Expr], b: &[Expr]) -> Expr {
    let (Some(first), Some(other)) = (a.first(), b.first()) else { return arena.constant(1) };
    let (whole, other_whole) = (chained(arena, a), chained(arena, b));
    if arena.are_opposite(whole, other_whole) {
        return arena.constant(1);
    }
    if arena.are_opposite(*first, *other) {
        let (then, otherwise) = (chained(arena, &a[1..]), chained(arena, &b[1..]));
        if then == otherwise {
            return then;
        }
        // `c && p || !c` is `p || !c`.
        if a.len() == 1 {
            return arena.binary(Binary::Or, Sort::Bool, *first, otherwise);
        }
        if b.len() == 1 {
            return arena.binary(Binary::Or, Sort::Bool, *other, then);
        }
        return arena.choice(*first, then, otherwise);
    }
    arena.binary(Binary::Or, Sort::Bool, whole, other_whole)
}
