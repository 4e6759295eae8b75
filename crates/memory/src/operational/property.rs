//! The evaluation of properties in states of a machine.

use wattle_logic::{Environment, Fault, Value};
use wattle_program::{Point, ProcessId, Program, Property, PropertyKind, Shape};

use super::state::State;

/// A whole state as the environment of a formula.
#[derive(Debug)]
pub struct View<'a> {
    pub program: &'a Program,
    pub shape: &'a Shape,
    pub state: &'a State,
}

impl Environment for View<'_> {
    fn locate(&self, variable: u32, indices: &[i64]) -> Result<u32, Fault> {
        self.shape.locate(variable, indices)
    }
    fn number(&self, location: u32) -> Result<i64, Fault> {
        self.shape.number(location)
    }
    fn pointer(&self, number: i64) -> Result<u32, Fault> {
        self.shape.pointer(number)
    }
    fn copies(&self, process: u32) -> Result<i64, Fault> {
        Ok(i64::from(self.shape.copies_of(ProcessId(process))))
    }
    fn content(&self, location: u32) -> Result<Value, Fault> {
        self.state.memory.get(location as usize).cloned().ok_or(Fault::OutOfBounds)
    }
    fn seen(&self, process: u32, copy: i64, location: u32) -> Result<Value, Fault> {
        let thread = self.shape.checked_thread(process, copy)?;
        self.state.seen(thread, location).cloned().ok_or(Fault::OutOfBounds)
    }
    fn at(&self, process: u32, copy: i64, point: u32) -> Result<bool, Fault> {
        let thread = self.shape.checked_thread(process, copy)?;
        Ok(self.state.threads[thread.0 as usize].point == Point(point))
    }
    fn ended(&self, process: u32, copy: i64) -> Result<bool, Fault> {
        let thread = self.shape.checked_thread(process, copy)?;
        let point = self.state.threads[thread.0 as usize].point;
        Ok(self.program.process(ProcessId(process)).cfg.point(point).end)
    }
    fn local_of(&self, process: u32, copy: i64, local: u32) -> Result<Value, Fault> {
        let thread = self.shape.checked_thread(process, copy)?;
        let locals = &self.state.threads[thread.0 as usize].locals;
        locals.get(local as usize).cloned().ok_or(Fault::Meaningless)
    }
}

/// A property (by number) that a state violates, or a fault in evaluating it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    pub property: usize,
    pub fault: Option<Fault>,
}

/// The first property, in the order of the text, that the state violates. While a thread is inside
/// an atomic section nothing is judged: the section is one step.
pub fn first_violation(program: &Program, shape: &Shape, state: &State) -> Option<Violation> {
    violations(program, shape, state).into_iter().next()
}

/// Every property that a state violates, or that has no value in it, in the order of the text.
pub fn violations(program: &Program, shape: &Shape, state: &State) -> Vec<Violation> {
    let in_section = shape.thread_ids().any(|thread| {
        let cfg = &program.process(shape.info(thread).process).cfg;
        cfg.point(state.threads[thread.0 as usize].point).inside.is_some()
    });
    if in_section {
        return vec![];
    }
    let view = View { program, shape, state };
    let mut last = None;
    let mut is_last = || *last.get_or_insert_with(|| counts_as_final(&view));
    let judge = |(property, info): (usize, &Property)| {
        let bad = match info.kind {
            PropertyKind::Forbid => info.formula.evaluate_bool(&view),
            PropertyKind::Always => info.formula.evaluate_bool(&view).map(|holds| !holds),
            PropertyKind::Finally if !is_last() => return None,
            PropertyKind::Finally => info.formula.evaluate_bool(&view).map(|holds| !holds),
        };
        match bad {
            Ok(false) => None,
            Ok(true) => Some(Violation { property, fault: None }),
            Err(fault) => Some(Violation { property, fault: Some(fault) }),
        }
    };
    program.properties.iter().enumerate().filter_map(judge).collect()
}

fn counts_as_final(view: &View<'_>) -> bool {
    is_final(view.program, view.shape, view.state)
        && (view.program.filter.as_ref()).is_none_or(|filter| filter.evaluate_bool(view).unwrap_or(true))
}

/// All threads have ended, buffers are drained and remote operations are done.
pub fn is_final(program: &Program, shape: &Shape, state: &State) -> bool {
    let ended = shape.thread_ids().all(|thread| {
        let cfg = &program.process(shape.info(thread).process).cfg;
        cfg.point(state.threads[thread.0 as usize].point).end
    });
    ended && state.stores.iter().all(Vec::is_empty) && state.halves.iter().all(Vec::is_empty)
}
