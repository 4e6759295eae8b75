//! The control-flow graph of one thread while it is being made.
//!
//! Operations wait until their edge is complete. An edge has one access to memory at most, because it is one step;
//! inside an atomic section, where nothing else moves, it may have any number.

use wattle_logic::Term;
use wattle_program::{Cfg, Edge, Fence, Mode, Op, Origin, Point, PointInfo, Role};
use wattle_source::Span;

pub(super) struct Graph {
    pub cfg: Cfg,
    /// Where the next edge begins; `None` where nothing arrives.
    current: Option<Point>,
    pending: Vec<Op>,
    accesses: bool,
    /// The statement of the first access that waits.
    accessed: Option<Span>,
    /// How many atomic sections are open.
    pub sections: u32,
    /// The statement that is being translated.
    pub origin: Span,
    /// How many sections are open at each point, once something has come there.
    depths: Vec<Option<u32>>,
    /// Where loops begin.
    heads: Vec<Point>,
}

impl Graph {
    pub(super) fn new(origin: Span) -> Graph {
        let mut graph = Graph {
            cfg: Cfg::default(),
            current: None,
            pending: vec![],
            accesses: false,
            accessed: None,
            sections: 0,
            origin,
            depths: vec![Some(0)],
            heads: vec![],
        };
        graph.current =
            Some(graph.cfg.add_point(PointInfo { origin: Origin(origin), ..PointInfo::default() }));
        graph
    }

    pub(super) fn is_dead(&self) -> bool {
        self.current.is_none()
    }

    pub(super) fn point(&mut self) -> Point {
        self.depths.push(None);
        self.cfg.add_point(PointInfo { origin: Origin(self.origin), ..PointInfo::default() })
    }

    /// A point where a loop begins. Those of two loops stay apart, although nothing happens between them: as one, an
    /// inner loop that only waits could not be told from the outer one.
    pub(super) fn head(&mut self) -> Point {
        let head = self.point();
        self.heads.push(head);
        head
    }

    fn mode(&self) -> Mode {
        if self.sections > 0 { Mode::Locked } else { Mode::Plain }
    }

    /// A step on registers, an assumption or an assertion.
    pub(super) fn op(&mut self, op: Op) {
        if self.current.is_some() {
            self.pending.push(op);
        }
    }

    /// An access to memory, or a fence: a step of its own, outside of sections.
    pub(super) fn access(&mut self, op: Op) {
        if self.accesses && self.sections == 0 {
            self.flush();
        }
        self.op(op);
        self.accesses = true;
        self.accessed.get_or_insert(self.origin);
    }

    pub(super) fn fence(&mut self, fence: Fence) {
        self.flush();
        self.access(Op::Fence(fence));
        self.flush();
    }

    /// These operations are one step.
    pub(super) fn locked(&mut self, ops: Vec<Op>) {
        if self.sections > 0 {
            ops.into_iter().for_each(|op| self.access(op));
            return;
        }
        self.flush();
        if let Some(from) = self.current {
            let to = self.point();
            self.edge(from, Term::bool(true), ops, to, Mode::Locked);
            self.current = Some(to);
        }
    }

    /// Where an edge leads, as many sections are open as before it.
    fn edge(&mut self, from: Point, guard: Term, mut ops: Vec<Op>, to: Point, mode: Mode) {
        match self.depths[to.0 as usize] {
            None => {
                self.depths[to.0 as usize] = Some(self.sections);
                self.cfg.points[to.0 as usize].inside = (self.sections > 0).then_some(Mode::Locked);
            }
            Some(depth) if depth != self.sections => {
                let what = "an atomic section that ends on some ways only".into();
                ops.push(Op::Unsupported { what, span: self.origin });
            }
            Some(_) => {}
        }
        self.cfg.edges.push(Edge {
            from,
            guard,
            ops,
            to,
            mode,
            role: Role::Step,
            origin: Origin(self.accessed.take().unwrap_or(self.origin)),
        });
    }

    /// End the edge that is being made.
    pub(super) fn flush(&mut self) {
        self.accesses = false;
        if self.pending.is_empty() {
            self.accessed = None;
            return;
        }
        if let Some(from) = self.current {
            let ops = std::mem::take(&mut self.pending);
            let to = self.point();
            self.edge(from, Term::bool(true), ops, to, self.mode());
            self.current = Some(to);
        }
        self.pending.clear();
    }

    /// Go to a point; nothing follows.
    pub(super) fn jump(&mut self, to: Point) {
        if let Some(from) = self.current.take() {
            let ops = std::mem::take(&mut self.pending);
            self.edge(from, Term::bool(true), ops, to, self.mode());
        }
        self.pending.clear();
        self.accesses = false;
        self.accessed = None;
    }

    /// Two ways; the first is taken if the condition holds.
    pub(super) fn branch(&mut self, condition: Term) -> (Point, Point) {
        self.flush();
        let (then, otherwise) = (self.point(), self.point());
        if let Some(from) = self.current.take() {
            let mode = self.mode();
            if !condition.is_false() {
                self.edge(from, condition.clone(), vec![], then, mode);
            }
            if !condition.is_true() {
                self.edge(from, condition.negated(), vec![], otherwise, mode);
            }
        }
        (then, otherwise)
    }

    /// Two ways, either of which may be taken.
    pub(super) fn fork(&mut self) -> (Point, Point) {
        self.flush();
        let (one, other) = (self.point(), self.point());
        if let Some(from) = self.current.take() {
            let mode = self.mode();
            self.edge(from, Term::bool(true), vec![], one, mode);
            self.edge(from, Term::bool(true), vec![], other, mode);
        }
        (one, other)
    }

    /// Go on from a point, where the way so far may arrive too.
    pub(super) fn continue_at(&mut self, point: Point) {
        if self.current.is_some() {
            self.jump(point);
        }
        self.sections = self.depths[point.0 as usize].unwrap_or(self.sections);
        self.current = Some(point);
    }

    /// Nothing follows here.
    pub(super) fn stop(&mut self) {
        self.flush();
        self.current = None;
    }

    /// The thread does these last operations and stops.
    pub(super) fn halt(&mut self, op: Op) {
        self.op(op);
        self.stop();
    }

    pub(super) fn open_section(&mut self) {
        if self.sections == 0 {
            self.flush();
        }
        self.sections += 1;
    }

    pub(super) fn close_section(&mut self) {
        match self.sections {
            0 => {}
            1 => {
                // The last edge leads out of the section.
                let from = self.current;
                self.sections = 0;
                if let Some(from) = from {
                    let inside = self.cfg.point(from).inside.is_some();
                    if !self.pending.is_empty() || inside {
                        let ops = std::mem::take(&mut self.pending);
                        let to = self.point();
                        self.edge(from, Term::bool(true), ops, to, Mode::Locked);
                        self.current = Some(to);
                    }
                }
                self.pending.clear();
                self.accesses = false;
            }
            _ => self.sections -= 1,
        }
    }

    /// A thread at a point is about to do what leaves it, whatever was translated when the point was made.
    fn stand_before_what_follows(&mut self) {
        let mut known = vec![false; self.cfg.points.len()];
        for edge in &self.cfg.edges {
            if !std::mem::replace(&mut known[edge.from.0 as usize], true) {
                self.cfg.points[edge.from.0 as usize].origin = edge.origin;
            }
        }
    }

    /// The finished graph: a last point where the thread has ended, and without edges that do nothing.
    pub(super) fn finish(mut self) -> Cfg {
        self.flush();
        if let Some(last) = self.current {
            let end = self.point();
            self.cfg.points[end.0 as usize].end = true;
            let mode = self.mode();
            self.sections = 0;
            self.edge(last, Term::bool(true), vec![], end, mode);
        }
        self.stand_before_what_follows();
        contract(&mut self.cfg, &self.heads);
        self.cfg
    }
}

/// Take out edges that only go on, and points that nothing reaches.
fn contract(cfg: &mut Cfg, heads: &[Point]) {
    let count = cfg.points.len();
    let mut leaving: Vec<Vec<usize>> = vec![vec![]; count];
    for (number, edge) in cfg.edges.iter().enumerate() {
        leaving[edge.from.0 as usize].push(number);
    }
    // Where a thread at a point really is.
    let mut target: Vec<u32> = (0..count as u32).collect();
    for point in 0..count {
        if let [only] = leaving[point][..] {
            let edge = &cfg.edges[only];
            let (from, to) = (&cfg.points[point], &cfg.points[edge.to.0 as usize]);
            // A section may end one step earlier, but it must not begin before its first step.
            let same = from.inside == to.inside || to.inside.is_none() && point as u32 != cfg.entry.0;
            let idle = edge.ops.is_empty() && edge.guard.is_true() && same;
            if idle && edge.from != edge.to {
                target[point] = edge.to.0;
            }
        }
    }
    for head in heads {
        let mut at = head.0;
        // A circle of idle edges never comes to an end.
        for _ in 0..count {
            let next = target[at as usize];
            if next == at {
                break;
            }
            if next != head.0 && heads.contains(&Point(next)) {
                target[head.0 as usize] = head.0;
                break;
            }
            at = next;
        }
    }
    let resolve = |point: Point| {
        let mut at = point.0;
        // A loop of idle edges stays as it is.
        for _ in 0..count {
            let next = target[at as usize];
            if next == at {
                return Point(at);
            }
            at = next;
        }
        point
    };
    let entry = resolve(cfg.entry);
    let idle = |edge: &Edge| target[edge.from.0 as usize] != edge.from.0 && resolve(edge.from) != edge.from;
    let mut edges: Vec<Edge> = cfg.edges.iter().filter(|edge| !idle(edge)).cloned().collect();
    edges.iter_mut().for_each(|edge| edge.to = resolve(edge.to));
    let mut reached = vec![false; count];
    let mut leaving: Vec<Vec<u32>> = vec![vec![]; count];
    edges.iter().for_each(|edge| leaving[edge.from.0 as usize].push(edge.to.0));
    let mut open = vec![entry.0];
    while let Some(point) = open.pop() {
        if !std::mem::replace(&mut reached[point as usize], true) {
            open.extend(&leaving[point as usize]);
        }
    }
    let mut number = 0;
    let numbers: Vec<u32> = (reached.iter())
        .map(|reached| {
            number += u32::from(*reached);
            number.saturating_sub(1)
        })
        .collect();
    let renumber = |point: Point| Point(numbers[point.0 as usize]);
    edges.retain(|edge| reached[edge.from.0 as usize]);
    for edge in &mut edges {
        edge.from = renumber(edge.from);
        edge.to = renumber(edge.to);
    }
    let mut kept = reached.iter();
    cfg.points.retain(|_| kept.next().copied().unwrap_or(false));
    cfg.entry = renumber(entry);
    cfg.edges = edges;
}
