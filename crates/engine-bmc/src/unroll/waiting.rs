//! The points where a thread may wait for ever, so that it must be able to stop there when deadlock is asked about.
//!
//! Two kinds of points. At the one, a step may be refused (an `await` of one load, an `assume`, a range): the thread stands
//! before the step. The other is the head of an await of several loads, which is read again and again. A thread that
//! waits in the middle of its rounds could as well stand at the head: its rounds are never refused halfway (that is
//! required here), so it comes back to the head, and what it reads from then on does not depend on the rounds before
//! (that is required too). So the head is enough.

use std::collections::BTreeSet;

use wattle_engine::Unsupported;
use wattle_program::passes::liveness;
use wattle_program::{Choice, Edge, Op, Point, Process, ProcessId, Program, Role};

/// Where a thread may wait for ever.
pub(crate) fn points(program: &Program) -> Result<BTreeSet<(ProcessId, Point)>, Unsupported> {
    let mut found = BTreeSet::new();
    for id in program.process_ids() {
        let process = program.process(id);
        let awaits = process.cfg.awaits();
        for (number, info) in process.cfg.points.iter().enumerate().filter(|(_, info)| !info.end) {
            let refuse = |what: &str| Err(Unsupported { what: what.into(), span: Some(info.origin.0) });
            let point = Point(number as u32);
            if info.inside.is_some() {
                return refuse("deadlock with an atomic section of several steps, under axioms");
            }
            match awaits[number] {
                Some(head) if head != point => {
                    if !surely_goes_on(program, process, point) {
                        return refuse("deadlock with an await that may stop halfway, under axioms");
                    }
                }
                Some(_) if !forgets_its_rounds(process, &awaits, point) => {
                    return refuse("deadlock with an await that remembers its rounds, under axioms");
                }
                Some(_) => _ = found.insert((id, point)),
                None if surely_goes_on(program, process, point) => {}
                None => _ = found.insert((id, point)),
            }
        }
    }
    Ok(found)
}

/// Is everything that an await changes set in each round before it is read?
fn forgets_its_rounds(process: &Process, awaits: &[Option<Point>], head: Point) -> bool {
    let inside = |point: Point| awaits[point.0 as usize] == Some(head);
    let rounds = process.cfg.edges.iter().filter(|edge| inside(edge.from) && inside(edge.to));
    let changed: BTreeSet<u32> = rounds.flat_map(|edge| edge.ops.iter().filter_map(Op::sets)).collect();
    // Whoever stands here for ever is not looked at by anybody.
    let live = liveness(process, &BTreeSet::new(), |_| false);
    live[head.0 as usize].is_disjoint(&changed)
}

/// Can a step from here always be taken?
fn surely_goes_on(program: &Program, process: &Process, point: Point) -> bool {
    let leaving: Vec<&Edge> = process
        .cfg
        .leaving(point)
        .map(|id| process.cfg.edge(id))
        .filter(|edge| edge.role != Role::Asserts)
        .collect();
    leaving.iter().enumerate().any(|(number, one)| {
        let alone = one.guard.is_true() && refuses_nothing(program, process, one, None);
        alone || leaving[number + 1..].iter().any(|other| one_of_them(program, process, one, other))
    })
}

/// Do two edges differ in one condition only, which one of them makes and the other denies?
fn one_of_them(program: &Program, process: &Process, a: &Edge, b: &Edge) -> bool {
    let refuses = |edge: &Edge, but| refuses_nothing(program, process, edge, but);
    if a.guard.is_opposite(&b.guard) {
        return refuses(a, None) && refuses(b, None);
    }
    let same = a.ops.iter().zip(&b.ops).take_while(|(a, b)| a == b).count();
    let (Some(Op::Assume { condition }), Some(Op::Assume { condition: denied })) =
        (a.ops.get(same), b.ops.get(same))
    else {
        return false;
    };
    let fixed = a.ops[..same].iter().all(|op| !matches!(op, Op::Havoc { .. }));
    fixed
        && a.guard.is_true()
        && b.guard.is_true()
        && condition.is_opposite(denied)
        && refuses(a, Some(same))
        && refuses(b, Some(same))
}

/// Is no operation of an edge (but for one) ever refused?
fn refuses_nothing(program: &Program, process: &Process, edge: &Edge, but: Option<usize>) -> bool {
    let unlimited = |local: u32| process.locals[local as usize].range.is_none();
    edge.ops.iter().enumerate().all(|(number, op)| match op {
        Op::Assume { .. } => Some(number) == but,
        Op::Havoc { among, .. } => matches!(among, Choice::Any),
        Op::Load { into, .. } | Op::LoadExclusive { into, .. } => unlimited(*into),
        Op::Assign { local, .. } => unlimited(*local),
        Op::Store { .. } | Op::StoreConditional { .. } => {
            program.variables.iter().all(|variable| variable.range.is_none())
                && op.sets().is_none_or(unlimited)
        }
        Op::Forget { .. } | Op::Assert { .. } => true,
        Op::Fence(fence) => fence.location.is_none(),
        _ => false,
    })
}
