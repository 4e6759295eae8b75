//! Which programs a store-buffer machine and its axioms can both judge.
//!
//! sc, tso and pso come as a machine and as text, and the two must agree. The text speaks of accesses,
//! fences and locked sections; it does not speak of sections whose stores are buffered, fences for one
//! location, remote operations nor joint steps, and the machine has no exclusives.

use wattle_logic::Kind;
use wattle_program::{Edge, Mode, Op, Program, PropertyKind, accesses, joint_step};

/// Can machine and axioms both judge the program?
pub fn has_twins(program: &Program) -> bool {
    speaks_of_threads(program)
        && joint_step(program).is_none()
        && program.processes.iter().all(|process| {
            process.cfg.points.iter().all(|point| point.inside != Some(Mode::Buffered))
                && process.cfg.edges.iter().all(|edge| has_events(edge) && edge.ops.iter().all(is_spoken_of))
        })
}

/// In the middle of an execution the axioms know where threads stand, not what memory holds.
pub fn speaks_of_threads(program: &Program) -> bool {
    let midway = program.properties.iter().filter(|property| property.kind != PropertyKind::Finally);
    midway.into_iter().all(|property| {
        let mut memory = false;
        property
            .formula
            .walk(&mut |term| memory |= matches!(term.kind(), Kind::Content(_) | Kind::Seen { .. }));
        !memory
    })
}

fn is_spoken_of(op: &Op) -> bool {
    match op {
        Op::Load { .. }
        | Op::Assign { .. }
        | Op::Havoc { .. }
        | Op::Forget { .. }
        | Op::Assume { .. }
        | Op::Store { .. }
        | Op::Assert { .. } => true,
        Op::Fence(fence) => fence.location.is_none(),
        _ => false,
    }
}

/// Do its events say what it does: one access, or a locked step?
fn has_events(edge: &Edge) -> bool {
    edge.mode == Mode::Locked || accesses(edge).len() <= 1
}
