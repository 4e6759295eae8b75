//! An execution that was found, as an event graph with the paths that made it.

use wattle_engine::Path as Taken;
use wattle_logic::{Sort, Value};
use wattle_memory::{Event, EventKind, Execution};
use wattle_program::{EdgeId, Program, Shape, ThreadId};

use crate::path::{Access, Pair, PathEvent};
use crate::search::Search;
use crate::unfold::{is_detour, tags_of};
use wattle_program::symbolic::Reads;

/// The graph, and the edges that each thread took.
pub(crate) type Witness = (Execution, Vec<Taken>);

impl<const W: usize> Search<'_, '_, '_, '_, W> {
    /// The execution that was found last.
    pub(crate) fn witness(&self, program: &Program, shape: &Shape) -> Witness {
        let sort_at = |location: u32| {
            let variable = shape.locations[location as usize].variable;
            program.variables[variable as usize].sort
        };
        let value = |location: u32, code: i64| decode(sort_at(location), code);
        let mut execution = Execution::default();
        for location in 0..self.skeleton.locations as u32 {
            let written = value(location, self.written[location as usize]);
            execution.events.push(Event::initial(location, written));
            execution.coherence.push(self.coherence(location as usize));
        }
        for (number, thread, event) in self.skeleton.events() {
            let location = self.address[number];
            let read = || value(location, self.value(thread, event.read));
            let written = || value(location, self.written[number]);
            let kind = match event.access {
                Access::Read => EventKind::Read { location, value: read() },
                Access::Write => EventKind::Write { location, value: written() },
                Access::Update => EventKind::Update { location, read: read(), written: written() },
                Access::Fence => EventKind::Fence,
            };
            execution.events.push(Event {
                kind,
                thread: Some(ThreadId(thread as u32)),
                edge: Some(event.edge),
                step: None,
                tags: tags_of(event),
                instruction: event.instruction,
                locked: event.locked,
                orders: event.orders,
                section: None,
            });
            let from = self.reads_from[number];
            if event.access.reads() {
                execution.reads_from.push((from, number as u32));
            }
            if let Some(Pair::Instruction(read) | Pair::Exclusive(read)) = event.pair {
                let read = self.skeleton.first[thread] as u32 + read;
                execution.read_modify_write.push((read, number as u32));
            }
        }
        execution.address = self.dependencies(|event| event.uses.address);
        execution.data = self.dependencies(|event| event.uses.data);
        execution.control = self.dependencies(|event| event.uses.control);
        execution.pick = self.dependencies(|event| event.uses.pick);
        execution.pick_address = self.dependencies(|event| event.uses.pick_address);
        execution.pick_data = self.dependencies(|event| event.uses.pick_data);
        let threads = 0..self.skeleton.paths.len();
        let paths = threads.map(|thread| self.taken(program, shape, thread)).collect();
        (execution, paths)
    }

    fn dependencies(&self, reads: impl Fn(&PathEvent<'_>) -> Reads) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for (number, thread, event) in self.skeleton.events() {
            let sources = self.skeleton.sources(thread, reads(event));
            pairs.extend(sources.map(|source| (source as u32, number as u32)));
        }
        pairs.sort_unstable();
        pairs
    }

    /// The edges of a thread. Where unfolding took one side of a branch for both, the right one.
    fn taken(&self, program: &Program, shape: &Shape, thread: usize) -> Taken {
        let path = self.skeleton.paths[thread];
        let process = program.process(shape.threads[thread].process);
        let mut steps = path.steps.clone();
        for (edge, condition) in &path.detours {
            let holds = self.arena().evaluate(*condition, self.values(thread), &[]).is_ok_and(|it| it != 0);
            let step = &mut steps[*edge as usize].0;
            let other = process
                .cfg
                .leaving(process.cfg.edge(*step).from)
                .find(|other| *other != *step && is_detour(process, *step, *other));
            if let (false, Some(other)) = (holds, other) {
                *step = other;
            }
        }
        steps
    }
}

/// The value of a sort that has this code.
pub(crate) fn decode(sort: Sort, code: i64) -> Value {
    sort.decode(code).unwrap_or(Value::Int(code))
}

/// Both sides of every branch that a path takes for one.
pub(crate) fn edges_of<'p>(
    process: &'p wattle_program::Process,
    path: &'p crate::path::Path<'_>,
) -> impl Iterator<Item = EdgeId> + 'p {
    let merged = path.detours.iter().filter_map(move |(step, _)| {
        let taken = path.steps[*step as usize].0;
        process.cfg.leaving(process.cfg.edge(taken).from).find(|other| *other != taken)
    });
    path.steps.iter().map(|(edge, _)| *edge).chain(merged)
}
