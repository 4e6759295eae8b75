//! One thread of the reduced program: what its steps need to name.

use std::sync::Arc;

use wattle_logic::{Binary, Sort, Term, Value};
use wattle_program::{Op, Point, Range, ThreadId};

use super::statement::{Holds, Pending};
use super::write::Writing;
use crate::reduction::address::name;

/// The locals of one thread that hold values within a step.
pub(super) struct Scratch {
    pub flag: u32,
    pub elements: u32,
    pub value: u32,
    pub other: u32,
}

pub(super) type Ops = Vec<Op>;

/// The edges of one thread.
pub(super) struct OfThread<'w, 'a> {
    pub writing: &'w Writing<'a>,
    pub thread: ThreadId,
    pub scratch: Scratch,
}

impl OfThread<'_, '_> {
    pub(super) fn cfg(&self) -> &wattle_program::Cfg {
        &self.writing.split.program.processes[self.thread.0 as usize].cfg
    }

    /// The own statements of which one may be pending here, of one target or of all.
    pub(super) fn may_be_pending(&self, point: Point, target: Option<ThreadId>) -> Vec<usize> {
        let at = &self.writing.counts[self.thread.0 as usize].at[point.0 as usize];
        let fits = |one: &usize| target.is_none_or(|target| self.writing.found[*one].target == target);
        at.keys().copied().filter(fits).collect()
    }

    /// The places that a new value of a location must be added to.
    pub(super) fn readers(&self, location: u32) -> Vec<(u32, u32)> {
        let statements = self.writing.statements.iter().zip(&self.writing.found);
        let reading = statements.filter(|(_, found)| found.copies(location));
        let pending = reading.flat_map(|(statement, _)| statement.slots.iter().chain(&statement.rest));
        let set = |pending: &Pending| match pending.holds {
            Holds::Values(set) => Some((pending.active, set)),
            _ => None,
        };
        pending.filter_map(set).collect()
    }

    /// A location has been written: who is about to read it?
    pub(super) fn noticed(&self, location: u32) -> Ops {
        if self.readers(location).is_empty() {
            return vec![];
        }
        let mut ops = vec![self.load_location(self.scratch.other, location)];
        ops.extend(self.fed(location, self.scratch.other));
        ops.push(Op::Forget { local: self.scratch.other });
        ops
    }

    /// The value of a local, which the location has now, is added to the sets of those who are to read it.
    pub(super) fn fed(&self, location: u32, value: u32) -> Ops {
        let (flag, elements) = (self.scratch.flag, self.scratch.elements);
        let mut ops = Vec::new();
        for (active, set) in self.readers(location) {
            let held = Term::local(elements, Sort::IntSet);
            let with = Term::binary(Binary::Insert, held.clone(), Term::local(value, Sort::Int));
            let is_active = Term::local(flag, Sort::Int).equals(Term::int(1));
            ops.extend([
                load(flag, active),
                load(elements, set),
                store(set, Term::if_then_else(is_active, with, held)),
            ]);
        }
        if !ops.is_empty() {
            ops.extend([Op::Forget { local: flag }, Op::Forget { local: elements }]);
        }
        ops
    }

    pub(super) fn load_location(&self, local: u32, location: u32) -> Op {
        let address = name(self.writing.shape, location);
        Op::Load { into: local, address, tags: Default::default() }
    }

    pub(super) fn store_location(&self, location: u32, value: Term) -> Op {
        Op::Store { address: name(self.writing.shape, location), value, tags: Default::default() }
    }

    /// Assumptions: none of these is pending.
    pub(super) fn none_pending(&self, some: &[usize]) -> Ops {
        let statements = some.iter().map(|one| &self.writing.statements[*one]);
        let pending = statements.flat_map(|statement| statement.slots.iter().chain(&statement.rest));
        pending.flat_map(|pending| self.where_active(pending.active, 0)).collect()
    }

    pub(super) fn where_active(&self, active: u32, phase: i64) -> Ops {
        let flag = Term::local(self.scratch.flag, Sort::Int);
        vec![load(self.scratch.flag, active), Op::Assume { condition: flag.equals(Term::int(phase)) }]
    }
}

pub(super) fn is_remote(op: &Op) -> bool {
    matches!(op, Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. })
}

pub(super) fn address_of(variable: u32) -> Term {
    Term::address(variable, vec![])
}

pub(super) fn load(into: u32, variable: u32) -> Op {
    Op::Load { into, address: address_of(variable), tags: Default::default() }
}

pub(super) fn store(variable: u32, value: Term) -> Op {
    Op::Store { address: address_of(variable), value, tags: Default::default() }
}

pub(super) fn nothing() -> Term {
    Term::value(Value::Set(Arc::default()), Sort::IntSet)
}

/// What a variable of this range holds when it says nothing.
pub(super) fn zero(range: Option<Range>) -> i64 {
    range.filter(|range| !range.contains(0)).map_or(0, |range| range.low)
}

pub(super) fn is_inside(inner: Option<Range>, outer: Option<Range>) -> bool {
    match (inner, outer) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(inner), Some(outer)) => outer.contains(inner.low) && outer.contains(inner.high),
    }
}

pub(super) fn within(value: &Term, range: Option<Range>) -> Option<Term> {
    let range = range?;
    let low = Term::binary(Binary::GreaterEqual, value.clone(), Term::int(range.low));
    Some(low.and(Term::binary(Binary::LessEqual, value.clone(), Term::int(range.high))))
}
