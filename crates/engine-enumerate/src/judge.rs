//! Judging executions by what the program states: assertions, faults, `forbid`, `always`, `finally`.

use std::collections::BTreeSet;

use wattle_engine::{Unsupported, Violation};
use wattle_logic::Fault;
use wattle_program::{EdgeId, ProcessId, Program, PropertyKind, Shape, ThreadId};

use crate::expression::{Arena, Expr};
use crate::path::{End, Faulted, Path};
use crate::search::{Found, Visitor};
use crate::state::{Cells, negate};
use crate::survey::Watcher;
use crate::witness::edges_of;

pub(crate) struct Judge<'j> {
    program: &'j Program,
    shape: &'j Shape,
    /// What is bad of each property, and whether it is asked of final states only.
    bad: Vec<(Expr, bool)>,
    filter: Option<Expr>,
    pub violated: Option<Violation>,
    pub overflow: bool,
    taken: BTreeSet<(ProcessId, EdgeId)>,
    /// Does some execution end, as the filter allows?
    pub ends: bool,
    ended: bool,
    /// Is the coverage of this combination recorded?
    recorded: bool,
}

impl<'j> Judge<'j> {
    pub fn new(program: &'j Program, shape: &'j Shape) -> Judge<'j> {
        Judge {
            program,
            shape,
            bad: vec![],
            filter: None,
            violated: None,
            overflow: false,
            taken: BTreeSet::new(),
            ends: false,
            ended: false,
            recorded: false,
        }
    }

    /// The edges that no execution takes.
    pub fn unreached(&self) -> Vec<(ProcessId, EdgeId)> {
        let all = self.program.process_ids().flat_map(|process| {
            self.program.process(process).cfg.edge_ids().map(move |edge| (process, edge))
        });
        all.filter(|edge| !self.taken.contains(edge)).collect()
    }

    fn violation(&mut self, found: &Found<'_>) -> Option<Violation> {
        for (number, path) in found.paths.iter().enumerate() {
            let thread = ThreadId(number as u32);
            let values = found.values(number);
            if let End::Faulted { edge, op, why } = path.end {
                let fault = match why {
                    Faulted::Certain(fault) => Some(fault),
                    Faulted::Possible(expr) => found.arena.evaluate(expr, values, &[]).err(),
                };
                match fault {
                    Some(Fault::Overflow) | None => self.overflow = true,
                    Some(fault) => return Some(Violation::Fault { thread, edge, op, fault }),
                }
            }
            for asserted in &path.asserts {
                if found.arena.evaluate(asserted.condition, values, &[]) == Ok(0) {
                    let (edge, op) = (asserted.edge, asserted.op);
                    return Some(Violation::Assertion { thread, edge, op });
                }
            }
        }
        let value = |expr: Expr| found.arena.evaluate(expr, &[], found.cells).map(|value| value != 0);
        let counts = self.ended && self.filter.is_none_or(|filter| value(filter).unwrap_or(true));
        self.ends |= counts;
        for (property, (bad, last)) in self.bad.iter().enumerate() {
            match value(*bad) {
                _ if *last && !counts => {}
                Ok(false) => {}
                Ok(true) => return Some(Violation::Property { property }),
                Err(_) => self.overflow = true,
            }
        }
        None
    }
}

impl Visitor for Judge<'_> {
    fn found(&mut self, found: &Found<'_>) -> bool {
        if !self.recorded {
            self.recorded = true;
            for (thread, path) in found.paths.iter().enumerate() {
                let id = self.shape.threads[thread].process;
                let edges = edges_of(self.program.process(id), path);
                self.taken.extend(edges.map(|edge| (id, edge)));
            }
        }
        self.violated = self.violation(found);
        self.violated.is_none()
    }
}

impl Watcher for Judge<'_> {
    fn prepare(&mut self, cells: &Cells<'_>, arena: &mut Arena<'_>) -> Result<(), Unsupported> {
        for property in &self.program.properties {
            let formula = cells.compile(arena, &property.formula)?;
            self.bad.push(match property.kind {
                PropertyKind::Forbid => (formula, false),
                PropertyKind::Always => (negate(arena, formula), false),
                PropertyKind::Finally => (negate(arena, formula), true),
            });
        }
        self.filter = self.program.filter.as_ref().map(|filter| cells.compile(arena, filter)).transpose()?;
        Ok(())
    }

    fn combination(&mut self, paths: &[&Path<'_>]) {
        self.ended = paths.iter().all(|path| path.end == End::Ended);
        self.recorded = false;
    }
}
