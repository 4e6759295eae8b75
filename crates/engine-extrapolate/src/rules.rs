//! From predicates that prove a program under sequential consistency to predicates for its reduction: the
//! rules of Dan, Meshman, Vechev and Yahav (*Predicate Abstraction for Relaxed Memory Models*, SAS 2013), 1
//! to 7 for PSO (section 5) and 8 to 14 for TSO (appendix B).
//!
//! **Idea.** Every predicate over a shared variable is *lifted* to the slots that may hold a value for it
//! ([`Lifting`]); beside that, the abstraction must know how many slots are in use and, under TSO, of which
//! location each is. The rules, with their numbers for PSO and TSO:
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
//! **What differs.** Under TSO no two variables are replaced by the same slot; a cube that says a thing and its
//! opposite after lifting is dropped. Where the combinations are too many, some are left out, which is sound.

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::{Sort, Term};
use wattle_memory::reduction::{Buffers, Reduced};
use wattle_proving::{Lifting, Place, control};

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

/// The predicates for the reduced program: the given ones, counters, locations of slots, lifted ones,
/// equalities, and no overflow, each once. The given ones are state formulas over the instantiated program.
pub fn extrapolate(predicates: &[Term], reduced: &Reduced, rules: &Rules) -> Vec<Term> {
    by_rule(predicates, reduced, rules).into_iter().map(|(_, predicate)| predicate).collect()
}

/// The same, each with the first rule that adds it, by its number for PSO (TSO: 7 more).
pub(crate) fn by_rule(predicates: &[Term], reduced: &Reduced, rules: &Rules) -> Vec<(u8, Term)> {
    let mut result = Distinct::default();
    result.extend(2, predicates.iter().cloned());
    let Some(lifting) = lifting(reduced, rules) else { return result.terms };
    result.extend(1, control(reduced));
    for predicate in predicates {
        match rules.same_place {
            true => {
                lifting.versions(&[predicate]).into_iter().for_each(|mut terms| result.extend(3, terms.pop()))
            }
            false => result.extend(3, by_occurrence(&lifting, predicate)),
        }
    }
    if rules.equalities {
        result.extend(4, equalities(&lifting));
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
    let Some(lifting) = lifting(reduced, rules) else { return cubes.to_vec() };
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

fn local_of(thread: usize, local: u32, sort: Sort) -> Term {
    Term::local_of(thread as u32, Term::int(0), local, sort)
}

/// The places of the reduced program that the rules allow.
fn lifting<'a>(reduced: &'a Reduced, rules: &Rules) -> Option<Lifting<'a>> {
    let all = Lifting::new(reduced)?;
    let one_buffered = all.one_buffered && rules.one_buffered;
    Some(Lifting { only_writers: rules.read_only, one_buffered, ..all })
}

/// Without rules 6 and 13: a predicate with every occurrence of a variable replaced on its own.
fn by_occurrence(lifting: &Lifting<'_>, predicate: &Term) -> Vec<Term> {
    let mut occurrences = Vec::new();
    // `map` meets nodes in this order, and `walk` in another.
    predicate.map(&mut |node| {
        occurrences.extend(lifting.location(&node));
        node
    });
    let replaced = |chosen: &Vec<Option<Place>>| {
        let mut next = chosen.iter();
        predicate.map(&mut |node| match lifting.location(&node).and_then(|_| next.next()) {
            Some(Some(Place(held))) => held.clone(),
            _ => node,
        })
    };
    lifting.replacements(&occurrences).iter().map(replaced).collect()
}

/// Rules 4 and 11.
fn equalities(lifting: &Lifting<'_>) -> Vec<Term> {
    let mut result = Vec::new();
    // The slots of one line for values of one sort, and the locations that they may hold.
    let mut line = |thread: usize, slots: &[u32], sort: Sort, locations: &[u32]| {
        let slot = |local: &u32| local_of(thread, *local, sort);
        result.extend(slots.windows(2).map(|pair| slot(&pair[0]).equals(slot(&pair[1]))));
        for local in slots {
            result.extend(locations.iter().map(|location| slot(local).equals(lifting.content(*location))));
        }
    };
    match &lifting.reduced.buffers {
        Buffers::Pso(threads) => {
            for (thread, buffers) in threads.iter().enumerate() {
                for buffer in buffers {
                    line(thread, &buffer.slots, lifting.sort(buffer.location), &[buffer.location]);
                }
            }
        }
        Buffers::Tso(threads) => {
            for (thread, buffer) in threads.iter().enumerate() {
                let Some(buffer) = buffer else { continue };
                let sorts: BTreeSet<Sort> =
                    buffer.written.iter().map(|location| lifting.sort(*location)).collect();
                for sort in sorts {
                    let slots: Vec<u32> =
                        buffer.slots.iter().filter_map(|slot| slot.rhs.get(&sort).copied()).collect();
                    let of_sort = |location: &&u32| lifting.sort(**location) == sort;
                    let locations: Vec<u32> = buffer.written.iter().filter(of_sort).copied().collect();
                    line(thread, &slots, sort, &locations);
                }
            }
        }
        Buffers::Rma(_) => {}
    }
    result
}

#[cfg(test)]
mod tests;
