//! Store buffers written into a program, for TSO and PSO alike: the reduction of Dan, Meshman, Vechev and
//! Yahav (*Predicate Abstraction for Relaxed Memory Models*, SAS 2013, sections 3 and A.4).
//!
//! **Idea.** The buffers of a thread become locals of it. Under PSO a location `x` that the thread stores
//! to has slots `x_1` … `x_k` and a counter `x_cnt`; under TSO the thread has one line of slots, each with
//! the number of a location (`lhs_1`, the number that `Shape` gives it) and a value (`rhs_1`), and a
//! counter `cnt`. A store fills the first free slot, a load takes the newest slot of its location or else
//! memory, a fence waits until counters are zero, and a *flush* (here: commit, as everywhere in wattle)
//! moves the oldest slot to memory at any time. What comes out is an ordinary program that any engine can
//! run under sc.
//!
//! **What differs from the paper** (its Figs. 5 and 12):
//! * One step of the source is several edges between the same points, one a *case*: which counter value,
//!   which location if the address is computed. Each is a conjunction of assumptions and some assignments
//!   of constants, slots and locals. No term gets an `if` that the source does not have, except around
//!   addresses that are computed with (`address.rs`).
//! * Commits are self-loops at every point, instead of a `while *` after every statement. They are absent
//!   inside a locked section, where the machine does not commit.
//! * A slot that has become free is forgotten (set to zero), so that states differ only in what is pending.
//! * Only locations that a thread may store to from outside locked steps have buffers in it, and at each
//!   point only counter values that can occur there are cases (`pending.rs`).
//! * Under TSO a load scans from the newest entry. (The paper's rule LOAD-B, as printed, takes the oldest;
//!   its Fig. 12 is right.)
//! * Barriers between stores under PSO (fences that order WW only, release stores) are counters beside the
//!   slots (`order.rs`); the paper has full fences only.
//! * A thread that has ended still commits. Its end point becomes a point where it *drains*; an edge leads
//!   on to a new end point once all counters are zero. So "all threads ended" means in the reduced program
//!   what it means on the machine: ended and drained. Formulas that ask whether a thread has ended or
//!   stands at its end point accept both points.
//!
//! **Why it is exact.** Read slots up to the counter as the contents of the buffer, and the draining point
//! and the new end as the old end: then reduced states that have not overflowed are states of the machine,
//! and each case and each commit does what the step or the commit of the machine does, ranges and faults
//! included. The cases of a step exclude each other and leave nothing out.
//!
//! **Overflow.** A store that finds `k` entries stores 1 into a new shared variable, `overflow`, and its
//! thread goes to a point that it never leaves; `always overflow == 0` is added to the properties, as the
//! bound. So a violation whose path has no [`Move::Overflow`](super::Move::Overflow) is a violation on the machine, and a proof of the reduced
//! program, which includes that property, is a proof for unbounded buffers. What is found behind an
//! overflow says only that k is too small: the step stopped in the middle, and out of its atomic section.
//!
//! Or, with [`Capacity::rest`], nothing overflows: see `rest.rs`.
//!
//! **Cost.** A step with `n` buffered accesses has up to `(k + 1)^n` cases under PSO, times the locations
//! of computed addresses; under TSO a load alone has `(k + 1)(k + 2) / 2`. More than [`MOST_CASES`] are
//! refused.
//!
//! Refused too: what the machines do not run (remote operations, exclusives, spawn and join).

use std::collections::BTreeMap;

use wattle_logic::{Kind, Sort, Term, Value};
use wattle_program::passes::instantiate;
use wattle_program::{
    Init, Name, Process, ProcessId, Program, Property, PropertyKind, Range, Shape, ThreadId, Unsupported,
    Variable,
};
use wattle_source::Span;

use super::pending::Bounds;
use super::rma::Statement;
use super::thread::{Source, Translated};
use super::{Capacity, Discipline, Order, Reduced, Remainder, address};

/// The most edges that one edge may become.
pub(super) const MOST_CASES: usize = 4096;

/// Which locals are the buffers, by process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Buffers {
    Pso(Vec<Vec<PerLocation>>),
    Tso(Vec<Option<PerThread>>),
    /// Not by process: remote statements by number, with variables for what is pending.
    Rma(Vec<Statement>),
}

/// The buffer of one thread for one location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerLocation {
    pub location: u32,
    /// Oldest first.
    pub slots: Vec<u32>,
    pub count: u32,
    /// What waits for what, if the thread has barriers between stores.
    pub order: Option<Order>,
    /// What is kept beside the slots, if anything can be.
    pub rest: Option<Remainder>,
}

/// The buffer of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerThread {
    /// Oldest first.
    pub slots: Vec<Slot>,
    pub count: u32,
    /// The locations that may be in it.
    pub written: Vec<u32>,
    /// What is kept beside the slots, by location, where anything can be.
    pub rests: BTreeMap<u32, Remainder>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Holds the number of a location.
    pub lhs: u32,
    /// Holds the value: one local for each sort of the locations.
    pub rhs: BTreeMap<Sort, u32>,
}

/// Write the buffers of each thread into the program. `thread` does so for one: it declares the locals, for
/// the locations that the thread stores to, and translates the edges.
pub(super) fn reduce<B>(
    discipline: Discipline,
    program: &Program,
    capacity: &Capacity,
    buffers: fn(Vec<B>) -> Buffers,
    thread: impl Fn(&Source<'_>, &mut Process, &[u32], &Bounds) -> Result<(B, Translated), Unsupported>,
) -> Result<Reduced, Unsupported> {
    let mut program = instantiate(program)?;
    let overflow = capacity.rest.is_none().then_some(program.variables.len() as u32);
    if overflow.is_some() {
        program.variables.push(flag(&program));
    }
    let shape = Shape::new(&program).map_err(|why| Unsupported::new(why.to_string()))?;
    if let Some(overflow) = overflow {
        address::keep_off(&mut program, &shape, overflow);
    }
    let mut result = program.clone();
    let (mut all, mut moves, mut fenced, mut ends) = (vec![], vec![], vec![], vec![]);
    for id in shape.thread_ids() {
        let source = Source { program: &program, shape: &shape, thread: id, overflow };
        let written = address::written(&program, &shape, ProcessId(id.0), overflow);
        let bounds = source.bounds(&written, capacity);
        let process = &mut result.processes[id.0 as usize];
        let (own, translated) = thread(&source, process, &written, &bounds)?;
        all.push(own);
        moves.push(translated.moves);
        ends.push(translated.ends);
        fenced.push(bounds.fenced);
    }
    result.rewrite_formulas(&mut |formula| either_end(formula, &ends));
    let bound = overflow.map(|overflow| {
        let holds = Term::content(Term::address(overflow, vec![]), Sort::Int).equals(Term::int(0));
        result.properties.push(Property { kind: PropertyKind::Always, formula: holds, span: Span::NOWHERE });
        result.properties.len() - 1
    });
    let (capacity, buffers) = (capacity.clone(), buffers(all));
    Ok(Reduced { discipline, capacity, program: result, moves, bound, buffers, fenced })
}

/// The variable `overflow`, by another name if that is taken.
fn flag(program: &Program) -> Variable {
    let name = unused("overflow", program.variables.iter().map(|variable| &variable.name));
    Variable {
        name,
        sort: Sort::Int,
        dimensions: vec![],
        range: Some(Range { low: 0, high: 1 }),
        init: Init::Values(vec![Term::int(0)]),
        unbuffered: false,
        place: None,
        owner: None,
        span: Span::NOWHERE,
    }
}

pub(super) fn unused<'a>(name: &str, names: impl Iterator<Item = &'a Name>) -> Name {
    let names: Vec<&Name> = names.collect();
    let mut name = name.to_owned();
    while names.iter().any(|other| ***other == *name) {
        name.push('_');
    }
    name.into()
}

/// A thread at its old end point, or at the new one, has ended and stands at its end point.
pub(super) fn either_end(formula: &Term, ends: &[Vec<(u32, u32)>]) -> Term {
    formula.map(&mut |term| {
        let (process, copy) = match term.kind() {
            Kind::At { process, copy, .. } | Kind::Ended { process, copy } => (*process, copy.clone()),
            _ => return term,
        };
        let at = |point: u32| Term::at(process, copy.clone(), point);
        let ends = &ends[process as usize];
        match term.kind() {
            Kind::At { point, .. } => match ends.iter().find(|(old, _)| old == point) {
                Some((_, new)) => term.clone().or(at(*new)),
                None => term,
            },
            _ => ends.iter().fold(term.clone(), |all, (old, _)| all.or(at(*old))),
        }
    })
}

impl Reduced {
    /// The contents of a thread's buffers, given its locals: pairs of a location and a value, oldest first
    /// (under PSO location by location); what is in a rest is not among them. `None` if the locals are not those of a reduced thread.
    pub fn contents(&self, thread: ThreadId, locals: &[Value]) -> Option<Vec<(u32, Value)>> {
        let number = |local: u32| locals.get(local as usize).and_then(Value::as_int);
        let value = |local: u32| locals.get(local as usize).cloned();
        let mut result = Vec::new();
        match &self.buffers {
            Buffers::Pso(all) => {
                for buffer in all.get(thread.0 as usize)? {
                    for slot in buffer.slots.iter().take(usize::try_from(number(buffer.count)?).ok()?) {
                        result.push((buffer.location, value(*slot)?));
                    }
                }
            }
            Buffers::Tso(all) => {
                let Some(buffer) = all.get(thread.0 as usize)? else { return Some(result) };
                let shape = Shape::new(&self.program).ok()?;
                for slot in buffer.slots.iter().take(usize::try_from(number(buffer.count)?).ok()?) {
                    let location = u32::try_from(number(slot.lhs)?).ok()?;
                    let variable = shape.locations.get(location as usize)?.variable;
                    let sort = self.program.variables[variable as usize].sort;
                    result.push((location, value(*slot.rhs.get(&sort)?)?));
                }
            }
            Buffers::Rma(_) => {}
        }
        Some(result)
    }

    /// What a thread's barriers between stores amount to, given its locals: how many of the oldest pending
    /// stores of each location later ones must wait for; and, store by store in the order of
    /// [`Reduced::contents`], how many of each other location it waits for. `None` if there are none.
    pub fn waiting(&self, thread: ThreadId, locals: &[Value]) -> Option<Waiting> {
        let number = |local: u32| {
            let number = locals.get(local as usize).and_then(Value::as_int)?;
            usize::try_from(number).ok()
        };
        let Buffers::Pso(all) = &self.buffers else { return None };
        let (mut old, mut waits) = (BTreeMap::new(), vec![]);
        for buffer in all.get(thread.0 as usize)? {
            let order = buffer.order.as_ref()?;
            old.insert(buffer.location, number(order.old)?);
            for slot in order.waits.iter().take(number(buffer.count)?) {
                let counts = slot.iter().map(|(location, local)| Some((*location, number(*local)?)));
                waits.push(counts.collect::<Option<_>>()?);
            }
        }
        (!old.is_empty()).then_some((old, waits))
    }
}

/// See [`Reduced::waiting`].
pub type Waiting = (BTreeMap<u32, usize>, Vec<BTreeMap<u32, usize>>);
