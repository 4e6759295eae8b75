//! The steps of a thread: what they start, what they wait for, and who notices what they write.

use std::collections::BTreeSet;

use wattle_logic::{Binary, Sort, Term};
use wattle_program::{Edge, Op, ThreadId, Unsupported};

use super::statement::{Holds, Kind, Pending};
use super::thread::{OfThread, Ops, Scratch, load, nothing, store, within};
use crate::reduction::address::{self, Target};
use crate::reduction::store_buffers::MOST_CASES;
use crate::reduction::thread::at;

/// One case of a step.
#[derive(Clone, Default)]
pub(super) struct Case {
    pub ops: Ops,
    /// The locations that it has written. Who is to read them gets what they hold after the whole step: in the middle of
    /// it nobody reads.
    pub written: BTreeSet<u32>,
    /// The slots of an atomic are all in use: nothing follows.
    pub full: bool,
}

impl OfThread<'_, '_> {
    /// The cases of a step.
    pub(super) fn step(&self, number: usize, edge: &Edge) -> Result<Vec<Case>, Unsupported> {
        let mut cases = vec![Case::default()];
        for (position, op) in edge.ops.iter().enumerate() {
            let mut next = Vec::new();
            for case in cases {
                match case.full {
                    true => next.push(case),
                    false => next.extend(self.after(case, op, (number, position), edge)?),
                }
            }
            cases = next;
            if cases.len() > MOST_CASES {
                let what = format!("a step of more than {MOST_CASES} cases");
                return Err(Unsupported { what, span: at(edge) });
            }
        }
        for case in cases.iter_mut().filter(|case| !case.full) {
            let written = std::mem::take(&mut case.written);
            case.ops.extend(written.into_iter().flat_map(|location| self.noticed(location)));
        }
        Ok(cases)
    }

    /// One more operation.
    pub(super) fn after(
        &self,
        case: Case,
        op: &Op,
        place: (usize, usize),
        edge: &Edge,
    ) -> Result<Vec<Case>, Unsupported> {
        let span = edge.origin.0;
        let unsupported = |what: &str| Op::Unsupported { what: what.into(), span };
        let with = |more: Ops| Case {
            ops: [case.ops.clone(), more].concat(),
            written: case.written.clone(),
            full: false,
        };
        let writing = |location: u32, more: Ops| {
            let mut case = with(more);
            case.written.insert(location);
            case
        };
        Ok(match op {
            Op::Store { address, .. } => match address::target(self.writing.shape, address) {
                Target::Fixed(location) => vec![writing(location, vec![op.clone()])],
                Target::OneOf(all) => {
                    let (read, _): (Vec<_>, Vec<_>) =
                        all.into_iter().partition(|(location, _)| !self.readers(*location).is_empty());
                    let mut cases = Vec::new();
                    let mut others = vec![];
                    for (location, condition) in read {
                        others.push(Op::Assume { condition: condition.negated() });
                        cases.push(writing(location, vec![Op::Assume { condition }, op.clone()]));
                    }
                    others.push(op.clone());
                    cases.push(with(others));
                    cases
                }
            },
            Op::Flush { process, copy } => {
                let target = ThreadId(process.0);
                let mut own = self.may_be_pending(edge.from, Some(target));
                own.extend((0..self.writing.found.len()).filter(|one| {
                    let one = &self.writing.found[*one];
                    one.thread == self.thread && one.target == target && one.place.0 == place.0
                }));
                own.sort_unstable();
                own.dedup();
                let mut waits = self.none_pending(&own);
                if !own.is_empty() {
                    waits.push(Op::Forget { local: self.scratch.flag });
                }
                if *copy == Term::int(0) {
                    return Ok(vec![with(waits)]);
                }
                let is_it = copy.clone().equals(Term::int(0));
                let none = vec![
                    Op::Assume { condition: is_it.negated() },
                    unsupported("a flush of a copy that is not there"),
                ];
                waits.insert(0, Op::Assume { condition: is_it });
                vec![with(waits), with(none)]
            }
            Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } => {
                let found = self.writing.found.iter().enumerate();
                let here = found.filter(|(_, one)| one.thread == self.thread && one.place == place);
                let (mut cases, mut others) = (Vec::new(), Vec::new());
                for (number, found) in here {
                    let condition = found.condition.clone();
                    if !condition.is_true() {
                        others.push(Op::Assume { condition: condition.negated() });
                    }
                    for start in self.start(number) {
                        let is_it = Op::Assume { condition: condition.clone() };
                        let is_it = if condition.is_true() { vec![] } else { vec![is_it] };
                        cases.push(Case { full: start.full, ..with([is_it, start.ops].concat()) });
                    }
                }
                if !others.is_empty() {
                    others.push(unsupported("a remote operation on a copy or element that is not there"));
                    cases.push(with(others));
                }
                cases
            }
            Op::LoadExclusive { .. } | Op::StoreConditional { .. } | Op::Spawn { .. } | Op::Join { .. } => {
                let what = "an exclusive access, spawn or join beside remote operations";
                return Err(Unsupported { what: what.into(), span: at(edge) });
            }
            other => vec![with(vec![other.clone()])],
        })
    }

    /// The cases of starting a statement: the first slot that is free, or else the rest.
    pub(super) fn start(&self, number: usize) -> Vec<Case> {
        let statement = &self.writing.statements[number];
        let certain = statement.slots.len() == 1 && statement.rest.is_none() && self.once(number);
        let mut cases = Vec::new();
        let mut in_use = Vec::new();
        for slot in &statement.slots {
            let free = if certain { vec![] } else { self.where_active(slot.active, 0) };
            let ops = [in_use.clone(), free, self.enter(number, slot, true)].concat();
            cases.push(Case { ops, ..Case::default() });
            let flag = Term::local(self.scratch.flag, Sort::Int);
            let other = Term::binary(Binary::NotEqual, flag, Term::int(0));
            in_use.extend([load(self.scratch.flag, slot.active), Op::Assume { condition: other }]);
        }
        match (&statement.rest, self.writing.overflow) {
            (Some(rest), _) => {
                let ops = [in_use, self.enter(number, rest, false)].concat();
                cases.push(Case { ops, ..Case::default() });
            }
            (None, Some(overflow)) if !self.fits(number) => {
                in_use.push(store(overflow, Term::int(1)));
                cases.push(Case { ops: in_use, full: true, ..Case::default() });
            }
            _ => {}
        }
        cases
    }

    pub(super) fn peak(&self, number: usize) -> u32 {
        self.writing.counts[self.thread.0 as usize].peaks.get(&number).copied().unwrap_or(0)
    }

    pub(super) fn once(&self, number: usize) -> bool {
        self.peak(number) <= 1
    }

    /// Are there slots for all instances?
    pub(super) fn fits(&self, number: usize) -> bool {
        self.peak(number) as usize <= self.writing.statements[number].slots.len()
    }

    /// An instance enters a place. `alone`: nothing is in it.
    pub(super) fn enter(&self, number: usize, pending: &Pending, alone: bool) -> Ops {
        let found = &self.writing.found[number];
        let Scratch { flag, elements, value, other } = self.scratch;
        let mut ops = Vec::new();
        let add = |ops: &mut Ops, set: u32| {
            let held = if alone { nothing() } else { Term::local(elements, Sort::IntSet) };
            if !alone {
                ops.push(load(elements, set));
            }
            ops.push(store(set, Term::binary(Binary::Insert, held, Term::local(value, Sort::Int))));
        };
        match (&found.kind, &pending.holds) {
            (Kind::Copy { from }, Holds::Values(set)) => {
                ops.push(self.load_location(value, *from));
                add(&mut ops, *set);
            }
            (Kind::Value, Holds::Values(set)) => {
                let put = found.operands[0].clone();
                ops.push(Op::Assign { local: value, value: put });
                let range = found.to.and_then(|to| self.writing.variable(to).range);
                let inside = within(&Term::local(value, Sort::Int), range);
                ops.extend(inside.map(|condition| Op::Assume { condition }));
                add(&mut ops, *set);
            }
            (Kind::Value, Holds::Value(held)) => ops.push(store(*held, found.operands[0].clone())),
            (_, Holds::Update { operands, .. }) => {
                for (operand, held) in found.operands.iter().zip(operands) {
                    ops.extend(held.map(|held| store(held, operand.clone())));
                }
            }
            _ => {}
        }
        ops.push(store(pending.active, Term::int(1)));
        ops.extend([flag, elements, value, other].map(|local| Op::Forget { local }));
        ops
    }
}
