//! Put fences or flushes into a program.
//!
//! A fence becomes an edge of its own: the thread waits *before* it reaches the point that follows,
//! so a label there is reached only after the wait. A fence for one copy of a replicated process is
//! guarded by `me`, as `if (me == 0) fence;` would be.

use wattle_logic::Term;

use crate::{Cfg, Edge, Mode, Name, Op, Origin, Point, PointInfo, ProcessId, Program, Role};

/// A place where a fence may stand.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub process: ProcessId,
    /// In this copy only; `None`: in all.
    pub copy: Option<u32>,
    pub spot: Spot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Spot {
    /// Directly after the steps of this origin that store or start a remote operation.
    After(Origin),
    /// At a control point, before whatever leaves it.
    Before(Point),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    pub place: Place,
    pub op: Op,
}

/// `program` with every insertion in it. Old points and edges keep their numbers.
pub fn insert(program: &Program, insertions: &[Insertion]) -> Program {
    let mut result = program.clone();
    let mut spots: Vec<(ProcessId, Spot, &Op)> =
        insertions.iter().map(|one| (one.place.process, one.place.spot, &one.op)).collect();
    // Copies of one place and kind share one guarded edge.
    let mut seen: Vec<(ProcessId, Spot, &Op)> = Vec::new();
    spots.retain(|spot| {
        let new = !seen.contains(spot);
        seen.push(*spot);
        new
    });
    for (process, spot, op) in spots {
        let copies: Option<Vec<u32>> = (insertions.iter())
            .filter(|one| one.place.process == process && one.place.spot == spot && one.op == *op)
            .map(|one| one.place.copy)
            .collect();
        let guard = match copies {
            None => Term::bool(true),
            Some(copies) => (copies.iter())
                .map(|copy| Term::me().equals(Term::int(i64::from(*copy))))
                .reduce(Term::or)
                .unwrap_or_else(|| Term::bool(true)),
        };
        insert_at(&mut result.processes[process.0 as usize].cfg, spot, op, &guard);
    }
    result
}

fn insert_at(cfg: &mut Cfg, spot: Spot, op: &Op, guard: &Term) {
    match spot {
        Spot::After(origin) => {
            for number in 0..cfg.edges.len() {
                let edge = &cfg.edges[number];
                if edge.origin == origin && takes_fence(edge) {
                    let (to, inside) = (edge.to, cfg.point(edge.to).inside);
                    let middle = cfg.add_point(PointInfo { inside, ..PointInfo::default() });
                    cfg.edges[number].to = middle;
                    let role = cfg.edges[number].hand_on();
                    connect(cfg, (middle, to), op, guard, role, origin);
                }
            }
        }
        Spot::Before(point) => {
            let info = cfg.point(point);
            let (inside, origin) = (info.inside, info.origin);
            let after = cfg.add_point(PointInfo { inside, ..PointInfo::default() });
            for edge in cfg.edges.iter_mut().filter(|edge| edge.from == point) {
                edge.from = after;
            }
            connect(cfg, (point, after), op, guard, Role::Step, origin);
        }
    }
}

/// Does a fence directly after this edge do anything: does it leave something pending? A store with
/// the tag `fenced` does not: a fence that belongs to the same statement follows it.
pub fn takes_fence(edge: &Edge) -> bool {
    let starts = |op: &Op| match op {
        Op::Store { tags, .. } => !tags.contains("fenced"),
        Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } => true,
        _ => false,
    };
    edge.mode != Mode::Locked && edge.ops.iter().any(starts)
}

fn connect(cfg: &mut Cfg, (from, to): (Point, Point), op: &Op, guard: &Term, role: Role, origin: Origin) {
    // In a locked section all edges are.
    let locked = cfg.point(to).inside == Some(Mode::Locked);
    let mode = if locked { Mode::Locked } else { Mode::Plain };
    let edge = |guard: Term, ops: Vec<Op>| Edge { from, guard, ops, to, mode, role, origin };
    cfg.edges.push(edge(guard.clone(), vec![op.clone()]));
    if !guard.is_true() {
        cfg.edges.push(edge(guard.negated(), vec![]));
    }
}

/// A short word for what is inserted, as reports and edits call it.
pub fn kind_name(op: &Op) -> Name {
    match op {
        Op::Fence(fence) => fence.tag.clone(),
        Op::Flush { .. } => "flush".into(),
        _ => "step".into(),
    }
}
