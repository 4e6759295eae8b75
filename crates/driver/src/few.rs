//! What instances with few processes say of a proof for any number.
//!
//! A proof for any number of processes does not know what executions reach. Instances with two and three processes are small enough to be
//! searched: a transition that none of them takes may be a slip of the text, and a violation there would contradict the proof.

use std::collections::BTreeSet;

use wattle_engine::{Contradiction, Engine, Property, Run, Task, Verdict, Work};
use wattle_engine_explore::Explore;
use wattle_memory::MemoryModel;
use wattle_program::{EdgeId, Instance, ProcessId, Program, Replicas};

/// For each instance.
const WORK: Work = Work::milliseconds(300);

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
    let with =
        if any.is_empty() { String::new() } else { format!("with {} processes ", searched.join(" or ")) };
    let lines: BTreeSet<u32> =
        unreached.into_iter().filter_map(|(process, edge)| line(process, edge)).collect();
    let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
    Ok(match lines.is_empty() {
        true => vec![],
        false => vec![format!("{with}no execution takes the transitions on lines {}", lines.join(", "))],
    })
}
