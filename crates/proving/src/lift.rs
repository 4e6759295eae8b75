//! Predicates over shared variables, lifted to buffered copies of their values.
//!
//! **Idea.** What a proof says of a shared variable, it says of the value that the program has just stored
//! there. On a store-buffer machine that value is first in a buffer. So a predicate over `x` is repeated with
//! `x` replaced by each *place* that may hold a value for `x`: a slot of a buffer of the reduced program, the
//! last value of an abstract rest, or any element of the set of its values.
//!
//! All occurrences of a variable are replaced by the same place ([`Lifting::versions`]), in every combination
//! of buffered and shared values of the variables. One slot does not hold two locations at once, so no two
//! variables are replaced by the same place.
//!
//! **Soundness** is not at stake: any set of predicates makes a sound abstraction. So where the combinations
//! are too many ([`MOST_VERSIONS`] of one predicate or cube), the rest is left out.

use std::collections::BTreeSet;

use wattle_abstraction::speaks_of_elements;
use wattle_logic::{Sort, Term};
use wattle_memory::reduction::rma::{Holds, Kind, Pending, Statement};
use wattle_memory::reduction::{Buffers, Reduced, Remainder};
use wattle_program::Shape;

/// The most forms that one predicate, or cube, is lifted to.
const MOST_VERSIONS: usize = 4096;

/// What may hold the value of a location before memory does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(pub Term);

impl Place {
    /// A local of a thread of the reduced program.
    pub fn local(thread: usize, local: u32, sort: Sort) -> Place {
        Place(Term::local_of(thread as u32, Term::int(0), local, sort))
    }

    /// What is pending of a remote statement, if it is a value of this location: one that the location had, or that it
    /// is to have.
    fn pending(statement: &Statement, pending: &Pending, location: u32) -> Vec<Place> {
        let variable = |variable: u32, sort: Sort| Term::content(Term::address(variable, vec![]), sort);
        let source = match statement.kind {
            Kind::Copy { from } => Some(from),
            Kind::Value => statement.to,
            Kind::Atomic { at } => Some(at),
        };
        let of = source == Some(location);
        match &pending.holds {
            Holds::Values(set) if of => vec![Place(Term::element(variable(*set, Sort::IntSet)))],
            Holds::Value(value) if of => vec![Place(variable(*value, Sort::Int))],
            Holds::Update { operands, old } => {
                let operands = operands.iter().flatten().filter(|_| of);
                let old = old.iter().filter(|_| of || statement.to == Some(location));
                operands.chain(old).map(|held| Place(variable(*held, Sort::Int))).collect()
            }
            Holds::Values(_) | Holds::Value(_) => vec![],
        }
    }

    /// The last value of an abstract rest, and each of its values.
    fn of_rest(thread: usize, rest: &Remainder, sort: Sort) -> Vec<Place> {
        let set = |local: u32| Term::local_of(thread as u32, Term::int(0), local, Sort::IntSet);
        let each = rest.values.map(|values| Place(Term::element(set(values))));
        [Place::local(thread, rest.last, sort)].into_iter().chain(each).collect()
    }
}

/// The places of a reduced program, and which of them are considered.
#[derive(Debug)]
pub struct Lifting<'a> {
    pub reduced: &'a Reduced,
    pub shape: Shape,
    /// Only places of threads that store to the variable.
    pub only_writers: bool,
    /// At most one variable of a predicate is replaced: no two stores are buffered at once.
    pub one_buffered: bool,
    /// No predicate names the sets of two remote statements (Baumann and others, section 4.2). Values in slots are no
    /// sets.
    pub one_set: bool,
}

impl<'a> Lifting<'a> {
    /// As few places as there is reason for. `None`: the reduced program has no fixed shape.
    pub fn new(reduced: &'a Reduced) -> Option<Lifting<'a>> {
        let shape = Shape::new(&reduced.program).ok()?;
        let one_set = matches!(reduced.buffers, Buffers::Rma(_));
        let one_buffered = !one_set && reduced.fenced.iter().all(|fenced| *fenced);
        Some(Lifting { reduced, shape, only_writers: true, one_buffered, one_set })
    }

    /// The location that a term is the content of.
    pub fn location(&self, term: &Term) -> Option<u32> {
        match term.kind() {
            wattle_logic::Kind::Content(address) => self.shape.fixed_location(address, 0),
            _ => None,
        }
    }

    pub fn sort(&self, location: u32) -> Sort {
        let variable = self.shape.locations[location as usize].variable;
        self.reduced.program.variables[variable as usize].sort
    }

    /// The places that a location may be replaced by.
    pub fn places(&self, location: u32) -> Vec<Place> {
        let sort = self.sort(location);
        let mut places = Vec::new();
        match &self.reduced.buffers {
            Buffers::Pso(threads) => {
                for (thread, buffers) in threads.iter().enumerate() {
                    for buffer in buffers.iter().filter(|buffer| buffer.location == location) {
                        places.extend(buffer.slots.iter().map(|&local| Place::local(thread, local, sort)));
                        places.extend(buffer.rest.iter().flat_map(|rest| Place::of_rest(thread, rest, sort)));
                    }
                }
            }
            Buffers::Tso(threads) => {
                for (thread, buffer) in threads.iter().enumerate() {
                    let Some(buffer) = buffer else { continue };
                    if buffer.written.contains(&location) || !self.only_writers {
                        let held = buffer.slots.iter().filter_map(|slot| slot.rhs.get(&sort));
                        places.extend(held.map(|&local| Place::local(thread, local, sort)));
                    }
                    let rest = buffer.rests.get(&location);
                    places.extend(rest.into_iter().flat_map(|rest| Place::of_rest(thread, rest, sort)));
                }
            }
            Buffers::Rma(statements) => {
                for statement in statements {
                    let pending = statement.slots.iter().chain(&statement.rest);
                    places.extend(pending.flat_map(|pending| Place::pending(statement, pending, location)));
                }
            }
        }
        places
    }

    /// A formula with places replaced by the content of the location whose values they hold. `None`: a place
    /// may hold values of several locations.
    pub fn lowered(&self, formula: &Term) -> Option<Term> {
        let mut clear = true;
        let lowered = formula.map(&mut |term| match self.held(&term)[..] {
            [] => term,
            [location] => self.content(location),
            _ => {
                clear = false;
                term
            }
        });
        clear.then_some(lowered)
    }

    /// The locations whose values a term may hold. None: it is no place.
    fn held(&self, term: &Term) -> Vec<u32> {
        use wattle_logic::Kind;
        let is_place = match term.kind() {
            Kind::LocalOf { .. } | Kind::Element(_) => true,
            // A variable that the reduction has added.
            Kind::Content(_) => matches!(self.reduced.buffers, Buffers::Rma(_)),
            _ => false,
        };
        let locations = (0..self.shape.locations.len() as u32).filter(|_| is_place);
        locations.filter(|location| self.places(*location).iter().any(|place| place.0 == *term)).collect()
    }

    pub fn content(&self, location: u32) -> Term {
        let info = &self.shape.locations[location as usize];
        let indices = info.indices.iter().map(|index| Term::int(i64::from(*index))).collect();
        Term::content(Term::address(info.variable, indices), self.sort(location))
    }

    /// May two variables be replaced by these at once?
    fn together(&self, first: &Place, second: &Place) -> bool {
        let is_set = |place: &Place| matches!(place.0.kind(), wattle_logic::Kind::Element(_));
        !(self.one_buffered || self.one_set && is_set(first) && is_set(second))
    }

    /// Every way to replace at least one of these variables (each stands for all its occurrences, or for
    /// one).
    pub fn replacements(&self, variables: &[u32]) -> Vec<Vec<Option<Place>>> {
        let mut all: Vec<Vec<Option<Place>>> = vec![vec![]];
        for variable in variables {
            let places = self.places(*variable);
            let mut longer = Vec::new();
            for start in &all {
                let fits = |place: &&Place| {
                    let mut before = start.iter().zip(variables);
                    // A slot does not hold two locations, and with one variable at most replaced, no second.
                    before.all(|(other, name)| match other {
                        Some(other) => name == variable || (other != *place && self.together(other, place)),
                        None => true,
                    })
                };
                let choices = [None].into_iter().chain(places.iter().filter(fits).cloned().map(Some));
                longer.extend(choices.map(|choice| start.iter().cloned().chain([choice]).collect()));
            }
            longer.truncate(MOST_VERSIONS);
            all = longer;
        }
        all.retain(|one| one.iter().any(Option::is_some));
        all
    }

    /// These terms with the same replacement in all of them, for every replacement.
    pub fn versions(&self, terms: &[&Term]) -> Vec<Vec<Term>> {
        let mut variables = BTreeSet::new();
        for term in terms {
            term.walk(&mut |node| variables.extend(self.location(node)));
        }
        let variables: Vec<u32> = variables.into_iter().collect();
        let replaced = |term: &Term, chosen: &[Option<Place>]| {
            term.map(&mut |node| {
                let location = self.location(&node);
                let number = location.and_then(|at| variables.iter().position(|one| *one == at));
                match number.and_then(|number| chosen[number].as_ref()) {
                    Some(Place(held)) => held.clone(),
                    None => node,
                }
            })
        };
        self.replacements(&variables)
            .iter()
            .map(|chosen| terms.iter().map(|term| replaced(term, chosen)).collect())
            .collect()
    }
}

/// A predicate over memory, said of buffered values; of all elements of a set also the opposite.
pub fn copies(predicate: &Term, reduced: &Reduced) -> Vec<Term> {
    let Some(lifting) = Lifting::new(reduced) else { return vec![] };
    let lifted = lifting.versions(&[predicate]).into_iter().flatten();
    let both = |predicate: Term| match speaks_of_elements(&predicate) {
        true => vec![predicate.negated(), predicate],
        false => vec![predicate],
    };
    lifted.flat_map(both).collect()
}

/// What comes with a predicate that refinement found: the same of memory, where it is clear which location's
/// values it speaks of, and of all other copies.
pub fn instances(predicate: &Term, reduced: &Reduced) -> Vec<Term> {
    let of_memory = Lifting::new(reduced).and_then(|lifting| lifting.lowered(predicate));
    let of_memory = of_memory.unwrap_or_else(|| predicate.clone());
    let copies = copies(&of_memory, reduced);
    [of_memory].into_iter().chain(copies).collect()
}
