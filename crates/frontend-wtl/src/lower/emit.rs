//! From accesses in order to edges.
//!
//! Every access to shared memory is a step of its own. Work on locals alone costs no step: what
//! comes before an access rides on its edge, and so does the end of the statement (a test, an
//! assignment) on the edge of the last load. `if (x == 0)` is two edges from one point, each a load
//! and an assumption; no state lies between.

use wattle_logic::{Kind, Symbol, Term};
use wattle_program::{Mode, Op, Point, Role, op_terms};

use super::body::Body;

/// Something that an expression does, in order.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Within the thread.
    Local(Op),
    /// In memory: one edge for each way it may go.
    Access(Vec<Way>),
}

#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub mode: Mode,
    pub ops: Vec<Op>,
    /// The last operation sets this local to this: a `cas` knows whether it succeeded.
    pub known: Option<(u32, bool)>,
}

/// How a statement ends.
#[derive(Clone, Debug)]
pub(crate) struct Finish {
    pub condition: Option<Term>,
    pub ops: Vec<Op>,
    pub to: Point,
    pub role: Role,
}

impl Finish {
    pub(crate) fn then(ops: Vec<Op>, to: Point) -> Finish {
        Finish { condition: None, ops, to, role: Role::Step }
    }

    pub(crate) fn when(condition: Term, to: Point) -> Finish {
        Finish { condition: Some(condition), ops: vec![], to, role: Role::Step }
    }

    pub(crate) fn retry(condition: Term, head: Point) -> Finish {
        Finish { role: Role::Retries, ..Finish::when(condition, head) }
    }
}

impl Body<'_> {
    /// Edges for the actions from `at`, the finishes fused with the last access.
    pub(crate) fn emit(&mut self, at: Point, actions: Vec<Action>, finishes: Vec<Finish>) {
        self.emit_with(at, actions, finishes, true);
    }

    /// The same, but the finish accesses memory itself and is a step of its own.
    pub(crate) fn emit_apart(&mut self, at: Point, actions: Vec<Action>, finish: Finish) {
        self.emit_with(at, actions, vec![finish], false);
    }

    fn emit_with(&mut self, at: Point, actions: Vec<Action>, finishes: Vec<Finish>, fuse: bool) {
        let accesses = accesses(&actions);
        let mut seen = 0;
        let mut at = at;
        let mut before: Vec<Op> = Vec::new();
        let mut last: Option<Vec<Way>> = None;
        for action in actions {
            let mut ways = match action {
                Action::Local(op) => {
                    before.push(op);
                    continue;
                }
                Action::Access(ways) => ways,
            };
            for way in &mut ways {
                way.ops.splice(0..0, before.iter().cloned());
            }
            before.clear();
            seen += 1;
            if fuse && seen == accesses {
                last = Some(ways);
                continue;
            }
            // Between its steps the thread is still at the statement's label.
            let next = self.fresh();
            let labels = self.cfg.point(at).labels.clone();
            self.cfg.points[next.0 as usize].labels = labels;
            for way in ways {
                self.edge(at, next, Term::bool(true), way.ops, way.mode);
            }
            at = next;
        }
        match last {
            None => {
                for finish in finishes {
                    let mut ops = before.clone();
                    let mut guard = Term::bool(true);
                    match finish.condition {
                        Some(condition) if ops.is_empty() => guard = condition,
                        Some(condition) => ops.push(Op::Assume { condition }),
                        None => {}
                    }
                    ops.extend(finish.ops);
                    self.edge(at, finish.to, guard, ops, Mode::Plain).role = finish.role;
                }
            }
            Some(ways) => {
                for way in &ways {
                    for finish in &finishes {
                        if let Some(ops) = fused(way, &before, finish) {
                            let edge = self.edge(at, finish.to, Term::bool(true), ops, way.mode);
                            edge.role = finish.role;
                        }
                    }
                }
            }
        }
    }
}

/// How often the actions access memory.
pub(crate) fn accesses(actions: &[Action]) -> usize {
    actions.iter().filter(|action| matches!(action, Action::Access(_))).count()
}

/// The operations of one way with one finish; `None` if the two exclude each other.
fn fused(way: &Way, before: &[Op], finish: &Finish) -> Option<Vec<Op>> {
    let mut ops = way.ops.clone();
    let mut condition = finish.condition.clone();
    if let (Some((local, value)), Some(term)) = (way.known, &condition) {
        let replaced =
            term.substitute(&|symbol| (symbol == Symbol::Local(local)).then(|| Term::bool(value))).simplify();
        if replaced.is_false() {
            return None;
        }
        if replaced.is_true() {
            // The result of `if (cas(…))` is used by this condition alone, so the local for it is not set.
            if before.is_empty() && is_only(term, local) && !mentions(&finish.ops, local) {
                ops.pop();
            }
            condition = None;
        }
    }
    ops.extend(before.iter().cloned());
    ops.extend(condition.map(|condition| Op::Assume { condition }));
    ops.extend(finish.ops.iter().cloned());
    Some(ops)
}

/// The local or its negation.
fn is_only(term: &Term, local: u32) -> bool {
    match term.kind() {
        Kind::Symbol(Symbol::Local(other)) => *other == local,
        Kind::Unary(_, operand) => is_only(operand, local),
        _ => false,
    }
}

fn mentions(ops: &[Op], local: u32) -> bool {
    ops.iter().flat_map(op_terms).any(|term| term.locals().contains(&local))
}
