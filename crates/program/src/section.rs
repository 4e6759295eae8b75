//! Atomic sections, as event graphs see them.
//!
//! While a thread is inside a locked section nothing else moves. A graph of events says so with one word an event: the
//! section that it is part of; inside one, events of one step are in the order of its operations. A locked step is a section by itself if its accesses are more than a read, a write, or a read
//! and then a write of one location: that much is said by a pair of `rmw`.

use wattle_logic::Term;

use crate::{Cfg, Edge, Mode, Op, Point, Program};

/// Does a thread that stands here keep all others from moving, with nothing in its buffers?
pub fn is_inside(cfg: &Cfg, point: Point) -> bool {
    cfg.point(point).inside == Some(Mode::Locked)
}

/// Is a locked step a section by itself?
pub fn is_section(edge: &Edge) -> bool {
    let accesses = accesses(edge);
    let pair = matches!(accesses[..], [(read, false), (write, true)] if read == write);
    edge.mode == Mode::Locked && accesses.len() > 1 && !pair
}

/// Are there locked sections with several accesses?
pub fn has_sections(program: &Program) -> bool {
    program.processes.iter().any(|process| {
        process.cfg.points.iter().any(|point| point.inside == Some(Mode::Locked))
            || process.cfg.edges.iter().any(is_section)
    })
}

/// The places that a step accesses, in order, and whether it writes there.
pub fn accesses(edge: &Edge) -> Vec<(&Term, bool)> {
    (edge.ops.iter())
        .filter_map(|op| match op {
            Op::Load { address, .. } | Op::LoadExclusive { address, .. } => Some((address, false)),
            Op::Store { address, .. } | Op::StoreConditional { address, .. } => Some((address, true)),
            _ => None,
        })
        .collect()
}
