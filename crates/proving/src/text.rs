//! The predicates that a text has: those that it gives, or else its comparisons.
//!
//! Given predicates may speak of dead locals, which passes would forget; [`remembering`] keeps them.

use std::borrow::Cow;

use wattle_abstraction::{System, atoms};
use wattle_engine::Unsupported;
use wattle_logic::{Kind, Term};
use wattle_program::text::print_term;
use wattle_program::{Program, passes};
use wattle_smt::{Decide, Solver};

/// Does the text give predicates, and are they wanted?
pub fn is_given(program: &Program, ignore: bool) -> bool {
    !program.predicates.is_empty() && !ignore
}

/// With the locals that given predicates speak of, dead or not.
pub fn remembering(program: &Program, given: bool) -> Cow<'_, Program> {
    match given {
        true => Cow::Owned(passes::remember_given(program)),
        false => Cow::Borrowed(program),
    }
}

/// The predicates to begin with: those that the text gives, or else its comparisons.
pub fn begin(program: &Program, system: &System, given: bool) -> Vec<Term> {
    if given { program.predicates.clone() } else { comparisons(system) }
}

/// The comparisons in guards, assertions and properties.
pub(crate) fn comparisons(system: &System) -> Vec<Term> {
    let checks = system.transitions.iter().flat_map(|transition| {
        let checks = transition.checks.iter().map(|check| &check.holds);
        [&transition.guard].into_iter().chain(checks)
    });
    let properties = system.properties.iter().map(|(_, formula)| formula);
    checks.chain(properties).flat_map(atoms).collect()
}

/// Are the given predicates such that something can be made of them?
pub(crate) fn make_sense(program: &Program, system: &System, solver: &mut Solver) -> Result<(), Unsupported> {
    for predicate in &program.predicates {
        let mut elsewhere = false;
        predicate.walk(&mut |term| {
            elsewhere |= matches!(term.kind(), Kind::Content { .. }) && system.cells_of(term).is_empty();
        });
        // Where threads stand is known anyway.
        if system.cells_of(predicate).is_empty() && !elsewhere {
            continue;
        }
        let why = match solver.literal(predicate) {
            _ if elsewhere => "it speaks of a location that is not there".to_string(),
            Err(why) => why.to_string(),
            Ok(_) => continue,
        };
        let predicate = print_term(program, predicate);
        let what = format!("the given predicate `{predicate}`: {why} (--ignore-predicates does without)");
        return Err(Unsupported::new(what));
    }
    Ok(())
}
