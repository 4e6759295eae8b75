//! From predicates that prove a program under sequential consistency to predicates for its reduction: the
//! rules of Dan, Meshman, Vechev and Yahav (*Predicate Abstraction for Relaxed Memory Models*, SAS 2013), 1
//! to 7 for PSO (section 5) and 8 to 14 for TSO (appendix B).
//!
//! **Idea.** What a proof says of a shared variable, it says of the value that the program has just stored
//! there. On a store-buffer machine that value is first in a buffer. So every predicate over `x` is
//! *lifted* to the slots that may hold a value for `x`; beside that, the abstraction must know how many
//! slots are in use and, under TSO, of which location each is. The rules, with their numbers for PSO and
//! TSO:
//!
//! * 1, 8: the generic predicates: counters, locations of slots, no overflow. The rule as printed leaves
//!   out "counter = 0"; the paper's list in section 2.3 has it, and so have we.
//! * 2, 9: the given predicates stay.
//! * 3, 10: each of them is lifted, in every combination of buffered and shared values of its variables.
//! * 4, 11: equalities between neighbouring slots, and between slots and memory. (Off by default: the
//!   paper's tables count predicates without them.)
//! * 5, 12: not for threads that never store to the variable. A reduced program has no slots for such a
//!   variable under PSO, so that the switch matters under TSO only.
//! * 6, 13: all occurrences of a variable in one predicate are replaced by the same slot.
//! * 7, 14: if every two buffered stores have a fence between them, at most one variable of a predicate is
//!   replaced. Whether they have is found by a data-flow analysis ([`Reduced::fenced`]), thread by thread;
//!   the rule applies if it holds for all threads.
//!
//! A *cube* is lifted as a whole, by one replacement for all its literals: its literals speak of one
//! moment.
//!
//! **What differs.** One slot does not hold two locations at once, so under TSO no two variables are
//! replaced by the same slot; a cube that says a thing and its opposite after lifting is dropped.
//!
//! **Soundness** is not at stake: any set of predicates makes a sound abstraction. So where the
//! combinations are too many ([`MOST_VERSIONS`] of one predicate or cube), the rest is left out.

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::{Kind, Sort, Term};
use wattle_memory::reduction::{Buffers, Reduced};
use wattle_program::Shape;

/// Which of the optional rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Rules 4 and 11: equalities between slots, and between slots and memory.
    pub equalities: bool,
    /// Rules 5 and 12: nothing for threads that never store to the variable.
    pub read_only: bool,
    /// Rules 6 and 13: the same slot for all occurrences of a variable.
    pub same_place: bool,
    /// Rules 7 and 14: one buffered variable in a predicate, where fences allow it.
    pub one_buffered: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { equalities: false, read_only: true, same_place: true, one_buffered: true }
    }
}

/// The most forms that one predicate, or cube, is lifted to.
const MOST_VERSIONS: usize = 4096;

/// The predicates for the reduced program: the given ones, counters, locations of slots, lifted ones,
/// equalities, and no overflow, each once. The given ones are state formulas over the instantiated program.
pub fn extrapolate(predicates: &[Term], reduced: &Reduced, rules: &Rules) -> Vec<Term> {
    by_rule(predicates, reduced, rules).into_iter().map(|(_, predicate)| predicate).collect()
}

/// The same, each with the first rule that adds it, by its number for PSO (TSO: 7 more).
pub(crate) fn by_rule(predicates: &[Term], reduced: &Reduced, rules: &Rules) -> Vec<(u8, Term)> {
    let mut result = Distinct::default();
    result.extend(2, predicates.iter().cloned());
    let Some(lifting) = Lifting::new(reduced, rules) else { return result.terms };
    result.extend(1, generic(reduced));
    for predicate in predicates {
        match rules.same_place {
            true => {
                lifting.versions(&[predicate]).into_iter().for_each(|mut terms| result.extend(3, terms.pop()))
            }
            false => result.extend(3, lifting.by_occurrence(predicate)),
        }
    }
    if rules.equalities {
        result.extend(4, lifting.equalities());
    }
    result.extend(1, reduced.bound.map(|bound| reduced.program.properties[bound].formula.clone()));
    result.terms
}

/// The cubes for the reduced program: the given ones, and what they are lifted to, each once.
pub(crate) fn extrapolate_cubes(
    cubes: &[Vec<(Term, bool)>],
    reduced: &Reduced,
    rules: &Rules,
) -> Vec<Vec<(Term, bool)>> {
    let Some(lifting) = Lifting::new(reduced, rules) else { return cubes.to_vec() };
    let mut result: Vec<Vec<(Term, bool)>> = Vec::new();
    let mut seen: BTreeSet<Vec<(Term, bool)>> = BTreeSet::new();
    let mut add = |cube: Vec<(Term, bool)>| {
        let mut sorted = cube.clone();
        sorted.sort();
        if seen.insert(sorted) {
            result.push(cube);
        }
    };
    cubes.iter().for_each(|cube| add(cube.clone()));
    for cube in cubes {
        let terms: Vec<&Term> = cube.iter().map(|(term, _)| term).collect();
        for lifted in lifting.versions(&terms) {
            let literals = lifted.into_iter().zip(cube).map(|(term, (_, value))| (term, *value));
            if let Some(cube) = consistent(literals) {
                add(cube);
            }
        }
    }
    result
}

/// The literals without repetition; `None` if they contradict each other.
fn consistent(literals: impl Iterator<Item = (Term, bool)>) -> Option<Vec<(Term, bool)>> {
    let mut values: BTreeMap<Term, bool> = BTreeMap::new();
    let mut result = Vec::new();
    for (term, value) in literals {
        match values.insert(term.clone(), value) {
            None => result.push((term, value)),
            Some(before) if before == value => {}
            Some(_) => return None,
        }
    }
    Some(result)
}

/// Terms in order, each once, with the rule that added it first.
#[derive(Default)]
struct Distinct {
    terms: Vec<(u8, Term)>,
    seen: BTreeSet<Term>,
}

impl Distinct {
    fn extend(&mut self, rule: u8, terms: impl IntoIterator<Item = Term>) {
        for term in terms {
            if self.seen.insert(term.clone()) {
                self.terms.push((rule, term));
            }
        }
    }
}

/// Rules 1 and 8, but for overflow.
fn generic(reduced: &Reduced) -> Vec<Term> {
    let is = |thread: usize, local: u32, value: u32| {
        local_of(thread, local, Sort::Int).equals(Term::int(i64::from(value)))
    };
    let counter =
        |thread: usize, count: u32, most: usize| (0..=most as u32).map(move |value| is(thread, count, value));
    let mut result = Vec::new();
    match &reduced.buffers {
        Buffers::Pso(threads) => {
            for (thread, buffers) in threads.iter().enumerate() {
                result.extend(
                    buffers.iter().flat_map(|buffer| counter(thread, buffer.count, buffer.slots.len())),
                );
            }
        }
        Buffers::Tso(threads) => {
            let all = || threads.iter().enumerate().filter_map(|(at, one)| Some((at, one.as_ref()?)));
            for (thread, buffer) in all() {
                result.extend(counter(thread, buffer.count, buffer.slots.len()));
            }
            for (thread, buffer) in all() {
                for slot in &buffer.slots {
                    result.extend(buffer.written.iter().map(|location| is(thread, slot.lhs, *location)));
                }
            }
        }
    }
    result
}

fn local_of(thread: usize, local: u32, sort: Sort) -> Term {
    Term::local_of(thread as u32, Term::int(0), local, sort)
}

/// A local that may hold the value of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    thread: usize,
    local: u32,
}

struct Lifting<'a> {
    reduced: &'a Reduced,
    shape: Shape,
    rules: &'a Rules,
    /// At most one variable of a predicate is replaced.
    one_buffered: bool,
}

impl<'a> Lifting<'a> {
    fn new(reduced: &'a Reduced, rules: &'a Rules) -> Option<Lifting<'a>> {
        let shape = Shape::new(&reduced.program).ok()?;
        let one_buffered = rules.one_buffered && reduced.fenced.iter().all(|fenced| *fenced);
        Some(Lifting { reduced, shape, rules, one_buffered })
    }

    /// The location that a term is the content of.
    fn location(&self, term: &Term) -> Option<u32> {
        match term.kind() {
            Kind::Content(address) => self.shape.fixed_location(address, 0),
            _ => None,
        }
    }

    fn sort(&self, location: u32) -> Sort {
        let variable = self.shape.locations[location as usize].variable;
        self.reduced.program.variables[variable as usize].sort
    }

    /// The slots that a location may be replaced by.
    fn places(&self, location: u32) -> Vec<Place> {
        let mut places = Vec::new();
        match &self.reduced.buffers {
            Buffers::Pso(threads) => {
                for (thread, buffers) in threads.iter().enumerate() {
                    let own = buffers.iter().filter(|buffer| buffer.location == location);
                    places.extend(own.flat_map(|buffer| &buffer.slots).map(|&local| Place { thread, local }));
                }
            }
            Buffers::Tso(threads) => {
                for (thread, buffer) in threads.iter().enumerate() {
                    let Some(buffer) = buffer else { continue };
                    if buffer.written.contains(&location) || !self.rules.read_only {
                        let held = buffer.slots.iter().filter_map(|slot| slot.rhs.get(&self.sort(location)));
                        places.extend(held.map(|&local| Place { thread, local }));
                    }
                }
            }
        }
        places
    }

    /// Every way to replace at least one of these variables (each stands for all its occurrences, or for
    /// one).
    fn replacements(&self, variables: &[u32]) -> Vec<Vec<Option<Place>>> {
        let mut all: Vec<Vec<Option<Place>>> = vec![vec![]];
        for variable in variables {
            let places = self.places(*variable);
            let mut longer = Vec::new();
            for start in &all {
                let fits = |place: &&Place| {
                    let mut before = start.iter().zip(variables);
                    // A slot does not hold two locations, and with one variable at most replaced, no second.
                    before.all(|(other, name)| match other {
                        Some(other) => name == variable || (other != *place && !self.one_buffered),
                        None => true,
                    })
                };
                let choices = [None].into_iter().chain(places.iter().filter(fits).map(|place| Some(*place)));
                longer.extend(choices.map(|choice| start.iter().copied().chain([choice]).collect()));
            }
            longer.truncate(MOST_VERSIONS);
            all = longer;
        }
        all.retain(|one| one.iter().any(Option::is_some));
        all
    }

    /// These terms with the same replacement in all of them, for every replacement.
    fn versions(&self, terms: &[&Term]) -> Vec<Vec<Term>> {
        let mut variables = BTreeSet::new();
        for term in terms {
            term.walk(&mut |node| variables.extend(self.location(node)));
        }
        let variables: Vec<u32> = variables.into_iter().collect();
        let replaced = |term: &Term, chosen: &[Option<Place>]| {
            term.map(&mut |node| {
                let place = self
                    .location(&node)
                    .and_then(|location| variables.iter().position(|one| *one == location))
                    .and_then(|number| chosen[number]);
                self.put(node, place)
            })
        };
        self.replacements(&variables)
            .iter()
            .map(|chosen| terms.iter().map(|term| replaced(term, chosen)).collect())
            .collect()
    }

    /// A predicate with every occurrence of a variable replaced on its own.
    fn by_occurrence(&self, predicate: &Term) -> Vec<Term> {
        let mut occurrences = Vec::new();
        // `map` meets nodes in this order, and `walk` in another.
        predicate.map(&mut |node| {
            occurrences.extend(self.location(&node));
            node
        });
        let replaced = |chosen: &Vec<Option<Place>>| {
            let mut next = chosen.iter();
            predicate.map(&mut |node| {
                let place = self.location(&node).and_then(|_| next.next().copied().flatten());
                self.put(node, place)
            })
        };
        self.replacements(&occurrences).iter().map(replaced).collect()
    }

    fn put(&self, node: Term, place: Option<Place>) -> Term {
        match place {
            Some(place) => local_of(place.thread, place.local, node.sort()),
            None => node,
        }
    }

    /// Rules 4 and 11.
    fn equalities(&self) -> Vec<Term> {
        let content = |location: u32| {
            let info = &self.shape.locations[location as usize];
            let indices = info.indices.iter().map(|index| Term::int(i64::from(*index))).collect();
            Term::content(Term::address(info.variable, indices), self.sort(location))
        };
        let mut result = Vec::new();
        // The slots of one line for values of one sort, and the locations that they may hold.
        let mut line = |thread: usize, slots: &[u32], sort: Sort, locations: &[u32]| {
            let slot = |local: &u32| local_of(thread, *local, sort);
            result.extend(slots.windows(2).map(|pair| slot(&pair[0]).equals(slot(&pair[1]))));
            for local in slots {
                result.extend(locations.iter().map(|location| slot(local).equals(content(*location))));
            }
        };
        match &self.reduced.buffers {
            Buffers::Pso(threads) => {
                for (thread, buffers) in threads.iter().enumerate() {
                    for buffer in buffers {
                        line(thread, &buffer.slots, self.sort(buffer.location), &[buffer.location]);
                    }
                }
            }
            Buffers::Tso(threads) => {
                for (thread, buffer) in threads.iter().enumerate() {
                    let Some(buffer) = buffer else { continue };
                    let sorts: BTreeSet<Sort> =
                        buffer.written.iter().map(|location| self.sort(*location)).collect();
                    for sort in sorts {
                        let slots: Vec<u32> =
                            buffer.slots.iter().filter_map(|slot| slot.rhs.get(&sort).copied()).collect();
                        let of_sort = |location: &&u32| self.sort(**location) == sort;
                        let locations: Vec<u32> = buffer.written.iter().filter(of_sort).copied().collect();
                        line(thread, &slots, sort, &locations);
                    }
                }
            }
        }
        result
    }
}

#[cfg(test)]
mod tests;
