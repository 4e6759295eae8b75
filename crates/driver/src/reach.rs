//! What a proof did not reach.
//!
//! A search that visited every state knows which edges no execution takes. Two things follow.
//! Statements none of whose edges are taken are dead, which the user should know. And a property
//! about places that are never reached holds for the wrong reason: the proof is *vacuous*. A
//! complete proof stays *safe* with a warning; a bounded one becomes *unknown*.

use std::collections::{BTreeMap, BTreeSet};

use wattle_engine::{Coverage, Property};
use wattle_logic::Kind;
use wattle_program::{Choice, EdgeId, Op, Origin, ProcessId, Program, PropertyKind};
use wattle_source::{Diagnostic, Sources, Span};

use crate::codes;

/// So many dead statements are named one by one.
const NAMED: usize = 8;

/// An assertion of `false` says that nothing comes here: `if (bad) reach_error();`. That nothing does is what was meant.
fn says_unreachable(op: &Op) -> bool {
    matches!(op, Op::Assert { condition, .. } if condition.is_false())
}

pub(crate) struct Reach<'a> {
    program: &'a Program,
    taken: BTreeSet<(ProcessId, EdgeId)>,
    reached: BTreeSet<(u32, u32)>,
    /// Is there a final state?
    ends: bool,
}

impl<'a> Reach<'a> {
    pub(crate) fn new(program: &'a Program, coverage: &Coverage) -> Reach<'a> {
        let unreached: BTreeSet<_> = coverage.unreached.iter().copied().collect();
        let mut taken = BTreeSet::new();
        let mut reached = BTreeSet::new();
        for process in program.process_ids() {
            let cfg = &program.process(process).cfg;
            reached.insert((process.0, cfg.entry.0));
            for edge in cfg.edge_ids().filter(|edge| !unreached.contains(&(process, *edge))) {
                taken.insert((process, edge));
                reached.insert((process.0, cfg.edge(edge).to.0));
            }
        }
        Reach { program, taken, reached, ends: coverage.ends }
    }

    /// The statements that no execution reaches: origins all of whose edges, in every process, are
    /// never taken.
    pub(crate) fn dead_statements(&self) -> Vec<Span> {
        let mut alive: BTreeMap<Origin, bool> = BTreeMap::new();
        for process in self.program.process_ids() {
            let cfg = &self.program.process(process).cfg;
            for edge in cfg.edge_ids() {
                let entry = alive.entry(cfg.edge(edge).origin).or_default();
                let never_meant = cfg.edge(edge).ops.iter().any(says_unreachable);
                *entry |= never_meant || self.taken.contains(&(process, edge));
            }
        }
        let dead: Vec<Span> = (alive.into_iter())
            .filter(|(origin, alive)| !alive && !origin.0.is_nowhere())
            .map(|(origin, _)| origin.0)
            .collect();
        // A statement inside a dead one is not worth a line of its own.
        let inside = |span: &Span, other: &Span| {
            span != other && other.file == span.file && other.start <= span.start && span.end <= other.end
        };
        dead.iter().filter(|span| !dead.iter().any(|other| inside(span, other))).copied().collect()
    }

    /// Does an execution stand before this statement, only to wait there for ever?
    fn comes_before(&self, span: Span) -> bool {
        self.program.process_ids().any(|process| {
            let edges = &self.program.process(process).cfg.edges;
            let mut own = edges.iter().filter(|edge| edge.origin.0 == span);
            own.any(|edge| self.reached.contains(&(process.0, edge.from.0)))
        })
    }

    /// If nothing that the property speaks about is reached: the places of these things.
    pub(crate) fn vacuous(&self, property: Property) -> Option<Vec<Span>> {
        if property == Property::NoDeadlock {
            return None;
        }
        let mut places = Vec::new();
        for process in self.program.process_ids() {
            let cfg = &self.program.process(process).cfg;
            for edge in cfg.edge_ids() {
                for (number, op) in cfg.edge(edge).ops.iter().enumerate() {
                    if let Op::Assert { span, .. } = op {
                        let comes = self.taken.contains(&(process, edge))
                            || self.comes_to(process, edge, number)
                            || says_unreachable(op) && self.comes_near(process, edge);
                        if comes {
                            return None;
                        }
                        places.push(*span);
                    }
                }
            }
        }
        for property in &self.program.properties {
            let reached = match property.kind {
                PropertyKind::Always => true,
                PropertyKind::Forbid => self.some_point_reached(property),
                PropertyKind::Finally => self.ends,
            };
            if reached {
                return None;
            }
            places.push(property.span);
        }
        places.sort();
        places.dedup();
        Some(places)
    }

    /// Does an execution come to where it is decided whether this edge is reached?
    fn comes_near(&self, process: ProcessId, edge: EdgeId) -> bool {
        let cfg = &self.program.process(process).cfg;
        let from = cfg.edge(edge).from;
        let mut deciding = cfg.edges.iter().filter(|other| other.to == from);
        deciding.any(|other| self.reached.contains(&(process.0, other.from.0)))
    }

    /// Does an execution come to this operation, though perhaps not to the end of its step? Surely so if one
    /// stands before the step and nothing can fail before the operation.
    fn comes_to(&self, process: ProcessId, edge: EdgeId, op: usize) -> bool {
        let info = self.program.process(process);
        let edge = info.cfg.edge(edge);
        let free = |local: &u32| info.locals[*local as usize].range.is_none();
        let runs = |op: &Op| match op {
            Op::Load { into: local, .. } | Op::Assign { local, .. } => free(local),
            Op::Havoc { local, among: Choice::Any } => free(local),
            Op::Assert { .. } | Op::Forget { .. } => true,
            _ => false,
        };
        edge.guard.is_true()
            && self.reached.contains(&(process.0, edge.from.0))
            && edge.ops[..op].iter().all(runs)
    }

    /// A formula that names no points speaks of every state.
    fn some_point_reached(&self, property: &wattle_program::Property) -> bool {
        let mut points = Vec::new();
        property.formula.walk(&mut |term| {
            if let Kind::At { process, point, .. } = term.kind() {
                points.push((*process, *point));
            }
        });
        points.is_empty() || points.iter().any(|point| self.reached.contains(point))
    }

    /// The warning that a vacuous bounded answer deserves. (What it did not reach may be beyond the
    /// bound, so statements are not called dead.)
    pub(crate) fn bounded_warning(&self, property: Property) -> Option<Diagnostic> {
        let places = self.vacuous(property).filter(|places| !places.is_empty())?;
        let message = "no execution within the bound reaches anything that the property speaks about";
        Some(vacuous_warning(&places, message))
    }

    /// The warning that a vacuous proof deserves.
    pub(crate) fn vacuity(&self, property: Property) -> Option<Diagnostic> {
        let places = self.vacuous(property)?;
        if places.is_empty() {
            let warning =
                Diagnostic::warning(codes::NOTHING_STATED, Span::NOWHERE, "the program states no property");
            return Some(
                warning.help("add `assert`, `forbid`, `always` or `finally`; only faults were looked for"),
            );
        }
        let message = "THE PROOF IS VACUOUS: no execution reaches anything that the property speaks about";
        Some(vacuous_warning(&places, message))
    }

    /// The warnings that a proof deserves.
    pub(crate) fn warnings(&self, sources: &Sources, property: Property) -> Vec<Diagnostic> {
        let mut warnings: Vec<Diagnostic> = self.vacuity(property).into_iter().collect();
        let mut dead = self.dead_statements();
        // Nobody wants to hear of what a library of ours does for others.
        dead.retain(|span| !sources.name(span.file).starts_with("<library>"));
        for span in dead.iter().take(NAMED) {
            let message = match self.comes_before(*span) {
                true => "no execution gets through this statement",
                false => "no execution reaches this statement",
            };
            warnings.push(Diagnostic::warning(codes::UNREACHED, *span, message));
        }
        if dead.len() > NAMED {
            let lines: Vec<String> =
                dead[NAMED..].iter().map(|span| sources.line_name(sources.start(*span))).collect();
            let message = format!("nor these lines: {}", lines.join(", "));
            warnings.push(Diagnostic::warning(codes::UNREACHED, dead[NAMED], message));
        }
        warnings
    }
}

fn vacuous_warning(places: &[Span], message: &str) -> Diagnostic {
    let mut warning =
        Diagnostic::warning(codes::VACUOUS, places[0], message).expecting("never put to the test");
    for place in &places[1..] {
        warning = warning.label(*place, "nor this");
    }
    warning.help("look for a condition that never holds before these places")
}
