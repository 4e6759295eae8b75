//! Steps that may go first: the conditions, looked at again.
//!
//! At some points the proof lets a thread take its local steps before anything else moves (`System::first`;
//! an ample set, Peled 1993), so its states are closed only under those. That loses no violation if the
//! point passes what follows. Take any execution that goes on from a state in which the thread stands
//! there. If the thread leaves the point in it, by one of the local steps, then what happens before (moves
//! of others, self-loops of the thread) neither enables nor disables that step, nor the step them: it can be
//! moved to the front. If not, a step that is always enabled can be put in front. Either way no property
//! notices, and a check of the step fails in front if it fails later. Points on a circle of such points are
//! not accepted, so this ends.
//!
//! A point that fails is treated like any other: everything that can move must stay in the set.

use std::collections::BTreeSet;

use wattle_abstraction::system::Transition;
use wattle_engine::Reason;
use wattle_logic::{Kind, Term};

use super::Checked;
use super::triples::Triples;

/// By thread and point: the steps that go first.
pub(super) type First = Vec<Vec<Option<Vec<usize>>>>;

pub(super) fn first(checked: &Checked<'_>, solver: &mut Triples<'_>) -> Result<First, Reason> {
    let system = &checked.system;
    let mut first: First = Vec::new();
    for (thread, points) in system.first.iter().enumerate() {
        let mut accepted = vec![None; points.len()];
        for (point, steps) in points.iter().enumerate() {
            if let Some(steps) = steps
                && may_go_first(checked, solver, thread, point, steps)?
            {
                accepted[point] = Some(steps.clone());
            }
        }
        drop_circles(checked, &mut accepted);
        first.push(accepted);
    }
    Ok(first)
}

fn may_go_first(
    checked: &Checked<'_>,
    solver: &mut Triples<'_>,
    thread: usize,
    point: usize,
    steps: &[usize],
) -> Result<bool, Reason> {
    let system = &checked.system;
    let of = |number: usize| &system.transitions[number];
    let leaving = &system.leaving[thread][point];
    let is_loop = |number: &usize| of(*number).to == of(*number).from;
    let loops: Vec<usize> = leaving.iter().copied().filter(|number| !steps.contains(number)).collect();
    // All ways to leave the point, and only those.
    if !steps.iter().all(|step| leaving.contains(step)) || !loops.iter().all(is_loop) {
        return Ok(false);
    }
    // They touch nothing that anybody else touches, the thread's own self-loops included.
    let touched: BTreeSet<u32> = steps.iter().flat_map(|step| touches(checked, of(*step))).collect();
    let foreign = |number: usize| of(number).thread as usize != thread || loops.contains(&number);
    let mut others = (0..system.transitions.len()).filter(|number| foreign(*number));
    if others.any(|other| touches(checked, of(other)).iter().any(|cell| touched.contains(cell))) {
        return Ok(false);
    }
    // Where they lead, the same self-loops can be taken; others can move if they could before.
    let same = |a: &Transition, b: &Transition| {
        b.to == b.from && a.guard == b.guard && a.updates == b.updates && a.checks == b.checks
    };
    let (ends, inside) = (&system.ends[thread], &system.inside[thread]);
    for step in steps {
        let to = of(*step).to.0 as usize;
        let after = &system.leaving[thread][to];
        let waits = |commit: &usize| after.iter().any(|other| same(of(*commit), of(*other)));
        let stops_others = inside[to] && !inside[point];
        if !loops.iter().all(waits) || stops_others || ends[point] || ends[to] {
            return Ok(false);
        }
    }
    if inside[point] && !loops.is_empty() || steps.iter().any(|step| is_seen(checked, of(*step))) {
        return Ok(false);
    }
    // One of them can always be taken.
    let none: Vec<Term> = steps.iter().map(|step| of(*step).guard.negated()).collect();
    Ok(!none.is_empty() && !solver.is_possible(&none)?)
}

/// The cells that a transition reads or sets.
fn touches(checked: &Checked<'_>, transition: &Transition) -> Vec<u32> {
    let mut cells = checked.cells_of(&transition.guard);
    for (cell, value) in &transition.updates {
        cells.push(*cell);
        cells.extend(checked.cells_of(value));
    }
    for check in &transition.checks {
        cells.extend(checked.cells_of(&check.guard));
        cells.extend(checked.cells_of(&check.holds));
    }
    cells
}

/// Can a property tell whether the transition was taken? (That it has to do with no end was asked already.)
fn is_seen(checked: &Checked<'_>, transition: &Transition) -> bool {
    checked.system.properties.iter().any(|(_, formula)| {
        let cells = checked.cells_of(formula);
        let mut named = false;
        formula.walk(&mut |term| {
            if let Kind::At { process, point, .. } = term.kind() {
                let here = *point == transition.from.0 || *point == transition.to.0;
                named |= *process == transition.thread && here;
            }
        });
        named || transition.updates.iter().any(|(cell, _)| cells.contains(cell))
    })
}

/// Keep only points from which every way through such points ends.
fn drop_circles(checked: &Checked<'_>, accepted: &mut [Option<Vec<usize>>]) {
    let ends = |point: usize, ended: &[bool]| {
        let steps = accepted[point].iter().flatten();
        steps.into_iter().all(|step| ended[checked.system.transitions[*step].to.0 as usize])
    };
    let mut ended: Vec<bool> = accepted.iter().map(Option::is_none).collect();
    while let Some(point) = (0..ended.len()).find(|point| !ended[*point] && ends(*point, &ended)) {
        ended[point] = true;
    }
    for (steps, ended) in accepted.iter_mut().zip(ended) {
        if !ended {
            *steps = None;
        }
    }
}
