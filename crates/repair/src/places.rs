//! Where a fence or flush may stand.
//!
//! On a store-buffer machine a fence does something only where a store may still be pending, so the
//! places are directly after plain stores; on RMA they are directly after remote statements, and
//! what stands there is a flush of that statement's target. A statement that a fence already
//! follows on every path is no place. With `anywhere`, every control point that starts a statement
//! is a place too: a fence at the head of a loop serves all ways into it, so fewer may do.
//!
//! Copies of a replicated process are separate places ([`places`]); [`in_all_copies`] says which
//! belong to one place of the text. A process with any number of copies has only places of the text.
//!
//! The flush after a remote statement names its target by the term that the statement itself uses.
//! If the same step changes a local of that term after the statement, the term would name another
//! target; then, and where the address is computed so that no owner can be read off it, a flush of
//! each thread that owns memory is offered instead.

use wattle_logic::{Kind, Term};
use wattle_memory::{Machine, MemoryModel};
use wattle_program::passes::{Insertion, Place, Spot, takes_fence};
use wattle_program::{Cfg, Dimension, Edge, Fence, Name, Op, Orders, Origin, Process, ProcessId, Program};

/// Every place, for each copy, with what would stand there; in the order of the text.
pub fn places(program: &Program, memory: &MemoryModel, anywhere: bool) -> Vec<Insertion> {
    let mut found = Vec::new();
    for process in program.process_ids() {
        let cfg = &program.process(process).cfg;
        for (spot, op) in spots(program, memory, cfg, anywhere) {
            for copy in copies(program.process(process)) {
                let place = Place { process, copy, spot };
                found.push(Insertion { place, op: op.clone() });
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

fn spots(program: &Program, memory: &MemoryModel, cfg: &Cfg, anywhere: bool) -> Vec<(Spot, Op)> {
    if matches!(memory.machine, Some(Machine::Sc { .. })) {
        return vec![]; // nothing is ever pending there
    }
    let mut found: Vec<(Spot, Op)> = Vec::new();
    let mut add = |spot: Spot, op: Op| {
        let one = (spot, op);
        if !found.contains(&one) {
            found.push(one);
        }
    };
    let flushes = memory.machine == Some(Machine::Rma);
    for edge in cfg.edges.iter().filter(|edge| takes_fence(edge) && !edge.origin.0.is_nowhere()) {
        let ops = if flushes { flushes_after(program, edge) } else { fence_after(edge) };
        for op in ops {
            // A label at a point is reached before a fence at that point, but not before one on the
            // way there.
            let covered = anywhere && starts_statement(cfg, edge) && cfg.point(edge.to).labels.is_empty();
            if !covered && !always_follows(cfg, edge.origin, &op) {
                add(Spot::After(edge.origin), op);
            }
        }
    }
    if anywhere {
        for (number, info) in cfg.points.iter().enumerate() {
            if info.origin.0.is_nowhere() || info.inside.is_some() || info.end {
                continue;
            }
            let spot = Spot::Before(wattle_program::Point(number as u32));
            let ops = if flushes { flushes_of_owners(program) } else { vec![Op::Fence(Fence::full())] };
            ops.into_iter().for_each(|op| add(spot, op));
        }
    }
    found
}

/// Is the point that the edge leads to a place of its own under `anywhere`?
fn starts_statement(cfg: &Cfg, edge: &Edge) -> bool {
    let info = cfg.point(edge.to);
    !info.origin.0.is_nowhere() && info.inside.is_none() && !info.end
}

fn fence_after(edge: &Edge) -> Vec<Op> {
    let stores = edge.ops.iter().any(|op| matches!(op, Op::Store { .. }));
    if stores { vec![Op::Fence(Fence::full())] } else { vec![] }
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
fn always_follows(cfg: &Cfg, origin: Origin, op: &Op) -> bool {
    let mut edges = cfg.edges.iter().filter(|edge| edge.origin == origin && takes_fence(edge));
    edges.all(|edge| {
        let mut next = cfg.leaving(edge.to).peekable();
        next.peek().is_some()
            && cfg.point(edge.to).labels.is_empty()
            && next.all(|next| cfg.edge(next).ops.first().is_some_and(|first| is_as_strong(first, op)))
    })
}

fn is_as_strong(existing: &Op, wanted: &Op) -> bool {
    match (existing, wanted) {
        (Op::Fence(fence), Op::Fence(_)) => fence.orders.contains(Orders::WR) && fence.location.is_none(),
        _ => existing == wanted,
    }
}

/// The cost of what is inserted: by its kind, or 1.
pub fn cost(costs: &std::collections::BTreeMap<Name, u64>, op: &Op) -> u64 {
    costs.get(&wattle_program::passes::kind_name(op)).copied().unwrap_or(1).max(1)
}
