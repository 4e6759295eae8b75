//! The predicates of an abstraction.

use std::collections::BTreeSet;

use wattle_logic::{Kind, Term, Unary};

use crate::cube::{Cube, MOST_PREDICATES, Set};
use crate::fold::Fold;
use crate::linear::canonical;
use crate::sets;
use crate::system::System;

/// Predicates over the cells of a system, numbered, no two of them equal or opposite.
#[derive(Clone, Debug, Default)]
pub struct Predicates {
    terms: Vec<Term>,
    cells: Vec<BTreeSet<u32>>,
    /// By cell: the predicates that speak of it.
    of_cell: Vec<Set>,
    /// What follows from each where it is true.
    assumed: Vec<Term>,
    /// Those that speak of elements of sets.
    of_sets: Set,
}

impl Predicates {
    /// Those of the list that speak of cells and of nothing else. `None`: more than [`MOST_PREDICATES`].
    pub fn new<'t>(system: &System, terms: impl IntoIterator<Item = &'t Term>) -> Option<Predicates> {
        let mut predicates = Predicates::default();
        for predicate in terms {
            predicates.add(system, predicate)?;
        }
        Some(predicates)
    }

    /// Was it new?
    pub fn add(&mut self, system: &System, predicate: &Term) -> Option<bool> {
        let (predicate, _) = normal(predicate);
        let cells = system.cells_of(&predicate);
        let mut symbols = false;
        predicate.walk(&mut |term| symbols |= matches!(term.kind(), Kind::Symbol(_)));
        if cells.is_empty() || symbols || self.terms.contains(&predicate) {
            return Some(false);
        }
        if self.terms.len() == MOST_PREDICATES {
            return None;
        }
        if sets::speaks_of_elements(&predicate) {
            self.of_sets.insert(self.terms.len());
        }
        self.of_cell.resize(self.of_cell.len().max(system.cells.len()), Set::default());
        cells.iter().for_each(|cell| self.of_cell[*cell as usize].insert(self.terms.len()));
        self.assumed.push(sets::assumed(&predicate, &system.chosen).fold());
        self.terms.push(predicate);
        self.cells.push(cells);
        Some(true)
    }

    /// Would adding it change anything?
    pub fn is_new(&self, system: &System, predicate: &Term) -> bool {
        self.clone().add(system, predicate).unwrap_or(true)
    }

    pub fn len(&self) -> usize {
        self.terms.len()
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// What follows from a predicate that has this value. (That not all elements of a set are so says nothing.)
    pub fn literal(&self, predicate: usize, value: bool) -> Term {
        match value {
            true => self.assumed[predicate].clone(),
            false if self.of_sets.contains(predicate) => Term::bool(true),
            false => self.terms[predicate].negated(),
        }
    }

    /// Those that speak of elements of sets: they are true or unknown.
    pub fn of_sets(&self) -> Set {
        self.of_sets
    }

    pub fn formula(&self, cube: &Cube) -> Term {
        Term::conjunction(cube.literals().map(|(predicate, value)| self.literal(predicate, value)))
    }

    /// The predicate that a formula is (`true`), or whose negation it is (`false`).
    pub fn literal_of(&self, formula: &Term) -> Option<(usize, bool)> {
        let (predicate, positive) = normal(formula);
        let found = self.terms.iter().position(|other| *other == predicate)?;
        Some((found, positive))
    }

    /// The predicates that speak of one of these cells.
    pub fn about<'c>(&self, cells: impl IntoIterator<Item = &'c u32>) -> Set {
        let of = cells.into_iter().filter_map(|cell| self.of_cell.get(*cell as usize));
        of.fold(Set::default(), |all, of| all.union(of))
    }

    /// The predicates that speak of these cells only.
    pub fn inside(&self, cells: &BTreeSet<u32>) -> Set {
        self.about(cells).iter().filter(|number| self.cells[*number].is_subset(cells)).collect()
    }

    /// The cone of influence: the predicates that speak of one of these cells, or of a cell that such a
    /// predicate speaks of, and so on. Literals outside it say nothing about formulas over these cells,
    /// unless they contradict each other.
    pub fn cone(&self, cells: &BTreeSet<u32>) -> Set {
        let mut cone = Set::default();
        let mut more = self.about(cells);
        while !more.is_empty() {
            cone = cone.union(&more);
            more = self.about(more.iter().flat_map(|predicate| &self.cells[predicate])).without(&cone);
        }
        cone
    }
}

/// The one form of a predicate or of its negation, and which of the two it is.
fn normal(formula: &Term) -> (Term, bool) {
    let formula = formula.fold();
    if sets::speaks_of_elements(&formula) {
        // All are so, and all are not so: two predicates.
        return match canonical(&formula) {
            Some((predicate, true)) => (predicate, true),
            Some((predicate, false)) => (predicate.negated().fold(), true),
            None => (formula, true),
        };
    }
    match formula.kind() {
        Kind::Unary(Unary::Not, inner) => {
            let (inner, positive) = normal(inner);
            (inner, !positive)
        }
        _ => canonical(&formula).unwrap_or((formula, true)),
    }
}

/// The comparisons and boolean leaves that a formula is built from.
pub fn atoms(formula: &Term) -> Vec<Term> {
    let mut found = Vec::new();
    collect(&formula.fold(), &mut found);
    found
}

/// A formula with a choice between integers in it: its condition, and what it is either way.
pub fn choice(formula: &Term) -> Option<(Term, Term, Term)> {
    let mut chosen = None;
    formula.walk(&mut |term| {
        if let Kind::If(condition, then, otherwise) = term.kind()
            && chosen.is_none()
        {
            chosen = Some((term.clone(), condition.clone(), then.clone(), otherwise.clone()));
        }
    });
    let (whole, condition, then, otherwise) = chosen?;
    let with = |part: &Term| formula.map(&mut |term| if term == whole { part.clone() } else { term });
    Some((condition, with(&then), with(&otherwise)))
}

/// Where a formula asks for a remainder of a sum: the same of the sum without its constant, so that
/// `(x + 1) % 2 == 0` and `x % 2 == 1` make one predicate. (They differ for negative numbers, as predicates may.)
fn residue(formula: &Term) -> Option<Term> {
    use wattle_logic::{Binary, Value};
    let Kind::Binary(Binary::Equal | Binary::NotEqual, left, right) = formula.kind() else { return None };
    let (Kind::Binary(Binary::Remainder, sum, modulus), Kind::Value(Value::Int(rest))) =
        (left.kind(), right.kind())
    else {
        return None;
    };
    let Kind::Value(Value::Int(modulus @ 2..)) = modulus.kind() else { return None };
    let (base, constant) = match sum.kind() {
        Kind::Binary(Binary::Add, base, constant) => (base, constant.as_value()),
        _ => (sum, None),
    };
    let (base, constant) = match constant {
        Some(Value::Int(constant)) => (base, *constant),
        _ => (sum, 0),
    };
    let rest = rest.checked_sub(constant)?.rem_euclid(*modulus);
    // Of two residues one says it all.
    let rest = if *modulus == 2 { 0 } else { rest };
    Some(Term::binary(Binary::Remainder, base.clone(), Term::int(*modulus)).equals(Term::int(rest)))
}

fn collect(formula: &Term, found: &mut Vec<Term>) {
    use wattle_logic::{Binary, Sort};
    match formula.kind() {
        Kind::Value(_) => {}
        Kind::Unary(Unary::Not, inner) => collect(inner, found),
        Kind::Binary(operator, left, right) => {
            let of_formulas = operator.is_logical()
                || matches!(operator, Binary::Equal | Binary::NotEqual) && left.sort() == Sort::Bool;
            if of_formulas {
                collect(left, found);
                collect(right, found);
            } else if operator.is_comparison() {
                match choice(formula) {
                    // What is chosen, and by what, is better known apart.
                    Some((condition, then, otherwise)) => {
                        [&condition, &then, &otherwise]
                            .into_iter()
                            .for_each(|part| collect(&part.fold(), found));
                    }
                    None => {
                        let formula = residue(formula).unwrap_or_else(|| formula.clone());
                        if !found.contains(&formula) {
                            found.push(formula);
                        }
                    }
                }
            }
        }
        Kind::If(condition, then, otherwise) if then.sort() == Sort::Bool => {
            [condition, then, otherwise].into_iter().for_each(|part| collect(part, found));
        }
        Kind::Content(_) | Kind::LocalOf { .. } if !found.contains(formula) => found.push(formula.clone()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_logic::{Binary, Sort};

    #[test]
    fn choices_and_residues_fall_apart() {
        let (x, y, z) = (Term::local(0, Sort::Int), Term::local(1, Sort::Int), Term::local(2, Sort::Int));
        let even =
            |term: &Term| Term::binary(Binary::Remainder, term.clone(), Term::int(2)).equals(Term::int(0));
        let chosen = Term::if_then_else(even(&x), y.clone(), z.clone()).equals(Term::int(1));
        let parts = [even(&x), y.equals(Term::int(1)), z.equals(Term::int(1))];
        assert_eq!(atoms(&chosen), parts);
        let next = Term::binary(Binary::Add, x.clone(), Term::int(1));
        let odd = Term::binary(Binary::Remainder, next, Term::int(2)).equals(Term::int(1));
        assert_eq!(atoms(&odd), [even(&x)], "one residue of two says it all");
        let rest = |term: Term, rest: i64| {
            Term::binary(Binary::Remainder, term, Term::int(3)).equals(Term::int(rest))
        };
        let shifted = Term::binary(Binary::Add, x.clone(), Term::int(2));
        assert_eq!(atoms(&rest(shifted, 1)), [rest(x, 2)]);
    }
}
