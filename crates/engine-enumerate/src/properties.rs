//! Checks each execution against what the program states: assertions, faults, `forbid`, `always`, `finally`.

use std::collections::BTreeSet;

use wattle_engine::{Coverage, Reason, Unsupported, Violation, fault_text};
use wattle_logic::Fault;
use wattle_memory::cat::Role;
use wattle_program::{EdgeId, Name, ProcessId, Program, PropertyKind, Shape, ThreadId};

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
    /// Some execution faults there. A graph with half a step in it is not something that can be
    /// confirmed, so this is no violation but a reason to give up.
    pub fault: Option<(ThreadId, EdgeId, Fault)>,
    /// The axiom without which the program has no meaning, and which some execution breaks.
    pub undefined: Option<Name>,
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
            fault: None,
            undefined: None,
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
        if let Some((thread, edge, fault)) = self.fault {
            let process = self.program.process(self.shape.info(thread).process);
            let span = Some(process.cfg.edge(edge).origin.0);
            let what = fault_text(self.program, fault);
            return Some(Reason::Unsupported(Unsupported { what, span }));
        }
        let axiom = self.undefined.as_ref()?;
        Some(Reason::Meaningless(axiom.to_string()))
    }

    fn fault(&mut self, found: &Found<'_>) -> bool {
        let mut faults = false;
        for (number, path) in found.paths.iter().enumerate() {
            let End::Faulted { edge, why, .. } = path.end else { continue };
            faults = true;
            let fault = match why {
                Faulted::Certain(fault) => Some(fault),
                Faulted::Possible(expr) => found.arena.evaluate(expr, found.values(number), &[]).err(),
            };
            match fault {
                Some(Fault::Overflow) | None => self.overflow = true,
                Some(fault) => self.fault = Some((ThreadId(number as u32), edge, fault)),
            }
        }
        faults
    }

    fn violation(&mut self, found: &Found<'_>) -> Option<Violation> {
        if self.fault(found) {
            return None;
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
        for (number, check) in self.checks.iter().enumerate() {
            if check.role == Role::UndefinedUnless && !(found.marks)(number) {
                self.undefined = Some(check.name.clone());
            }
        }
        self.violated = self.violation(found);
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
