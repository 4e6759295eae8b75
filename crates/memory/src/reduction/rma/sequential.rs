//! Remote operations under sequential consistency, written into a program.
//!
//! Under sc a thread does not go on before what it has started is done. So the reduction of `rma` does for it, if each step that starts something is followed by
//! one that waits for everything: nothing is pending twice, every statement has a slot, and nothing is approximated. While
//! it waits, the thread stands at a point of its own; formulas that name the point where it would be under sc, which is the one after the
//! start, mean both.
//!
//! With copies that are one step (`--sc-copy atomic`) nothing is pending at all: a copy is a load and a store. A value that its target cannot hold is
//! an error there as everywhere, and gets an edge of its own.

use wattle_logic::{Kind, Sort, Term};
use wattle_program::{
    Edge, Mode, Op, Origin, Point, PointInfo, ProcessId, Program, Range, Role, Shape, Unsupported,
};

use super::split::Split;
use super::synchronous::{self, Done};
use super::thread::{is_inside, is_remote, within};
use super::{Rma, statement};
use crate::reduction::{Buffers, Capacity, Discipline, Move, Reduced, Reduction, Room};

/// Remote operations under sequential consistency.
#[derive(Clone, Copy, Debug)]
pub struct UnderSc {
    /// Is a copy one step?
    pub atomic_copy: bool,
}

impl Reduction for UnderSc {
    fn discipline(&self) -> Discipline {
        Discipline::RmaUnderSc { atomic_copy: self.atomic_copy }
    }

    fn capacity(&self, program: &Program, room: &Room) -> Result<Capacity, Unsupported> {
        Rma.capacity(program, room)
    }

    fn sequential(&self, program: &Program) -> Result<Program, Unsupported> {
        synchronous::synchronous(program)
    }

    fn reduce(&self, program: &Program, capacity: &Capacity) -> Result<Reduced, Unsupported> {
        let mut split = super::split::flat(program)?;
        if self.atomic_copy {
            return at_once(split, self.discipline(), capacity);
        }
        let waiting = wait(&mut split);
        let mut reduced = super::reduced(&split, self.discipline(), capacity)?;
        reduced.program.rewrite_formulas(&mut |formula| or_waiting(formula, &waiting));
        Ok(reduced)
    }
}

/// Where a thread stands while it waits, the point where it is then under sc, and whether that is an end. By process.
type Waiting = Vec<Vec<(u32, u32, bool)>>;

/// After each step that starts something, one that waits.
fn wait(split: &mut Split) -> Waiting {
    let all: Vec<Op> = (0..split.program.processes.len() as u32)
        .map(|process| Op::Flush { process: ProcessId(process), copy: Term::int(0) })
        .collect();
    let mut waiting = Waiting::new();
    for (process, of) in split.program.processes.iter_mut().zip(&mut split.of) {
        let (cfg, mut own) = (&mut process.cfg, Vec::new());
        for number in 0..cfg.edges.len() {
            if !cfg.edges[number].ops.iter().any(is_remote) {
                continue;
            }
            let to = cfg.edges[number].to;
            let PointInfo { inside, origin, end, .. } = *cfg.point(to);
            let here = cfg.add_point(PointInfo { inside, origin, ..PointInfo::default() });
            cfg.edges[number].to = here;
            let origin = cfg.edges[number].origin;
            cfg.edges.push(step(here, all.clone(), to, origin));
            of.push(None);
            own.push((here.0, to.0, end));
        }
        waiting.push(own);
    }
    waiting
}

fn step(from: Point, ops: Vec<Op>, to: Point, origin: Origin) -> Edge {
    Edge { from, guard: Term::bool(true), ops, to, mode: Mode::Plain, role: Role::Step, origin }
}

fn or_waiting(formula: &Term, waiting: &Waiting) -> Term {
    formula.map(&mut |term| {
        let (process, copy, meant) = match term.kind() {
            Kind::At { process, copy, point } => (*process, copy.clone(), Some(*point)),
            Kind::Ended { process, copy } => (*process, copy.clone(), None),
            _ => return term,
        };
        let own = waiting[process as usize].iter();
        let same = own.filter(|(_, to, end)| meant.map_or(*end, |point| point == *to));
        same.fold(term, |all, (here, ..)| all.or(Term::at(process, copy.clone(), *here)))
    })
}

/// Loads and stores for remote operations.
fn at_once(mut split: Split, discipline: Discipline, capacity: &Capacity) -> Result<Reduced, Unsupported> {
    let shape = Shape::new(&split.program).map_err(|why| Unsupported::new(why.to_string()))?;
    statement::find(&split.program, &shape)?;
    let ranges: Vec<Option<Range>> = split.program.variables.iter().map(|variable| variable.range).collect();
    let mut moves = Vec::new();
    for (process, of) in split.program.processes.iter_mut().zip(&split.of) {
        let value = synchronous::value_of(process);
        let (mut edges, mut own) = (Vec::new(), Vec::new());
        for (edge, of) in std::mem::take(&mut process.cfg.edges).into_iter().zip(of) {
            let moved = of.map_or(Move::End, Move::Step);
            let mut ops: Vec<Op> = Vec::new();
            for op in &edge.ops {
                for Done { op, before } in synchronous::at_once(op, value) {
                    if let Some(before) = before
                        && let Some(outside) = outside(&ops, &op, before.as_ref(), &ranges, &edge)
                    {
                        edges.push(Edge { ops: outside, ..edge.clone() });
                        own.push(moved);
                    }
                    ops.push(op);
                }
            }
            edges.push(Edge { ops, ..edge });
            own.push(moved);
        }
        process.cfg.edges = edges;
        moves.push(own);
    }
    let (program, buffers) = (split.program, Buffers::Rma(vec![]));
    let fenced = vec![false; program.processes.len()];
    Ok(Reduced { discipline, capacity: capacity.clone(), program, moves, bound: None, buffers, fenced })
}

/// The step up to a remote store, whose value its target cannot hold. `from`: where it was read, if it is as it was read.
fn outside(
    ops: &[Op],
    store: &Op,
    from: Option<&Term>,
    ranges: &[Option<Range>],
    edge: &Edge,
) -> Option<Vec<Op>> {
    let Op::Store { address, value, .. } = store else { return None };
    let ranges_of = |address: &Term| {
        let mut found: Vec<Option<Range>> = Vec::new();
        address.walk(&mut |part| {
            if let Kind::Address { variable, .. } = part.kind() {
                found.push(ranges[*variable as usize]);
            }
        });
        found
    };
    let sources = from.map(ranges_of);
    let constant = value.as_value().and_then(wattle_logic::Value::as_int);
    let fits = |range: &Range| match (&sources, constant) {
        (_, Some(value)) => range.contains(value),
        (Some(sources), _) => sources.iter().all(|source| is_inside(*source, Some(*range))),
        (None, None) => false,
    };
    let range = ranges_of(address).into_iter().flatten().find(|range| !fits(range))?;
    let inside = within(value, Some(range))?;
    debug_assert_eq!(value.sort(), Sort::Int);
    let what = "a remote write outside the declared range".into();
    let refused = [Op::Assume { condition: inside.negated() }, Op::Unsupported { what, span: edge.origin.0 }];
    Some([ops, &refused].concat())
}
