//! One form for each comparison of linear terms.
//!
//! Weakest preconditions and interpolants write the same comparison in many ways: `x + 1 == y + 1`,
//! `!(y < x)`, `0 <= y - x`. As predicates these must be one. A comparison becomes `sum <= constant` or
//! `sum == constant` with the smallest coefficients, the first of them positive; where that takes a
//! negation, the caller is told. It is written with every summand on the side where it is positive.

use std::collections::BTreeMap;

use wattle_logic::{Binary, Kind, Sort, Term, Unary, Value};

/// The comparison in its one form, and whether it stands for itself (`true`) or for its negation.
pub(crate) fn canonical(formula: &Term) -> Option<(Term, bool)> {
    let Kind::Binary(operator, left, right) = formula.kind() else { return None };
    if !operator.is_comparison() || left.sort() != Sort::Int || right.sort() != Sort::Int {
        return None;
    }
    use Binary::*;
    let (operator, left, right, mut positive) = match operator {
        Equal => (Equal, left, right, true),
        NotEqual => (Equal, left, right, false),
        LessEqual => (LessEqual, left, right, true),
        Greater => (LessEqual, left, right, false),
        GreaterEqual => (LessEqual, right, left, true),
        _ => (LessEqual, right, left, false),
    };
    let mut sum = Sum::default();
    sum.add(left, 1)?;
    sum.add(right, -1)?;
    sum.summands.retain(|_, coefficient| *coefficient != 0);
    // sum <= bound, or sum == bound.
    let mut bound = sum.constant.checked_neg()?;
    let Some(first) = sum.summands.values().next().copied() else {
        let holds = if operator == Equal { bound == 0 } else { 0 <= bound };
        return Some((Term::bool(holds), positive));
    };
    let divisor = sum.summands.values().fold(0, |divisor, coefficient| gcd(divisor, coefficient.abs()));
    if operator == Equal && bound % divisor != 0 {
        return Some((Term::bool(false), positive));
    }
    bound = bound.div_euclid(divisor);
    let sign = if first < 0 { -1 } else { 1 };
    for coefficient in sum.summands.values_mut() {
        *coefficient = *coefficient / divisor * sign;
    }
    if sign < 0 && operator == Equal {
        bound = bound.checked_neg()?;
    } else if sign < 0 {
        // -s <= b: s >= -b: not s <= -b - 1.
        bound = bound.checked_neg()?.checked_sub(1)?;
        positive = !positive;
    }
    Some((sum.written(operator, bound), positive))
}

pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A term as one summand and a constant.
pub(crate) fn sum_of_one(term: &Term) -> Option<(Term, i64)> {
    let mut sum = Sum::default();
    sum.add(term, 1)?;
    let mut summands = sum.summands.into_iter().filter(|(_, coefficient)| *coefficient != 0);
    match (summands.next(), summands.next()) {
        (Some((one, 1)), None) if one.sort() == Sort::Int => Some((one, sum.constant)),
        _ => None,
    }
}

/// A comparison of one summand with a constant, in its one form: `<=` or `==`.
pub(crate) fn single(formula: &Term) -> Option<(Term, Binary, i64)> {
    let (canonical, _) = canonical(formula)?;
    let Kind::Binary(operator, left, right) = canonical.kind() else { return None };
    match (left.kind(), right.as_value()) {
        (Kind::Content(_) | Kind::LocalOf { .. }, Some(Value::Int(constant))) => {
            Some((left.clone(), *operator, *constant))
        }
        _ => None,
    }
}

/// `of - to <= most`, where `None` is zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub of: Option<Term>,
    pub to: Option<Term>,
    pub most: i64,
}

/// A comparison of two summands, or of one with a constant, or the negation of one: `<=` or `==`.
pub(crate) fn difference(formula: &Term) -> Option<(Difference, Binary)> {
    let (canonical, _) = canonical(formula)?;
    let Kind::Binary(operator, left, right) = canonical.kind() else { return None };
    let mut sum = Sum::default();
    sum.add(left, 1)?;
    sum.add(right, -1)?;
    let (mut of, mut to) = (None, None);
    for (term, coefficient) in sum.summands.into_iter().filter(|(_, coefficient)| *coefficient != 0) {
        let side = match coefficient {
            1 => &mut of,
            -1 => &mut to,
            _ => return None,
        };
        if side.replace(term).is_some() {
            return None;
        }
    }
    let most = sum.constant.checked_neg()?;
    Some(match operator {
        Binary::Less => (Difference { of, to, most: most.checked_sub(1)? }, Binary::LessEqual),
        Binary::LessEqual | Binary::Equal => (Difference { of, to, most }, *operator),
        _ => return None,
    })
}

#[derive(Default)]
struct Sum {
    summands: BTreeMap<Term, i64>,
    constant: i64,
}

impl Sum {
    fn add(&mut self, term: &Term, factor: i64) -> Option<()> {
        match term.kind() {
            Kind::Value(Value::Int(value)) => {
                self.constant = self.constant.checked_add(value.checked_mul(factor)?)?;
            }
            Kind::Unary(Unary::Negate, inner) => self.add(inner, factor.checked_neg()?)?,
            Kind::Unary(Unary::Complement, inner) if term.sort() == Sort::Int => {
                self.constant = self.constant.checked_sub(factor)?;
                self.add(inner, factor.checked_neg()?)?;
            }
            Kind::Binary(Binary::Add, left, right) => {
                self.add(left, factor)?;
                self.add(right, factor)?;
            }
            Kind::Binary(Binary::Subtract, left, right) => {
                self.add(left, factor)?;
                self.add(right, factor.checked_neg()?)?;
            }
            Kind::Binary(Binary::Multiply, left, right) => match (left.as_value(), right.as_value()) {
                (Some(Value::Int(value)), _) => self.add(right, factor.checked_mul(*value)?)?,
                (_, Some(Value::Int(value))) => self.add(left, factor.checked_mul(*value)?)?,
                _ => return None,
            },
            _ => {
                let coefficient = self.summands.entry(term.clone()).or_insert(0);
                *coefficient = coefficient.checked_add(factor)?;
            }
        }
        Some(())
    }

    fn written(&self, operator: Binary, bound: i64) -> Term {
        let side = |sign: i64| {
            let own = self.summands.iter().filter(move |(_, coefficient)| coefficient.signum() == sign);
            let summand = |(term, coefficient): (&Term, &i64)| match coefficient.abs() {
                1 => term.clone(),
                factor => Term::binary(Binary::Multiply, Term::int(factor), term.clone()),
            };
            own.map(summand).reduce(|sum, summand| Term::binary(Binary::Add, sum, summand))
        };
        let with = |side: Option<Term>, constant: i64| match (side, constant) {
            (Some(side), 0) => side,
            (Some(side), constant) => Term::binary(Binary::Add, side, Term::int(constant)),
            (None, constant) => Term::int(constant),
        };
        let (left, right) = (side(1), side(-1));
        match right {
            Some(_) if bound == -1 && operator == Binary::LessEqual => {
                Term::binary(Binary::Less, with(left, 0), with(right, 0))
            }
            Some(_) if bound < 0 => Term::binary(operator, with(left, -bound), with(right, 0)),
            _ => Term::binary(operator, with(left, 0), with(right, bound)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(operator: Binary, left: Term, right: Term) -> (Term, bool) {
        canonical(&Term::binary(operator, left, right)).unwrap()
    }

    #[test]
    fn a_comparison_is_a_difference_and_a_bound() {
        let (x, y) = (Term::local(0, Sort::Int), Term::local(1, Sort::Int));
        let (found, operator) = difference(&Term::binary(Binary::Less, x.clone(), y.clone())).unwrap();
        assert_eq!(
            (found, operator),
            (Difference { of: Some(x.clone()), to: Some(y.clone()), most: -1 }, Binary::LessEqual)
        );
        let (found, operator) = difference(&x.clone().equals(Term::int(4))).unwrap();
        assert_eq!((found, operator), (Difference { of: Some(x.clone()), to: None, most: 4 }, Binary::Equal));
        let sum = Term::binary(Binary::Add, x.clone(), y);
        assert_eq!(difference(&Term::binary(Binary::LessEqual, sum, Term::int(1))), None);
    }

    #[test]
    fn equal_comparisons_have_one_form() {
        let (x, y) = (Term::local(0, Sort::Int), Term::local(1, Sort::Int));
        let plus = |term: &Term, by: i64| Term::binary(Binary::Add, term.clone(), Term::int(by));
        let (less, holds) = form(Binary::Less, x.clone(), y.clone());
        assert_eq!(form(Binary::GreaterEqual, x.clone(), y.clone()), (less.clone(), !holds));
        assert_eq!(form(Binary::LessEqual, plus(&x, 1), y.clone()), (less.clone(), holds));
        assert_eq!(form(Binary::Greater, plus(&y, 3), plus(&x, 3)), (less, holds));
        assert_eq!(form(Binary::Less, x.clone(), plus(&x, 1)), (Term::bool(false), false), "not x + 1 <= x");
        let twice = Term::binary(Binary::Multiply, Term::int(2), x.clone());
        assert_eq!(form(Binary::Equal, twice.clone(), Term::int(4)), form(Binary::Equal, x, Term::int(2)));
        assert_eq!(form(Binary::Equal, twice, Term::int(3)).0, Term::bool(false));
    }
}
