//! The names of the reduced program and those of the program: which cell each place stands for.

use std::collections::{HashMap, HashSet};

use wattle_abstraction::{Cube, Predicates, System};
use wattle_logic::{Binary, Kind, Symbol, Term};
use wattle_proving::Lifting;

/// What stands for the cells of the program in the reduced program.
#[derive(Debug)]
pub(super) struct Names {
    /// The cell whose value a place holds: elements of sets, values in slots. `None`: it may be that of several.
    places: HashMap<Term, Option<Term>>,
    /// The cells of the program.
    cells: HashSet<Term>,
}

/// A formula with the names of the program.
#[derive(Debug)]
pub(super) struct Lowered {
    pub term: Term,
    /// By cell: what stands for it, and what predicates call that.
    for_cell: Vec<(Term, Term, Term)>,
}

/// Values that a step chooses, each with its set.
pub(super) type Chosen = Vec<(Term, Term)>;

impl Names {
    /// `sc`: the program's own system; `system`: that of the reduced program. What is true of a cell because of its range is
    /// true only of places that keep to that range.
    pub(super) fn new(lifting: &Lifting<'_>, sc: &System, system: &System) -> Names {
        let keeps = |cell: &Term, place: &Term| match (sc.range_of(cell), system.range_of(place)) {
            (None, _) => true,
            (Some(range), Some(own)) => range.contains(own.low) && range.contains(own.high),
            (Some(_), None) => false,
        };
        let mut places: HashMap<Term, Option<Term>> = HashMap::new();
        for location in 0..lifting.shape.locations.len() as u32 {
            for place in lifting.places(location) {
                let cell = Some(lifting.content(location)).filter(|cell| keeps(cell, &place.0));
                let known = places.entry(place.0).or_insert_with(|| cell.clone());
                if *known != cell {
                    *known = None;
                }
            }
        }
        Names { places, cells: sc.cells.iter().map(|cell| cell.leaf.clone()).collect() }
    }

    /// A formula with cells of the program for places. `None`: it speaks of what the program does not have, or two things
    /// in it stand for one cell.
    pub(super) fn lower(&self, formula: &Term, chosen: &Chosen) -> Option<Lowered> {
        let mut for_cell: Vec<(Term, Term, Term)> = Vec::new();
        let mut clear = true;
        let term = formula.map(&mut |node| {
            // What is said of all elements is said of the one that is chosen.
            let set = chosen.iter().find(|(value, _)| *value == node).map(|(_, set)| set);
            let called = set.map_or_else(|| node.clone(), |set| Term::element(set.clone()));
            let cell = match self.places.get(&called) {
                Some(Some(cell)) => cell.clone(),
                Some(None) => {
                    clear = false;
                    return node;
                }
                None if self.cells.contains(&node) => node.clone(),
                None => return node,
            };
            match for_cell.iter().find(|(known, ..)| *known == cell) {
                Some((_, place, _)) => clear &= *place == node,
                None => for_cell.push((cell.clone(), node, called)),
            }
            cell
        });
        term.walk(&mut |node| {
            clear &= match node.kind() {
                Kind::Content(_) | Kind::LocalOf { .. } => self.cells.contains(node),
                Kind::Element(_) | Kind::Binary(Binary::Member | Binary::Insert, ..) => false,
                _ => true,
            };
        });
        clear.then_some(Lowered { term, for_cell })
    }
}

impl Lowered {
    /// Does a formula speak only of cells that stand for themselves?
    pub(super) fn renames_none_of(&self, formula: &Term) -> bool {
        let mut none = true;
        let renamed =
            |node: &Term| self.for_cell.iter().any(|(cell, place, _)| cell == node && place != node);
        formula.walk(&mut |node| none &= !renamed(node));
        none
    }

    /// A conjunction of literals of the program, with what stands for its cells. `None`: one of them is no predicate.
    pub(super) fn raised(&self, predicates: &Predicates, cube: &[(Term, bool)]) -> Option<Cube> {
        let mut raised = Cube::default();
        for (predicate, value) in cube {
            let literal = if *value { predicate.clone() } else { predicate.negated() };
            let named = literal.map(&mut |node| {
                let found = self.for_cell.iter().find(|(cell, ..)| *cell == node);
                found.map_or(node, |(_, _, called)| called.clone())
            });
            let (number, value) = predicates.literal_of(&named)?;
            if raised.value(number).is_some_and(|known| known != value) {
                return None;
            }
            raised.set(number, Some(value));
        }
        Some(raised)
    }
}

/// A formula with its free choices numbered by first occurrence: edges number theirs differently.
pub(super) fn anonymous(formulas: &[&Term]) -> Vec<Term> {
    let mut order: Vec<Symbol> = Vec::new();
    let mut rename = |formula: &Term| {
        formula.map(&mut |node| match node.kind() {
            Kind::Symbol(symbol @ Symbol::Bound(_)) => {
                let known = order.iter().position(|other| other == symbol);
                let number = known.unwrap_or_else(|| {
                    order.push(*symbol);
                    order.len() - 1
                });
                Term::symbol(Symbol::Bound(number as u32), node.sort())
            }
            _ => node,
        })
    };
    formulas.iter().map(|formula| rename(formula)).collect()
}
