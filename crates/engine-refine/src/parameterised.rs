//! Predicates for abstract buffers: the paper's *parameterised predicates* (section 8).
//!
//! A relation that matters between values matters for their copies on the way to memory: if `v < u` is known of a
//! local that is stored, the same should be known of the slot that it enters, of the last value of the rest, of
//! each value in it, and of memory. So what is found for one is offered for all of them. An offer is no claim: each
//! instance is a predicate that the abstraction decides by itself.
//!
//! What is said of the values in a rest is said of all of them, so it is offered twice, as it is and negated
//! (`all(X, p)` and `all(X, not p)`).

use std::collections::BTreeSet;

use wattle_abstraction::Predicates;
use wattle_logic::Term;
use wattle_memory::reduction::Reduced;
use wattle_proving::{Lifting, Subject, control, copies, instances};

/// The predicates to begin with: how buffers are filled, these predicates, and their copies.
pub(crate) fn parameterised(predicates: &[Term], reduced: &Reduced) -> Vec<Term> {
    let mut all = control(reduced);
    all.extend(predicates.iter().cloned());
    all.extend(predicates.iter().flat_map(|predicate| copies(predicate, reduced)));
    all
}

/// How many predicates these are before each is said of buffered values and of other copies of a process; how
/// buffers are filled does not count. This is what the paper counts, with fewer parameters: its templates leave
/// every variable open.
pub(crate) fn templates(predicates: &Predicates, reduced: &Reduced, subject: &Subject<'_>) -> u64 {
    let number = |term: &Term| predicates.literal_of(term).map(|(number, _)| number);
    let mut seen: BTreeSet<usize> = control(reduced).iter().filter_map(number).collect();
    let lifting = Lifting::new(reduced);
    let of_memory = |term: &Term| lifting.as_ref().and_then(|lifting| lifting.lowered(term));
    let (clear, unclear): (Vec<&Term>, Vec<&Term>) =
        predicates.terms().iter().partition(|term| of_memory(term).is_some());
    let mut templates = 0;
    // A slot that may hold several locations does not say of which its predicate is an instance: those come last.
    for term in clear.into_iter().chain(unclear) {
        if number(term).is_none_or(|number| seen.contains(&number)) {
            continue;
        }
        templates += 1;
        let images = [subject.images(term), vec![term.clone()]].concat();
        seen.extend(
            images.iter().flat_map(|image| instances(image, reduced)).filter_map(|term| number(&term)),
        );
        seen.extend(images.iter().filter_map(number));
    }
    templates
}
