//! Coverage: the edges that no execution takes, and whether an execution ends.
//!
//! A proof about places that nothing reaches says little, so the answer lists what no execution reached. Each
//! execution that the solver finds shows many edges at once; the next must show one that is still
//! missing, until there is none. What an execution within a bound shows holds for larger bounds too, so
//! deepening asks only for what no smaller bound has shown.

use std::collections::BTreeSet;

use wattle_engine::{Coverage, Reason};
use wattle_program::{EdgeId, ProcessId, Program};
use wattle_sat::{Clauses, Lit};

use crate::solve::query::Session;

/// What executions have shown so far.
#[derive(Default)]
pub(crate) struct Covered {
    edges: BTreeSet<(ProcessId, EdgeId)>,
    ends: bool,
}

/// The coverage where there is no execution.
pub(crate) fn nothing(program: &Program) -> Coverage {
    Coverage::new(program, &BTreeSet::new(), false)
}

/// There is an execution: so what always happens happens in one.
pub(crate) fn cover(
    session: &mut Session<'_, '_>,
    ends: Lit,
    covered: &mut Covered,
) -> Result<Coverage, Reason> {
    // Each edge with the literals of the steps that take it.
    let mut missing: Vec<((ProcessId, EdgeId), Vec<Lit>)> = Vec::new();
    for process in session.program.process_ids() {
        let edges = session.program.process(process).cfg.edge_ids();
        missing.extend(edges.map(|edge| ((process, edge), vec![])));
    }
    let first: Vec<usize> = (session.program.processes.iter())
        .scan(0, |sum, process| {
            let first = *sum;
            *sum += process.cfg.edges.len();
            Some(first)
        })
        .collect();
    for (step, taken) in session.encoding.structure.steps.iter().zip(&session.words.taken) {
        let process = session.shape.info(step.thread).process;
        missing[first[process.0 as usize] + step.edge.0 as usize].1.push(*taken);
    }
    let edges = &mut covered.edges;
    let mut retain = |missing: &mut Vec<((ProcessId, EdgeId), Vec<Lit>)>, shown: &dyn Fn(Lit) -> bool| {
        missing.retain(|(edge, taken)| {
            if taken.iter().any(|literal| shown(*literal)) {
                edges.insert(*edge);
            }
            !edges.contains(edge)
        });
    };
    retain(&mut missing, &|literal| literal == Lit::TRUE);
    covered.ends |= ends == Lit::TRUE;
    let mut last_asked: Option<Lit> = None;
    loop {
        let mut wanted: Vec<Lit> = missing.iter().flat_map(|(_, taken)| taken.iter().copied()).collect();
        if !covered.ends {
            wanted.push(ends);
        }
        wanted.retain(|literal| *literal != Lit::FALSE);
        // The question before has been answered.
        if let Some(asked) = last_asked.take() {
            session.solver.clause(&[!asked]);
        }
        if wanted.is_empty() {
            break;
        }
        let asked = session.solver.fresh();
        wanted.push(!asked);
        session.solver.clause(&wanted);
        last_asked = Some(asked);
        if !session.exists(asked)? {
            break;
        }
        let solver = &session.solver;
        retain(&mut missing, &|literal| solver.value(literal));
        covered.ends |= solver.value(ends);
    }
    let unreached = missing.into_iter().map(|(edge, _)| edge).collect();
    Ok(Coverage { unreached, ends: covered.ends })
}
