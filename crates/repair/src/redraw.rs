//! Draw a known execution graph again in a program with other fences.
//!
//! `enact` does this for schedules; this file does it for the graphs of axiomatic models. The threads
//! take the same steps and read from the same writes, and the writes of each location keep their
//! order. On its way each thread goes through the fences that now stand there, and each of them is
//! one more event. Nothing waits: whether the graph is still an execution is for the axioms to say.
//!
//! At the end a thread goes on to the point where it stood, through the fences before it; if the
//! violation is not there then, it stays right behind its last step. So it does at once if a step went
//! wrong, whose assertion fails wherever threads stand later.
//!
//! A redrawn graph is only a proposal. What is claimed of it is checked by `judge::confirm`, which
//! makes events and dependencies anew from the steps of the threads, evaluates the axioms by itself,
//! and knows nothing of this file. (So dependencies of the new fences are left to it.)

use std::collections::VecDeque;

use wattle_engine::{Counterexample, Path, Task, Violation};
use wattle_judge::confirm::confirm;
use wattle_memory::{Event, EventKind, Execution};
use wattle_program::step::Thread;
use wattle_program::{Cfg, Edge, EdgeId, Op, Point, Program, Shape, Tags, ThreadId};

use crate::family::fence_of;

/// The counterexample as a graph of `program` (of a family with this base), confirmed; `None` if it
/// does not survive there.
pub(crate) fn redraw(
    base: &Program,
    task: &Task<'_>,
    counterexample: &Counterexample,
) -> Option<Counterexample> {
    let shape = Shape::new(task.program).ok()?;
    let old = counterexample.execution.as_ref()?;
    let drawn = |ending: Ending| {
        let mut sheet = Sheet::new(base, task.program, &shape, old);
        for (thread, path) in shape.thread_ids().zip(&counterexample.paths) {
            sheet.thread(thread, path, ending)?;
        }
        let (execution, paths) = sheet.finish();
        Some(Counterexample::graph(counterexample.violated.clone(), paths, execution))
    };
    let confirmed = |drawn: Counterexample| confirm(task, &drawn).is_ok().then_some(drawn);
    let short = drawn(Ending::BehindTheLastStep)?;
    // What went wrong in a step does not depend on where threads stand.
    if matches!(counterexample.violated, Violation::Assertion { .. } | Violation::Fault { .. }) {
        return confirmed(short);
    }
    let full = drawn(Ending::WhereItStood)?;
    let same = full.paths == short.paths;
    confirmed(full).or_else(|| if same { None } else { confirmed(short) })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    WhereItStood,
    BehindTheLastStep,
}

/// The events that the next step of a thread makes, if that step takes this edge.
fn events_of<'e>(edge: EdgeId, events: &mut VecDeque<(usize, &'e Event)>) -> Vec<(usize, &'e Event)> {
    let Some(step) = events.front().filter(|(_, event)| event.edge == Some(edge)) else { return vec![] };
    let step = step.1.instruction;
    let count = events.iter().take_while(|(_, event)| event.instruction == step).count();
    events.drain(..count).collect()
}

struct Sheet<'a> {
    base: &'a Program,
    program: &'a Program,
    shape: &'a Shape,
    old: &'a Execution,
    new: Execution,
    /// The new number of each old event that is kept.
    numbers: Vec<Option<u32>>,
    paths: Vec<Path>,
}

impl<'a> Sheet<'a> {
    fn new(base: &'a Program, program: &'a Program, shape: &'a Shape, old: &'a Execution) -> Sheet<'a> {
        let numbers = vec![None; old.events.len()];
        let mut sheet =
            Sheet { base, program, shape, old, new: Execution::default(), numbers, paths: vec![] };
        for (number, event) in old.events.iter().enumerate().filter(|(_, event)| event.is_initial()) {
            sheet.keep(number, event.clone());
        }
        sheet
    }

    fn keep(&mut self, number: usize, event: Event) {
        self.numbers[number] = Some(self.new.events.len() as u32);
        self.new.events.push(event);
    }

    fn cfg(&self, program: &'a Program, thread: ThreadId) -> &'a Cfg {
        &program.process(self.shape.info(thread).process).cfg
    }

    fn thread(&mut self, thread: ThreadId, old: &Path, ending: Ending) -> Option<()> {
        let (base, cfg) = (self.cfg(self.base, thread), self.cfg(self.program, thread));
        let events = self.old.events.iter().enumerate();
        let mut events: VecDeque<(usize, &Event)> =
            events.filter(|(_, event)| event.thread == Some(thread)).collect();
        let mut path = Path::new();
        let mut point = cfg.entry;
        let mut stood = base.entry;
        for (id, choices) in old {
            let own = events_of(*id, &mut events);
            // A fence of the other program, or the way round it.
            if id.0 as usize >= base.edges.len() {
                continue;
            }
            self.pass(thread, &mut path, &mut point, cfg.edge(*id).from)?;
            if fence_of(base.edge(*id)).is_some() {
                self.fence(thread, *id, cfg.edge(*id), path.len());
            } else {
                for (number, event) in own {
                    self.keep(number, Event { instruction: path.len() as u32, ..event.clone() });
                }
            }
            path.push((*id, choices.clone()));
            point = cfg.edge(*id).to;
            stood = base.edge(*id).to;
        }
        if ending == Ending::WhereItStood {
            self.pass(thread, &mut path, &mut point, stood)?;
        }
        self.paths.push(path);
        Some(())
    }

    /// Go through (or round) the fences on the way to `target`.
    fn pass(&mut self, thread: ThreadId, path: &mut Path, point: &mut Point, target: Point) -> Option<()> {
        let (base, cfg) = (self.cfg(self.base, thread), self.cfg(self.program, thread));
        let here = Thread { shape: self.shape, copy: self.shape.info(thread).copy, locals: &[] };
        while *point != target {
            let new = cfg.leaving(*point).filter(|edge| edge.0 as usize >= base.edges.len());
            let open = |edge: &EdgeId| cfg.edge(*edge).guard.evaluate_bool(&here) == Ok(true);
            let id = new.into_iter().find(open)?;
            self.fence(thread, id, cfg.edge(id), path.len());
            path.push((id, vec![]));
            *point = cfg.edge(id).to;
        }
        Some(())
    }

    /// The event of a step that is a fence, if in this program it is one.
    fn fence(&mut self, thread: ThreadId, id: EdgeId, edge: &Edge, step: usize) {
        let Some(Op::Fence(fence)) = fence_of(edge) else { return };
        self.new.events.push(Event {
            kind: EventKind::Fence,
            thread: Some(thread),
            edge: Some(id),
            step: None,
            tags: Tags::from([fence.tag.clone()]),
            instruction: step as u32,
            locked: false,
            orders: fence.orders,
            section: None,
        });
    }

    fn finish(mut self) -> (Execution, Vec<Path>) {
        let number = |old: u32| self.numbers.get(old as usize).copied().flatten();
        let pairs = |old: &[(u32, u32)]| -> Vec<(u32, u32)> {
            old.iter().filter_map(|(from, to)| Some((number(*from)?, number(*to)?))).collect()
        };
        let old = self.old;
        let coherence = |writes: &Vec<u32>| writes.iter().filter_map(|write| number(*write)).collect();
        self.new.coherence = old.coherence.iter().map(coherence).collect();
        self.new.reads_from = pairs(&old.reads_from);
        self.new.address = pairs(&old.address);
        self.new.data = pairs(&old.data);
        self.new.control = pairs(&old.control);
        self.new.pick = pairs(&old.pick);
        self.new.pick_address = pairs(&old.pick_address);
        self.new.pick_data = pairs(&old.pick_data);
        self.new.read_modify_write = pairs(&old.read_modify_write);
        (self.new, self.paths)
    }
}
