//! From a program to a packed machine: fields for everything, and the edges of each thread with
//! their terms compiled.

use std::sync::Arc;

use wattle_logic::{Kind, Sort, Term};
use wattle_memory::Machine;
use wattle_program::step::domain;
use wattle_program::{
    Choice, EdgeId, Mode, Op, Orders, Program, PropertyKind, Range, Shape, Source, ThreadId,
};
use wattle_program::{Tags, Update, Variable, op_terms};

use crate::buffer::{Codec, MAX_SLOTS};
use crate::expression::{Expression, Fields, Scope};
use crate::layout::{Cell, Field, Packer, Widths, bits_for};
use crate::machine::{Buffer, MAX_WORDS, PackedUpdate};
use crate::ranges::{Interval, Ranges};
use crate::reduce;
use crate::sets::{self, Sets};

/// A program, ready to run on packed states.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub kind: Machine,
    pub shape: Shape,
    pub fields: Fields,
    /// The sets that were met, shared by all that read the states of this search.
    pub sets: Arc<Sets>,
    /// Does the way to a state rest on a doubt about a set? Only programs with sets have this field.
    pub doubtful: Option<Field>,
    /// How many words a state has.
    pub words: usize,
    pub threads: Vec<Thread>,
    pub buffers: Vec<Buffer>,
    pub codec: Codec,
    /// The most operations that a thread may have pending.
    pub capacity: usize,
    pub buffers_stores: bool,
    /// Is there anything to deliver at all?
    pub has_buffers: bool,
    /// SC: a thread with pending halves does not step.
    pub waits_for_halves: bool,
    /// Does any point lie inside an atomic section?
    pub has_sections: bool,
    /// Locations whose stores may be skipped when they change nothing (see [`reduce`]).
    pub sole_writer: Vec<bool>,
    /// Sort and range of each location.
    pub cells: Vec<CellInfo>,
    /// Locations outside the store buffers.
    pub unbuffered: Vec<bool>,
    /// For each location that is a part of an object, how wide it is.
    pub widths: Vec<Option<u8>>,
    pub properties: Vec<(PropertyKind, Expression)>,
    pub filter: Option<Expression>,
    pub observed: Vec<(Expression, Sort)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub points: Vec<Point>,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// The edges that leave, without those whose guard is false for this copy.
    pub edges: Vec<u32>,
    pub end: bool,
    pub inside: Option<Mode>,
    /// Does the point belong to an await?
    pub awaits: bool,
    /// Does an edge that leaves choose values?
    pub has_choices: bool,
    /// Never a state of its own: the thread runs on at once (see [`reduce`]).
    pub transient: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub id: EdgeId,
    pub guard: Expression,
    pub acts: Vec<Act>,
    pub to: u64,
    pub mode: Mode,
    pub has_choices: bool,
}

/// A compiled operation; its position is that of the operation in its edge.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// `sort`: what the access takes the location for.
    Load {
        into: Slot,
        address: Expression,
        sort: Sort,
    },
    Store {
        address: Expression,
        value: Expression,
        release: bool,
        sort: Sort,
    },
    /// Each copy of a broadcast is a store of its own here.
    Together(Vec<Joint>),
    Assign {
        local: Slot,
        value: Expression,
    },
    Havoc {
        local: Slot,
        low: Expression,
        high: Expression,
    },
    /// `all`: the values of the local, if they are few enough to list.
    Pick {
        local: Slot,
        set: Expression,
        all: Option<(i64, i64)>,
    },
    Forget {
        local: Field,
    },
    Assume(Expression),
    Assert(Expression),
    Fence {
        orders: Orders,
        location: Option<Expression>,
    },
    Remote(Remote),
    Flush {
        process: u32,
        copy: Expression,
    },
    Nothing,
    Unsupported(String),
}

/// One of several stores that become visible together.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    pub when: Expression,
    pub address: Expression,
    pub value: Expression,
}

#[derive(Clone, Debug)]
pub(crate) enum Remote {
    PutLocation { remote: Expression, source: Expression },
    PutValue { remote: Expression, value: Expression },
    Get { into: Expression, remote: Expression },
    Atomic { into: Option<Expression>, remote: Expression, update: PackedUpdate<Expression> },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub field: Field,
    pub cell: CellInfo,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct CellInfo {
    pub sort: Sort,
    pub range: Option<Range>,
}

impl CellInfo {
    /// A set has no range: what is packed is its number.
    fn new(sort: Sort, range: Option<Range>) -> CellInfo {
        CellInfo { sort, range: range.filter(|_| sort != Sort::IntSet) }
    }

    /// The value as the cell holds it; `None` if its range forbids it.
    #[inline]
    pub(crate) fn fit(&self, value: i64) -> Option<i64> {
        let value = self.sort.wrap(value);
        match self.range {
            Some(range) if !range.contains(value) => None,
            _ => Some(value),
        }
    }
}

/// What to compile for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub machine: Machine,
    pub capacity: usize,
    pub widths: &'a Widths,
    pub reduction: bool,
    /// Keep the edges that exist only to fail an assertion? (Not when deadlocks are looked for.)
    pub assertions: bool,
}

pub(crate) fn compile(program: &Program, shape: &Shape, target: Target<'_>) -> Result<Compiled, String> {
    let Target { machine, capacity, widths, reduction, assertions } = target;
    let uses_sets = sets::used(program)?;
    let sets = Arc::new(Sets::default());
    let mut packer = Packer::default();
    let doubtful = uses_sets.then(|| packer.field(0, 1, Cell::Exact));
    let fields = fields(program, shape, widths, &mut packer);
    let buffers_stores = machine.buffers_stores();
    let group = largest_group(program, shape);
    let has_remote = any_op(program, |op| {
        matches!(op, Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } | Op::Flush { .. })
    });
    let codec = match buffers_stores {
        true => Codec::for_stores(shape, &fields.memory, group > 1),
        false => Codec::for_halves(program, shape, &fields.memory, &fields.locals, widths),
    };
    if codec.bits > 64 && (buffers_stores || has_remote) {
        return Err(
            "values this large are not packed into buffers (a location and a value need 64 bits)".into()
        );
    }
    let slots = match (buffers_stores, has_remote) {
        // A barrier may stand behind every store.
        (true, _) if machine == Machine::Pso && has_barriers(program) => 2 * capacity,
        (true, _) => capacity * group,
        (false, true) => capacity,
        (false, false) => 0,
    };
    if slots > MAX_SLOTS {
        return Err(format!("buffers of more than {MAX_SLOTS} slots are not packed"));
    }
    // One slot at least keeps "is the buffer empty" a plain test; without buffers it has no bits.
    let buffers = (0..shape.threads.len())
        .map(|_| {
            let bits = if slots == 0 { 0 } else { codec.bits };
            Buffer { slots: (0..slots.max(1)).map(|_| packer.field(0, bits, Cell::Exact)).collect() }
        })
        .collect();
    let words = packer.words();
    if words > MAX_WORDS {
        return Err(format!("a state needs {words} words; {MAX_WORDS} is the most"));
    }
    let whole = Scope { program, shape, fields: &fields, sets: &sets, buffers_stores, thread: None };
    let properties =
        program.properties.iter().map(|property| (property.kind, whole.compile(&property.formula))).collect();
    let observed = program.observed.iter().map(|term| (whole.compile(term), term.sort())).collect();
    let filter = program.filter.as_ref().map(|filter| whole.compile(filter));
    let threads =
        shape.thread_ids().map(|thread| compile_thread(Scope { thread: Some(thread), ..whole }, assertions));
    let threads = threads.collect();
    let cells = (shape.locations.iter())
        .map(|location| {
            let variable = &program.variables[location.variable as usize];
            CellInfo::new(variable.sort, variable.range)
        })
        .collect();
    let width = |variable: &Variable| match variable.sort {
        Sort::Bits { width, .. } if variable.place.is_some() => Some(width),
        _ => None,
    };
    let widths = (shape.locations.iter())
        .map(|location| width(&program.variables[location.variable as usize]))
        .collect();
    let unbuffered = (shape.locations.iter())
        .map(|location| program.variables[location.variable as usize].unbuffered)
        .collect();
    let has_sections =
        program.processes.iter().any(|process| process.cfg.points.iter().any(|info| info.inside.is_some()));
    let mut compiled = Compiled {
        kind: machine,
        shape: shape.clone(),
        fields,
        sets,
        doubtful,
        words,
        threads,
        buffers,
        codec,
        capacity,
        buffers_stores,
        has_buffers: slots > 0,
        waits_for_halves: matches!(machine, Machine::Sc { .. }) && slots > 0,
        has_sections,
        sole_writer: vec![false; shape.locations.len()],
        cells,
        unbuffered,
        widths,
        properties,
        filter,
        observed,
    };
    if reduction {
        reduce::reduce(program, &mut compiled);
    }
    Ok(compiled)
}

fn fields(program: &Program, shape: &Shape, widths: &Widths, packer: &mut Packer) -> Fields {
    let ranges = Ranges::of(program, shape);
    let as_held = |sort: Sort, interval: Interval, cell: Cell| match sort {
        Sort::IntSet => (Interval { low: Some(0), high: None }, Cell::Set),
        _ => (interval, cell),
    };
    let mut cell_field = |(interval, cell): (Interval, Cell)| match (interval.low, interval.high) {
        (Some(low), Some(high)) => packer.field(low, bits_for(high.wrapping_sub(low) as u64), cell),
        (low, high) => {
            let bits = widths.of(cell);
            let low = match (low, high) {
                _ if bits >= 64 => i64::MIN,
                (Some(low), _) => low,
                (None, Some(high)) => high.saturating_sub((1i64 << bits) - 1),
                (None, None) => -(1i64 << (bits - 1)),
            };
            packer.field(low, bits, cell)
        }
    };
    let mut points = Vec::new();
    let mut locals = Vec::new();
    for info in &shape.threads {
        let process = program.process(info.process);
        let last = Interval { low: Some(0), high: Some(process.cfg.points.len() as i64 - 1) };
        points.push(cell_field((last, Cell::Exact)));
        let number = info.process.0;
        let own = (0..process.locals.len() as u32).map(|local| {
            let interval = ranges.locals[number as usize][local as usize];
            let sort = process.locals[local as usize].sort;
            cell_field(as_held(sort, interval, Cell::Local { process: number, local }))
        });
        locals.push(own.collect());
    }
    let memory = (shape.locations.iter())
        .map(|location| {
            let interval = ranges.variables[location.variable as usize];
            let sort = program.variables[location.variable as usize].sort;
            cell_field(as_held(sort, interval, Cell::Variable(location.variable)))
        })
        .collect();
    Fields { points, locals, memory }
}

pub(crate) fn any_op(program: &Program, test: impl Fn(&Op) -> bool) -> bool {
    program.processes.iter().any(|process| process.cfg.edges.iter().any(|edge| edge.ops.iter().any(&test)))
}

/// The most stores that enter a buffer as one entry.
fn largest_group(program: &Program, shape: &Shape) -> usize {
    let buffered = |address: &Term| match address.kind() {
        Kind::Address { variable, .. } => !program.variables[*variable as usize].unbuffered,
        _ => true,
    };
    let edges = program.processes.iter().flat_map(|process| &process.cfg.edges);
    let sizes = edges.flat_map(|edge| &edge.ops).map(|op| match op {
        Op::Together { stores } => (stores.iter())
            .filter(|store| buffered(&store.address))
            .map(|store| store.instances(|process| shape.copies_of(process)).len())
            .sum(),
        _ => 1,
    });
    sizes.max().unwrap_or(1).max(1)
}

fn is_release(tags: &Tags) -> bool {
    tags.contains("rel")
}

fn has_barriers(program: &Program) -> bool {
    any_op(program, |op| match op {
        Op::Fence(fence) => !fence.orders.contains(Orders::WR) && fence.orders.contains(Orders::WW),
        Op::Store { tags, .. } => is_release(tags),
        _ => false,
    })
}

fn compile_thread(scope: Scope<'_>, assertions: bool) -> Thread {
    let Some(thread) = scope.thread else { return Thread { points: vec![], edges: vec![] } };
    let cfg = &scope.program.process(scope.shape.info(thread).process).cfg;
    let edges: Vec<Edge> = cfg.edge_ids().map(|edge| compile_edge(&scope, thread, edge)).collect();
    let mut leaving: Vec<Vec<u32>> = vec![Vec::new(); cfg.points.len()];
    let wanted = |edge: &Edge| {
        !edge.guard.is_false() && (assertions || cfg.edge(edge.id).role != wattle_program::Role::Asserts)
    };
    for (number, edge) in edges.iter().enumerate().filter(|(_, edge)| wanted(edge)) {
        leaving[cfg.edge(edge.id).from.0 as usize].push(number as u32);
    }
    let points = (cfg.points.iter().zip(leaving).zip(cfg.awaits()))
        .map(|((info, leaving), head)| Point {
            has_choices: leaving.iter().any(|edge| edges[*edge as usize].has_choices),
            edges: leaving,
            end: info.end,
            inside: info.inside,
            awaits: head.is_some(),
            transient: false,
        })
        .collect();
    Thread { points, edges }
}

fn compile_edge(scope: &Scope<'_>, thread: ThreadId, id: EdgeId) -> Edge {
    let process = scope.program.process(scope.shape.info(thread).process);
    let edge = process.cfg.edge(id);
    let slot = |local: u32| {
        let info = &process.locals[local as usize];
        let field = scope.fields.locals[thread.0 as usize][local as usize];
        Slot { field, cell: CellInfo::new(info.sort, info.range) }
    };
    let term = |term: &Term| scope.compile(term);
    let acts: Vec<Act> = (edge.ops.iter())
        .map(|op| match op {
            Op::Load { into, address, .. } => {
                let sort = process.locals[*into as usize].sort;
                Act::Load { into: slot(*into), address: term(address), sort }
            }
            Op::Store { address, value, tags } => {
                let (release, sort) = (is_release(tags), value.sort());
                Act::Store { address: term(address), value: term(value), release, sort }
            }
            Op::Together { stores } => {
                let mut joint = Vec::new();
                for store in stores {
                    for bound in store.instances(|process| scope.shape.copies_of(process)) {
                        let term = |term: &Term| scope.compile_for(term, &bound);
                        let (when, address) = (term(&store.when), term(&store.address));
                        joint.push(Joint { when, address, value: term(&store.value) });
                    }
                }
                joint.retain(|store| !store.when.is_false());
                Act::Together(joint)
            }
            Op::Assign { local, value } => Act::Assign { local: slot(*local), value: term(value) },
            Op::Havoc { local, among } => {
                let local = slot(*local);
                match among {
                    Choice::Between(low, high) => Act::Havoc { local, low: term(low), high: term(high) },
                    Choice::Any => match domain(scope.program, local.cell.sort, local.cell.range) {
                        Some((low, high)) => Act::Havoc {
                            local,
                            low: Expression::Constant(low),
                            high: Expression::Constant(high),
                        },
                        None => Act::Unsupported("a choice among infinitely many values".into()),
                    },
                    Choice::Member(set) => {
                        let all = domain(scope.program, local.cell.sort, local.cell.range);
                        Act::Pick { local, set: term(set), all }
                    }
                }
            }
            Op::Forget { local } => Act::Forget { local: slot(*local).field },
            Op::Assume { condition } => Act::Assume(term(condition)),
            Op::Assert { condition, .. } => Act::Assert(term(condition)),
            Op::Fence(fence) => {
                Act::Fence { orders: fence.orders, location: fence.location.as_ref().map(term) }
            }
            Op::Put { remote, source: Source::Location(source) } => {
                Act::Remote(Remote::PutLocation { remote: term(remote), source: term(source) })
            }
            Op::Put { remote, source: Source::Value(value) } => {
                Act::Remote(Remote::PutValue { remote: term(remote), value: term(value) })
            }
            Op::Get { into, remote } => Act::Remote(Remote::Get { into: term(into), remote: term(remote) }),
            Op::RemoteAtomic { into, remote, update } => Act::Remote(Remote::Atomic {
                into: into.as_ref().map(term),
                remote: term(remote),
                update: match update {
                    Update::Add(value) => PackedUpdate::Add(term(value)),
                    Update::Replace(value) => PackedUpdate::Replace(term(value)),
                    Update::CompareAndSwap { expected, new } => {
                        PackedUpdate::CompareAndSwap(term(expected), term(new))
                    }
                },
            }),
            Op::Flush { process, copy } => Act::Flush { process: process.0, copy: term(copy) },
            Op::LoadExclusive { .. } | Op::StoreConditional { .. } => {
                Act::Unsupported("exclusive access on a store-buffer machine".into())
            }
            Op::Spawn { .. } | Op::Join { .. } => Act::Unsupported("spawn and join".into()),
            Op::Cut { .. } => Act::Nothing,
            Op::Unsupported { what, .. } => Act::Unsupported(what.to_string()),
        })
        .collect();
    // A doubt about a set is a choice between its answers.
    let doubts = sets::may_doubt(&edge.guard) || edge.ops.iter().flat_map(op_terms).any(sets::may_doubt);
    let has_choices = doubts || acts.iter().any(|act| matches!(act, Act::Havoc { .. } | Act::Pick { .. }));
    let guard = term(&edge.guard);
    Edge { id, guard, acts, to: u64::from(edge.to.0), mode: edge.mode, has_choices }
}
