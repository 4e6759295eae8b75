//! Orders between cells that count.
//!
//! Refinement finds one relation a trace. Where numbers grow, each trace tempts it to compare constants, and what a proof needs in the end are orders:
//! a ticket lock rests on `next <= mine` and `mine < number` of every copy at once, and of every value that is pending. There are few of these,
//! because they come from each other: an order of the text, seen through an assignment `x := y + k`, is an order of the
//! cells before it. So all of them can be offered at once.
//!
//! An order is `x - y <= c`, where one of the two may be zero. It begins with the comparisons of guards, assertions and properties, both ways round, and
//! is closed under weakest preconditions of copies and sums, as long as `c` is no larger than the largest step with which anything
//! counts: what is further apart than one step is seldom worth knowing, and without a limit there would be no end. Those
//! that are fewer assignments away come first, and those with a step between last.
//!
//! Nothing is concluded from this. The abstraction decides what is so.

use std::collections::BTreeSet;

use wattle_logic::{Binary, Kind, Term, Value};

use crate::linear::{Difference, difference, sum_of_one};
use crate::predicates::atoms;
use crate::system::System;

/// More than these find no room as predicates anyway.
const MOST: usize = 128;

/// `cell := from + by`, where `None` is zero.
struct Copy {
    cell: Term,
    from: Option<Term>,
    by: i64,
}

/// The orders of a program.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    /// `x <= y` and `x < y`: most proofs need no others.
    pub plain: Vec<Term>,
    /// With a step between: `x <= y + 1`.
    pub shifted: Vec<Term>,
}

/// The orders of a program. None: nothing in it counts.
pub fn orders(system: &System) -> Orders {
    let copies: Vec<Copy> = copies(system);
    let steps = copies.iter().filter(|copy| copy.from.is_some() && copy.by != 0);
    let reach = steps.filter_map(|copy| copy.by.checked_abs()).max().unwrap_or(0);
    let compared = compared(system);
    let counting = counting(&copies, &compared);
    let counts = |cell: &Option<Term>| cell.as_ref().is_none_or(|cell| counting.contains(cell));
    let mut found: Vec<Difference> = Vec::new();
    let near = |one: &Difference| one.most.checked_abs().is_some_and(|most| most <= reach);
    for one in compared.into_iter().filter(|one| counts(&one.of) && counts(&one.to) && near(one)) {
        // The other way round it is no consequence.
        let other = Difference { of: one.to.clone(), to: one.of.clone(), most: one.most.saturating_neg() };
        add(&mut found, one);
        add(&mut found, other);
    }
    let mut next = 0;
    while next < found.len() && found.len() < MOST {
        for copy in &copies {
            let before = before(&found[next], copy);
            if let Some(before) =
                before.filter(|one| one.most.checked_abs().is_some_and(|most| most <= reach))
            {
                add(&mut found, before);
            }
        }
        next += 1;
    }
    found.truncate(MOST);
    // (That x < y is that not y <= x.)
    let (plain, shifted): (Vec<_>, Vec<_>) = found.iter().partition(|one| one.most == 0 || one.most == -1);
    let all = |some: Vec<&Difference>| some.into_iter().map(written).collect();
    Orders { plain: all(plain), shifted: all(shifted) }
}

/// What a difference is before an assignment. `None`: the assignment does not change it.
fn before(difference: &Difference, copy: &Copy) -> Option<Difference> {
    let Difference { of, to, most } = difference;
    let is_it = |cell: &Option<Term>| cell.as_ref() == Some(&copy.cell);
    match (is_it(of), is_it(to)) {
        (true, false) => {
            Some(Difference { of: copy.from.clone(), to: to.clone(), most: most.checked_sub(copy.by)? })
        }
        (false, true) => {
            Some(Difference { of: of.clone(), to: copy.from.clone(), most: most.checked_add(copy.by)? })
        }
        _ => None,
    }
}

/// One that is neither there, nor the negation of one, nor about nothing.
fn add(found: &mut Vec<Difference>, one: Difference) {
    let negation = |other: &Difference| {
        (&other.of, &other.to) == (&one.to, &one.of) && other.most.checked_add(one.most) == Some(-1)
    };
    if one.of != one.to && !found.iter().any(|other| *other == one || negation(other)) {
        found.push(one);
    }
}

fn copies(system: &System) -> Vec<Copy> {
    let mut found = Vec::new();
    for (cell, value) in system.transitions.iter().flat_map(|transition| &transition.updates) {
        let cell = &system.cells[*cell as usize].leaf;
        for case in cases(value) {
            match (sum_of_one(case), case.as_value()) {
                (Some((from, by)), _) if system.numbers.contains_key(&from) => {
                    found.push(Copy { cell: cell.clone(), from: Some(from), by });
                }
                (None, Some(Value::Int(by))) => found.push(Copy { cell: cell.clone(), from: None, by: *by }),
                _ => {}
            }
        }
    }
    found
}

/// The values that a term has in its cases.
fn cases(value: &Term) -> Vec<&Term> {
    match value.kind() {
        Kind::If(_, then, otherwise) => [cases(then), cases(otherwise)].concat(),
        _ => vec![value],
    }
}

/// The comparisons of the text. An equation is two.
fn compared(system: &System) -> Vec<Difference> {
    let mut found = Vec::new();
    let guards = system.transitions.iter().flat_map(|transition| {
        [&transition.guard].into_iter().chain(transition.checks.iter().map(|check| &check.holds))
    });
    for atom in guards.chain(system.properties.iter().map(|(_, formula)| formula)).flat_map(atoms) {
        let Some((one, operator)) = difference(&atom) else { continue };
        let known = |cell: &Option<Term>| cell.as_ref().is_none_or(|cell| system.numbers.contains_key(cell));
        if !known(&one.of) || !known(&one.to) {
            continue;
        }
        if operator == Binary::Equal {
            let most = one.most.saturating_neg();
            found.push(Difference { of: one.to.clone(), to: one.of.clone(), most });
        }
        found.push(one);
    }
    found
}

/// The cells that count, and those whose values meet theirs.
fn counting(copies: &[Copy], compared: &[Difference]) -> BTreeSet<Term> {
    let steps = copies.iter().filter(|copy| copy.by != 0);
    let mut found: BTreeSet<Term> =
        steps.filter_map(|copy| Some([copy.cell.clone(), copy.from.clone()?])).flatten().collect();
    let copied = copies.iter().filter_map(|copy| Some((&copy.cell, copy.from.as_ref()?)));
    let related = compared.iter().filter_map(|one| Some((one.of.as_ref()?, one.to.as_ref()?)));
    let pairs: Vec<(&Term, &Term)> = copied.chain(related).collect();
    loop {
        let before = found.len();
        for (one, other) in &pairs {
            if found.contains(*one) || found.contains(*other) {
                found.extend([(*one).clone(), (*other).clone()]);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn written(one: &Difference) -> Term {
    let side = |cell: &Option<Term>, constant: i64| match (cell, constant) {
        (Some(cell), 0) => cell.clone(),
        (Some(cell), constant) => Term::binary(Binary::Add, cell.clone(), Term::int(constant)),
        (None, constant) => Term::int(constant),
    };
    Term::binary(Binary::LessEqual, side(&one.of, 0), side(&one.to, one.most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_logic::Sort;

    fn cell(number: u32) -> Term {
        Term::local_of(0, Term::int(0), number, Sort::Int)
    }

    #[test]
    fn an_order_is_seen_through_copies_and_sums() {
        let (x, y, z) = (Some(cell(0)), Some(cell(1)), Some(cell(2)));
        let order =
            |of: &Option<Term>, to: &Option<Term>, most| Difference { of: of.clone(), to: to.clone(), most };
        let copy = |from: &Option<Term>, by| Copy { cell: cell(0), from: from.clone(), by };
        assert_eq!(before(&order(&x, &z, 0), &copy(&y, 1)), Some(order(&y, &z, -1)), "y + 1 <= z");
        assert_eq!(before(&order(&z, &x, 0), &copy(&y, 1)), Some(order(&z, &y, 1)), "z <= y + 1");
        assert_eq!(before(&order(&z, &x, 0), &copy(&None, 7)), Some(order(&z, &None, 7)), "z <= 7");
        assert_eq!(before(&order(&z, &y, 0), &copy(&y, 1)), None);
        let sum = Term::binary(Binary::Add, cell(2), Term::int(-1));
        assert_eq!(written(&order(&y, &z, -1)), Term::binary(Binary::LessEqual, cell(1), sum));
    }

    #[test]
    fn an_order_and_its_negation_are_one() {
        let (x, y) = (Some(cell(0)), Some(cell(1)));
        let order =
            |of: &Option<Term>, to: &Option<Term>, most| Difference { of: of.clone(), to: to.clone(), most };
        let mut found = vec![];
        add(&mut found, order(&x, &y, 0));
        add(&mut found, order(&y, &x, -1));
        add(&mut found, order(&x, &x, 3));
        add(&mut found, order(&y, &x, 0));
        assert_eq!(found, [order(&x, &y, 0), order(&y, &x, 0)]);
    }
}
