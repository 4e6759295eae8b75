//! Control flow: points, and edges that are atomic steps.

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
    /// The head of a waiting loop of several loads. A thread that comes back here has changed
    /// nothing, which the deadlock check uses.
    pub awaits: bool,
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
    pub origin: Origin,
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

    /// Does every way through it end? (Points without predecessors are taken away until none is left.)
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
