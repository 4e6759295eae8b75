//! One thread: its edges as cases, its commits, its ends.

use std::collections::BTreeMap;

use wattle_logic::{Binary, Kind, Sort, Symbol, Term, Value};
use wattle_program::{
    Cfg, Edge, Init, Local, Mode, Op, Orders, Origin, Point, PointInfo, Process, Program, Range, Role, Shape,
    ThreadId, Unsupported,
};
use wattle_source::Span;

use super::address::{Target, target};
use super::case::Case;
use super::pending::{self, Bounds};
use super::store_buffers::{MOST_CASES, unused};
use super::{Capacity, Move};

/// The buffers of one thread, written as locals. `at` is the point that a step starts from.
pub(super) trait Lines {
    /// The locations that have a buffer.
    fn holds(&self, location: u32) -> bool;
    /// The newest pending store, or else `from_memory`.
    fn load(&self, at: Point, case: Case, into: u32, location: u32, from_memory: &Op) -> Vec<Case>;
    fn store(&self, at: Point, case: Case, location: u32, value: &Term) -> Vec<Case>;
    /// Nothing is pending, or nothing for one location.
    fn drained(&self, at: Point, case: Case, location: Option<u32>) -> Vec<Case>;
    /// Every way in which a pending store can reach memory at a point.
    fn commits(&self, at: Point) -> Vec<(u32, Vec<Op>)>;
    /// Nothing is pending.
    fn is_empty(&self, at: Point) -> Term;
    /// Later stores do not overtake what is pending.
    fn barrier(&self, case: Case) -> Case;
}

/// A thread of the program to be reduced.
pub(super) struct Source<'a> {
    pub program: &'a Program,
    pub shape: &'a Shape,
    pub thread: ThreadId,
    /// The variable that says that a buffer was full. `None`: stores that find no room go into a rest.
    pub overflow: Option<u32>,
}

pub(super) struct Translated {
    pub moves: Vec<Move>,
    /// Old and new end points.
    pub ends: Vec<(u32, u32)>,
}

impl Source<'_> {
    pub(super) fn cfg(&self) -> &Cfg {
        &self.program.processes[self.thread.0 as usize].cfg
    }

    pub(super) fn bounds(&self, written: &[u32], capacity: &Capacity) -> Bounds {
        // With a rest, one more than there are slots: is something in it?
        let beyond = u32::from(capacity.rest.is_some());
        let limit = |slots: u32| slots.saturating_add(beyond);
        let limits: BTreeMap<u32, u32> =
            written.iter().map(|location| (*location, limit(capacity.at(*location)))).collect();
        // Two are enough to see that no fence stands between two stores.
        pending::bounds(self.cfg(), self.shape, &limits, limit(capacity.each).max(2))
    }

    /// The sort and range of what a location holds.
    pub(super) fn cell(&self, location: u32) -> (Sort, Option<Range>) {
        let variable = self.shape.locations[location as usize].variable;
        let variable = &self.program.variables[variable as usize];
        (variable.sort, variable.range)
    }

    /// May this store fail, by a fault or because the value is out of range? Where a buffer is full, such a
    /// value is computed nevertheless (into a slot that is not read after that), so that only a store that
    /// is possible overflows.
    pub(super) fn may_fail(&self, location: u32, value: &Term) -> bool {
        let fits = |range: Range| match value.kind() {
            Kind::Value(value) => value.code().is_some_and(|code| range.contains(code)),
            Kind::Symbol(Symbol::Local(local)) => {
                let own = self.program.processes[self.thread.0 as usize].locals[*local as usize].range;
                own.is_some_and(|own| range.contains(own.low) && range.contains(own.high))
            }
            _ => false,
        };
        let mut faults = false;
        value.walk(&mut |node| {
            faults |= match node.kind() {
                Kind::Binary(operator, ..) => {
                    matches!(operator, Binary::Divide | Binary::Remainder | Binary::Offset)
                }
                Kind::Address { .. } => self.shape.fixed_location(node, 0).is_none(),
                Kind::Pointer(_) | Kind::Number(_) => true,
                _ => false,
            }
        });
        faults || !self.cell(location).1.is_none_or(fits)
    }

    pub(super) fn translate(
        &self,
        process: &mut Process,
        lines: &dyn Lines,
    ) -> Result<Translated, Unsupported> {
        let mut result = Translated { moves: vec![], ends: vec![] };
        let source = self.cfg();
        process.cfg.edges.clear();
        let mut stuck = None;
        for id in source.edge_ids() {
            let edge = source.edge(id);
            for case in self.cases(edge, lines)? {
                if case.full && self.overflow.is_none() {
                    let what = "a store that finds no room where none should be needed";
                    return Err(Unsupported { what: what.into(), span: at(edge) });
                }
                let cfg = &mut process.cfg;
                let to = match case.full {
                    false => edge.to,
                    true => *stuck.get_or_insert_with(|| {
                        cfg.add_point(PointInfo { labels: vec!["overflow".into()], ..PointInfo::default() })
                    }),
                };
                result.moves.push(if case.full { Move::Overflow(id) } else { Move::Step(id) });
                let role = if case.full { Role::Step } else { edge.role };
                cfg.edges.push(Edge { ops: case.ops, to, role, ..edge.clone() });
            }
        }
        for point in (0..source.points.len() as u32).map(Point) {
            let edge = |guard, ops, to| Edge {
                from: point,
                guard,
                ops,
                to,
                mode: Mode::Plain,
                role: Role::Step,
                origin: Origin::default(),
            };
            let info = source.point(point);
            if info.inside != Some(Mode::Locked) {
                for (location, ops) in lines.commits(point) {
                    process.cfg.edges.push(edge(Term::bool(true), ops, point));
                    result.moves.push(Move::Commit(location));
                }
            }
            let empty = lines.is_empty(point);
            if info.end && !empty.is_true() {
                process.cfg.points[point.0 as usize].end = false;
                let end = process.cfg.add_point(PointInfo {
                    end: true,
                    origin: info.origin,
                    ..PointInfo::default()
                });
                process.cfg.edges.push(edge(empty, vec![], end));
                result.moves.push(Move::End);
                result.ends.push((point.0, end.0));
            }
        }
        Ok(result)
    }

    fn cases(&self, edge: &Edge, lines: &dyn Lines) -> Result<Vec<Case>, Unsupported> {
        let span = at(edge);
        let mut cases = vec![Case::default()];
        if edge.mode == Mode::Locked {
            cases = cases.into_iter().flat_map(|case| lines.drained(edge.from, case, None)).collect();
        }
        for op in &edge.ops {
            refuse(op, span)?;
            let mut next = Vec::new();
            for case in cases {
                match case.full {
                    true => next.push(case),
                    false if edge.mode == Mode::Locked => next.push(case.with(op.clone())),
                    false => next.extend(self.after(case, op, edge, lines)),
                }
            }
            cases = next;
            if cases.len() > MOST_CASES {
                let what = format!("a step of more than {MOST_CASES} cases");
                return Err(Unsupported { what, span });
            }
        }
        Ok(cases)
    }

    /// One more operation of a step that is not locked.
    fn after(&self, case: Case, op: &Op, edge: &Edge, lines: &dyn Lines) -> Vec<Case> {
        let at = edge.from;
        match op {
            Op::Load { into, address, .. } => {
                self.by_location(case, op, address, lines, &|case, location| {
                    lines.load(at, case, *into, location, op)
                })
            }
            Op::Store { address, value, tags } => {
                let case = if tags.contains("rel") { lines.barrier(case) } else { case };
                self.by_location(case, op, address, lines, &|case, location| {
                    lines.store(at, case, location, value)
                })
            }
            Op::Fence(fence) => match &fence.location {
                Some(address) => self.by_location(case, op, address, lines, &|case, location| {
                    lines.drained(at, case, Some(location))
                }),
                None if fence.orders.contains(Orders::WR) => lines.drained(at, case, None),
                None if fence.orders.contains(Orders::WW) => vec![lines.barrier(case)],
                None => vec![case],
            },
            other => vec![case.with(other.clone())],
        }
    }

    /// A case for each location that has a buffer, and one for all others and for faults: there the
    /// operation stays as it is.
    fn by_location(
        &self,
        case: Case,
        op: &Op,
        address: &Term,
        lines: &dyn Lines,
        buffered: &dyn Fn(Case, u32) -> Vec<Case>,
    ) -> Vec<Case> {
        match target(self.shape, address) {
            Target::Fixed(location) if lines.holds(location) => buffered(case, location),
            Target::Fixed(_) if matches!(op, Op::Fence(_)) => vec![case],
            Target::Fixed(_) => vec![case.with(op.clone())],
            Target::OneOf(locations) => {
                let (mut result, mut otherwise) = (Vec::new(), case.clone());
                for (location, condition) in locations.into_iter().filter(|(one, _)| lines.holds(*one)) {
                    otherwise = otherwise.assuming(condition.negated());
                    result.extend(buffered(case.clone().assuming(condition), location));
                }
                result.push(otherwise.with(op.clone()));
                result
            }
        }
    }
}

/// Where an edge comes from.
pub(super) fn at(edge: &Edge) -> Option<Span> {
    (!edge.origin.0.is_nowhere()).then_some(edge.origin.0)
}

/// What the machines do not run.
fn refuse(op: &Op, span: Option<Span>) -> Result<(), Unsupported> {
    let what = match op {
        Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } | Op::Flush { .. } => {
            "a remote operation on a store-buffer machine"
        }
        Op::LoadExclusive { .. } | Op::StoreConditional { .. } => {
            "exclusive access on a store-buffer machine"
        }
        Op::Spawn { .. } | Op::Join { .. } => "spawn and join",
        _ => return Ok(()),
    };
    Err(Unsupported { what: what.into(), span })
}

/// A new local of the process, zero at the start.
pub(super) fn add_local(process: &mut Process, name: &str, sort: Sort, range: Option<Range>) -> u32 {
    let name = unused(name, process.locals.iter().map(|local| &local.name));
    let init = Init::Values(vec![Term::value(sort.zero(), sort)]);
    process.locals.push(Local { name, sort, range, init, hidden: true });
    process.locals.len() as u32 - 1
}

/// A counter.
pub(super) fn add_counter(process: &mut Process, name: &str, most: u32) -> u32 {
    add_local(process, name, Sort::Int, Some(Range { low: 0, high: i64::from(most) }))
}

pub(super) fn equals(local: u32, value: u32) -> Term {
    Term::local(local, Sort::Int).equals(Term::value(Value::Int(i64::from(value)), Sort::Int))
}
