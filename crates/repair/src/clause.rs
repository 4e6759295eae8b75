//! What a counterexample demands of every repair.
//!
//! Let a counterexample be found with fences at the places F. Some other places it can bear too:
//! those that it passes with nothing pending, and those where what is pending may as well reach
//! memory at once without the violation going away. Grow F by such places, one after another, to a
//! placement G that bears no more; each step is a run of the schedule in the program with the new
//! fences ([`enact`]), judged by `judge::confirm`. The *clause* is the rest: all places outside G.
//!
//! **Every repair has a fence at some place of the clause.** A set of places that misses the clause
//! is a subset of G. The run under G, its superfluous fence steps left out, is a run under that
//! subset (fences only wait, see `family`), and it ends in the same state but for threads that stood
//! before a fence which is now gone: those stand at the point behind it. So the violation is still
//! there, provided that no property is violated *because* a thread has not yet reached a point; see
//! [`control_is_positive`], without which nothing is called minimal.
//!
//! **Of a graph** the same holds. It is drawn again with more fences in it ([`redraw`]), places and kinds, as
//! long as the axioms allow it; under SB on TSO no single fence forbids the graph, and the clause is
//! what is left when it has got all that it bears. A graph that the axioms allow, they allow without
//! some of its fences too ([`fences_only_forbid`]).
//!
//! **So the hitting sets of the clauses tell the truth about "fewest".** Every repair hits every
//! clause. A set smaller than the minimum hitting set misses some clause, and for that clause a run
//! has been replayed which survives under that very set.
//!
//! **The search advances.** F is a subset of G, so the clause has no place of F, and the next
//! hitting set is another one. No place is named twice in vain, hence the loop ends.
//!
//! The places that a trace passes with a non-empty buffer form a larger clause, and a larger clause
//! is a weaker demand: for store buffering (SB) it names both stores, where this one finds that the
//! trace bears a fence in the thread that goes second. One trace can have several clauses; which one
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

/// Can a state be made bad only by threads being at points, never by their not being there (yet)?
/// Then a thread that gets further in the same run does no harm to the violation. `finally` speaks
/// of threads that have ended, so it needs no look.
pub(crate) fn control_is_positive(program: &Program) -> bool {
    program.properties.iter().all(|property| match property.kind {
        PropertyKind::Forbid => occurs_only(&property.formula, true),
        PropertyKind::Always => occurs_only(&property.formula, false),
        PropertyKind::Finally => true,
    })
}

/// Do control points occur only with this sign?
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

/// Has every execution with a fence also its counterpart without? So it is on the machines, and in the
/// models of our catalogue: fences occur only where more of them forbid more. Of a model that someone
/// else wrote this is not known.
pub(crate) fn fences_only_forbid(memory: &MemoryModel) -> bool {
    memory.is_of_the_catalogue()
}
