//! The predicates of an abstraction.

use std::collections::BTreeSet;

use wattle_logic::{Kind, Term, Unary};

use crate::cube::{Cube, MOST_PREDICATES, Set};
use crate::fold::Fold;
use crate::linear::canonical;
use crate::system::System;

/// Predicates over the cells of a system, numbered, no two of them equal or opposite.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    predicates: Vec<Term>,
    cells: Vec<BTreeSet<u32>>,
}

impl Vocabulary {
    /// Those of the list that speak of cells and of nothing else. `None`: more than [`MOST_PREDICATES`].
    pub fn new<'t>(system: &System, predicates: impl IntoIterator<Item = &'t Term>) -> Option<Vocabulary> {
        let mut vocabulary = Vocabulary::default();
        for predicate in predicates {
            vocabulary.add(system, predicate)?;
        }
        Some(vocabulary)
    }

    /// Was it new?
    pub fn add(&mut self, system: &System, predicate: &Term) -> Option<bool> {
        let (predicate, _) = normal(predicate);
        let cells = system.cells_of(&predicate);
        let mut symbols = false;
        predicate.walk(&mut |term| symbols |= matches!(term.kind(), Kind::Symbol(_)));
        if cells.is_empty() || symbols || self.predicates.contains(&predicate) {
            return Some(false);
        }
        if self.predicates.len() == MOST_PREDICATES {
            return None;
        }
        self.predicates.push(predicate);
        self.cells.push(cells);
        Some(true)
    }

    /// Would adding it change anything?
    pub fn is_new(&self, system: &System, predicate: &Term) -> bool {
        self.clone().add(system, predicate).unwrap_or(true)
    }

    pub fn len(&self) -> usize {
        self.predicates.len()
    }

    pub fn is_empty(&self) -> bool {
        self.predicates.is_empty()
    }

    pub fn predicates(&self) -> &[Term] {
        &self.predicates
    }

    pub fn literal(&self, predicate: usize, value: bool) -> Term {
        let term = &self.predicates[predicate];
        if value { term.clone() } else { term.negated() }
    }

    pub fn formula(&self, cube: &Cube) -> Term {
        Term::conjunction(cube.literals().map(|(predicate, value)| self.literal(predicate, value)))
    }

    /// The predicate that a formula is (`true`), or whose negation it is (`false`).
    pub fn literal_of(&self, formula: &Term) -> Option<(usize, bool)> {
        let (predicate, positive) = normal(formula);
        let found = self.predicates.iter().position(|other| *other == predicate)?;
        Some((found, positive))
    }

    /// The predicates that speak of one of these cells.
    pub fn about(&self, cells: &BTreeSet<u32>) -> Set {
        let about = |(number, own): (usize, &BTreeSet<u32>)| (!own.is_disjoint(cells)).then_some(number);
        self.cells.iter().enumerate().filter_map(about).collect()
    }

    /// The predicates that speak of these cells only.
    pub fn inside(&self, cells: &BTreeSet<u32>) -> Set {
        let inside = |(number, own): (usize, &BTreeSet<u32>)| own.is_subset(cells).then_some(number);
        self.cells.iter().enumerate().filter_map(inside).collect()
    }

    /// The cone of influence: the predicates that speak of one of these cells, or of a cell that such a
    /// predicate speaks of, and so on. Literals outside it say nothing about formulas over these cells,
    /// unless they contradict each other.
    pub fn cone(&self, cells: &BTreeSet<u32>) -> Set {
        let mut cells = cells.clone();
        let mut cone = Set::default();
        loop {
            let more = self.about(&cells).without(&cone);
            if more.is_empty() {
                return cone;
            }
            more.iter().for_each(|predicate| cells.extend(&self.cells[predicate]));
            cone = cone.union(&more);
        }
    }
}

/// The one form of a predicate or of its negation, and which of the two it is.
fn normal(formula: &Term) -> (Term, bool) {
    let formula = formula.fold();
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
            } else if operator.is_comparison() && !found.contains(formula) {
                found.push(formula.clone());
            }
        }
        Kind::If(condition, then, otherwise) if then.sort() == Sort::Bool => {
            [condition, then, otherwise].into_iter().for_each(|part| collect(part, found));
        }
        Kind::Content(_) | Kind::LocalOf { .. } if !found.contains(formula) => found.push(formula.clone()),
        _ => {}
    }
}
