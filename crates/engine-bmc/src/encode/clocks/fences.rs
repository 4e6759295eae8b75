//! Algorithm 5: fences with clocks of their own, and cumulativity.
//!
//! Without events for fences, each pair of accesses around a fence would be a constraint, and each
//! write that is read before it would make one with each access after it. With them, what comes before
//! comes before the clock of the fence, what comes after comes after it, and the rest follows.

use wattle_sat::Lit;

use super::Builder;
use super::architecture::{Architecture, Kinds, Row};
use super::clock::Clocked;
use crate::unroll::structure::EventId;

impl Builder<'_, '_, '_, '_, '_> {
    /// How many clocks fences need, at most.
    pub(super) fn fence_clocks(&self) -> usize {
        let events = &self.encoding.structure.events;
        // One more for a release, or for isync.
        events
            .iter()
            .map(|event| self.architecture.rows(event).len() + usize::from(!event.tags.is_empty()))
            .sum()
    }

    pub(super) fn fences(&mut self, clocked: &mut Clocked) {
        let structure = self.encoding.structure;
        let mut after: Vec<Vec<EventId>> = vec![vec![]; structure.events.len()];
        for (event, before) in structure.before.iter().enumerate() {
            for earlier in before {
                after[*earlier as usize].push(event as EventId);
            }
        }
        for fence in 0..structure.events.len() as EventId {
            let event = &structure.events[fence as usize];
            if self.encoding.happens(fence) == Lit::FALSE {
                continue;
            }
            let after = &after[fence as usize];
            for row in self.architecture.rows(event) {
                self.row(clocked, fence, row, after);
            }
            if self.architecture == Architecture::Pso && event.tags.contains("rel") {
                self.release(clocked, fence, after);
            }
            if self.architecture == Architecture::Power && event.tags.contains("ISYNC") {
                self.isync(clocked, fence, after);
            }
        }
    }

    fn row(&mut self, clocked: &mut Clocked, fence: EventId, row: Row, after: &[EventId]) {
        let structure = self.encoding.structure;
        let clock = clocked.extra();
        let here = self.encoding.happens(fence);
        let access = |event: EventId| structure.events[event as usize].access;
        let cumulative = self.options.cumulative;
        for &event in &structure.before[fence as usize] {
            let both = [here, self.encoding.happens(event)];
            if row.before.has(access(event)) {
                clocked.require(self.circuit, &both, event, clock);
            }
            if row.a_cumulative && cumulative {
                for (literal, write) in &self.communication.sources[event as usize] {
                    if self.is_external(*write, event) && !self.is_initial(*write) {
                        clocked.require(self.circuit, &[here, *literal], *write, clock);
                    }
                }
            }
        }
        for &event in after {
            if row.after.has(access(event)) {
                let both = [here, self.encoding.happens(event)];
                clocked.require(self.circuit, &both, clock, event);
            }
        }
        if row.b_cumulative && cumulative {
            for (literal, (write, read)) in &self.encoding.reads_from {
                if self.is_external(*write, *read) && after.binary_search(write).is_ok() {
                    clocked.require(self.circuit, &[here, *literal], clock, *read);
                }
            }
        }
    }

    /// `[W] ; po ; [rel] ; po? ; [W]`: a barrier for writes directly before a release.
    fn release(&mut self, clocked: &mut Clocked, release: EventId, after: &[EventId]) {
        let structure = self.encoding.structure;
        let clock = clocked.extra();
        let here = self.encoding.happens(release);
        let writes = |event: &EventId| Kinds::WRITES.has(structure.events[*event as usize].access);
        for &event in structure.before[release as usize].iter().filter(|event| writes(event)) {
            clocked.require(self.circuit, &[here, self.encoding.happens(event)], event, clock);
        }
        for &event in after.iter().chain([&release]).filter(|event| writes(event)) {
            clocked.require(self.circuit, &[here, self.encoding.happens(event)], clock, event);
        }
    }

    /// `ctrl ; [ISYNC] ; po`
    fn isync(&mut self, clocked: &mut Clocked, fence: EventId, after: &[EventId]) {
        let structure = self.encoding.structure;
        let clock = clocked.extra();
        let here = self.encoding.happens(fence);
        for dependency in structure.control.iter().filter(|dependency| dependency.to == fence) {
            let when = self.circuit.literal(structure, dependency.when);
            let premises = [here, when, self.encoding.happens(dependency.from)];
            clocked.require(self.circuit, &premises, dependency.from, clock);
        }
        for &event in after {
            if Kinds::ALL.has(structure.events[event as usize].access) {
                clocked.require(self.circuit, &[here, self.encoding.happens(event)], clock, event);
            }
        }
    }
}
