//! `atomic { }` and `atomic(buffered) { }`.
//!
//! The body is lowered like any other into a fragment of the graph. If the fragment has no loops and
//! few paths, each path becomes one edge: its guards are assumptions, its operations stand one after
//! the other, and the section runs only if it can run to its end ([`witness`](super::witness) keeps the
//! assertions of one that does not). Otherwise the points of the
//! fragment are marked as inside, and nothing else moves while the thread stands there.
//!
//! Two things need the second form for their meaning: labels, which formulas may name, and a fence
//! in a buffered section, which waits for the thread's own stores to reach memory *within* the
//! section; as one step it could never run.

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::Term;
use wattle_program::{Edge, Mode, Op, Origin, Point};
use wattle_source::{Diagnostic, Span};

use super::super::ast::Stmt;
use super::body::Body;
use crate::codes;

/// With more paths than this, points inside cost less than edges.
const MOST_PATHS: u64 = 64;

impl Body<'_> {
    pub(crate) fn atomic(&mut self, buffered: bool, body: &[Stmt], span: Span, at: Point, next: Point) {
        if let Some(outer) = self.section {
            let diagnostic = Diagnostic::error(codes::ATOMIC, span, "an atomic section inside another");
            self.problems.push(diagnostic.label(outer, "the outer section"));
            return;
        }
        let mode = if buffered { Mode::Buffered } else { Mode::Locked };
        let first_point = self.cfg.points.len() as u32;
        let first_edge = self.cfg.edges.len();
        let (entry, exit) = (self.fresh(), self.fresh());
        self.section = Some(span);
        self.sequence(body, entry, exit);
        self.section = None;
        self.origin = Origin(span);
        let fragment: Vec<Edge> = self.cfg.edges.drain(first_edge..).collect();
        if buffered && let Some(locked) = fragment.iter().find(|edge| edge.mode == Mode::Locked) {
            let message = "a read-modify-write drains the buffers, so it cannot stand in a buffered section";
            self.problems.error(codes::ATOMIC, locked.origin.0, message);
            return;
        }
        let labels: BTreeSet<Point> = (self.labels.values())
            .filter(|label| label.section == Some(span))
            .map(|label| label.point)
            .collect();
        let waits =
            buffered && fragment.iter().flat_map(|edge| &edge.ops).any(|op| matches!(op, Op::Fence(_)));
        if labels.is_empty()
            && !waits
            && let Some(paths) = paths(&fragment, entry, exit)
        {
            for path in &paths {
                let ops = path.iter().flat_map(|edge| operations(edge)).collect();
                self.edge(at, next, Term::bool(true), ops, mode);
            }
            self.witnesses(&paths, &fragment, exit, at, mode);
            return;
        }
        let marked: BTreeSet<Point> =
            (first_point..self.cfg.points.len() as u32).map(Point).chain(labels).collect();
        self.mark(fragment, &marked, (entry, exit), (at, next), mode);
    }

    fn mark(
        &mut self,
        fragment: Vec<Edge>,
        points: &BTreeSet<Point>,
        (entry, exit): (Point, Point),
        (at, next): (Point, Point),
        mode: Mode,
    ) {
        for point in points {
            let info = &mut self.cfg.points[point.0 as usize];
            info.inside = Some(mode);
            // A fence in a locked section does nothing: no place for one.
            if mode == Mode::Locked {
                info.origin = Origin::default();
            }
        }
        // Where nothing returns to the entry, its edges enter the section themselves.
        let loops_to_entry = fragment.iter().any(|edge| edge.to == entry);
        if loops_to_entry {
            self.edge(at, entry, Term::bool(true), vec![], mode);
        }
        for mut edge in fragment {
            if edge.from == entry && !loops_to_entry {
                edge.from = at;
            }
            if edge.to == exit {
                edge.to = next;
            }
            edge.mode = mode;
            self.cfg.edges.push(edge);
        }
    }
}

/// Every path, in the order of the text; `None` if there are loops, too many paths, or none.
fn paths(fragment: &[Edge], entry: Point, exit: Point) -> Option<Vec<Vec<&Edge>>> {
    let mut leaving: BTreeMap<Point, Vec<&Edge>> = BTreeMap::new();
    for edge in fragment {
        leaving.entry(edge.from).or_default().push(edge);
    }
    let counts = count_paths(&leaving, entry, exit)?;
    let total = counts.get(&entry).copied().unwrap_or(0);
    if total == 0 || total > MOST_PATHS {
        return None;
    }
    let mut found = Vec::new();
    let mut open: Vec<(Point, Vec<&Edge>)> = vec![(entry, vec![])];
    while let Some((point, path)) = open.pop() {
        if point == exit {
            found.push(path);
            continue;
        }
        let reaches = |edge: &&&Edge| counts.get(&edge.to).copied().unwrap_or(0) > 0;
        let mut edges = leaving.get(&point).into_iter().flatten().filter(reaches);
        // Copy for further branches only: a section may be as long as the text.
        let first = edges.next();
        let others: Vec<_> = edges.collect();
        for edge in others.into_iter().rev() {
            open.push((edge.to, [path.as_slice(), &[*edge]].concat()));
        }
        open.extend(first.map(|edge| {
            let mut path = path;
            path.push(edge);
            (edge.to, path)
        }));
    }
    Some(found)
}

/// What an edge does, its guard as an assumption.
pub(crate) fn operations(edge: &Edge) -> impl Iterator<Item = Op> + '_ {
    let guard = (!edge.guard.is_true()).then(|| Op::Assume { condition: edge.guard.clone() });
    guard.into_iter().chain(edge.ops.iter().cloned())
}

/// How many paths lead from each point to the exit; `None` if there is a loop. Without recursion,
/// because a section may be as long as the text.
fn count_paths(
    leaving: &BTreeMap<Point, Vec<&Edge>>,
    entry: Point,
    exit: Point,
) -> Option<BTreeMap<Point, u64>> {
    let mut counts = BTreeMap::from([(exit, 1)]);
    let mut open: BTreeSet<Point> = BTreeSet::new();
    let mut stack = vec![(entry, false)];
    while let Some((point, done)) = stack.pop() {
        if done {
            let edges = leaving.get(&point).into_iter().flatten();
            let count =
                edges.map(|edge| counts.get(&edge.to).copied().unwrap_or(0)).fold(0, u64::saturating_add);
            counts.insert(point, count);
            open.remove(&point);
            continue;
        }
        if counts.contains_key(&point) {
            continue;
        }
        if !open.insert(point) {
            return None;
        }
        stack.push((point, true));
        for edge in leaving.get(&point).into_iter().flatten() {
            if open.contains(&edge.to) {
                return None;
            }
            if !counts.contains_key(&edge.to) {
                stack.push((edge.to, false));
            }
        }
    }
    Some(counts)
}
