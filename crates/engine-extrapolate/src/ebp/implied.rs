//! What implies a goal of the reduced program, by the table of the program and by the shape of the goal.

use wattle_abstraction::{Cube, Fold, Goal, Predicates, System, choice};
use wattle_logic::{Binary, Kind, Sort, Term, Unary};

use super::sc::ScProgram;
use crate::names::{Chosen, Names};

/// No formula has more cubes.
const MOST_CUBES: usize = 4096;

/// No formula is said in more ways.
pub(super) const MOST_NAMES: usize = 16;

/// A cell with more values is not tried out.
const FEW_VALUES: i64 = 8;

/// Goals of one kind: what is given, and where answers come from.
pub(super) struct Implied<'a> {
    names: &'a Names,
    system: &'a System,
    predicates: &'a Predicates,
    sc: &'a ScProgram,
    /// The parts of what is given.
    given: Vec<Term>,
    /// Those that the program has too, with its names.
    known: Term,
    chosen: Chosen,
}

impl<'a> Implied<'a> {
    pub(super) fn new(
        names: &'a Names,
        system: &'a System,
        predicates: &'a Predicates,
        sc: &'a ScProgram,
        goal: &Goal,
    ) -> Implied<'a> {
        let given: Vec<Term> = conjuncts(&goal.given);
        let chosen: Chosen = (given.iter())
            .filter_map(|part| match part.kind() {
                Kind::Binary(Binary::Member, value, set) => Some((value.clone(), set.clone())),
                _ => None,
            })
            .collect();
        // Only what is called by the same name in both.
        let same = given.iter().filter(|part| {
            names
                .lower(part, &vec![], &vec![], MOST_NAMES)
                .iter()
                .any(|it| it.flags.is_empty() && it.term == **part)
        });
        let known = Term::conjunction(same.cloned());
        Implied { names, system, predicates, sc, given, known, chosen }
    }

    /// Cubes that imply the formula.
    pub(super) fn by(&self, formula: &Term) -> Vec<Cube> {
        let formula = formula.fold();
        if formula.is_true() || self.given.contains(&formula) || self.with_constants(&formula).is_true() {
            return vec![Cube::default()];
        }
        if formula.is_false() {
            return self.by_program(&formula);
        }
        let mut found = self.by_program(&formula);
        match formula.kind() {
            Kind::Binary(Binary::And, left, right) => {
                found.extend(product(&self.by(left), &self.by(right)));
            }
            Kind::Binary(Binary::Or, left, right) => {
                found.extend(self.by(left));
                found.extend(self.by(right));
            }
            Kind::Binary(Binary::Implies, left, right) => {
                found.extend(self.by(&left.negated()));
                found.extend(self.by(right));
            }
            Kind::If(condition, then, otherwise) if formula.sort() == Sort::Bool => {
                let implies = |left: Term, right: &Term| Term::binary(Binary::Implies, left, right.clone());
                let first = self.by(&implies(condition.clone(), then));
                found.extend(product(&first, &self.by(&implies(condition.negated(), otherwise))));
            }
            Kind::Unary(Unary::Not, inner) => found.extend(self.by_negation(inner)),
            _ => found.extend(self.by_atom(&formula)),
        }
        minimal(found)
    }

    /// A formula with the values of cells that are given, as those of initial states are.
    fn with_constants(&self, formula: &Term) -> Term {
        let constant = |node: &Term| {
            self.given.iter().find_map(|part| match part.kind() {
                Kind::Binary(Binary::Equal, cell, value) if cell == node && value.as_value().is_some() => {
                    Some(value.clone())
                }
                _ => None,
            })
        };
        let cells = |node: Term| match node.kind() {
            Kind::Content(_) | Kind::LocalOf { .. } => constant(&node).unwrap_or(node),
            _ => node,
        };
        formula.map(&mut { cells }).fold()
    }

    fn by_negation(&self, inner: &Term) -> Vec<Cube> {
        let not = |left: &Term, right: &Term, operator: Binary| {
            self.by(&Term::binary(operator, left.negated(), right.negated()))
        };
        match inner.kind() {
            Kind::Binary(Binary::And, left, right) => not(left, right, Binary::Or),
            Kind::Binary(Binary::Or, left, right) => not(left, right, Binary::And),
            Kind::Binary(Binary::Implies, left, right) => {
                self.by(&Term::binary(Binary::And, left.clone(), right.negated()))
            }
            Kind::Unary(Unary::Not, same) => self.by(same),
            // That something is an element cannot be known to be false.
            Kind::Binary(Binary::Member, ..) => vec![],
            _ => self.by_atom(&inner.negated()),
        }
    }

    /// By the program's own cubes for the same question.
    fn by_program(&self, formula: &Term) -> Vec<Cube> {
        let mut found = Vec::new();
        for lowered in self.names.lower(formula, &self.chosen, &vec![], MOST_NAMES) {
            for given in [&self.known, &Term::bool(true)] {
                // What is given keeps its names, so it must not speak of a cell that something else stands for here.
                if lowered.flags.is_empty() && lowered.renames_none_of(given) {
                    let cubes = self.sc.cubes(given, &lowered.term).unwrap_or_default();
                    found.extend(cubes.iter().filter_map(|cube| lowered.raised(self.predicates, cube)));
                }
            }
        }
        found
    }

    fn by_atom(&self, atom: &Term) -> Vec<Cube> {
        if let Some((condition, then, otherwise)) = choice(atom) {
            let implies = |left: Term, right: Term| Term::binary(Binary::Implies, left, right);
            let first = self.by(&implies(condition.clone(), then));
            return product(&first, &self.by(&implies(condition.negated(), otherwise)));
        }
        // Of a value that was chosen, what holds of all elements.
        let called = atom.map(&mut |node| {
            let chosen = self.chosen.iter().find(|(value, _)| *value == node);
            chosen.map_or(node, |(_, set)| Term::element(set.clone()))
        });
        let lone = called == *atom || !self.names.lower(atom, &self.chosen, &vec![], 1).is_empty();
        let mut found = Vec::new();
        if lone && let Some((number, value)) = self.predicates.literal_of(&called) {
            found.push(Cube::default().with(number, value));
        }
        found.extend(self.by_trying(atom));
        found
    }

    /// If an atom speaks of one cell of few values, by the predicates over that cell alone.
    fn by_trying(&self, atom: &Term) -> Vec<Cube> {
        let cells = self.system.cells_of(atom);
        let [cell] = cells.iter().copied().collect::<Vec<u32>>()[..] else { return vec![] };
        let cell = &self.system.cells[cell as usize];
        let few = self.system.range_of(&cell.leaf).filter(|range| range.high - range.low < FEW_VALUES);
        let Some(range) = few.filter(|_| cell.leaf.sort() == Sort::Int) else { return vec![] };
        let about: Vec<usize> = self.predicates.inside(&cells).iter().collect();
        let holds = |formula: &Term, value: i64| {
            let leaf = &cell.leaf;
            formula.map(&mut |node| if node == *leaf { Term::int(value) } else { node }).fold().is_true()
        };
        let values = range.low..=range.high;
        let mut found = Vec::new();
        for (at, first) in about.iter().enumerate() {
            for second in &about[at..] {
                for (one, other) in [(true, true), (true, false), (false, true), (false, false)] {
                    if first == second && one != other {
                        continue;
                    }
                    let cube = Cube::default().with(*first, one).with(*second, other);
                    let literals: Vec<Term> = cube
                        .literals()
                        .map(|(number, value)| self.predicates.literal(number, value))
                        .collect();
                    let mut fitting =
                        values.clone().filter(|value| literals.iter().all(|literal| holds(literal, *value)));
                    let mut some = false;
                    if fitting.all(|value| {
                        some = true;
                        holds(atom, value)
                    }) && some
                    {
                        found.push(cube);
                    }
                }
            }
        }
        found
    }
}

fn conjuncts(formula: &Term) -> Vec<Term> {
    match formula.kind() {
        Kind::Binary(Binary::And, left, right) => [conjuncts(left), conjuncts(right)].concat(),
        _ => vec![formula.clone()],
    }
}

/// Every cube of the one with every cube of the other, where they do not contradict each other.
fn product(left: &[Cube], right: &[Cube]) -> Vec<Cube> {
    let mut all = Vec::new();
    for first in left {
        for second in right.iter().filter(|second| first.meets(second)) {
            all.push(first.literals().chain(second.literals()).collect());
        }
        if all.len() > MOST_CUBES {
            break;
        }
    }
    minimal(all)
}

/// Without cubes that a weaker one makes needless.
fn minimal(mut cubes: Vec<Cube>) -> Vec<Cube> {
    cubes.sort_by_key(Cube::len);
    let mut kept: Vec<Cube> = Vec::new();
    for cube in cubes {
        if !kept.iter().any(|known| cube.implies(known)) {
            kept.push(cube);
        }
    }
    kept
}
