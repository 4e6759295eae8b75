//! From a satisfying assignment to an execution: who did what, who read from whom, who wrote first.

use std::collections::BTreeMap;

use wattle_engine::Path;
use wattle_logic::{Sort, Value};
use wattle_memory::{Event as Happened, EventKind, Execution};
use wattle_program::symbolic::Expr;
use wattle_program::{Program, Shape};
use wattle_sat::{Lit, Pair};

use crate::encode::encoding::Encoding;
use crate::unroll::structure::{Access, Dependency, EventId, Structure};

/// What the solver decided.
pub(crate) trait Assignment {
    fn holds(&self, literal: Lit) -> bool;
    fn is_true(&self, condition: Expr) -> bool;
    fn code(&self, value: Expr) -> i64;
    /// What a read returns.
    fn read(&self, event: EventId) -> i64;
    /// A free choice.
    fn chosen(&self, input: u32) -> i64;
}

pub(crate) fn decode(
    program: &Program,
    shape: &Shape,
    encoding: &Encoding<'_, '_>,
    assignment: &dyn Assignment,
) -> (Execution, Vec<Path>) {
    let structure = encoding.structure;
    let steps = Steps::new(shape, structure, assignment);
    // Numbers of the events that happen. Initial writes keep theirs.
    let mut numbers: Vec<Option<u32>> = Vec::with_capacity(structure.events.len());
    let mut execution = Execution { coherence: vec![vec![]; shape.locations.len()], ..Execution::default() };
    for (number, event) in structure.events.iter().enumerate() {
        let initial = event.thread.is_none();
        if !initial && !assignment.holds(encoding.happens[number]) {
            numbers.push(None);
            continue;
        }
        numbers.push(Some(execution.events.len() as u32));
        let location = match event.access {
            Access::Fence => 0,
            _ => u32::try_from(assignment.code(event.address)).unwrap_or(0),
        };
        let sort = sort_at(program, shape, location);
        let written = || decoded(sort, event.written.map_or(0, |value| assignment.code(value)));
        let read = || decoded(sort, assignment.read(number as EventId));
        let kind = match event.access {
            Access::Read => EventKind::Read { location, value: read() },
            Access::Write => EventKind::Write { location, value: written() },
            Access::Update => EventKind::Update { location, read: read(), written: written() },
            Access::Fence => EventKind::Fence,
        };
        execution.events.push(match initial {
            true => Happened::initial(location, written()),
            false => Happened {
                kind,
                thread: event.thread,
                edge: Some(structure.steps[event.step as usize].edge),
                step: None,
                tags: event.tags.clone(),
                instruction: steps.position[event.step as usize],
                locked: event.locked,
                orders: event.orders,
                section: (event.section.iter())
                    .find(|(_, when)| assignment.is_true(*when))
                    .map(|(section, _)| *section),
            },
        });
    }
    let both = |(a, b): Pair| Some((numbers[a as usize]?, numbers[b as usize]?));
    let true_pairs = |pairs: &[(Lit, Pair)]| -> Vec<Pair> {
        let held = pairs.iter().filter(|(literal, _)| assignment.holds(*literal));
        held.filter_map(|(_, pair)| both(*pair)).collect()
    };
    execution.reads_from = true_pairs(&encoding.reads_from);
    execution.reads_from.sort_unstable_by_key(|(_, read)| *read);
    execution.coherence = in_order(&execution, &true_pairs(&encoding.coherence));
    let depends = |dependencies: &[Dependency]| -> Vec<Pair> {
        let real = dependencies.iter().filter(|one| assignment.is_true(one.when));
        let mut pairs: Vec<Pair> = real.filter_map(|one| both((one.from, one.to))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    };
    execution.address = depends(&structure.address);
    execution.data = depends(&structure.data);
    execution.control = depends(&structure.control);
    execution.pick = depends(&structure.pick);
    execution.pick_address = depends(&structure.pick_address);
    execution.pick_data = depends(&structure.pick_data);
    let pairs = structure.read_modify_write.iter().filter(|pair| assignment.is_true(pair.when));
    execution.read_modify_write = pairs.filter_map(|pair| both((pair.read, pair.write))).collect();
    (execution, steps.paths)
}

/// The steps that are taken.
struct Steps {
    paths: Vec<Path>,
    /// For each step of the structure, its position in the path of its thread.
    position: Vec<u32>,
}

impl Steps {
    fn new(shape: &Shape, structure: &Structure<'_>, assignment: &dyn Assignment) -> Steps {
        let mut paths: Vec<Path> = vec![vec![]; shape.threads.len()];
        let mut position = vec![0; structure.steps.len()];
        // A step without a result is the last of its thread, and what comes after its fault is not chosen.
        let faulted: BTreeMap<u32, usize> = (structure.faults.iter())
            .filter(|failure| assignment.is_true(failure.when))
            .map(|failure| (failure.step, failure.choices))
            .collect();
        for (number, step) in structure.steps.iter().enumerate() {
            let fault = faulted.get(&(number as u32));
            if assignment.is_true(step.taken) || fault.is_some() {
                let path = &mut paths[step.thread.0 as usize];
                position[number] = path.len() as u32;
                let made = fault.copied().unwrap_or(step.choices.len());
                let choices = step.choices.iter().take(made).map(|input| assignment.chosen(*input));
                path.push((step.edge, choices.collect()));
            }
        }
        Steps { paths, position }
    }
}

/// For each location, its writes in coherence order: each comes after as many as precede it.
fn in_order(execution: &Execution, coherence: &[Pair]) -> Vec<Vec<u32>> {
    let mut earlier = vec![0u32; execution.events.len()];
    coherence.iter().for_each(|(_, later)| earlier[*later as usize] += 1);
    let mut writes: Vec<Vec<u32>> = vec![vec![]; execution.coherence.len()];
    for (number, event) in execution.events.iter().enumerate() {
        if let (Some(location), Some(_)) = (event.location(), event.written())
            && let Some(writes) = writes.get_mut(location as usize)
        {
            writes.push(number as u32);
        }
    }
    writes.iter_mut().for_each(|writes| writes.sort_by_key(|write| earlier[*write as usize]));
    writes
}

fn sort_at(program: &Program, shape: &Shape, location: u32) -> Sort {
    let variable = shape.locations.get(location as usize).map(|location| location.variable);
    let variable = variable.and_then(|variable| program.variables.get(variable as usize));
    variable.map_or(Sort::Int, |variable| variable.sort)
}

fn decoded(sort: Sort, code: i64) -> Value {
    sort.decode(code).unwrap_or(Value::Int(code))
}
