//! Which edges does no execution take, and does one end?
//!
//! A proof about places that nothing reaches is worth little, so it says what it did not reach. Each
//! execution that the solver finds shows many edges at once; the next must show one that is still
//! missing, until there is none.

use wattle_engine::Reason;
use wattle_program::{EdgeId, ProcessId};
use wattle_sat::{Clauses, Lit};

use crate::query::Instance;

pub(crate) struct Coverage {
    pub unreached: Vec<(ProcessId, EdgeId)>,
    pub ends: bool,
}

pub(crate) fn coverage(instance: &mut Instance<'_, '_>, ends: Lit) -> Result<Coverage, Reason> {
    // Each edge with the literals of the steps that take it.
    let mut missing: Vec<((ProcessId, EdgeId), Vec<Lit>)> = Vec::new();
    for process in instance.program.process_ids() {
        let edges = instance.program.process(process).cfg.edge_ids();
        missing.extend(edges.map(|edge| ((process, edge), vec![])));
    }
    let first: Vec<usize> = (instance.program.processes.iter())
        .scan(0, |sum, process| {
            let first = *sum;
            *sum += process.cfg.edges.len();
            Some(first)
        })
        .collect();
    for (step, taken) in instance.encoding.structure.steps.iter().zip(&instance.words.taken) {
        let process = instance.shape.info(step.thread).process;
        missing[first[process.0 as usize] + step.edge.0 as usize].1.push(*taken);
    }
    missing.retain(|(_, taken)| !taken.contains(&Lit::TRUE));
    let mut ended = ends == Lit::TRUE;
    let mut last_asked: Option<Lit> = None;
    loop {
        let mut wanted: Vec<Lit> = missing.iter().flat_map(|(_, taken)| taken.iter().copied()).collect();
        wanted.retain(|literal| *literal != Lit::FALSE);
        if !ended {
            wanted.push(ends);
        }
        if wanted.is_empty() {
            break;
        }
        // The question before has been answered.
        if let Some(asked) = last_asked.take() {
            instance.solver.clause(&[!asked]);
        }
        let asked = instance.solver.fresh();
        wanted.push(!asked);
        instance.solver.clause(&wanted);
        last_asked = Some(asked);
        if !instance.exists(&[asked])? {
            break;
        }
        let solver = &instance.solver;
        missing.retain(|(_, taken)| !taken.iter().any(|literal| solver.value(*literal)));
        ended = ended || solver.value(ends);
    }
    Ok(Coverage { unreached: missing.into_iter().map(|(edge, _)| edge).collect(), ends: ended })
}
