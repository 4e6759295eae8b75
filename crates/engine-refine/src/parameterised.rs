//! Predicates for abstract buffers: the paper's *parameterised predicates* (section 8).
//!
//! A relation that matters between values matters for their copies on the way to memory: if `v < u` is known of a
//! local that is stored, the same should be known of the slot that it enters, of the last value of the rest, of
//! each value in it, and of memory. So what is found for one is offered for all of them. An offer is no claim: each
//! instance is a predicate that the abstraction decides by itself.
//!
//! What is said of the values in a rest is said of all of them, so it is offered twice, as it is and negated
//! (`all(X, p)` and `all(X, not p)`).

use wattle_abstraction::speaks_of_elements;
use wattle_logic::{Kind, Sort, Term};
use wattle_memory::reduction::{Buffers, Reduced};
use wattle_proving::{Lifting, control};

/// The predicates to begin with: how buffers are filled, these predicates, and their copies.
pub(crate) fn parameterised(predicates: &[Term], reduced: &Reduced) -> Vec<Term> {
    let mut all = control(reduced);
    all.extend(predicates.iter().cloned());
    all.extend(predicates.iter().flat_map(|predicate| copies(predicate, reduced)));
    all
}

/// A predicate over memory, said of buffered values.
fn copies(predicate: &Term, reduced: &Reduced) -> Vec<Term> {
    let Some(lifting) = Lifting::new(reduced) else { return vec![] };
    let lifted = lifting.versions(&[predicate]).into_iter().flatten();
    lifted.flat_map(both).collect()
}

/// What is said of every element, and the opposite of every element.
fn both(predicate: Term) -> Vec<Term> {
    match speaks_of_elements(&predicate) {
        true => vec![predicate.negated(), predicate],
        false => vec![predicate],
    }
}

/// What comes with a predicate that refinement found: if it speaks of buffered values of one location each, the
/// same of memory and of all other copies.
pub(crate) fn instances(predicate: &Term, reduced: &Reduced) -> Vec<Term> {
    let mut changed = false;
    let of_memory = predicate.map(&mut |term| match held(&term, reduced) {
        Some(content) => {
            changed = true;
            content
        }
        None => term,
    });
    let own = if changed { vec![of_memory.clone()] } else { vec![] };
    own.into_iter().chain(copies(&of_memory, reduced)).collect()
}

/// The memory content that a term is a copy of, if that is clear: a slot under TSO holds now one location, now
/// another.
fn held(term: &Term, reduced: &Reduced) -> Option<Term> {
    let (process, local) = match term.kind() {
        Kind::LocalOf { process, local, .. } if term.sort() != Sort::IntSet => (*process, *local),
        Kind::Element(set) => match set.kind() {
            Kind::LocalOf { process, local, .. } => (*process, *local),
            _ => return None,
        },
        _ => return None,
    };
    let shape = wattle_program::Shape::new(&reduced.program).ok()?;
    let location = match &reduced.buffers {
        Buffers::Pso(threads) => {
            let holds = |buffer: &&wattle_memory::reduction::PerLocation| {
                let rest = buffer.rest.iter().any(|rest| rest.last == local || rest.values == Some(local));
                buffer.slots.contains(&local) || rest
            };
            threads.get(process as usize)?.iter().find(holds)?.location
        }
        Buffers::Tso(threads) => {
            let rests = &threads.get(process as usize)?.as_ref()?.rests;
            *rests.iter().find(|(_, rest)| rest.last == local || rest.values == Some(local))?.0
        }
    };
    let place = &shape.locations[location as usize];
    let indices = place.indices.iter().map(|index| Term::int(i64::from(*index))).collect();
    Some(Term::content(Term::address(place.variable, indices), term.sort()))
}
