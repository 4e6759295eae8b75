//! Sums: what integer terms of an interpolant are read as, so that an inequality comes out the same
//! however it was written, and as people write it.
//!
//! Z3 says `(not (>= (+ x (* (- 1) y)) 1))`, and the predicate is `x <= y`. All arithmetic is checked;
//! a number that leaves 64 bits makes the interpolant unreadable.

use std::collections::BTreeMap;

use wattle_logic::{Binary, Term};

/// A constant and some multiples of terms that are no sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Linear {
    /// None is zero.
    parts: BTreeMap<Term, i64>,
    constant: i64,
}

/// How a sum is compared with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Against {
    Equal,
    AtMost,
}

const BEYOND: &str = "a number beyond 64 bits";

impl Linear {
    pub fn constant(constant: i64) -> Linear {
        Linear { parts: BTreeMap::new(), constant }
    }

    pub fn of(term: Term) -> Linear {
        Linear { parts: BTreeMap::from([(term, 1)]), constant: 0 }
    }

    pub fn as_constant(&self) -> Option<i64> {
        self.parts.is_empty().then_some(self.constant)
    }

    pub fn plus(mut self, other: &Linear) -> Result<Linear, String> {
        self.constant = self.constant.checked_add(other.constant).ok_or(BEYOND)?;
        for (term, factor) in &other.parts {
            let sum = self.parts.entry(term.clone()).or_insert(0);
            *sum = sum.checked_add(*factor).ok_or(BEYOND)?;
        }
        self.parts.retain(|_, factor| *factor != 0);
        Ok(self)
    }

    pub fn times(mut self, by: i64) -> Result<Linear, String> {
        self.constant = self.constant.checked_mul(by).ok_or(BEYOND)?;
        for factor in self.parts.values_mut() {
            *factor = factor.checked_mul(by).ok_or(BEYOND)?;
        }
        self.parts.retain(|_, factor| *factor != 0);
        Ok(self)
    }

    pub fn minus(self, other: &Linear) -> Result<Linear, String> {
        self.plus(&other.clone().times(-1)?)
    }

    /// As a term.
    pub fn term(&self) -> Term {
        sum(self.parts.iter().map(|(term, factor)| (term, *factor)), self.constant)
    }

    /// The sum compared with 0, with only positive factors on either side.
    pub fn compared(mut self, against: Against) -> Result<Term, String> {
        let divisor = self.parts.values().fold(0, |divisor, factor| gcd(divisor, factor.unsigned_abs()));
        let Some(divisor) = i64::try_from(divisor).ok().filter(|divisor| *divisor > 0) else {
            return Ok(Term::bool(match against {
                Against::Equal => self.constant == 0,
                Against::AtMost => self.constant <= 0,
            }));
        };
        if against == Against::Equal && self.constant % divisor != 0 {
            return Ok(Term::bool(false));
        }
        self.parts.values_mut().for_each(|factor| *factor /= divisor);
        // Of integers: d·s + c <= 0 exactly if s <= floor(-c / d).
        let bound = (self.constant.checked_neg().ok_or(BEYOND)?).div_euclid(divisor);
        if against == Against::Equal && self.parts.values().all(|factor| *factor < 0) {
            return self.times(-1)?.sided(against, bound.checked_neg().ok_or(BEYOND)?);
        }
        self.sided(against, bound)
    }

    /// `parts <= bound` or `parts = bound`.
    fn sided(&self, against: Against, bound: i64) -> Result<Term, String> {
        let side = |positive: bool| {
            let parts = self.parts.iter().filter(move |(_, factor)| (**factor > 0) == positive);
            parts.map(|(term, factor)| (term, factor.saturating_abs()))
        };
        let nothing_left = side(true).next().is_none();
        let nothing_right = side(false).next().is_none();
        let constant_left = nothing_left || (bound < 0 && !nothing_right);
        let left_constant = if constant_left { bound.checked_neg().ok_or(BEYOND)? } else { 0 };
        let right_constant = if constant_left { 0 } else { bound };
        let compare =
            |operator, left, right| Term::binary(operator, sum(side(true), left), sum(side(false), right));
        Ok(match against {
            Against::Equal => compare(Binary::Equal, left_constant, right_constant),
            // x + 1 <= y is x < y.
            Against::AtMost if left_constant == 1 && !nothing_left => {
                compare(Binary::Less, 0, right_constant)
            }
            Against::AtMost => compare(Binary::LessEqual, left_constant, right_constant),
        })
    }
}

/// The sum of multiples and a constant, which is left out where it is 0.
fn sum<'a>(parts: impl Iterator<Item = (&'a Term, i64)>, constant: i64) -> Term {
    let multiple = |(term, factor): (&Term, i64)| match factor {
        1 => term.clone(),
        _ => Term::binary(Binary::Multiply, Term::int(factor), term.clone()),
    };
    let parts = parts.map(multiple).reduce(|a, b| Term::binary(Binary::Add, a, b));
    match (parts, constant) {
        (None, _) => Term::int(constant),
        (Some(parts), 0) => parts,
        (Some(parts), i64::MIN..0) if constant > i64::MIN => {
            Term::binary(Binary::Subtract, parts, Term::int(-constant))
        }
        (Some(parts), _) => Term::binary(Binary::Add, parts, Term::int(constant)),
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
