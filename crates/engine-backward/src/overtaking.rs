//! What private state that several processes look at does to the method.
//!
//! The method undoes steps in an order that respects program order, coherence and reads-from, which have no cycle together
//! ([`pre`](crate::pre)). Steps that look at unbuffered state of another process, or change it, are ordered by that too, and ghb knows nothing of it:
//!
//! * A trace may be none that an execution follows: one process sees a store, another is seen to be later than that, and still reads what was
//!   there before the store. So what does not replay is no contradiction in such a system.
//! * There may be no order that respects all four. A store waits in a buffer; a later step of another process (later, because the first
//!   has seen it not done) stores to the same cell past it: coherence says that the second is first. No search in the method's order finds
//!   such an execution, so that finding none proves nothing. It takes a cell with stores of several processes, some of which wait in
//!   buffers: all other stores reach memory in the order of their steps. Where there is one, *safe* is not concluded.

use crate::literal::{Literal, Term};
use crate::system::{System, Transition};

/// The acting process of a transition.
const ACTOR: u8 = 0;

/// Does some step look at or change unbuffered state of another process, beside buffered memory?
pub(crate) fn is_private_shared(system: &System) -> bool {
    system.variables.iter().any(|variable| variable.weak)
        && system.transitions.iter().any(|transition| meddles(system, transition))
}

/// And may stores to one cell reach memory in another order than that of their steps?
pub(crate) fn may_overtake(system: &System) -> bool {
    is_private_shared(system)
        && (0..system.variables.len() as u16).any(|variable| is_contended(system, variable))
}

/// Does the step do that?
fn meddles(system: &System, transition: &Transition) -> bool {
    let of_other = |term: Term| {
        !system.weak(term.cell)
            && term.cell.index[0] != ACTOR
            && written(system).any(|(_, variable, _)| variable == term.cell.variable)
    };
    let guard = &transition.guard;
    let universal = guard.universal.iter().flat_map(|universal| universal.body.iter().flatten());
    let cases = transition.updates.iter().flat_map(|update| &update.cases);
    let values = cases.clone().filter_map(|case| case.value).flat_map(|value| value.terms());
    let said = guard.literals.iter().chain(universal).chain(cases.flat_map(|case| &case.condition));
    said.flat_map(Literal::terms).chain(values).any(of_other)
        || transition.updates.iter().any(|update| of_other(Term::of(update.cell)))
}

/// Do several processes store to a cell of the variable, some of them through a buffer?
fn is_contended(system: &System, variable: u16) -> bool {
    let stores = || written(system).filter(move |(_, other, _)| *other == variable);
    system.variables[usize::from(variable)].weak
        && stores().any(|(.., index)| index != ACTOR)
        && stores().any(|(transition, ..)| !transition.reads)
}

/// The transitions with the variables that they write, and the first index.
fn written(system: &System) -> impl Iterator<Item = (&Transition, u16, u8)> {
    system.transitions.iter().flat_map(|transition| {
        let cells = transition.updates.iter().map(|update| update.cell);
        cells.map(move |cell| (transition, cell.variable, cell.index[0]))
    })
}
