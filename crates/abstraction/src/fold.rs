//! Simplification of formulas all of whose parts have a value.
//!
//! Faults are checks of their own here ([`crate::system::Check`]), so a conjunction with a false part is
//! false whatever the other part is, which [`Term::simplify`] may not assume.

use wattle_logic::{Binary, Kind, Sort, Term, Unary, Value};

pub trait Fold {
    fn fold(&self) -> Term;
}

impl Fold for Term {
    fn fold(&self) -> Term {
        self.map(&mut |term| step(&term)).simplify()
    }
}

fn step(term: &Term) -> Term {
    let whole = term.simplify();
    match whole.kind() {
        Kind::Binary(operator, left, right) => binary(*operator, left, right).unwrap_or(whole),
        Kind::Unary(Unary::Not, inner) => match inner.kind() {
            Kind::Binary(operator, left, right) if left.sort() != Sort::Bool => match opposite(*operator) {
                Some(operator) => Term::binary(operator, left.clone(), right.clone()),
                None => whole,
            },
            _ => whole,
        },
        Kind::If(_, then, otherwise) if then == otherwise => then.clone(),
        _ => whole,
    }
}

fn opposite(operator: Binary) -> Option<Binary> {
    use Binary::*;
    Some(match operator {
        Equal => NotEqual,
        NotEqual => Equal,
        Less => GreaterEqual,
        LessEqual => Greater,
        Greater => LessEqual,
        GreaterEqual => Less,
        _ => return None,
    })
}

fn binary(operator: Binary, left: &Term, right: &Term) -> Option<Term> {
    use Binary::*;
    match operator {
        And if left.is_false() || right.is_false() => Some(Term::bool(false)),
        Or if left.is_true() || right.is_true() => Some(Term::bool(true)),
        And | Or if left == right => Some(left.clone()),
        Implies if left.is_false() || right.is_true() => Some(Term::bool(true)),
        Implies if right.is_false() => Some(step(&left.negated())),
        Equal | LessEqual | GreaterEqual if left == right => Some(Term::bool(true)),
        NotEqual | Less | Greater if left == right => Some(Term::bool(false)),
        // (x + 1) - 1 and the like: constants gather on the right.
        Add | Subtract => {
            let shift = right.as_value().and_then(Value::as_int)?;
            let shift = if operator == Add { shift } else { shift.checked_neg()? };
            let (base, before) = match left.kind() {
                Kind::Binary(inner @ (Add | Subtract), base, constant) => {
                    let constant = constant.as_value().and_then(Value::as_int)?;
                    (base, if *inner == Add { constant } else { constant.checked_neg()? })
                }
                _ => return None,
            };
            let sum = before.checked_add(shift)?;
            Some(match sum {
                0 => base.clone(),
                sum if sum < 0 => Term::binary(Subtract, base.clone(), Term::int(sum.checked_neg()?)),
                sum => Term::binary(Add, base.clone(), Term::int(sum)),
            })
        }
        _ => None,
    }
}
