//! Control flow: points, and edges that are atomic steps.

use std::collections::BTreeSet;

use wattle_logic::Term;
use wattle_source::Span;

use crate::{Mode, Name, Op};

/// A control point of one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(pub u32);

/// The number of an edge in its process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId(pub u32);

/// Where an edge comes from. It survives every pass, and all copies of one source place share it:
/// `repair` chooses among origins, and front ends turn an origin back into a text edit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(pub Span);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointInfo {
    /// The labels that stand here.
    pub labels: Vec<Name>,
    /// A thread here has ended.
    pub end: bool,
    /// While a thread stands here, nothing else moves: it is inside an atomic section of this mode.
    pub inside: Option<Mode>,
    pub origin: Origin,
}

/// One atomic step. It can be taken if the guard holds and every operation is enabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: Point,
    pub guard: Term,
    pub ops: Vec<Op>,
    pub to: Point,
    pub mode: Mode,
    pub role: Role,
    pub origin: Origin,
}

impl Edge {
    /// The role of an edge that is to follow this one, where a step is cut in two: the last part retries.
    pub(crate) fn hand_on(&mut self) -> Role {
        match self.role {
            Role::Retries => std::mem::take(&mut self.role),
            Role::Step | Role::Asserts => Role::Step,
        }
    }
}

/// What an edge is there for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    #[default]
    Step,
    /// The way back of an await that reads several times: what it waits for does not hold, so it begins
    /// again at `to`, its head. [`Cfg::awaits`] finds the points of the await by it.
    Retries,
    /// Only for the assertions on it: the thread stops after it. The beginning of a step that may turn out
    /// not to be possible, up to an assertion that fails. No move as far as deadlock is concerned.
    Asserts,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cfg {
    pub entry: Point,
    pub points: Vec<PointInfo>,
    pub edges: Vec<Edge>,
}

impl Cfg {
    pub fn add_point(&mut self, info: PointInfo) -> Point {
        self.points.push(info);
        Point(self.points.len() as u32 - 1)
    }

    pub fn point(&self, point: Point) -> &PointInfo {
        &self.points[point.0 as usize]
    }

    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge.0 as usize]
    }

    pub fn edge_ids(&self) -> impl Iterator<Item = EdgeId> + use<> {
        (0..self.edges.len() as u32).map(EdgeId)
    }

    /// The edges that leave a point, in the order of the text.
    pub fn leaving(&self, point: Point) -> impl Iterator<Item = EdgeId> + '_ {
        self.edge_ids().filter(move |edge| self.edge(*edge).from == point)
    }

    /// For each point, the head of the await that it belongs to: the points that lead to a retrying edge
    /// without passing the head again. An edge that leaves them, or comes back to the head without
    /// retrying, leaves the await. (Sorted by heads; a point that two awaits claim belongs to neither.)
    pub fn awaits(&self) -> Vec<Option<Point>> {
        let mut result: Vec<Option<Point>> = vec![None; self.points.len()];
        let mut shared = vec![false; self.points.len()];
        let heads: BTreeSet<Point> =
            self.edges.iter().filter(|edge| edge.role == Role::Retries).map(|edge| edge.to).collect();
        for head in heads {
            let mut own = BTreeSet::from([head]);
            let mut open: Vec<Point> = (self.edges.iter())
                .filter(|edge| edge.role == Role::Retries && edge.to == head)
                .map(|edge| edge.from)
                .collect();
            while let Some(point) = open.pop() {
                if own.insert(point) {
                    open.extend(self.edges.iter().filter(|edge| edge.to == point).map(|edge| edge.from));
                }
            }
            for point in own {
                let owner = &mut result[point.0 as usize];
                shared[point.0 as usize] |= owner.is_some();
                *owner = Some(head);
            }
        }
        for (owner, shared) in result.iter_mut().zip(shared) {
            if shared {
                *owner = None;
            }
        }
        result
    }

    /// Is the graph free of cycles? (Points without predecessors are taken away until none is left.)
    pub fn is_loop_free(&self) -> bool {
        let mut entering = vec![0; self.points.len()];
        self.edges.iter().for_each(|edge| entering[edge.to.0 as usize] += 1);
        let mut free: Vec<u32> =
            (0..self.points.len() as u32).filter(|at| entering[*at as usize] == 0).collect();
        let mut taken = 0;
        while let Some(point) = free.pop() {
            taken += 1;
            for edge in self.edges.iter().filter(|edge| edge.from.0 == point) {
                entering[edge.to.0 as usize] -= 1;
                if entering[edge.to.0 as usize] == 0 {
                    free.push(edge.to.0);
                }
            }
        }
        taken == self.points.len()
    }

    /// The point that carries a label.
    pub fn labelled(&self, label: &str) -> Option<Point> {
        let found = self.points.iter().position(|info| info.labels.iter().any(|name| &**name == label));
        found.map(|point| Point(point as u32))
    }
}
