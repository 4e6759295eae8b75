//! Writing a control-flow graph from the start to the end: a pen that stands at a point.

use wattle_logic::Term;
use wattle_program::{Cfg, Edge, EdgeId, Mode, Name, Op, Origin, Point, PointInfo, Role};
use wattle_source::{FileId, Span};

#[derive(Clone, Debug)]
pub struct Graph {
    pub cfg: Cfg,
    /// Where the pen stands.
    pub at: Point,
    /// New points are inside an atomic section of this mode.
    pub inside: Option<Mode>,
    next_origin: u32,
}

impl Graph {
    /// Origins count from `first_origin`, so that every edge of a program has its own.
    pub fn new(first_origin: u32) -> Graph {
        let mut cfg = Cfg::default();
        let entry = cfg.add_point(PointInfo::default());
        cfg.entry = entry;
        Graph { cfg, at: entry, inside: None, next_origin: first_origin }
    }

    /// A fresh point that nothing leads to yet.
    pub fn point(&mut self) -> Point {
        self.cfg.add_point(PointInfo { inside: self.inside, ..PointInfo::default() })
    }

    pub fn connect(&mut self, from: Point, mode: Mode, guard: Term, ops: Vec<Op>, to: Point) -> EdgeId {
        let start = self.next_origin as usize;
        self.next_origin += 1;
        let origin = Origin(Span::new(FileId(0), start, start + 1));
        self.cfg.edges.push(Edge { from, guard, ops, to, mode, role: Role::Step, origin });
        EdgeId(self.cfg.edges.len() as u32 - 1)
    }

    /// An edge from where the pen stands.
    pub fn to(&mut self, to: Point, mode: Mode, guard: Term, ops: Vec<Op>) -> EdgeId {
        self.connect(self.at, mode, guard, ops, to)
    }

    /// An edge to a fresh point, where the pen stands next.
    pub fn step(&mut self, mode: Mode, ops: Vec<Op>) -> EdgeId {
        let to = self.point();
        let edge = self.to(to, mode, Term::bool(true), ops);
        self.at = to;
        edge
    }

    pub fn label(&mut self, name: impl Into<Name>) {
        let at = self.at.0 as usize;
        self.cfg.points[at].labels.push(name.into());
    }

    /// The way back of an await that begins at `head`.
    pub fn retry(&mut self, head: Point, mode: Mode, guard: Term, ops: Vec<Op>) -> EdgeId {
        let edge = self.to(head, mode, guard, ops);
        self.cfg.edges[edge.0 as usize].role = Role::Retries;
        edge
    }

    /// The thread ends where the pen stands.
    pub fn finish(mut self) -> Cfg {
        let at = self.at.0 as usize;
        self.cfg.points[at].end = true;
        self.cfg
    }
}
