//! Which programs a store-buffer machine and its axioms can both judge.
//!
//! sc, tso and pso come as a machine and as text, and the two must agree. The text speaks of accesses
//! and fences; it does not speak of atomic sections with several accesses, fences for one location or
//! remote operations nor of joint steps, and the machine has no exclusives.

use std::collections::BTreeSet;

use wattle_logic::{Kind, Term};
use wattle_program::{Edge, Mode, Op, Program, PropertyKind, joint_step};

/// Can machine and axioms both judge the program?
pub fn has_twins(program: &Program) -> bool {
    speaks_of_threads(program)
        && joint_step(program).is_none()
        && program.processes.iter().all(|process| {
            process.cfg.points.iter().all(|point| point.inside.is_none())
                && process
                    .cfg
                    .edges
                    .iter()
                    .all(|edge| has_one_location(edge) && edge.ops.iter().all(is_spoken_of))
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

/// One access, or a locked read and then at most one write of the same location.
fn has_one_location(edge: &Edge) -> bool {
    let accesses = edge.ops.iter().filter_map(|op| match op {
        Op::Load { address, .. } => Some((address, false)),
        Op::Store { address, .. } => Some((address, true)),
        _ => None,
    });
    let accesses: Vec<(&Term, bool)> = accesses.collect();
    let addresses: BTreeSet<&Term> = accesses.iter().map(|(address, _)| *address).collect();
    let stores: Vec<bool> = accesses.iter().map(|(_, store)| *store).collect();
    accesses.len() <= 1
        || edge.mode == Mode::Locked && addresses.len() == 1 && matches!(stores[..], [false, true])
}
