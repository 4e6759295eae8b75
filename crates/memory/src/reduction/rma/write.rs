//! The reduced program: variables for what is pending, steps that start and feed it, deliveries.

use wattle_logic::{Sort, Term};
use wattle_program::{
    Edge, EdgeId, Init, Mode, Op, Origin, Point, PointInfo, Program, Range, Role, Shape, ThreadId,
    Unsupported, Variable,
};
use wattle_source::Span;

use super::deliver::Delivery;
use super::pending::{self, Counts};
use super::split::Split;
use super::statement::{Found, Holds, Kind, Pending, Statement, is_plain};
use super::thread::{OfThread, Scratch, is_remote, nothing, zero};
use crate::reduction::store_buffers::unused;
use crate::reduction::thread::{add_local, at};
use crate::reduction::{Capacity, Move};

pub(super) struct Writing<'a> {
    pub split: &'a Split,
    pub shape: &'a Shape,
    pub found: Vec<Found>,
    /// By thread.
    pub counts: Vec<Counts>,
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
        let edge =
            self.split.of[found.thread.0 as usize][found.place.0].unwrap_or(EdgeId(found.place.0 as u32));
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

    pub(super) fn variable(&self, location: u32) -> &Variable {
        &self.result.variables[self.shape.locations[location as usize].variable as usize]
    }

    fn add_set(&mut self, name: &str) -> u32 {
        self.add_variable(name, Sort::IntSet, None, nothing())
    }

    fn add_variable(&mut self, name: &str, sort: Sort, range: Option<Range>, init: Term) -> u32 {
        let name = unused(name, self.result.variables.iter().map(|variable| &variable.name));
        let init = Init::Values(vec![init]);
        let (dimensions, owner, span) = (vec![], None, Span::NOWHERE);
        self.result.variables.push(Variable {
            name,
            sort,
            dimensions,
            range,
            init,
            unbuffered: false,
            place: None,
            owner,
            span,
        });
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
                result.moves.push(match id {
                    Some(id) if case.full => Move::Overflow(id),
                    Some(id) => Move::Step(id),
                    None => Move::End,
                });
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
