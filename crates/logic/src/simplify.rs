//! Simplification, for engines that do not care about dependencies. Never call it in a front end.

use crate::{Binary, Kind, Term, Unary, Value, apply_binary, apply_unary};

impl Term {
    /// An equal term: constants folded, neutral elements dropped. Faults are kept.
    pub fn simplify(&self) -> Term {
        self.map(&mut step)
    }
}

fn step(term: Term) -> Term {
    match term.kind() {
        Kind::Unary(operator, operand) => {
            if let Some(value) = operand.as_value()
                && let Ok(value) = apply_unary(*operator, value, term.sort())
            {
                return Term::value(value, term.sort());
            }
            match (operator, operand.kind()) {
                (Unary::Not, Kind::Unary(Unary::Not, inner)) => inner.clone(),
                _ => term,
            }
        }
        Kind::Binary(operator, left, right) => {
            if let (Some(a), Some(b)) = (left.as_value(), right.as_value())
                && let Ok(value) = apply_binary(*operator, a, b, term.sort())
            {
                return Term::value(value, term.sort());
            }
            let zero = |term: &Term| term.as_value() == Some(&Value::Int(0));
            match operator {
                Binary::And if left.is_true() => right.clone(),
                Binary::And if right.is_true() => left.clone(),
                Binary::Or if left.is_false() => right.clone(),
                Binary::Or if right.is_false() => left.clone(),
                Binary::Implies if left.is_true() => right.clone(),
                Binary::Add if zero(left) && right.sort() == term.sort() => right.clone(),
                Binary::Add | Binary::Subtract if zero(right) && left.sort() == term.sort() => left.clone(),
                _ => term,
            }
        }
        Kind::If(condition, then, otherwise) => {
            if condition.is_true() {
                then.clone()
            } else if condition.is_false() {
                otherwise.clone()
            } else {
                term
            }
        }
        Kind::Pointer(number) => match number.kind() {
            Kind::Number(address) => address.clone(),
            _ => term,
        },
        _ => term,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sort;

    #[test]
    fn folds_constants_and_keeps_faults() {
        let r = Term::local(0, Sort::Int);
        let sum = Term::binary(Binary::Add, Term::int(2), Term::int(3));
        assert_eq!(sum.simplify(), Term::int(5));
        assert_eq!(Term::binary(Binary::Add, r.clone(), Term::int(0)).simplify(), r);
        let fault = Term::binary(Binary::Divide, Term::int(1), Term::int(0));
        assert_eq!(fault.simplify(), fault);
    }
}
