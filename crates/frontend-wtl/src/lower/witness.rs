//! Assertions in a section that does not run to its end.
//!
//! As one edge, a section runs only if all its conditions hold, and an assertion on an edge counts only if the
//! edge is taken. But an assertion that is reached counts, also where a later condition fails. So an
//! assertion with something after it that may fail gets an edge of its own, its *witness*: the operations
//! up to it, taken only if it fails, to a point that nothing leaves ([`Role::Asserts`]). A safe program never
//! takes it.
//!
//! Of a section whose condition fails nothing happened, so a witness makes no stores: what would be stored is
//! kept in hidden locals, from which later loads of the section are served.

use std::collections::BTreeMap;

use wattle_logic::{Kind, Sort, Term};
use wattle_program::{Choice, Edge, Init, Local, Mode, Op, Point, Range, Role};

use super::body::Body;

impl Body<'_> {
    /// The witnesses of a section that was lowered to these paths, one edge each, from `at`.
    pub(crate) fn witnesses(
        &mut self,
        paths: &[Vec<&Edge>],
        fragment: &[Edge],
        exit: Point,
        at: Point,
        mode: Mode,
    ) {
        let mut found: Vec<Vec<Op>> = Vec::new();
        let mut kept = BTreeMap::new();
        let mut sure = Sure { body: self, fragment, exit, known: BTreeMap::new() };
        let open: Vec<(usize, usize, usize)> = (paths.iter().enumerate())
            .flat_map(|(path, edges)| (0..edges.len()).map(move |edge| (path, edge)))
            .flat_map(|(path, edge)| (0..paths[path][edge].ops.len()).map(move |op| (path, edge, op)))
            .filter(|(path, edge, op)| {
                let edge = paths[*path][*edge];
                let (Op::Assert { .. }, rest) = (&edge.ops[*op], &edge.ops[op + 1..]) else { return false };
                !sure.runs(rest) || !sure.completes(edge.to)
            })
            .collect();
        for (path, edge, op) in open {
            let (before, last) = (&paths[path][..edge], paths[path][edge]);
            let mut ops: Vec<Op> = before.iter().flat_map(|edge| super::atomic::operations(edge)).collect();
            let from = ops.len();
            ops.extend(super::atomic::operations(last));
            // A guard became an operation before the edge's own.
            ops.truncate(from + op + usize::from(!last.guard.is_true()));
            ops.retain(|op| !matches!(op, Op::Assert { .. }));
            let mut ops = self.without_stores(ops, &mut kept);
            if let Op::Assert { condition, span } = &last.ops[op] {
                ops.push(Op::Assume { condition: condition.negated() });
                ops.push(Op::Assert { condition: condition.clone(), span: *span });
            }
            if !found.contains(&ops) {
                found.push(ops);
            }
        }
        if found.is_empty() {
            return;
        }
        let stop = self.fresh();
        for ops in found {
            self.edge(at, stop, Term::bool(true), ops, mode).role = Role::Asserts;
        }
    }

    fn without_stores(&mut self, ops: Vec<Op>, kept: &mut BTreeMap<(u32, usize), u32>) -> Vec<Op> {
        let mut stored: Vec<Stored> = Vec::new();
        let mut result = Vec::new();
        for op in ops {
            let op = match op {
                Op::Store { address, value, .. } => {
                    let Kind::Address { variable, .. } = address.kind() else {
                        result.push(unsupported(&address));
                        continue;
                    };
                    let cell = &self.symbols.variables[*variable as usize];
                    let (name, sort, range) = (cell.name.clone(), cell.sort, cell.range);
                    let local = *kept.entry((*variable, stored.len())).or_insert_with(|| {
                        let init = Init::Values(vec![start(sort, range)]);
                        self.locals.push(Local { name, sort, range, init, hidden: true });
                        self.locals.len() as u32 - 1
                    });
                    stored.push(Stored { address, local, stale: false });
                    // Into a local of the same range: what cannot be stored cannot be assigned either.
                    Op::Assign { local, value }
                }
                Op::Load { into, address, tags } => {
                    let before = stored.iter().rev().find_map(|stored| match stored.is_at(&address) {
                        Some(false) => None,
                        Some(true) => Some(Some(stored.local)),
                        None => Some(None),
                    });
                    match before {
                        None => Op::Load { into, address, tags },
                        Some(Some(local)) => Op::Assign { local: into, value: self.local_term(local) },
                        Some(None) => unsupported(&address),
                    }
                }
                other => other,
            };
            if let Some(local) = op.sets() {
                for stored in stored.iter_mut().filter(|stored| stored.address.locals().contains(&local)) {
                    stored.stale = true;
                }
            }
            result.push(op);
        }
        result
    }
}

/// A store that is not made.
struct Stored {
    address: Term,
    /// Holds its value.
    local: u32,
    /// Did a local in the address change since?
    stale: bool,
}

impl Stored {
    /// Does the address mean this location? `None`: that depends.
    fn is_at(&self, address: &Term) -> Option<bool> {
        let (Kind::Address { variable, indices }, Kind::Address { variable: other, indices: others }) =
            (self.address.kind(), address.kind())
        else {
            return None;
        };
        if variable != other {
            return Some(false);
        }
        if indices == others && !self.stale {
            return Some(true);
        }
        let differ = |(one, other): (&Term, &Term)| match (one.as_value(), other.as_value()) {
            (Some(one), Some(other)) => one != other,
            _ => false,
        };
        indices.iter().zip(others).any(differ).then_some(false)
    }
}

fn unsupported(address: &Term) -> Op {
    let _ = address;
    let what =
        "an assertion in an atomic section after a store that it may or may not read, before a condition";
    Op::Unsupported { what: what.into(), span: wattle_source::Span::NOWHERE }
}

/// The first value of a range, so that the local is within it from the start.
fn start(sort: Sort, range: Option<Range>) -> Term {
    match range {
        Some(range) if !range.contains(0) => Term::int(range.low),
        _ => Term::value(sort.zero(), sort),
    }
}

/// Which points of a section lead to its end whatever memory holds?
struct Sure<'b, 's, 'f> {
    body: &'b Body<'s>,
    fragment: &'f [Edge],
    exit: Point,
    known: BTreeMap<Point, bool>,
}

impl Sure<'_, '_, '_> {
    fn completes(&mut self, point: Point) -> bool {
        if point == self.exit {
            return true;
        }
        if let Some(known) = self.known.get(&point) {
            return *known;
        }
        let fragment = self.fragment;
        let leaving: Vec<&Edge> = fragment.iter().filter(|edge| edge.from == point).collect();
        let free = |edge: &&&Edge| edge.guard.is_true() && self.runs(&edge.ops);
        let mut to: Vec<Vec<Point>> = leaving.iter().filter(free).map(|edge| vec![edge.to]).collect();
        for (number, one) in leaving.iter().enumerate() {
            for other in &leaving[number + 1..] {
                if let Some(ops) = either(one, other)
                    && self.runs(ops)
                {
                    to.push(vec![one.to, other.to]);
                }
            }
        }
        let completes = to.iter().any(|to| to.iter().all(|point| self.completes(*point)));
        self.known.insert(point, completes);
        completes
    }

    /// Can all of these be done in any state?
    fn runs(&self, ops: &[Op]) -> bool {
        let free = |local: &u32| self.body.locals[*local as usize].range.is_none();
        ops.iter().all(|op| match op {
            Op::Load { into: local, .. } | Op::Assign { local, .. } => free(local),
            Op::Havoc { local, among: Choice::Any } => free(local),
            Op::Store { address, .. } => match address.kind() {
                Kind::Address { variable, .. } => {
                    self.body.symbols.variables[*variable as usize].range.is_none()
                }
                _ => false,
            },
            Op::Assert { .. } | Op::Forget { .. } => true,
            // In a section nothing is pending that a fence would wait for.
            Op::Fence(_) => true,
            Op::Assume { condition } => condition.is_true(),
            _ => false,
        })
    }
}

/// If two edges differ only in that one has a condition and the other its opposite: what else both do.
fn either<'e>(one: &'e Edge, other: &Edge) -> Option<&'e [Op]> {
    if one.guard.is_opposite(&other.guard) && one.ops == other.ops {
        return Some(&one.ops);
    }
    match (&one.ops[..], &other.ops[..]) {
        ([before @ .., Op::Assume { condition }], [others @ .., Op::Assume { condition: opposite }])
            if one.guard.is_true() && other.guard.is_true() && before == others =>
        {
            condition.is_opposite(opposite).then_some(before)
        }
        _ => None,
    }
}
