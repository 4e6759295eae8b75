//! Steps that need not wait for others.
//!
//! A step that reads and sets nothing but locals of its own thread, and that no property can see, commutes
//! with everything that other threads do, and with its own thread's commits if those touch other locals. So
//! where a thread stands before such a step, nothing else need be tried first: the steps there are an
//! *ample set* (Peled 1993). It is fixed by the point, before any abstraction: what is abstracted is a
//! program in which such steps go first, and that program violates a property if and only if the whole
//! one does. The conditions, for a point whose leaving edges are local steps and self-loops (commits):
//!
//! * some local step is always enabled (its guard is true, or two guards are each other's negation), so
//!   that a thread that waits does not stop the others;
//! * local steps and self-loops of the thread touch different cells, and where a local step leads, the same
//!   self-loops wait (so a commit can happen after the step as well as before it);
//! * no property speaks of a cell that a local step sets, or of the points it leaves and enters, and it
//!   enters no end;
//! * no local step begins an atomic section, which would stop the others: what they could have done before
//!   it would be lost;
//! * no circle consists of such points alone, so that nothing is put off for ever.

use std::collections::BTreeSet;

use wattle_logic::{Kind, Term};
use wattle_program::Point;

use crate::fold::Fold;
use crate::system::{System, Transition};

/// By thread and point: the local steps that go first.
pub(crate) fn first(system: &System) -> Vec<Vec<Option<Vec<usize>>>> {
    let watched = Watched::new(system);
    let mut first: Vec<Vec<Option<Vec<usize>>>> = Vec::new();
    for (thread, points) in (0..).zip(&system.leaving) {
        let at = |point: usize| local_steps(system, &watched, thread, Point(point as u32));
        let mut steps: Vec<Option<Vec<usize>>> = (0..points.len()).map(at).collect();
        break_circles(system, &mut steps);
        first.push(steps);
    }
    first
}

/// What properties speak of.
struct Watched {
    cells: BTreeSet<u32>,
    points: BTreeSet<(u32, u32)>,
    /// Does one ask whether a thread has ended?
    ends: bool,
}

impl Watched {
    fn new(system: &System) -> Watched {
        let mut watched = Watched { cells: BTreeSet::new(), points: BTreeSet::new(), ends: false };
        for (_, formula) in &system.properties {
            watched.cells.extend(system.cells_of(formula));
            formula.walk(&mut |term| match term.kind() {
                Kind::At { process, point, .. } => {
                    watched.points.insert((*process, *point));
                }
                Kind::Ended { .. } => watched.ends = true,
                _ => {}
            });
        }
        watched
    }

    fn sees(&self, system: &System, transition: &Transition) -> bool {
        let at = |point: Point| self.points.contains(&(transition.thread, point.0));
        at(transition.from)
            || at(transition.to)
            || system.ends[transition.thread as usize][transition.to.0 as usize]
            || transition.updates.iter().any(|(cell, _)| self.cells.contains(cell))
    }
}

/// The cells that a transition reads or sets. What it reads for locals that it forgets counts too: so a point
/// has the same steps whether or not dead locals are forgotten, and a proof can be checked on either program.
fn touched(system: &System, transition: &Transition) -> BTreeSet<u32> {
    let checks = transition.checks.iter().flat_map(|check| [&check.guard, &check.holds]);
    let terms = transition.updates.iter().map(|(_, value)| value).chain([&transition.guard]).chain(checks);
    let terms = terms.chain(&transition.forgotten);
    let mut cells: BTreeSet<u32> = terms.flat_map(|term| system.cells_of(term)).collect();
    cells.extend(transition.updates.iter().map(|(cell, _)| *cell));
    cells
}

fn local_steps(system: &System, watched: &Watched, thread: u32, point: Point) -> Option<Vec<usize>> {
    let at = |point: Point| &system.leaving[thread as usize][point.0 as usize];
    let (loops, steps): (Vec<usize>, Vec<usize>) =
        at(point).iter().partition(|number| system.transitions[**number].to == point);
    let of = |number: &usize| &system.transitions[*number];
    let own = |cell: &u32| system.cells[*cell as usize].owner == Some(thread);
    let touches = |numbers: &[usize]| -> BTreeSet<u32> {
        numbers.iter().flat_map(|number| touched(system, of(number))).collect()
    };
    let (stepped, looped) = (touches(&steps), touches(&loops));
    let same = |a: &Transition, b: &Transition| {
        a.guard == b.guard && a.updates == b.updates && a.forgotten == b.forgotten
    };
    let waits = |step: &usize| {
        let after = at(of(step).to);
        loops.iter().all(|commit| {
            after.iter().any(|other| of(other).to == of(step).to && same(of(commit), of(other)))
        })
    };
    let inside = |point: Point| system.inside[thread as usize][point.0 as usize];
    let fits = !steps.is_empty()
        && (inside(point) || !steps.iter().any(|step| inside(of(step).to)))
        && stepped.iter().all(own)
        && stepped.is_disjoint(&looped)
        && steps.iter().all(waits)
        && !steps.iter().any(|step| watched.sees(system, of(step)))
        && (loops.is_empty() || !inside(point))
        && always_enabled(&steps.iter().map(|step| &of(step).guard).collect::<Vec<&Term>>());
    fits.then_some(steps)
}

fn always_enabled(guards: &[&Term]) -> bool {
    let opposite = |a: &Term, b: &Term| a.negated().fold() == *b;
    guards.iter().any(|guard| guard.is_true())
        || guards.iter().any(|guard| guards.iter().any(|other| opposite(guard, other)))
}

/// A point on a circle of such points is none: the last one found on each circle.
fn break_circles(system: &System, steps: &mut [Option<Vec<usize>>]) {
    // 0: not seen, 1: on the way, 2: done.
    let mut seen = vec![0u8; steps.len()];
    for start in 0..steps.len() {
        let mut way = vec![(start, 0usize)];
        while let Some((point, next)) = way.pop() {
            if next == 0 {
                if seen[point] != 0 {
                    continue;
                }
                seen[point] = 1;
            }
            let step = steps[point].as_ref().and_then(|steps| steps.get(next)).copied();
            match step {
                None => seen[point] = 2,
                Some(step) => {
                    let to = system.transitions[step].to.0 as usize;
                    if seen[to] == 1 {
                        steps[point] = None;
                        seen[point] = 2;
                    } else {
                        way.push((point, next + 1));
                        way.push((to, 0));
                    }
                }
            }
        }
    }
}
