//! What executions reach, so that a proof about places that are never reached can be told from a real one.

use std::collections::BTreeSet;

use wattle_program::{EdgeId, ProcessId, Program};

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

/// All edges of a program.
pub fn edges(program: &Program) -> impl Iterator<Item = (ProcessId, EdgeId)> {
    let of = |process| program.process(process).cfg.edge_ids().map(move |edge| (process, edge));
    program.process_ids().flat_map(of)
}
