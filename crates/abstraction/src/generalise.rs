//! Constants that shift become relations.
//!
//! A trace that goes around a loop n times is refuted by what a cell holds then: `i <= 48`, `i <= 47`, `i <= 46`. Each refutes one
//! trace, and the next trace goes around once more. What is meant is usually how cells that count together belong
//! together: `s == 2 * i`. So where comparisons of a cell with constants keep coming, those with other cells that
//! count are offered.
//!
//! A cell *counts* if assignments `x := y + k` lead from it to itself with a sum other than zero, in one step or through
//! other cells; its *pace* is the greatest common divisor of these sums. It *shifts* if each of the last
//! three traces has compared it with another constant. Two cells with paces p and q that begin with a and b suggest `q * x - p * y == q * a - p * b`. Between the
//! steps that count the one and the other the difference is one step, p * q, in either direction. `x == a` and `y == b` come
//! with it: they are why it holds at first. A cell that counts up to a bound of a guard ends one step beyond it, so that
//! bound is offered too.
//!
//! Like all predicates these are only offered: the abstraction decides what is so. Nothing is concluded from a pattern.

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::{Binary, Term, Value};

use crate::linear::{gcd, single, sum_of_one};
use crate::system::System;

/// So many traces show that a cell shifts.
const MANY: usize = 3;

/// No more cells than this are related to one that shifts.
const MOST_RELATED: usize = 6;

/// A cell that counts.
struct Counter {
    cell: Term,
    pace: i64,
    first: i64,
}

/// What the comparisons with constants among predicates that refinement found suggest. `found`: by trace, those that it
/// added. `bounds`: comparisons of the program itself.
pub fn generalise(system: &System, found: &[Vec<Term>], bounds: &dyn Fn() -> Vec<Term>) -> Vec<Term> {
    let cells = |batch: &Vec<Term>| batch.iter().filter_map(single).map(|(cell, ..)| cell).collect();
    let last = found.len().checked_sub(MANY).map_or(&[][..], |first| &found[first..]);
    let shifting = last.iter().map(cells).reduce(|all: BTreeSet<Term>, own| &all & &own).unwrap_or_default();
    if shifting.is_empty() {
        return vec![];
    }
    let counters = counters(system);
    let bounds: Vec<(Term, Binary, i64)> = bounds().iter().filter_map(single).collect();
    let mut offered = Vec::new();
    for one in counters.iter().filter(|counter| shifting.contains(&counter.cell)) {
        let others = counters.iter().filter(|other| other.cell != one.cell).take(MOST_RELATED);
        offered.extend(others.filter_map(|other| relations(one, other)).flatten());
        let own = bounds.iter().filter(|(cell, operator, _)| *cell == one.cell && *operator != Binary::Equal);
        offered.extend(own.filter_map(|(cell, operator, bound)| {
            Some(Term::binary(*operator, cell.clone(), Term::int(bound.checked_add(one.pace)?)))
        }));
    }
    offered
}

/// The cells that count. Cells that copy each other count together.
fn counters(system: &System) -> Vec<Counter> {
    // x := y + k
    let mut copies: Vec<(u32, u32, i64)> = Vec::new();
    for (cell, value) in system.transitions.iter().flat_map(|transition| &transition.updates) {
        if let Some((from, constant)) = sum_of_one(value)
            && let Some(from) = system.numbers.get(&from)
        {
            copies.push((*cell, *from, constant));
        }
    }
    let mut found = Vec::new();
    for number in 0..system.cells.len() as u32 {
        let cell = &system.cells[number as usize].leaf;
        let first = match system.starts_as(cell).as_ref().and_then(Term::as_value) {
            Some(Value::Int(first)) => *first,
            _ => 0,
        };
        if let Some(pace) = pace(number, &copies).filter(|pace| *pace != 0) {
            found.push(Counter { cell: cell.clone(), pace, first });
        }
    }
    found
}

/// The greatest common divisor of what ways from a cell to itself add. `None`: they add numbers that are too large.
fn pace(cell: u32, copies: &[(u32, u32, i64)]) -> Option<i64> {
    // By cell that gets the value on the way: what was added so far, the first time.
    let mut added: BTreeMap<u32, i64> = BTreeMap::from([(cell, 0)]);
    let returns = returning(cell, copies);
    let (mut open, mut pace) = (vec![cell], 0_i64);
    while let Some(at) = open.pop() {
        for (to, _, constant) in copies.iter().filter(|(to, from, _)| *from == at && returns.contains(to)) {
            let sum = added[&at].checked_add(*constant)?;
            match added.get(to) {
                Some(known) => pace = gcd(pace, sum.checked_sub(*known)?).checked_abs()?,
                None => {
                    added.insert(*to, sum);
                    open.push(*to);
                }
            }
        }
    }
    Some(pace)
}

/// The cells from which a value may come back to this one.
fn returning(cell: u32, copies: &[(u32, u32, i64)]) -> BTreeSet<u32> {
    let mut found = BTreeSet::from([cell]);
    let mut open = vec![cell];
    while let Some(at) = open.pop() {
        for (_, from, _) in copies.iter().filter(|(to, ..)| *to == at) {
            if found.insert(*from) {
                open.push(*from);
            }
        }
    }
    found
}

/// `None`: with numbers that are too large.
fn relations(one: &Counter, other: &Counter) -> Option<Vec<Term>> {
    let common = gcd(one.pace, other.pace);
    let (p, q) = (one.pace / common, other.pace / common);
    let step = p.checked_mul(q)?.checked_mul(common)?;
    let first = q.checked_mul(one.first)?.checked_sub(p.checked_mul(other.first)?)?;
    let times = |factor: i64, cell: &Term| match factor {
        1 => cell.clone(),
        _ => Term::binary(Binary::Multiply, Term::int(factor), cell.clone()),
    };
    let difference = Term::binary(Binary::Subtract, times(q, &one.cell), times(p, &other.cell));
    let values = [Some(first), first.checked_add(step), first.checked_sub(step)];
    let differences = values.into_iter().flatten().map(|value| difference.clone().equals(Term::int(value)));
    let begin = [one, other].map(|counter| counter.cell.clone().equals(Term::int(counter.first)));
    Some(differences.chain(begin).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_logic::Sort;

    #[test]
    fn cells_that_count_together_are_related() {
        let (i, s) = (0, 1);
        let cell = |number: u32| Term::local_of(0, Term::int(0), number, Sort::Int);
        let counter = |number: u32, pace: i64, first: i64| Counter { cell: cell(number), pace, first };
        let twice = |value: i64| {
            let double = Term::binary(Binary::Multiply, Term::int(2), cell(i));
            Term::binary(Binary::Subtract, double, cell(s)).equals(Term::int(value))
        };
        let offered = relations(&counter(i, 1, 0), &counter(s, 2, 0));
        let begin = |number: u32| cell(number).equals(Term::int(0));
        assert_eq!(offered, Some(vec![twice(0), twice(2), twice(-2), begin(i), begin(s)]));
        let same = Term::binary(Binary::Subtract, cell(i), cell(s)).equals(Term::int(3));
        let steps = relations(&counter(i, 4, 3), &counter(s, 4, 0)).unwrap();
        assert_eq!(steps[0], same, "only how the paces compare matters");
        assert_eq!(relations(&counter(i, 1, i64::MAX), &counter(s, 2, 0)), None);
    }

    #[test]
    fn a_cell_may_count_through_others() {
        // a := c; c := a + 1; b := c
        let copies = [(0, 1, 0), (1, 0, 1), (2, 1, 0)];
        assert_eq!((pace(0, &copies), pace(1, &copies), pace(2, &copies)), (Some(1), Some(1), Some(0)));
        // i := i + 4; i := i - 6
        assert_eq!(pace(0, &[(0, 0, 4), (0, 0, -6)]), Some(2));
    }
}
