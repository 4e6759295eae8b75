//! Checks each execution against what the program states: assertions, faults, `forbid`, `always`, `finally`.

use std::collections::BTreeSet;

use wattle_engine::{Coverage, Reason, Unsupported, Violation, no_violation};
use wattle_logic::Fault;
use wattle_memory::cat::Role;
use wattle_program::{EdgeId, ProcessId, Program, PropertyKind, Shape, ThreadId};

use crate::path::{End, Faulted, Path};
use crate::plan::Check;
use crate::search::{Found, Visitor};
use crate::state::{Cells, negate};
use crate::survey::Watcher;
use crate::witness::edges_of;
use wattle_program::symbolic::{Arena, Expr};

pub(crate) struct PropertyWatcher<'p> {
    program: &'p Program,
    shape: &'p Shape,
    /// For each property the formula that violates it, and whether only final states count.
    bad: Vec<(Expr, bool)>,
    filter: Option<Expr>,
    checks: &'p [Check],
    pub violated: Option<Violation>,
    /// Why a step without a result, which is no violation, leaves the question open.
    beyond: Option<Reason>,
    pub overflow: bool,
    taken: BTreeSet<(ProcessId, EdgeId)>,
    /// Does some execution end, as the filter allows?
    pub ends: bool,
    /// In how many executions does every thread end?
    pub complete: u64,
    /// Does every thread end in this combination?
    ended: bool,
    /// Is the coverage of this combination recorded?
    recorded: bool,
}

impl<'p> PropertyWatcher<'p> {
    pub(crate) fn new(program: &'p Program, shape: &'p Shape, checks: &'p [Check]) -> PropertyWatcher<'p> {
        PropertyWatcher {
            program,
            shape,
            checks,
            beyond: None,
            bad: vec![],
            filter: None,
            violated: None,
            overflow: false,
            taken: BTreeSet::new(),
            ends: false,
            complete: 0,
            ended: false,
            recorded: false,
        }
    }

    pub(crate) fn coverage(&self) -> Coverage {
        Coverage::new(self.program, &self.taken, self.ends)
    }

    /// Why the executions of the program cannot be checked.
    pub(crate) fn gives_up(&self) -> Option<Reason> {
        self.beyond.clone()
    }

    /// A step without a result, if some thread ends in one: the violation that it is, or `None` and why it is none.
    fn fault(&mut self, found: &Found<'_>) -> Option<Option<Violation>> {
        let mut faults = None;
        for (number, path) in found.paths.iter().enumerate() {
            let End::Faulted { edge, op, why, stored } = path.end else { continue };
            let fault = match why {
                Faulted::Certain(fault) => fault,
                Faulted::Possible(expr) => {
                    found.arena.evaluate(expr, found.values(number), &[]).err().unwrap_or(Fault::Overflow)
                }
            };
            let thread = ThreadId(number as u32);
            let process = self.program.process(self.shape.info(thread).process);
            let unseen = || {
                let what = format!("a fault ({fault}) of a step that also stores");
                let span = Some(process.cfg.edge(edge).origin.0);
                Reason::Unsupported(Unsupported { what, span })
            };
            let reason = no_violation(self.program, process.cfg.edge(edge), fault);
            match reason.or_else(|| stored.then(unseen)) {
                None => return Some(Some(Violation::Fault { thread, edge, op, fault })),
                Some(Reason::Overflow) => self.overflow = true,
                Some(reason) => self.beyond = Some(reason),
            }
            faults = Some(None);
        }
        faults
    }

    fn violation(&mut self, found: &Found<'_>) -> Option<Violation> {
        if let Some(fault) = self.fault(found) {
            return fault;
        }
        for (number, path) in found.paths.iter().enumerate() {
            let thread = ThreadId(number as u32);
            let values = found.values(number);
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

impl Visitor for PropertyWatcher<'_> {
    fn found(&mut self, found: &Found<'_>) -> bool {
        if !self.recorded {
            self.recorded = true;
            for (thread, path) in found.paths.iter().enumerate() {
                let id = self.shape.threads[thread].process;
                let edges = edges_of(self.program.process(id), path);
                self.taken.extend(edges.map(|edge| (id, edge)));
            }
        }
        self.complete += u64::from(self.ended);
        self.violated = self.violation(found);
        // An execution with half a step in it counts for nothing.
        let whole = found.paths.iter().all(|path| !matches!(path.end, End::Faulted { .. }));
        if self.violated.is_none() && whole {
            let failed = |(number, check): &(usize, &Check)| {
                check.role == Role::UndefinedUnless && !(found.marks)(*number)
            };
            let undefined = self.checks.iter().enumerate().find(failed);
            self.violated = undefined.map(|(_, check)| Violation::Undefined { axiom: check.name.clone() });
        }
        self.violated.is_none()
    }
}

impl Watcher for PropertyWatcher<'_> {
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
