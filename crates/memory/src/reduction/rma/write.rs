//! The reduced program: variables for what is pending, steps that start and feed it, deliveries.

use std::collections::BTreeSet;
use std::sync::Arc;

use wattle_logic::{Binary, Sort, Term, Value};
use wattle_program::{
    Choice, Edge, Init, Mode, Op, Origin, Point, PointInfo, Program, PropertyKind, Range, Role, Shape,
    ThreadId, Unsupported, Update, Variable,
};
use wattle_source::Span;

use super::chain::chain;
use super::pending::{self, Counts};
use super::split::Split;
use super::statement::{Found, Holds, Kind, Pending, Statement, is_plain};
use crate::reduction::address::{self, Target, name};
use crate::reduction::store_buffers::{MOST_CASES, unused};
use crate::reduction::thread::{add_local, at};
use crate::reduction::{Capacity, Move};

pub(super) struct Writing<'a> {
    split: &'a Split,
    shape: &'a Shape,
    found: Vec<Found>,
    counts: Vec<Counts>,
    pub result: Program,
    pub statements: Vec<Statement>,
    /// The variable that says that the slots of an atomic were not enough.
    pub overflow: Option<u32>,
}

pub(super) struct Translated {
    pub moves: Vec<Move>,
    /// Old and new end points.
    pub ends: Vec<(u32, u32)>,
}

/// The locals of one thread that hold values within a step.
struct Scratch {
    flag: u32,
    elements: u32,
    value: u32,
    other: u32,
}

type Ops = Vec<Op>;

impl<'a> Writing<'a> {
    pub(super) fn new(
        split: &'a Split,
        shape: &'a Shape,
        found: Vec<Found>,
        capacity: &Capacity,
    ) -> Result<Writing<'a>, Unsupported> {
        plain_addresses(&split.program)?;
        let limit = capacity.each.max(1) + 1;
        let cfg = |thread: ThreadId| &split.program.processes[thread.0 as usize].cfg;
        let counts = shape.thread_ids().map(|thread| pending::counts(cfg(thread), thread, &found, limit));
        let counts: Vec<Counts> = counts.collect();
        let result = split.program.clone();
        let (statements, overflow) = (vec![], None);
        let mut writing = Writing { split, shape, found, counts, result, statements, overflow };
        for number in 0..writing.found.len() {
            let statement = writing.declare(number, capacity);
            writing.statements.push(statement);
        }
        Ok(writing)
    }

    /// The variables of a statement.
    fn declare(&mut self, number: usize, capacity: &Capacity) -> Statement {
        let found = self.found[number].clone();
        let sid = number + 1;
        let peak = self.counts[found.thread.0 as usize].peaks.get(&number).copied().unwrap_or(0);
        let atomic = matches!(found.kind, Kind::Atomic { .. });
        // Where all can be kept apart there is no rest.
        let all = peak <= capacity.each.max(1);
        let sets = capacity.rest.is_some() && !atomic;
        let slots = match (all, sets) {
            (true, _) => peak.max(1),
            (false, true) => capacity.each,
            (false, false) => capacity.each.max(1),
        };
        let word = match (&found.kind, self.is_get(number)) {
            (Kind::Atomic { .. }, _) => "Atomic",
            (_, true) => "Get",
            (_, false) => "Put",
        };
        let suffix = |slot: u32| if slots > 1 { format!("_{}", slot + 1) } else { String::new() };
        let mut of_slots = Vec::new();
        for slot in 0..slots {
            of_slots.push(self.pending(&found, sid, word, &suffix(slot), false));
        }
        let rest = (!all && sets).then(|| {
            let suffix = if slots > 0 { "_more" } else { "" };
            self.pending(&found, sid, word, suffix, true)
        });
        if !all && !sets && self.overflow.is_none() {
            let range = Some(Range { low: 0, high: 1 });
            self.overflow = Some(self.add_variable("overflow", Sort::Int, range, Term::int(0)));
        }
        let edge = self.split.of[found.thread.0 as usize][found.place.0];
        let (thread, target) = (found.thread, found.target);
        let ops = &self.split.program.processes[thread.0 as usize].cfg.edges[found.place.0].ops;
        let op = ops[..found.place.1].iter().filter(|op| is_remote(op)).count();
        Statement { thread, edge, op, target, kind: found.kind, to: found.to, slots: of_slots, rest }
    }

    fn is_get(&self, number: usize) -> bool {
        let found = &self.found[number];
        let edge = &self.split.program.processes[found.thread.0 as usize].cfg.edges[found.place.0];
        matches!(edge.ops[found.place.1], Op::Get { .. })
    }

    fn pending(&mut self, found: &Found, sid: usize, word: &str, suffix: &str, rest: bool) -> Pending {
        let most = if matches!(found.kind, Kind::Atomic { .. }) && found.to.is_some() { 2 } else { 1 };
        let range = Some(Range { low: 0, high: most });
        let active = self.add_variable(&format!("{word}{sid}Active{suffix}"), Sort::Int, range, Term::int(0));
        let source = match found.kind {
            Kind::Copy { from } => from,
            Kind::Atomic { at } => at,
            Kind::Value => found.to.unwrap_or(0),
        };
        let of = self.variable(source).name.to_string();
        let holds = match &found.kind {
            Kind::Copy { .. } => Holds::Values(self.add_set(&format!("{of}{sid}Set{suffix}"))),
            Kind::Value if rest => Holds::Values(self.add_set(&format!("{of}{sid}Set{suffix}"))),
            Kind::Value => {
                let range = self.variable(source).range;
                let zero = Term::int(zero(range));
                Holds::Value(self.add_variable(&format!("{of}{sid}Value{suffix}"), Sort::Int, range, zero))
            }
            Kind::Atomic { .. } => {
                let mut operands = Vec::new();
                for (number, operand) in found.operands.iter().enumerate() {
                    let name = format!("{of}{sid}Operand{}{suffix}", number + 1);
                    let constant = operand.as_value().is_some();
                    operands
                        .push((!constant).then(|| self.add_variable(&name, Sort::Int, None, Term::int(0))));
                }
                let name = format!("{of}{sid}Old{suffix}");
                let old = found.to.map(|_| self.add_variable(&name, Sort::Int, None, Term::int(0)));
                Holds::Update { operands, old }
            }
        };
        Pending { active, holds }
    }

    fn variable(&self, location: u32) -> &Variable {
        &self.result.variables[self.shape.locations[location as usize].variable as usize]
    }

    fn add_set(&mut self, name: &str) -> u32 {
        self.add_variable(name, Sort::IntSet, None, nothing())
    }

    fn add_variable(&mut self, name: &str, sort: Sort, range: Option<Range>, init: Term) -> u32 {
        let name = unused(name, self.result.variables.iter().map(|variable| &variable.name));
        let init = Init::Values(vec![init]);
        let (dimensions, owner, span) = (vec![], None, Span::NOWHERE);
        self.result.variables.push(Variable { name, sort, dimensions, range, init, owner, span });
        self.result.variables.len() as u32 - 1
    }

    pub(super) fn thread(&mut self, thread: ThreadId) -> Result<Translated, Unsupported> {
        let mut process = std::mem::replace(
            &mut self.result.processes[thread.0 as usize],
            self.split.program.processes[thread.0 as usize].clone(),
        );
        let scratch = Scratch {
            flag: add_local(&mut process, "flag", Sort::Int, None),
            elements: add_local(&mut process, "elements", Sort::IntSet, None),
            value: add_local(&mut process, "value", Sort::Int, None),
            other: add_local(&mut process, "other", Sort::Int, None),
        };
        let of = OfThread { writing: self, thread, scratch };
        let source = &self.split.program.processes[thread.0 as usize].cfg;
        let mut result = Translated { moves: vec![], ends: vec![] };
        process.cfg.edges.clear();
        let mut stuck = None;
        for (number, edge) in source.edges.iter().enumerate() {
            let id = self.split.of[thread.0 as usize][number];
            for case in of.step(number, edge)? {
                let (to, role) = match case.full {
                    false => (edge.to, edge.role),
                    true => {
                        let info = PointInfo { labels: vec!["overflow".into()], ..PointInfo::default() };
                        (*stuck.get_or_insert_with(|| process.cfg.add_point(info)), Role::Step)
                    }
                };
                result.moves.push(if case.full { Move::Overflow(id) } else { Move::Step(id) });
                process.cfg.edges.push(Edge { ops: case.ops, to, role, ..edge.clone() });
            }
        }
        for point in (0..source.points.len() as u32).map(Point) {
            let edge = |ops, to| Edge {
                from: point,
                guard: Term::bool(true),
                ops,
                to,
                mode: Mode::Plain,
                role: Role::Step,
                origin: Origin::default(),
            };
            for statement in of.delivered_at(point) {
                for Delivery { slot, acts, ops } in of.deliveries(statement) {
                    process.cfg.edges.push(edge(ops, point));
                    result.moves.push(Move::Deliver { statement: statement as u32, slot, acts });
                }
            }
            let info = source.point(point);
            let own = of.may_be_pending(point, None);
            if info.end && !own.is_empty() {
                process.cfg.points[point.0 as usize].end = false;
                let end = PointInfo { end: true, origin: info.origin, ..PointInfo::default() };
                let end = process.cfg.add_point(end);
                let mut ops = of.none_pending(&own);
                ops.push(Op::Forget { local: of.scratch.flag });
                process.cfg.edges.push(edge(ops, end));
                result.moves.push(Move::End);
                result.ends.push((point.0, end.0));
            }
        }
        self.result.processes[thread.0 as usize] = process;
        Ok(result)
    }
}

/// One case of a step.
#[derive(Clone, Default)]
struct Case {
    ops: Ops,
    /// The locations that it has written. Who is to read them gets what they hold after the whole step: in the middle of
    /// it nobody reads.
    written: BTreeSet<u32>,
    /// The slots of an atomic are all in use: nothing follows.
    full: bool,
}

/// One way to deliver something.
struct Delivery {
    slot: Option<u32>,
    acts: bool,
    ops: Ops,
}

/// The edges of one thread.
struct OfThread<'w, 'a> {
    writing: &'w Writing<'a>,
    thread: ThreadId,
    scratch: Scratch,
}

impl OfThread<'_, '_> {
    fn cfg(&self) -> &wattle_program::Cfg {
        &self.writing.split.program.processes[self.thread.0 as usize].cfg
    }

    /// The own statements of which one may be pending here, of one target or of all.
    fn may_be_pending(&self, point: Point, target: Option<ThreadId>) -> Vec<usize> {
        let at = &self.writing.counts[self.thread.0 as usize].at[point.0 as usize];
        let fits = |one: &usize| target.is_none_or(|target| self.writing.found[*one].target == target);
        at.keys().copied().filter(fits).collect()
    }

    /// The statements that are delivered at a point.
    fn delivered_at(&self, point: Point) -> BTreeSet<usize> {
        let found = &self.writing.found;
        let cfg = self.cfg();
        let inside = cfg.point(point).inside;
        if inside == Some(Mode::Locked) {
            return BTreeSet::new();
        }
        let mut asked: BTreeSet<usize> = BTreeSet::new();
        let mut accessed: BTreeSet<u32> = BTreeSet::new();
        for edge in self.from_here(point) {
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
    fn from_here(&self, point: Point) -> Vec<&Edge> {
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
    fn watched(&self) -> BTreeSet<u32> {
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

    fn locations(&self, address: &Term) -> Vec<u32> {
        match address::target(self.writing.shape, address) {
            Target::Fixed(location) => vec![location],
            Target::OneOf(all) => all.into_iter().map(|(location, _)| location).collect(),
        }
    }

    /// The cases of a step.
    fn step(&self, number: usize, edge: &Edge) -> Result<Vec<Case>, Unsupported> {
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
    fn after(
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

    /// The places that a new value of a location must be added to.
    fn readers(&self, location: u32) -> Vec<(u32, u32)> {
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
    fn noticed(&self, location: u32) -> Ops {
        if self.readers(location).is_empty() {
            return vec![];
        }
        let mut ops = vec![self.load_location(self.scratch.other, location)];
        ops.extend(self.fed(location, self.scratch.other));
        ops.push(Op::Forget { local: self.scratch.other });
        ops
    }

    /// The value of a local, which the location has now, is added to the sets of those who are to read it.
    fn fed(&self, location: u32, value: u32) -> Ops {
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

    fn load_location(&self, local: u32, location: u32) -> Op {
        let address = name(self.writing.shape, location);
        Op::Load { into: local, address, tags: Default::default() }
    }

    fn store_location(&self, location: u32, value: Term) -> Op {
        Op::Store { address: name(self.writing.shape, location), value, tags: Default::default() }
    }

    /// Assumptions: none of these is pending.
    fn none_pending(&self, some: &[usize]) -> Ops {
        let statements = some.iter().map(|one| &self.writing.statements[*one]);
        let pending = statements.flat_map(|statement| statement.slots.iter().chain(&statement.rest));
        pending.flat_map(|pending| self.where_active(pending.active, 0)).collect()
    }

    fn where_active(&self, active: u32, phase: i64) -> Ops {
        let flag = Term::local(self.scratch.flag, Sort::Int);
        vec![load(self.scratch.flag, active), Op::Assume { condition: flag.equals(Term::int(phase)) }]
    }

    /// The cases of starting a statement: the first slot that is free, or else the rest.
    fn start(&self, number: usize) -> Vec<Case> {
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

    fn peak(&self, number: usize) -> u32 {
        self.writing.counts[self.thread.0 as usize].peaks.get(&number).copied().unwrap_or(0)
    }

    fn once(&self, number: usize) -> bool {
        self.peak(number) <= 1
    }

    /// Are there slots for all instances?
    fn fits(&self, number: usize) -> bool {
        self.peak(number) as usize <= self.writing.statements[number].slots.len()
    }

    /// An instance enters a place. `alone`: nothing is in it.
    fn enter(&self, number: usize, pending: &Pending, alone: bool) -> Ops {
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

    /// Every way to deliver something of a statement.
    fn deliveries(&self, number: usize) -> Vec<Delivery> {
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
    fn delivery(&self, number: usize, pending: &Pending, stays: bool) -> Vec<(bool, Ops)> {
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
    fn written(&self, begin: &[Op], to: u32, value: &Term, end: &[Op]) -> Ops {
        let Scratch { flag, elements, value: scratch, other } = self.scratch;
        let mut ops = begin.to_vec();
        ops.push(self.store_location(to, value.clone()));
        ops.extend(self.noticed(to));
        ops.extend(end.iter().cloned());
        ops.extend([flag, elements, scratch, other].map(|local| Op::Forget { local }));
        ops
    }

    /// A value that the location cannot hold.
    fn outside(&self, begin: &[Op], to: u32, value: &Term) -> Ops {
        let mut ops = begin.to_vec();
        if let Some(inside) = within(value, self.writing.variable(to).range) {
            ops.push(Op::Assume { condition: inside.negated() });
        }
        let what = "a remote write outside the declared range".into();
        ops.push(Op::Unsupported { what, span: Span::NOWHERE });
        ops
    }

    fn atomic(
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

fn is_remote(op: &Op) -> bool {
    matches!(op, Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. })
}

fn address_of(variable: u32) -> Term {
    Term::address(variable, vec![])
}

fn load(into: u32, variable: u32) -> Op {
    Op::Load { into, address: address_of(variable), tags: Default::default() }
}

fn store(variable: u32, value: Term) -> Op {
    Op::Store { address: address_of(variable), value, tags: Default::default() }
}

fn nothing() -> Term {
    Term::value(Value::Set(Arc::default()), Sort::IntSet)
}

/// What a variable of this range holds when it says nothing.
fn zero(range: Option<Range>) -> i64 {
    range.filter(|range| !range.contains(0)).map_or(0, |range| range.low)
}

fn is_inside(inner: Option<Range>, outer: Option<Range>) -> bool {
    match (inner, outer) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(inner), Some(outer)) => outer.contains(inner.low) && outer.contains(inner.high),
    }
}

fn within(value: &Term, range: Option<Range>) -> Option<Term> {
    let range = range?;
    let low = Term::binary(Binary::GreaterEqual, value.clone(), Term::int(range.low));
    Some(low.and(Term::binary(Binary::LessEqual, value.clone(), Term::int(range.high))))
}

/// New variables come after the old ones, so that an address that is computed with could reach them: refused.
fn plain_addresses(program: &Program) -> Result<(), Unsupported> {
    let refuse = |span| Unsupported { what: "a pointer that is computed with".into(), span };
    for edge in program.processes.iter().flat_map(|process| &process.cfg.edges) {
        for term in edge.ops.iter().flat_map(wattle_program::op_terms) {
            let mut plain = true;
            term.walk(&mut |part| plain &= part.sort() != Sort::Address || is_plain(part));
            if !plain {
                return Err(refuse(at(edge)));
            }
        }
    }
    Ok(())
}
