//! Where a front end's own bound ends.
//!
//! A program of a rich language is represented up to bounds that its front end sets: so many heap cells of each
//! allocation, so many threads made in a loop, so deep a recursion. What lies beyond is not in the program, and a thread that
//! gets there takes an edge with [`Op::Cut`]. The operation does nothing; the edge leads to a point that nothing leaves and
//! that is no end (`validate` insists on it). So the thread stops, and everything that others do counts, as with an
//! assumption that does not hold. There is no new kind of step for machines and axioms to know.
//!
//! What is new is what an answer is worth: one without a violation is *bounded* as soon as some execution takes such an edge,
//! and *safe* if none does. That is what coverage says of every edge, and so engines ask it.

use wattle_source::Span;

use crate::{EdgeId, Name, Op, ProcessId, Program};

/// An edge on which a thread leaves what the program covers, and what is beyond it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    pub edge: (ProcessId, EdgeId),
    pub what: Name,
    pub span: Span,
}

/// The edges of a program on which threads are cut.
pub fn cuts(program: &Program) -> impl Iterator<Item = Cut> {
    let edges = |process| program.process(process).cfg.edge_ids().map(move |edge| (process, edge));
    program.process_ids().flat_map(edges).flat_map(|(process, edge)| {
        let ops = &program.process(process).cfg.edge(edge).ops;
        ops.iter().filter_map(move |op| match op {
            Op::Cut { what, span } => Some(Cut { edge: (process, edge), what: what.clone(), span: *span }),
            _ => None,
        })
    })
}
