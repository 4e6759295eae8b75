//! What executions reach, so that a proof about places that are never reached can be told from a real one.

use std::collections::BTreeSet;

use wattle_program::{Cut, EdgeId, ProcessId, Program, cuts};

/// Of all executions, or of those within the bound of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The edges that no execution takes, in the order of the program.
    pub unreached: Vec<(ProcessId, EdgeId)>,
    /// Does one end (as the filter allows)? Of an abstraction: may one end?
    pub ends: bool,
}

impl Coverage {
    /// The edges of a program that are not among those taken.
    pub fn new(program: &Program, taken: &BTreeSet<(ProcessId, EdgeId)>, ends: bool) -> Coverage {
        let unreached = edges(program).filter(|edge| !taken.contains(edge)).collect();
        Coverage { unreached, ends }
    }
}

/// Of what a front end's bounds cut off: what some execution may get to. Without coverage it may be all of it.
pub fn reached_cuts(program: &Program, coverage: Option<&Coverage>) -> Vec<Cut> {
    let unreached = |cut: &Cut| coverage.is_some_and(|coverage| coverage.unreached.contains(&cut.edge));
    cuts(program).filter(|cut| !unreached(cut)).collect()
}

/// All edges of a program.
pub fn edges(program: &Program) -> impl Iterator<Item = (ProcessId, EdgeId)> {
    let of = |process| program.process(process).cfg.edge_ids().map(move |edge| (process, edge));
    program.process_ids().flat_map(of)
}
