//! Deliveries: where they happen, and what each of them does.

use std::collections::BTreeSet;

use wattle_logic::{Binary, Sort, Term, Value};
use wattle_program::{Choice, Edge, Mode, Op, Point, PropertyKind, Update};
use wattle_source::Span;

use super::chain::chain;
use super::statement::{Holds, Kind, Pending};
use super::thread::{OfThread, Ops, Scratch, is_inside, load, nothing, store, within, zero};
use crate::reduction::address::{self, Target};

/// One way to deliver something.
pub(super) struct Delivery {
    pub slot: Option<u32>,
    pub acts: bool,
    pub ops: Ops,
}

impl OfThread<'_, '_> {
    /// The statements that are delivered at a point.
    pub(super) fn delivered_at(&self, point: Point) -> BTreeSet<usize> {
        let found = &self.writing.found;
        let cfg = self.cfg();
        let inside = cfg.point(point).inside;
        if inside == Some(Mode::Locked) {
            return BTreeSet::new();
        }
        let mut asked: BTreeSet<usize> = BTreeSet::new();
        let mut accessed: BTreeSet<u32> = BTreeSet::new();
        for edge in self.steps_from(point) {
            let mut here: BTreeSet<usize> = self.may_be_pending(edge.from, None).into_iter().collect();
            for (position, op) in edge.ops.iter().enumerate() {
                match op {
                    Op::Load { address, .. } | Op::Store { address, .. } => {
                        accessed.extend(self.locations(address));
                    }
                    Op::Flush { process, .. } => {
                        asked.extend(here.iter().filter(|one| found[**one].target.0 == process.0));
                    }
                    // What a step starts, it may wait for.
                    _ => here.extend((0..found.len()).filter(|one| {
                        let one = &found[*one];
                        one.thread == self.thread
                            && one.place.1 == position
                            && std::ptr::eq(edge, &cfg.edges[one.place.0])
                    })),
                }
            }
        }
        let writes = |one: &usize, some: &BTreeSet<u32>| {
            found[*one].writes().iter().any(|location| some.contains(location))
        };
        asked.extend((0..found.len()).filter(|one| writes(one, &accessed)));
        let own = self.may_be_pending(point, None);
        if cfg.point(point).end {
            asked.extend(&own);
        }
        let watched = self.watched();
        asked.extend(own.into_iter().filter(|one| writes(one, &watched)));
        let mut all = chain(found, asked);
        if inside == Some(Mode::Buffered) {
            all.retain(|one| found[*one].thread == self.thread);
        }
        // Of the own ones it is known which may be pending.
        let possible: BTreeSet<usize> = self.may_be_pending(point, None).into_iter().collect();
        all.retain(|one| found[*one].thread != self.thread || possible.contains(one));
        all
    }

    /// The edges that leave a point, and those of the sections that begin there: inside them nothing is delivered, or
    /// only what is the thread's own.
    pub(super) fn steps_from(&self, point: Point) -> Vec<&Edge> {
        let cfg = self.cfg();
        let (mut seen, mut open, mut edges) = (BTreeSet::from([point]), vec![point], vec![]);
        while let Some(from) = open.pop() {
            for edge in cfg.edges.iter().filter(|edge| edge.from == from) {
                edges.push(edge);
                if cfg.point(edge.to).inside.is_some() && seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        edges
    }

    /// The locations that a property sees at every moment.
    pub(super) fn watched(&self) -> BTreeSet<u32> {
        let mut watched = BTreeSet::new();
        let properties = self.writing.split.program.properties.iter();
        for property in properties.filter(|property| property.kind != PropertyKind::Finally) {
            property.formula.walk(&mut |term| {
                if let wattle_logic::Kind::Content(address) = term.kind() {
                    watched.extend(self.locations(address));
                }
            });
        }
        watched
    }

    pub(super) fn locations(&self, address: &Term) -> Vec<u32> {
        match address::target(self.writing.shape, address) {
            Target::Fixed(location) => vec![location],
            Target::OneOf(all) => all.into_iter().map(|(location, _)| location).collect(),
        }
    }

    /// Every way to deliver something of a statement.
    pub(super) fn deliveries(&self, number: usize) -> Vec<Delivery> {
        let statement = &self.writing.statements[number];
        let mut all = Vec::new();
        let mut add = |slot: Option<u32>, ways: Vec<(bool, Ops)>| {
            all.extend(ways.into_iter().map(|(acts, ops)| Delivery { slot, acts, ops }));
        };
        for (at, slot) in (0..).zip(&statement.slots) {
            add(Some(at), self.delivery(number, slot, false));
        }
        if let Some(rest) = &statement.rest {
            add(None, self.delivery(number, rest, false));
            add(None, self.delivery(number, rest, true));
        }
        all
    }

    /// `stays`: others may be pending after it. In the result, `true`: an atomic happens, and is not yet delivered.
    pub(super) fn delivery(&self, number: usize, pending: &Pending, stays: bool) -> Vec<(bool, Ops)> {
        let (statement, Scratch { elements, value, .. }) = (&self.writing.statements[number], &self.scratch);
        let Some(to) = statement.to.or(match statement.kind {
            Kind::Atomic { at } => Some(at),
            _ => None,
        }) else {
            return vec![];
        };
        let range = |location: u32| self.writing.variable(location).range;
        let (begin, end, source) = match &pending.holds {
            Holds::Values(set) => {
                let mut begin = self.where_active(pending.active, 1);
                let among = Choice::Member(Term::local(*elements, Sort::IntSet));
                begin.extend([load(*elements, *set), Op::Havoc { local: *value, among }]);
                let end = if stays { vec![] } else { vec![store(*set, nothing())] };
                let source = match statement.kind {
                    Kind::Copy { from } => range(from),
                    _ => range(to),
                };
                (begin, end, source)
            }
            Holds::Value(held) => {
                let mut begin = self.where_active(pending.active, 1);
                begin.push(load(*value, *held));
                (begin, vec![store(*held, Term::int(zero(range(to))))], range(to))
            }
            Holds::Update { operands, old } => return self.atomic(number, pending, operands, *old),
        };
        let end = if stays { end } else { [end, vec![store(pending.active, Term::int(0))]].concat() };
        let mut all = vec![(false, self.written(&begin, to, &Term::local(*value, Sort::Int), &end))];
        if !is_inside(source, range(to)) && !stays {
            all.push((false, self.outside(&begin, to, &Term::local(*value, Sort::Int))));
        }
        all
    }

    /// A value is written, and those who are to read the location get it.
    pub(super) fn written(&self, begin: &[Op], to: u32, value: &Term, end: &[Op]) -> Ops {
        let Scratch { flag, elements, value: scratch, other } = self.scratch;
        let mut ops = begin.to_vec();
        ops.push(self.store_location(to, value.clone()));
        ops.extend(self.noticed(to));
        ops.extend(end.iter().cloned());
        ops.extend([flag, elements, scratch, other].map(|local| Op::Forget { local }));
        ops
    }

    /// A value that the location cannot hold.
    pub(super) fn outside(&self, begin: &[Op], to: u32, value: &Term) -> Ops {
        let mut ops = begin.to_vec();
        if let Some(inside) = within(value, self.writing.variable(to).range) {
            ops.push(Op::Assume { condition: inside.negated() });
        }
        let what = "a remote write outside the declared range".into();
        ops.push(Op::Unsupported { what, span: Span::NOWHERE });
        ops
    }

    pub(super) fn atomic(
        &self,
        number: usize,
        pending: &Pending,
        operands: &[Option<u32>],
        old: Option<u32>,
    ) -> Vec<(bool, Ops)> {
        let (statement, found) = (&self.writing.statements[number], &self.writing.found[number]);
        let Scratch { flag, elements, value, other } = self.scratch;
        let Kind::Atomic { at } = statement.kind else { return vec![] };
        let edge = &self.writing.split.program.processes[found.thread.0 as usize].cfg.edges[found.place.0];
        let Op::RemoteAtomic { update, .. } = &edge.ops[found.place.1] else { return vec![] };
        let range = |location: u32| self.writing.variable(location).range;
        // The operands, in locals that are free until the location is written.
        let places = [other, flag];
        let mut begin = self.where_active(pending.active, 1);
        begin.push(self.load_location(value, at));
        let mut terms = Vec::new();
        for ((operand, held), place) in found.operands.iter().zip(operands).zip(places) {
            match held {
                None => terms.push(operand.clone()),
                Some(held) => {
                    begin.push(load(place, *held));
                    terms.push(Term::local(place, Sort::Int));
                }
            }
        }
        let before = Term::local(value, Sort::Int);
        let mut clear: Ops = operands.iter().flatten().map(|held| store(*held, Term::int(0))).collect();
        match old {
            Some(old) => clear.extend([store(old, before.clone()), store(pending.active, Term::int(2))]),
            None => clear.push(store(pending.active, Term::int(0))),
        }
        let mut all = Vec::new();
        let mut write = |begin: &[Op], new: Term, certain: bool| {
            all.push((true, self.written(begin, at, &new, &clear)));
            if !certain && range(at).is_some() {
                all.push((true, self.outside(begin, at, &new)));
            }
        };
        let fits = |term: &Term| {
            let value = term.as_value().and_then(Value::as_int);
            range(at).is_none_or(|range| value.is_some_and(|value| range.contains(value)))
        };
        match (update, &terms[..]) {
            (Update::Add(_), [by, ..]) => {
                write(&begin, Term::binary(Binary::Add, before.clone(), by.clone()), false);
            }
            (Update::Replace(_), [new, ..]) => write(&begin, new.clone(), fits(new)),
            (Update::CompareAndSwap { .. }, [expected, new, ..]) => {
                let equal = before.clone().equals(expected.clone());
                let succeeds = [begin.clone(), vec![Op::Assume { condition: equal.clone() }]].concat();
                write(&succeeds, new.clone(), fits(new));
                let mut fails = [begin, vec![Op::Assume { condition: equal.negated() }]].concat();
                fails.extend(clear.clone());
                fails.extend([flag, elements, value, other].map(|local| Op::Forget { local }));
                all.push((true, fails));
            }
            _ => {}
        }
        if let (Some(old), Some(to)) = (old, statement.to) {
            let mut begin = self.where_active(pending.active, 2);
            begin.push(load(value, old));
            let end = [store(old, Term::int(0)), store(pending.active, Term::int(0))];
            all.push((false, self.written(&begin, to, &before, &end)));
            if !is_inside(range(at), range(to)) {
                all.push((false, self.outside(&begin, to, &before)));
            }
        }
        all
    }
}
