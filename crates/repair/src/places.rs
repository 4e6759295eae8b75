//! Where a fence or flush may stand.
//!
//! On a store-buffer machine a fence does something only where a store may still be pending, so the
//! places are directly after plain stores; on RMA they are directly after remote statements, and
//! what stands there is a flush of that statement's target. A statement that a fence already
//! follows on every path is no place. With `anywhere`, every control point that starts a statement
//! is a place too: a fence at the head of a loop serves all ways into it, so fewer may do.
//!
//! Where there is no such machine, loads are out of order too. Then a fence may be needed between any
//! two accesses, and the places are the control points that an access comes before and an access
//! comes after; of two points with nothing but local work between them, the later.
//!
//! A place is offered once for each kind of fence (`kinds`).
//!
//! Copies of a replicated process are separate places ([`places`]); [`in_all_copies`] says which
//! belong to one place of the text. A process with any number of copies has only places of the text.
//!
//! The flush after a remote statement names its target by the term that the statement itself uses.
//! If the same step changes a local of that term after the statement, the term would name another
//! target; then, and where the address is computed so that no owner can be read off it, a flush of
//! each thread that owns memory is offered instead.

use std::collections::HashMap;

use wattle_logic::{Kind, Term};
use wattle_memory::{Machine, MemoryModel};
use wattle_program::passes::{Insertion, Place, Spot, takes_fence};
use wattle_program::{Cfg, Dimension, Edge, Fence, Op, Origin, Point, Process, ProcessId, Program};

use crate::kinds::is_as_strong;

/// Which edges lead to a point, leave it, or belong to a statement.
struct Ways<'a> {
    program: &'a Program,
    cfg: &'a Cfg,
    entering: Vec<Vec<&'a Edge>>,
    leaving: Vec<Vec<&'a Edge>>,
    of_origin: HashMap<Origin, Vec<&'a Edge>>,
}

impl<'a> Ways<'a> {
    fn new(program: &'a Program, process: ProcessId) -> Ways<'a> {
        let cfg = &program.process(process).cfg;
        let none = || vec![Vec::new(); cfg.points.len()];
        let (entering, leaving) = (none(), none());
        let mut ways = Ways { program, cfg, entering, leaving, of_origin: HashMap::new() };
        for edge in &cfg.edges {
            ways.entering[edge.to.0 as usize].push(edge);
            ways.leaving[edge.from.0 as usize].push(edge);
            ways.of_origin.entry(edge.origin).or_default().push(edge);
        }
        ways
    }

    fn entering(&self, point: Point) -> &[&'a Edge] {
        &self.entering[point.0 as usize]
    }

    fn leaving(&self, point: Point) -> &[&'a Edge] {
        &self.leaving[point.0 as usize]
    }

    /// The steps of a statement that a fence may follow.
    fn fenceable(&self, origin: Origin) -> impl Iterator<Item = &'a Edge> + '_ {
        self.of_origin.get(&origin).into_iter().flatten().copied().filter(|edge| takes_fence(edge))
    }
}

/// Every place and kind, for each copy; in the order of the text.
pub fn places(program: &Program, memory: &MemoryModel, anywhere: bool, kinds: &[Fence]) -> Vec<Insertion> {
    let mut found = Vec::new();
    for process in program.process_ids() {
        let cfg = &Ways::new(program, process);
        let spots = match memory.machine {
            Some(Machine::Sc { .. }) => vec![], // nothing is ever pending there
            Some(Machine::Rma { .. }) => flush_spots(cfg, anywhere),
            Some(Machine::Tso | Machine::Pso) => buffer_spots(cfg, anywhere, kinds),
            None => weak_spots(cfg, kinds),
        };
        // All kinds of one place stand together: what a counterexample does not bear there, it does not
        // bear as one block.
        for kinds in spots.chunk_by(|(one, _), (other, _)| one == other) {
            for copy in copies(program.process(process)) {
                let place = |spot: Spot| Place { process, copy, spot };
                found
                    .extend(kinds.iter().map(|(spot, op)| Insertion { place: place(*spot), op: op.clone() }));
            }
        }
    }
    found
}

/// The same place and kind in all copies.
pub fn in_all_copies(insertion: &Insertion) -> Insertion {
    Insertion { place: Place { copy: None, ..insertion.place.clone() }, op: insertion.op.clone() }
}

/// `insertions`, written with one insertion where all copies have the same. Means the same, and
/// needs no guard in the program.
pub fn merge_copies(program: &Program, insertions: &[Insertion]) -> Vec<Insertion> {
    let mut merged: Vec<Insertion> = Vec::new();
    for insertion in insertions {
        let all = in_all_copies(insertion);
        let copies = copies(program.process(insertion.place.process));
        let everywhere = copies.iter().all(|copy| {
            insertions.contains(&Insertion {
                place: Place { copy: *copy, ..all.place.clone() },
                op: all.op.clone(),
            })
        });
        let one = if everywhere { all } else { insertion.clone() };
        if !merged.contains(&one) {
            merged.push(one);
        }
    }
    merged
}

/// What a place stands after, for people: `store x`, `put Y`, `get Y`; or the label it stands at.
pub fn describe(program: &Program, place: &Place) -> String {
    let cfg = &program.process(place.process).cfg;
    match place.spot {
        Spot::After(origin) => {
            let edges = cfg.edges.iter().filter(|edge| edge.origin == origin && takes_fence(edge));
            let name = edges.flat_map(|edge| &edge.ops).find_map(|op| match op {
                Op::Store { address, .. } => Some(("store", address)),
                Op::Put { remote, .. } => Some(("put", remote)),
                Op::Get { remote, .. } => Some(("get", remote)),
                Op::RemoteAtomic { remote, .. } => Some(("atomic", remote)),
                _ => None,
            });
            match name {
                Some((verb, address)) => match variable_of(address) {
                    Some((variable, _)) => format!("{verb} {}", program.variables[variable as usize].name),
                    None => verb.to_owned(),
                },
                None => String::new(),
            }
        }
        Spot::Before(point) => program.point_name(place.process, point),
    }
}

fn copies(process: &Process) -> Vec<Option<u32>> {
    match process.replicas.count() {
        Some(count) if count > 1 => (0..count).map(Some).collect(),
        _ => vec![None],
    }
}

/// After what leaves something pending, as `wanted` says; with `anywhere` also at control points.
fn spots(
    ways: &Ways<'_>,
    anywhere: bool,
    wanted: impl Fn(&Edge) -> Vec<Op>,
    at_points: Vec<Op>,
) -> Vec<(Spot, Op)> {
    let cfg = ways.cfg;
    let mut found: Vec<(Spot, Op)> = Vec::new();
    let mut known: HashMap<Spot, Vec<Op>> = HashMap::new();
    let mut add = |spot: Spot, op: Op| {
        let there = known.entry(spot).or_default();
        if !there.contains(&op) {
            there.push(op.clone());
            found.push((spot, op));
        }
    };
    for edge in cfg.edges.iter().filter(|edge| takes_fence(edge) && !edge.origin.0.is_nowhere()) {
        for op in wanted(edge) {
            // A label at a point is reached before a fence at that point, but not before one on the
            // way there. A point with other ways in is more than the end of this one.
            let covered = anywhere
                && starts_statement(ways, edge.to)
                && cfg.point(edge.to).labels.is_empty()
                && is_the_only_way(ways, edge);
            if !covered && !always_follows(ways, edge.origin, &op) {
                add(Spot::After(edge.origin), op);
            }
        }
    }
    if anywhere {
        for point in points(cfg).filter(|point| starts_statement(ways, *point)) {
            at_points.iter().for_each(|op| add(Spot::Before(point), op.clone()));
        }
    }
    found
}

/// Is the point behind this statement entered by this statement only?
fn is_the_only_way(ways: &Ways<'_>, edge: &Edge) -> bool {
    edge.to != ways.cfg.entry && ways.entering(edge.to).iter().all(|other| other.origin == edge.origin)
}

fn flush_spots(ways: &Ways<'_>, anywhere: bool) -> Vec<(Spot, Op)> {
    let program = ways.program;
    spots(ways, anywhere, |edge| flushes_after(program, edge), flushes_of_owners(program))
}

fn buffer_spots(cfg: &Ways<'_>, anywhere: bool, kinds: &[Fence]) -> Vec<(Spot, Op)> {
    let fences: Vec<Op> = kinds.iter().cloned().map(Op::Fence).collect();
    let after = |edge: &Edge| {
        let stores = edge.ops.iter().any(|op| matches!(op, Op::Store { .. }));
        if stores { fences.clone() } else { vec![] }
    };
    spots(cfg, anywhere, after, fences.clone())
}

/// Between accesses.
fn weak_spots(ways: &Ways<'_>, kinds: &[Fence]) -> Vec<(Spot, Op)> {
    let (before, after) = (after_access(ways.cfg), before_access(ways.cfg));
    let between = |point: Point| before[point.0 as usize] && after[point.0 as usize];
    let all = buffer_spots(ways, true, kinds);
    let useful = |(spot, op): &(Spot, Op)| match spot {
        Spot::After(origin) => ways.fenceable(*origin).any(|edge| between(edge.to)),
        Spot::Before(point) => {
            between(*point) && !only_local_work(ways, *point) && !is_fenced(ways, *point, op)
        }
    };
    all.into_iter().filter(useful).collect()
}

fn points(cfg: &Cfg) -> impl Iterator<Item = Point> + use<> {
    (0..cfg.points.len() as u32).map(Point)
}

fn accesses(edge: &Edge) -> bool {
    let is_access = |op: &Op| {
        matches!(
            op,
            Op::Load { .. } | Op::Store { .. } | Op::LoadExclusive { .. } | Op::StoreConditional { .. }
        )
    };
    edge.ops.iter().any(is_access)
}

/// The points that an access may come before.
fn after_access(cfg: &Cfg) -> Vec<bool> {
    spread(cfg, |edge| edge.to, |edge| edge.from)
}

/// The points that an access may come after.
fn before_access(cfg: &Cfg) -> Vec<bool> {
    spread(cfg, |edge| edge.from, |edge| edge.to)
}

/// All points on the `near` side of an access, and of points that are such.
fn spread(cfg: &Cfg, near: impl Fn(&Edge) -> Point, far: impl Fn(&Edge) -> Point) -> Vec<bool> {
    let mut reached = vec![false; cfg.points.len()];
    let mut changed = true;
    while changed {
        changed = false;
        // Both ways, because edges mostly stand in the order in which they are taken.
        for edge in cfg.edges.iter().chain(cfg.edges.iter().rev()) {
            if !reached[near(edge).0 as usize] && (accesses(edge) || reached[far(edge).0 as usize]) {
                reached[near(edge).0 as usize] = true;
                changed = true;
            }
        }
    }
    reached
}

/// Does one statement without any access lead from here to another place, which is entered in no
/// other way? Then a fence there does the same.
fn only_local_work(ways: &Ways<'_>, point: Point) -> bool {
    let [edge] = ways.leaving(point) else { return false };
    let local = |op: &Op| matches!(op, Op::Assign { .. } | Op::Havoc { .. } | Op::Forget { .. });
    edge.guard.is_true()
        && edge.ops.iter().all(local)
        && starts_statement(ways, edge.to)
        && ways.entering(edge.to).len() == 1
        && edge.to != ways.cfg.entry
}

/// Do all edges into the point end with such a fence, or all edges out of it begin with one?
fn is_fenced(ways: &Ways<'_>, point: Point, wanted: &Op) -> bool {
    let (entering, leaving) = (ways.entering(point), ways.leaving(point));
    point != ways.cfg.entry
        && !entering.is_empty()
        && entering.iter().all(|edge| wait_together(ways.program, edge.ops.iter().rev(), wanted))
        || !leaving.is_empty()
            && leaving.iter().all(|edge| wait_together(ways.program, edge.ops.iter(), wanted))
}

/// Is this where a statement starts? Points inside a statement may have its origin too: a step of the
/// same statement leads there from a point before.
fn starts_statement(ways: &Ways<'_>, point: Point) -> bool {
    let info = ways.cfg.point(point);
    let inside = |edge: &&Edge| edge.from < point && edge.origin == info.origin;
    !info.origin.0.is_nowhere()
        && info.inside.is_none()
        && !info.end
        && !ways.entering(point).iter().any(inside)
}

fn flushes_after(program: &Program, edge: &Edge) -> Vec<Op> {
    let mut found: Vec<Op> = Vec::new();
    for (number, op) in edge.ops.iter().enumerate() {
        let (Op::Put { remote, .. } | Op::Get { remote, .. } | Op::RemoteAtomic { remote, .. }) = op else {
            continue;
        };
        let flushes = match flush_of(program, remote, &edge.ops[number..]) {
            Some(flush) => vec![flush],
            None => flushes_of_owners(program),
        };
        for flush in flushes {
            if !found.contains(&flush) {
                found.push(flush);
            }
        }
    }
    found
}

/// The flush of the thread that owns a remote address, if the term says which that is and still
/// does so after the operations that follow in the same step.
fn flush_of(program: &Program, remote: &Term, following: &[Op]) -> Option<Op> {
    let (variable, indices) = variable_of(remote)?;
    let info = program.variables.get(variable as usize)?;
    let process = info.owner?;
    let copy = match info.dimensions.first() {
        Some(Dimension::Copies(_)) => indices.first()?.clone(),
        _ => Term::int(0),
    };
    let changed: Vec<u32> = following.iter().filter_map(Op::sets).collect();
    let stays = copy.locals().iter().all(|local| !changed.contains(local));
    stays.then_some(Op::Flush { process, copy })
}

/// A flush of each thread that owns memory.
fn flushes_of_owners(program: &Program) -> Vec<Op> {
    let owns = |process: ProcessId| program.variables.iter().any(|info| info.owner == Some(process));
    let owners = program.process_ids().filter(|process| owns(*process));
    owners
        .flat_map(|process| {
            let copies = program.process(process).replicas.count().unwrap_or(1);
            (0..copies).map(move |copy| Op::Flush { process, copy: Term::int(i64::from(copy)) })
        })
        .collect()
}

fn variable_of(address: &Term) -> Option<(u32, &[Term])> {
    match address.kind() {
        Kind::Address { variable, indices } => Some((*variable, indices)),
        _ => None,
    }
}

/// Does such a fence follow every step of this origin at once, with no label before it?
fn always_follows(ways: &Ways<'_>, origin: Origin, op: &Op) -> bool {
    ways.fenceable(origin).all(|edge| {
        let next = ways.leaving(edge.to);
        !next.is_empty()
            && ways.cfg.point(edge.to).labels.is_empty()
            && next.iter().all(|next| wait_together(ways.program, next.ops.iter(), op))
    })
}

/// Do the operations that a step begins with (or, backwards, ends with) do what another would? A flush of
/// every process is one step with a flush of each thread, so it stands for a flush of any copy.
fn wait_together<'a>(program: &Program, ops: impl Iterator<Item = &'a Op>, wanted: &Op) -> bool {
    let mut ops = ops.peekable();
    if let Some(Op::Fence(_)) = ops.peek() {
        return ops.next().is_some_and(|first| replaces(first, wanted));
    }
    let flushes: Vec<&Op> = ops.take_while(|op| matches!(op, Op::Flush { .. })).collect();
    flushes.iter().any(|op| replaces(op, wanted)) || covers_all_copies(&flushes, program, wanted)
}

/// Is each copy of the wanted target among the flushes by its number?
fn covers_all_copies(flushes: &[&Op], program: &Program, wanted: &Op) -> bool {
    let Op::Flush { process, .. } = wanted else { return false };
    let flushed = |number: u32| {
        let copy = Term::int(i64::from(number));
        flushes.iter().any(|op| **op == Op::Flush { process: *process, copy: copy.clone() })
    };
    program.process(*process).replicas.count().is_some_and(|copies| (0..copies).all(flushed))
}

/// Does an operation that stands there already do what the other would?
pub(crate) fn replaces(existing: &Op, wanted: &Op) -> bool {
    match (existing, wanted) {
        (Op::Fence(existing), Op::Fence(wanted)) => is_as_strong(existing, wanted),
        _ => existing == wanted,
    }
}
