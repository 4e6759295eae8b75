//! The names of the reduced program and those of the program: which cell each place stands for.
//!
//! A place holds values of some location: elements of sets, values in slots. What an atomic has read is a value of the location that it
//! changes, and is to be one of the location that it delivers to: it may be called by either name. Flags stand for nothing that the program
//! has, but have few values.
//!
//! A question may speak of a variable and of values that it had before, as `X` and an element of `XSet` are. For these the program can be given
//! variables that it never uses ([`with_spares`]), each of the range of its original: a question about `X` and an earlier value of `X` is one about
//! `X` and its spare.

use std::collections::{HashMap, HashSet};

use wattle_abstraction::{Cube, Predicates, System};
use wattle_logic::{Binary, Kind, Sort, Symbol, Term};
use wattle_program::{Program, Range, Variable};
use wattle_proving::Lifting;

/// A cell with more values is no flag.
const FEW_VALUES: i64 = 8;

/// What stands for the cells of the program in the reduced program.
#[derive(Debug)]
pub(crate) struct Names {
    /// The cells whose values a place may hold.
    places: HashMap<Term, Vec<Term>>,
    /// The cells of the program.
    cells: HashSet<Term>,
    /// How many variables the program has by itself, and how many spares of each there are.
    spares: (u32, u32),
    /// The cells of the reduced program that are neither, with their few values and what stands for them in what is said with the names of
    /// the program.
    flags: HashMap<Term, (Range, Term)>,
}

/// The numbers of symbols that stand for flags. (Variables that a reduction has added have the numbers of spares.)
const FLAGS: u32 = 1 << 13;

/// By cell: what stands for it, and what predicates call that.
pub(crate) type Standing = Vec<(Term, Term, Term)>;

/// A formula with the names of the program.
#[derive(Clone, Debug)]
pub(crate) struct Lowered {
    pub term: Term,
    pub standing: Standing,
    /// The flags of the formula, which have no other names: for each there is its [`Names::mark`].
    pub flags: Vec<(Term, Range)>,
}

/// Values that a step chooses, each with its set.
pub(crate) type Chosen = Vec<(Term, Term)>;

impl Names {
    /// `sc`: the program's own system; `system`: that of the reduced program. What is true of a cell because of its range is
    /// true only of places that keep to that range.
    /// `spares`: the program's variables without spares, and how many it has of each.
    pub(crate) fn new(lifting: &Lifting<'_>, sc: &System, system: &System, spares: (u32, u32)) -> Names {
        let keeps = |cell: &Term, place: &Term| match (sc.range_of(cell), system.range_of(place)) {
            (None, _) => true,
            (Some(range), Some(own)) => range.contains(own.low) && range.contains(own.high),
            (Some(_), None) => false,
        };
        let mut places: HashMap<Term, Vec<Term>> = HashMap::new();
        for location in 0..lifting.shape.locations.len() as u32 {
            for place in lifting.places(location) {
                let cell = lifting.content(location);
                let keeps = keeps(&cell, &place.0);
                let known = places.entry(place.0).or_default();
                if keeps {
                    known.push(cell);
                }
            }
        }
        let is_spare = |leaf: &Term| match leaf.kind() {
            Kind::Content(address) => {
                matches!(address.kind(), Kind::Address { variable, .. } if *variable >= spares.0)
            }
            _ => false,
        };
        let cells = sc.cells.iter().map(|cell| &cell.leaf).filter(|leaf| !is_spare(leaf));
        let cells: HashSet<Term> = cells.cloned().collect();
        let others = system.cells.iter().map(|cell| &cell.leaf);
        let others = others.filter(|leaf| !cells.contains(leaf) && !places.contains_key(leaf));
        let few = |leaf: &Term| {
            let range = system.range_of(leaf).filter(|range| range.high - range.low < FEW_VALUES)?;
            let is_one = matches!(leaf.kind(), Kind::Content(_)) && leaf.sort() == Sort::Int;
            is_one.then(|| (leaf.clone(), range))
        };
        let marked = |(number, (leaf, range)): (u32, (Term, Range))| {
            (leaf, (range, Term::symbol(Symbol::Bound(FLAGS + number), Sort::Int)))
        };
        let flags = (0..).zip(others.filter_map(few)).map(marked).collect();
        Names { flags, places, cells, spares }
    }

    pub(crate) fn is_flag(&self, cell: &Term) -> bool {
        self.flags.contains_key(cell)
    }

    /// What stands for a flag in a formula with the names of the program.
    pub(crate) fn mark(&self, flag: &Term) -> Option<&Term> {
        self.flags.get(flag).map(|(_, mark)| mark)
    }

    /// The spares of a cell.
    fn spares<'c>(&self, cell: &'c Term) -> impl Iterator<Item = Term> + use<'c> {
        let (variables, copies) = self.spares;
        let spare = move |copy: u32| {
            let Kind::Content(address) = cell.kind() else { return None };
            let Kind::Address { variable, indices } = address.kind() else { return None };
            Some(Term::content(Term::address(variable + copy * variables, indices.clone()), cell.sort()))
        };
        (1..=copies).filter_map(spare)
    }

    /// Formulas with cells of the program for places, in the first ways, at most so many, that are possible with what stands for cells already.
    /// None: it speaks of what the program does not have, or two things in it would stand for one cell.
    pub(crate) fn lower(
        &self,
        formula: &Term,
        chosen: &Chosen,
        standing: &Standing,
        most: usize,
    ) -> Vec<Lowered> {
        let (mut leaves, mut flags, mut clear): (Vec<Term>, Vec<(Term, Range)>, _) = (vec![], vec![], true);
        formula.walk(&mut |node| match node.kind() {
            Kind::Binary(Binary::Member | Binary::Insert, ..) => clear = false,
            Kind::Content(_) | Kind::LocalOf { .. } | Kind::Element(_) | Kind::Symbol(_) => {
                match self.flags.get(node) {
                    Some((range, _)) if flags.iter().all(|(flag, _)| flag != node) => {
                        flags.push((node.clone(), *range));
                    }
                    None if !leaves.contains(node) => leaves.push(node.clone()),
                    _ => {}
                }
            }
            _ => {}
        });
        // The set of an element is no leaf of its own.
        let sets: Vec<Term> = leaves
            .iter()
            .filter_map(|leaf| match leaf.kind() {
                Kind::Element(set) => Some(set.clone()),
                _ => None,
            })
            .collect();
        leaves.retain(|leaf| !sets.contains(leaf));
        if !clear {
            return vec![];
        }
        let mut all = vec![standing.clone()];
        for leaf in &leaves {
            // What is said of all elements is said of the one that is chosen.
            let set = chosen.iter().find(|(value, _)| value == leaf).map(|(_, set)| set);
            let called = set.map_or_else(|| leaf.clone(), |set| Term::element(set.clone()));
            let own = [leaf.clone()];
            let cells = match self.places.get(&called) {
                Some(cells) => &cells[..],
                None if self.cells.contains(leaf) => &own[..],
                // A choice of the edge.
                None if matches!(leaf.kind(), Kind::Symbol(_)) => continue,
                None => return vec![],
            };
            let candidates: Vec<Term> =
                cells.iter().cloned().chain(cells.iter().flat_map(|cell| self.spares(cell))).collect();
            all = (all.iter())
                .flat_map(|standing| candidates.iter().filter_map(|cell| with(standing, cell, leaf, &called)))
                .take(most)
                .collect();
        }
        let lowered = |standing: Standing| {
            let cell =
                |node: &Term| standing.iter().find(|(_, place, _)| place == node).map(|(cell, ..)| cell);
            // An element is replaced before its set is looked at.
            let term =
                formula.map(&mut |node| cell(&node).or_else(|| self.mark(&node)).cloned().unwrap_or(node));
            Lowered { term, standing, flags: flags.clone() }
        };
        all.into_iter().map(lowered).collect()
    }
}

/// A program with so many spares of each of its variables, which nobody uses.
pub(crate) fn with_spares(program: &Program, copies: u32) -> Program {
    let mut result = program.clone();
    for copy in 1..=copies {
        let spare = |variable: &Variable| {
            let name = format!("{} before {copy}", variable.name);
            Variable { name: name.as_str().into(), ..variable.clone() }
        };
        result.variables.extend(program.variables.iter().map(spare));
    }
    result
}

/// Let a place stand for a cell. `None`: something else does.
fn with(standing: &Standing, cell: &Term, place: &Term, called: &Term) -> Option<Standing> {
    match standing.iter().find(|(other, own, _)| other == cell || own == place) {
        Some((other, own, _)) => (other == cell && own == place).then(|| standing.clone()),
        None => Some([&standing[..], &[(cell.clone(), place.clone(), called.clone())]].concat()),
    }
}

impl Lowered {
    /// Does a formula speak only of cells that stand for themselves?
    pub(crate) fn renames_none_of(&self, formula: &Term) -> bool {
        let mut none = true;
        let renamed =
            |node: &Term| self.standing.iter().any(|(cell, place, _)| cell == node && place != node);
        formula.walk(&mut |node| none &= !renamed(node));
        none
    }

    /// A conjunction of literals of the program, with what stands for its cells. `None`: one of them is no predicate.
    pub(crate) fn raised(&self, predicates: &Predicates, cube: &[(Term, bool)]) -> Option<Cube> {
        let mut raised = Cube::default();
        for (predicate, value) in cube {
            let literal = if *value { predicate.clone() } else { predicate.negated() };
            let named = literal.map(&mut |node| {
                let found = self.standing.iter().find(|(cell, ..)| *cell == node);
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
pub(crate) fn anonymous(formulas: &[&Term]) -> Vec<Term> {
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
