//! Atomic sections with several accesses: which events are of one section, and which sections come to an end.
//!
//! While a thread is inside a locked section nothing else moves. The events of a section are one node of the order that a
//! model gives (`section` in its text), so all that is needed here is to say which those are. A section has a number for each
//! step that begins it in the unrolled thread. Where ways meet inside a section (a loop that is left from inside one, in any
//! of its rounds), what comes after is of the one section or the other, depending on the way.
//!
//! *A section that does not come to an end* (an assumption fails in it, or a bound cuts it) never happened for anybody
//! else: on the machine its thread stands inside for ever, and no one moves again. So where a section may fail, its thread may
//! also stop before it for no reason, and an execution with a section that has begun and does not end is an answer to no
//! question but one: an assertion in that very section, which is reached all the same. The judge demands the same of a path
//! that ends inside a section.

use std::collections::BTreeSet;

use wattle_program::symbolic::{Arena, Expr};
use wattle_program::{Edge, EdgeId, Op, Point, is_inside, is_section};

use super::guard;
use super::state::State;
use super::structure::Partial;
use super::thread::Unroller;

/// The number of a section in its thread.
pub(crate) type SectionId = u32;

/// The sections that something may be part of (sorted), each with the condition, given that it happens.
pub(crate) type Membership = Vec<(SectionId, Expr)>;

/// When the thread goes into each section, and when it comes out.
#[derive(Debug, Default)]
pub(super) struct Sections(Vec<[Vec<Expr>; 2]>);

/// How a step stands to sections.
pub(super) struct Within {
    section: Membership,
    enters: bool,
    leaves: bool,
    goes_on: bool,
    /// The section that begins may not come to an end.
    pub may_fail: bool,
}

/// Of two ways that meet, the first of which was taken where `tell` holds.
pub(super) fn join(arena: &mut Arena<'_>, tell: Expr, a: &Membership, b: &Membership) -> Membership {
    if a == b {
        return a.clone();
    }
    let sections: BTreeSet<SectionId> = a.iter().chain(b).map(|(section, _)| *section).collect();
    let never = arena.constant(0);
    let when = |of: &Membership, section: SectionId| {
        of.iter().find(|(other, _)| *other == section).map_or(never, |(_, when)| *when)
    };
    (sections.into_iter())
        .map(|section| {
            let (one, other) = (when(a, section), when(b, section));
            (section, if one == other { one } else { arena.choice(tell, one, other) })
        })
        .collect()
}

impl Unroller<'_, '_> {
    /// A step that is about to be taken.
    pub(super) fn within(&mut self, state: &State, edge: &Edge) -> Within {
        let [from, to] = [edge.from, edge.to].map(|point| is_inside(&self.process.cfg, point));
        let enters = !from && to;
        let section = match from {
            true => state.section.clone(),
            false if to || is_section(edge) => {
                self.sections.0.push(Default::default());
                vec![(self.sections.0.len() as SectionId - 1, self.structure.arena.constant(1))]
            }
            false => vec![],
        };
        let may_fail = enters && self.may_fail(edge.to, &mut BTreeSet::new());
        Within { section, enters, leaves: from && !to, goes_on: to, may_fail }
    }

    /// The step was taken, if there is a state after it. Its steps and events begin with these.
    pub(super) fn mark(
        &mut self,
        within: Within,
        next: Option<&mut State>,
        (first_step, first_event): (usize, usize),
    ) {
        let Within { section, enters, leaves, goes_on, .. } = within;
        for step in &mut self.structure.steps[first_step..] {
            step.section.clone_from(&section);
        }
        for event in &mut self.structure.events[first_event..] {
            event.section.clone_from(&section);
        }
        let Some(next) = next else { return };
        for (section, when) in &section {
            let reached = guard::and(&mut self.structure.arena, next.reached, *when);
            let [entered, left] = &mut self.sections.0[*section as usize];
            if enters {
                entered.push(reached);
            }
            if leaves {
                left.push(reached);
            }
        }
        next.section = if goes_on { section } else { vec![] };
    }

    /// May a thread that stands at a point inside a section not come out of it?
    fn may_fail(&self, point: Point, on_the_way: &mut BTreeSet<Point>) -> bool {
        if !is_inside(&self.process.cfg, point) {
            return false;
        }
        if !on_the_way.insert(point) {
            return true;
        }
        let leaving: Vec<&Edge> =
            self.leaving[point.0 as usize].iter().map(|id: &EdgeId| self.process.cfg.edge(*id)).collect();
        let always_goes_on = match leaving[..] {
            [one] => one.guard.is_true(),
            [one, other] => one.guard.is_opposite(&other.guard),
            _ => false,
        };
        let stops = |op: &Op| matches!(op, Op::Assume { .. } | Op::Unsupported { .. } | Op::Cut { .. });
        let fails = !always_goes_on
            || leaving.iter().any(|edge| {
                edge.ops.iter().any(stops)
                    || !self.refuses_nothing(edge, usize::MAX)
                    || self.may_fail(edge.to, on_the_way)
            });
        on_the_way.remove(&point);
        fails
    }

    /// The thread is done: what is left is when a section has begun and does not end.
    pub(super) fn sections_finish(&mut self) {
        for (number, [entered, left]) in std::mem::take(&mut self.sections.0).into_iter().enumerate() {
            let arena = &mut self.structure.arena;
            let [entered, left] = [entered, left].map(|ways| {
                let never = arena.constant(0);
                ways.into_iter().fold(never, |some, way| guard::or(arena, some, way))
            });
            let not = guard::not(arena, left);
            let when = guard::and(arena, entered, not);
            if arena.value(when) != Some(0) {
                self.structure.partial.push(Partial { thread: self.thread, section: number as u32, when });
            }
        }
    }
}
