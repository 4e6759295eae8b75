//! What a counterexample demands of every repair.
//!
//! Let a counterexample be found with fences at the places F. It is often still a counterexample if there are
//! fences at further places: where it passes with nothing pending, and where the pending stores can reach
//! memory at once without removing the violation. Add such places to F, one after another, until none can be
//! added: this is the placement G. Each addition is tried by running the schedule in the program with the new
//! fences ([`enact`]) and replaying it by `judge::confirm`. The *clause* is the rest: all places outside G.
//!
//! **Every repair has a fence at some place of the clause.** A set of places that misses the clause
//! is a subset of G. The run under G, its superfluous fence steps left out, is a run under that
//! subset (fences only wait, see `family`), and it ends in the same state but for threads that stood
//! before a fence which is now gone: those stand at the point behind it. So the violation is still
//! there, provided that no property is violated *because* a thread has not yet reached a point; see
//! [`control_is_positive`], without which nothing is called minimal.
//!
//! **Of a graph** the same holds. It is drawn again with more fences in it ([`redraw`]), places and kinds, as
//! long as the axioms allow it; the clause is what could not be added. (For SB on TSO no single fence forbids
//! the graph.) A graph that the axioms allow is also allowed without some of its fences
//! ([`fences_only_forbid`]).
//!
//! **So a minimum hitting set of the clauses is a lower bound.** Every repair hits every clause. A set that
//! is smaller than the minimum hitting set misses some clause, and for that clause a run has been replayed
//! that is also a run with fences at that set.
//!
//! **The search advances.** F is a subset of G, so the clause has no place of F, and the next
//! hitting set is another one. There are finitely many sets of places, hence the loop ends.
//!
//! The places that a trace passes with a non-empty buffer form a larger clause, and a larger clause
//! is a weaker demand: for store buffering (SB) it names both stores, whereas this one finds that the trace
//! is possible with a fence in the thread that goes second. One trace can have several clauses; which one
//! is found depends on the order in which G grows. So the growth is repeated with the places of the
//! clauses found so far tried first, and each clause is tried with copies of a process in other
//! roles ([`twins`]). Both cost some replays and spare engine calls.

use wattle_engine::{Counterexample, Task};
use wattle_logic::{Binary, Kind, Term, Unary};
use wattle_memory::MemoryModel;
use wattle_program::{Program, PropertyKind};

use crate::enact::enact;
use crate::family::Family;
use crate::redraw::redraw;
use crate::set::Set;
use crate::symmetry::rotations;

/// A set of places of which every repair has one, and the run that shows it.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub places: Set,
    /// A run of the member with fences at all other places.
    pub counterexample: Counterexample,
}

/// The counterexample as one of `task.program`, a member of a family with this base, in the form that
/// it has: confirmed, or `None` if it does not survive there.
pub(crate) fn survivor(
    base: &Program,
    task: &Task<'_>,
    counterexample: &Counterexample,
) -> Option<Counterexample> {
    match counterexample.schedule {
        Some(_) => enact(base, task, counterexample),
        None => redraw(base, task, counterexample),
    }
}

/// How many clauses one counterexample is asked for.
const ORDERS: usize = 4;

/// The clauses of a confirmed counterexample, found with fences at `chosen`; and how many replays that
/// took.
pub(crate) fn clauses(
    family: &dyn Family,
    task: &Task<'_>,
    chosen: &Set,
    counterexample: &Counterexample,
) -> (Vec<Clause>, u64) {
    let mut found: Vec<Clause> = Vec::new();
    let mut named = Set::empty(family.size());
    let mut replays = 0;
    let outside = Set::full(family.size()).difference(chosen);
    for _ in 0..ORDERS {
        let mut growth = Growth {
            family,
            task,
            placement: chosen.clone(),
            counterexample: counterexample.clone(),
            replays: 0,
        };
        let (first, rest): (Vec<usize>, Vec<usize>) =
            outside.iter().partition(|place| named.contains(*place));
        growth.add(&first);
        // If it bears none of them, they all are in its clause, which then says nothing new.
        let unchanged = growth.placement == *chosen && !found.is_empty();
        if !unchanged {
            growth.add(&rest);
        }
        replays += growth.replays;
        let places = Set::full(family.size()).difference(&growth.placement);
        if unchanged || found.iter().any(|clause| clause.places == places) {
            break;
        }
        let finished = places.is_empty();
        named = named.union(&places);
        found.push(Clause { places, counterexample: growth.counterexample });
        if finished {
            break;
        }
    }
    (found, replays)
}

/// The clauses that follow by letting the copies of a process change roles; and how many replays
/// that took.
pub(crate) fn twins(family: &dyn Family, task: &Task<'_>, clause: &Clause) -> (Vec<Clause>, u64) {
    let mut found = Vec::new();
    let mut replays = 0;
    let all = Set::full(family.size());
    for rotation in rotations(family.base()) {
        let Some(placement) = family.rotated(&all.difference(&clause.places), &rotation) else { continue };
        let Some(proposed) = rotation.counterexample(family.base(), &clause.counterexample) else { continue };
        let program = family.program(&placement);
        replays += 1;
        let twin = enact(family.base(), &Task { program: &program, ..*task }, &proposed);
        if let Some(counterexample) = twin {
            found.push(Clause { places: all.difference(&placement), counterexample });
        }
    }
    (found, replays)
}

struct Growth<'a> {
    family: &'a dyn Family,
    task: &'a Task<'a>,
    placement: Set,
    counterexample: Counterexample,
    replays: u64,
}

impl Growth<'_> {
    /// Add those of the places that the counterexample bears: all at once, or else by halves.
    fn add(&mut self, places: &[usize]) {
        let (&[first, ..], size) = (places, self.family.size()) else { return };
        let wider = self.placement.union(&Set::of(size, places.iter().copied()));
        let program = self.family.program(&wider);
        let task = Task { program: &program, ..*self.task };
        self.replays += 1;
        match survivor(self.family.base(), &task, &self.counterexample) {
            Some(survivor) => {
                self.placement = wider;
                self.counterexample = survivor;
            }
            None if places == [first] => {}
            None => {
                let (left, right) = places.split_at(places.len() / 2);
                self.add(left);
                self.add(right);
            }
        }
    }
}

/// Do properties name control points only so that a thread *at* a point may violate them, never a thread that
/// has not reached it? Then the violation stays if a thread gets further in the same run. `finally` is asked
/// when all threads have ended, so it is not affected.
pub(crate) fn control_is_positive(program: &Program) -> bool {
    program.properties.iter().all(|property| match property.kind {
        PropertyKind::Forbid => occurs_only(&property.formula, true),
        PropertyKind::Always => occurs_only(&property.formula, false),
        PropertyKind::Finally => true,
    })
}

/// Do control points occur only positively (`true`), or only under an odd number of negations (`false`)?
fn occurs_only(formula: &Term, sign: bool) -> bool {
    match formula.kind() {
        Kind::At { .. } | Kind::Ended { .. } => sign,
        Kind::Unary(Unary::Not, inner) => occurs_only(inner, !sign),
        Kind::Binary(Binary::And | Binary::Or, left, right) => {
            occurs_only(left, sign) && occurs_only(right, sign)
        }
        Kind::Binary(Binary::Implies, left, right) => occurs_only(left, !sign) && occurs_only(right, sign),
        Kind::Quantified { body, .. } => occurs_only(body, sign),
        _ => {
            let mut none = true;
            formula.walk(&mut |term| none &= !matches!(term.kind(), Kind::At { .. } | Kind::Ended { .. }));
            none
        }
    }
}

/// Is every execution also allowed without some of its fences? This holds on the machines, where a fence only
/// waits, and in the models of the catalogue, whose axioms are monotone in the fences. It is not known of a
/// model that a user wrote.
pub(crate) fn fences_only_forbid(memory: &MemoryModel) -> bool {
    memory.is_of_the_catalogue()
}
