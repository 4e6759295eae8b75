//! A family of programs: the same program with every choice of fences.
//!
//! The search for fences to add and the search for fences to drop are one search. Both have a list
//! of places, and for each set of places a program that has fences at exactly those. What the search
//! needs to know of the family is little:
//!
//! * old points and edges have the same numbers in all members, and edges beyond them are fences
//!   (or the way round a fence that is for another copy only);
//! * a fence only waits. So a run of a member is, with its fence steps dropped, a run of every
//!   member with fewer fences.
//!
//! The second point is the monotonicity that everything rests on: fewer fences, more runs.

use wattle_logic::{Term, Value};
use wattle_program::passes::{Insertion, Place, Spot, forget_dead, insert};
use wattle_program::{Edge, EdgeId, Op, Origin, ProcessId, Program, op_terms};

use crate::places::merge_copies;
use crate::set::Set;
use crate::symmetry::Rotation;

pub(crate) trait Family {
    /// The program whose points and edges all members share.
    fn base(&self) -> &Program;
    /// How many places there are.
    fn size(&self) -> usize;
    /// The member with fences at these places, ready for an engine.
    fn program(&self, chosen: &Set) -> Program;
    /// The same places in the copies that a rotation leads to, if there are such places.
    fn rotated(&self, chosen: &Set, rotation: &Rotation) -> Option<Set>;
    /// The places that this copy passes when it takes an edge of the base; none where nobody needs them.
    fn beside(&self, _process: ProcessId, _copy: u32, _edge: EdgeId) -> Set {
        Set::empty(self.size())
    }
}

/// Fences and flushes that are not in the text.
#[derive(Debug)]
pub(crate) struct Added<'a> {
    pub base: &'a Program,
    pub places: &'a [Insertion],
}

impl Added<'_> {
    pub(crate) fn insertions(&self, chosen: &Set) -> Vec<Insertion> {
        chosen.iter().map(|place| self.places[place].clone()).collect()
    }
}

impl Family for Added<'_> {
    fn base(&self) -> &Program {
        self.base
    }

    fn size(&self) -> usize {
        self.places.len()
    }

    fn program(&self, chosen: &Set) -> Program {
        let insertions = merge_copies(self.base, &self.insertions(chosen));
        forget_dead(&insert(self.base, &insertions))
    }

    fn rotated(&self, chosen: &Set, rotation: &Rotation) -> Option<Set> {
        let places: Option<Vec<usize>> = (chosen.iter())
            .map(|place| {
                let rotated = rotated(&self.places[place], rotation);
                self.places.iter().position(|other| *other == rotated)
            })
            .collect();
        Some(Set::of(self.size(), places?))
    }

    fn beside(&self, process: ProcessId, copy: u32, edge: EdgeId) -> Set {
        let edge = self.base.process(process).cfg.edge(edge);
        let passed = |place: &Place| {
            let here = match place.spot {
                Spot::After(origin) => origin == edge.origin,
                Spot::Before(point) => point == edge.from,
            };
            here && place.process == process && place.copy.is_none_or(|other| other == copy)
        };
        Set::of(self.size(), (0..self.size()).filter(|number| passed(&self.places[*number].place)))
    }
}

fn rotated(insertion: &Insertion, rotation: &Rotation) -> Insertion {
    let mut result = insertion.clone();
    if result.place.process == rotation.process {
        result.place.copy = result.place.copy.map(|copy| rotation.copy(copy));
    }
    if let Op::Flush { process, copy } = &mut result.op
        && *process == rotation.process
        && let Some(Value::Int(number)) = copy.as_value()
        && let Ok(number) = u32::try_from(*number)
    {
        *copy = Term::int(i64::from(rotation.copy(number)));
    }
    result
}

/// A fence or flush of the text: all steps of one origin with the same operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Existing {
    pub process: ProcessId,
    pub origin: Origin,
    pub op: Op,
}

impl Existing {
    pub(crate) fn is(&self, program: &Program, process: ProcessId, edge: EdgeId) -> bool {
        let edge = program.process(process).cfg.edge(edge);
        self.process == process && self.origin == edge.origin && fence_of(edge) == Some(&self.op)
    }
}

/// The fence or flush that an edge is and nothing else. What a text says with one fence may be two of
/// an architecture; the first stands for both.
pub(crate) fn fence_of(edge: &Edge) -> Option<&Op> {
    let mut ops = edge.ops.iter().filter(|op| !matches!(op, Op::Forget { .. }));
    let first = ops.next()?;
    let waits = |op: &Op| matches!(op, Op::Fence(_) | Op::Flush { .. });
    (waits(first) && ops.all(waits)).then_some(first)
}

/// Fences and flushes that are in the text; a member keeps those that are chosen.
#[derive(Debug)]
pub(crate) struct Kept<'a> {
    pub base: &'a Program,
    pub fences: &'a [Existing],
}

impl Family for Kept<'_> {
    fn base(&self) -> &Program {
        self.base
    }

    fn size(&self) -> usize {
        self.fences.len()
    }

    fn program(&self, chosen: &Set) -> Program {
        let mut result = self.base.clone();
        for process in self.base.process_ids() {
            for edge in self.base.process(process).cfg.edge_ids() {
                let place = self.fences.iter().position(|fence| fence.is(self.base, process, edge));
                if let Some(place) = place
                    && !chosen.contains(place)
                {
                    let edge = &mut result.processes[process.0 as usize].cfg.edges[edge.0 as usize];
                    edge.ops.iter_mut().for_each(|op| *op = without_wait(op));
                }
            }
        }
        forget_dead(&result)
    }

    /// A fence of the text is in all copies: nothing new to learn.
    fn rotated(&self, _: &Set, _: &Rotation) -> Option<Set> {
        None
    }
}

/// An operation that waits for nothing but uses the same locals, so that these die at the same
/// points with and without the fence, and schedules carry over.
fn without_wait(op: &Op) -> Op {
    match op {
        Op::Fence(_) | Op::Flush { .. } => {
            let same = op_terms(op).into_iter().map(|term| term.clone().equals(term.clone()));
            Op::Assume { condition: Term::conjunction(same) }
        }
        other => other.clone(),
    }
}
