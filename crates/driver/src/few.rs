//! What instances with few processes say of a proof for any number.
//!
//! A proof for any number of processes does not know what executions reach. Instances with two and three processes are small enough to be
//! searched: a transition that none of them takes may be a slip of the text, and a violation there would contradict the proof.
//!
//! Where the text fixes the number, there is one instance, which may be large. Mostly a few steps take every transition, and then there is no more
//! to know.

use std::collections::{BTreeSet, HashSet};

use wattle_engine::{Contradiction, Engine, Property, Run, Task, Verdict, Work};
use wattle_engine_explore::Explore;
use wattle_memory::MemoryModel;
use wattle_memory::operational::{self, Action, MoveResult};
use wattle_program::{EdgeId, Instance, ProcessId, Program, Replicas, Shape};

/// For each instance.
const WORK: Work = Work::milliseconds(300);
/// States of a walk.
const STEPS: usize = 200;

/// Notes for the reader. `Err`: an instance has a violation.
pub(crate) fn instances(
    program: &Program,
    memory: &MemoryModel,
    run: &Run,
    line: impl Fn(ProcessId, EdgeId) -> Option<u32>,
) -> Result<Vec<String>, Contradiction> {
    let any: Vec<ProcessId> = (program.process_ids())
        .filter(|process| program.process(*process).replicas == Replicas::Any)
        .collect();
    if any.is_empty() && walk_takes_all(program, memory) {
        return Ok(vec![]);
    }
    let mut searched: Vec<String> = vec![];
    let mut unreached: Option<BTreeSet<(ProcessId, EdgeId)>> = None;
    for copies in if any.is_empty() { 0..=0 } else { 2..=3 } {
        let instance = Instance(any.iter().map(|process| (*process, copies)).collect());
        let Ok(program) = instance.of(program) else { continue };
        let task = Task { program: &program, memory, property: Property::Stated, hints: None };
        let search = Explore::default();
        if search.accepts(&task).is_err() {
            continue;
        }
        let answer = search.check(&task, &run.at_most(WORK))?;
        if let Verdict::Unsafe { .. } = answer.verdict {
            let words = format!("an instance with {copies} processes has a violation");
            return Err(Contradiction::new(
                "engine backward",
                "safe for any number of processes",
                "engine explore",
                words,
            ));
        }
        let (Verdict::Safe { .. } | Verdict::SafeUpTo { .. }, Some(coverage)) =
            (&answer.verdict, answer.coverage)
        else {
            continue;
        };
        let not: BTreeSet<_> = coverage.unreached.into_iter().collect();
        unreached =
            Some(unreached.map_or(not.clone(), |before| before.intersection(&not).copied().collect()));
        searched.push(copies.to_string());
    }
    let Some(unreached) = unreached else { return Ok(vec![]) };
    // Searches that came to their end say the same as the proof, by other code.
    let agree =
        (!any.is_empty()).then(|| format!("instances with {} processes agree", searched.join(" and ")));
    let with =
        if any.is_empty() { String::new() } else { format!("with {} processes ", searched.join(" or ")) };
    let lines: BTreeSet<u32> =
        unreached.into_iter().filter_map(|(process, edge)| line(process, edge)).collect();
    let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
    let untaken = (!lines.is_empty())
        .then(|| format!("{with}no execution takes the transitions on lines {}", lines.join(", ")));
    Ok(agree.into_iter().chain(untaken).collect())
}

/// Does a short walk take every transition? Each step is one that has not been taken yet, if there is one, and leads to a new state.
fn walk_takes_all(program: &Program, memory: &MemoryModel) -> bool {
    let (Some(machine), Ok(shape)) = (memory.machine, Shape::new(program)) else { return false };
    let Ok(mut starts) = operational::initial_states(program, &shape) else { return false };
    let Some((_, start)) = starts.by_ref().take(STEPS).find_map(|start| start.ok().flatten()) else {
        return false;
    };
    let mut open: BTreeSet<(ProcessId, EdgeId)> = wattle_engine::edges(program).collect();
    let mut known = HashSet::from([start.clone()]);
    let mut stack = vec![start];
    while let Some(state) = stack.pop() {
        if open.is_empty() || known.len() > STEPS {
            break;
        }
        let mut later = vec![];
        for successor in operational::successors(program, &shape, machine, &state) {
            let MoveResult::Moved { state, .. } = successor.result else { continue };
            let is_new = match successor.action {
                Action::Step { thread, edge, .. } => open.remove(&(shape.info(thread).process, edge)),
                _ => false,
            };
            if known.insert(state.clone()) {
                later.push((is_new, state));
            }
        }
        later.sort_by_key(|(is_new, _)| *is_new);
        stack.extend(later.into_iter().map(|(_, state)| state));
    }
    open.is_empty()
}
