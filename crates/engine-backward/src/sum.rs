//! Sums of integers, beyond `x - y`, and their decision procedure.
//!
//! Few systems need them (`N + M <= C`, `Task[j] := Task[j] - Power[i]`), so they are kept apart from the differences, which
//! [`knowledge`](crate::knowledge) decides by shortest paths: a sum that is a difference is always written as one. Together with the bounds of those,
//! sums are decided by elimination of one variable after the other (Fourier and Motzkin), with coefficients divided by their common divisor and
//! constants rounded down, because all are integers.
//!
//! **What it is worth.** "No state" is always right: every inequality that elimination makes follows from those that were given. The other direction is
//! not: over the integers a conjunction that passes may still be empty, and so may one that was too large to be finished. So whatever is
//! found with sums is over-approximated: *safe* stands, and a trace counts only if it replays.

use std::num::NonZeroI8;

use crate::literal::{Literal, Number, Outcome, Term};

/// Terms of a sum.
const WIDTH: usize = 4;
/// The largest coefficient: where terms become equal, all of them together still fit.
const LARGEST: i8 = i8::MAX / WIDTH as i8;
/// Inequalities that elimination may make at once.
const MOST: usize = 300;

/// A sum of terms with coefficients: terms ascend, and what is unused comes last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Sum([Option<(NonZeroI8, Term)>; WIDTH]);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Relation {
    AtMost,
    Differs,
}

impl Sum {
    pub(crate) fn of(number: Number) -> Sum {
        let mut sum = Sum::default();
        sum.0[0] = number.and_then(|term| Some((NonZeroI8::new(1)?, term)));
        sum
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = (i64, Term)> + use<> {
        self.0.into_iter().flatten().map(|(factor, term)| (i64::from(factor.get()), term))
    }

    pub(crate) fn terms(&self) -> impl Iterator<Item = Term> + use<> {
        self.parts().map(|(_, term)| term)
    }

    fn collected(parts: impl Iterator<Item = (i64, Term)>) -> Option<Sum> {
        let mut all: Vec<(Term, i64)> = parts.map(|(factor, term)| (term, factor)).collect();
        all.sort_unstable_by_key(|(term, _)| *term);
        let mut sum = Sum::default();
        let mut used = 0;
        for same in all.chunk_by(|a, b| a.0 == b.0) {
            let factor = same.iter().try_fold(0i64, |sum, (_, factor)| sum.checked_add(*factor))?;
            if factor != 0 {
                *sum.0.get_mut(used)? = Some((NonZeroI8::new(i8::try_from(factor).ok()?)?, same[0].0));
                used += 1;
            }
        }
        Some(sum)
    }

    /// `None`: more than fits into one.
    pub(crate) fn plus(&self, other: &Sum) -> Option<Sum> {
        Sum::collected(self.parts().chain(other.parts())).filter(Sum::is_small)
    }

    pub(crate) fn times(&self, by: i64) -> Option<Sum> {
        let parts: Option<Vec<(i64, Term)>> =
            self.parts().map(|(factor, term)| Some((factor.checked_mul(by)?, term))).collect();
        Sum::collected(parts?.into_iter()).filter(Sum::is_small)
    }

    fn is_small(&self) -> bool {
        self.parts().all(|(factor, _)| factor.abs() <= i64::from(LARGEST))
    }

    pub(crate) fn minus(&self, other: &Sum) -> Option<Sum> {
        self.plus(&other.times(-1)?)
    }

    /// With other terms, some of which may be equal now: it still fits.
    pub(crate) fn mapped(&self, mut map: impl FnMut(Term) -> Term) -> Sum {
        Sum::collected(self.parts().map(|(factor, term)| (factor, map(term)))).unwrap_or_default()
    }

    /// If it is a term, or zero, and not more.
    pub(crate) fn number(&self) -> Option<Number> {
        let mut parts = self.parts();
        match (parts.next(), parts.next()) {
            (None, _) => Some(None),
            (Some((1, term)), None) => Some(Some(term)),
            _ => None,
        }
    }

    /// If it is a difference of two of these.
    fn difference(&self) -> Option<(Number, Number)> {
        let parts: Vec<(i64, Term)> = self.parts().collect();
        match parts[..] {
            [] => Some((None, None)),
            [(1, x)] => Some((Some(x), None)),
            [(-1, y)] => Some((None, Some(y))),
            [(1, x), (-1, y)] | [(-1, y), (1, x)] => Some((Some(x), Some(y))),
            _ => None,
        }
    }

    fn divisor(&self) -> i64 {
        self.parts().fold(0, |divisor, (factor, _)| common(divisor, factor)).max(1)
    }

    fn divided(&self, by: i64) -> Sum {
        Sum::collected(self.parts().map(|(factor, term)| (factor / by, term))).unwrap_or_default()
    }
}

fn common(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { common(b, a % b) }
}

/// `sum <= c`, in its simplest form.
pub(crate) fn at_most(sum: Sum, c: i64) -> Outcome {
    let by = sum.divisor();
    let (sum, c) = (sum.divided(by), c.div_euclid(by));
    match sum.difference() {
        Some((x, y)) => crate::literal::at_most(x, y, c),
        None => Outcome::Literal(Literal::Sum(sum, Relation::AtMost, c)),
    }
}

/// `sum != c`, in its simplest form.
pub(crate) fn differs(sum: Sum, c: i64) -> Outcome {
    let by = sum.divisor();
    if c.rem_euclid(by) != 0 {
        return Outcome::True;
    }
    let (sum, c) = (sum.divided(by), c / by);
    match sum.difference() {
        Some((x, y)) => crate::literal::unequal(x, y, c),
        // Of a sum and its negation, the one whose first coefficient is positive.
        None => match (sum.parts().next(), sum.times(-1), c.checked_neg()) {
            (Some((factor, _)), Some(negated), Some(other)) if factor < 0 => {
                Outcome::Literal(Literal::Sum(negated, Relation::Differs, other))
            }
            _ => Outcome::Literal(Literal::Sum(sum, Relation::Differs, c)),
        },
    }
}

/// The sum of coefficients and variables (by their numbers) is at most this.
pub(crate) type Inequality = (Vec<i64>, i64);

/// Whether some integers may satisfy all of them; `false` is certain.
pub(crate) fn may_hold(mut all: Vec<Inequality>) -> bool {
    loop {
        let mut trivial = |(factors, c): &Inequality| (factors.iter().all(|f| *f == 0)).then_some(*c);
        if all.iter().filter_map(&mut trivial).any(|c| c < 0) {
            return false;
        }
        all.retain(|inequality| trivial(inequality).is_none());
        let Some(next) = cheapest(&all) else { return true };
        let Some(rest) = without(&all, next) else { return true };
        all = rest;
    }
}

/// The most that a variable can be (`factor` 1), or minus the least (`factor` -1), as far as elimination tells.
pub(crate) fn most(mut all: Vec<Inequality>, variable: usize, factor: i64) -> Option<i64> {
    loop {
        let others = all.iter().flat_map(|(factors, _)| factors.iter().enumerate());
        let next = others.filter(|(i, f)| *i != variable && **f != 0).map(|(i, _)| i).min();
        let Some(next) = next else { break };
        all = without(&all, next)?;
    }
    let bounds = all.iter().filter(|(factors, _)| factors.get(variable).is_some_and(|f| f * factor > 0));
    bounds.map(|(factors, c)| c.div_euclid(factors[variable].abs())).min()
}

/// The variable whose elimination makes the fewest inequalities.
fn cheapest(all: &[Inequality]) -> Option<usize> {
    let width = all.iter().map(|(factors, _)| factors.len()).max()?;
    let cost = |variable: usize| {
        let signs = all.iter().map(|(factors, _)| factors[variable].signum());
        let (up, down) = signs.fold((0, 0), |(up, down), sign| match sign {
            1 => (up + 1, down),
            -1 => (up, down + 1),
            _ => (up, down),
        });
        (up + down > 0).then_some(up * down)
    };
    (0..width).filter_map(|variable| Some((cost(variable)?, variable))).min().map(|(_, variable)| variable)
}

/// What follows without the variable; `None`: too much.
fn without(all: &[Inequality], variable: usize) -> Option<Vec<Inequality>> {
    let mut rest: Vec<Inequality> = vec![];
    for inequality in all.iter().filter(|(factors, _)| factors[variable] == 0) {
        rest.push(inequality.clone());
    }
    for (up, high) in all.iter().filter(|(factors, _)| factors[variable] > 0) {
        for (down, low) in all.iter().filter(|(factors, _)| factors[variable] < 0) {
            let (a, b) = (down[variable].checked_neg()?, up[variable]);
            let sum = |x: i64, y: i64| a.checked_mul(x)?.checked_add(b.checked_mul(y)?);
            let factors: Option<Vec<i64>> = up.iter().zip(down).map(|(x, y)| sum(*x, *y)).collect();
            let (mut factors, mut c) = (factors?, sum(*high, *low)?);
            let by = factors.iter().fold(0, |divisor, factor| common(divisor, *factor));
            if by > 1 {
                factors.iter_mut().for_each(|factor| *factor /= by);
                c = c.div_euclid(by);
            }
            rest.push((factors, c));
        }
    }
    rest.sort_unstable();
    // Of the same sum, the least bound.
    rest.dedup_by(|later, first| later.0 == first.0);
    (rest.len() <= MOST).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{may_hold, most};

    #[test]
    fn elimination_never_excludes_a_solution() {
        // All systems of four inequalities over two variables from a small generator, against all values of a box.
        let mut state = 7u64;
        let mut next = |range: i64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as i64 % (2 * range + 1) - range
        };
        let (mut empty, mut inhabited) = (0, 0);
        for _ in 0..3_000 {
            let mut all: Vec<(Vec<i64>, i64)> =
                (0..4).map(|_| (vec![next(3), next(3), next(2)], next(6))).collect();
            for variable in 0..3 {
                for factor in [1, -1] {
                    let mut factors = vec![0; 3];
                    factors[variable] = factor;
                    all.push((factors, 4));
                }
            }
            let values = || -4..=4i64;
            let holds =
                |x: i64, y: i64, z: i64| all.iter().all(|(f, c)| f[0] * x + f[1] * y + f[2] * z <= *c);
            let solutions: Vec<i64> = values()
                .flat_map(|x| values().flat_map(move |y| values().map(move |z| (x, y, z))))
                .filter(|(x, y, z)| holds(*x, *y, *z))
                .map(|(x, ..)| x)
                .collect();
            match solutions.iter().max() {
                Some(largest) => {
                    assert!(may_hold(all.clone()), "{all:?}");
                    assert!(most(all.clone(), 0, 1).is_none_or(|most| most >= *largest), "{all:?}");
                    inhabited += 1;
                }
                None => empty += u32::from(!may_hold(all)),
            }
        }
        assert!(inhabited > 500 && empty > 500, "{inhabited} and {empty}");
    }
}
