//! The reduction: a thread that can only do local work does it at once.
//!
//! **Idea.** A step is *local* if it commutes with every move of every other thread and with the
//! deliveries of its own buffer, and no other move can switch it on or off. If all edges that leave
//! a point are local, exploring them before anything else loses nothing: they form a persistent set
//! (Godefroid). Such a point is *transient*; states in which a thread stands at one are not stored.
//!
//! **Which steps are local.**
//! * Work on locals, assertions, choices.
//! * A load from locations that no other thread (and no remote operation) ever writes: whether a
//!   store of the thread itself is still in its buffer or already in memory, the value is the same.
//! * Under TSO and PSO, a plain store: it enters the end of the thread's own buffer, and commits
//!   leave from its front. Likewise starting a remote operation: pending halves have no order.
//! * A store that acts on memory at once, to locations that no other thread reads or writes and no
//!   property over states mentions.
//! * A fence or flush that does not wait: it changes nothing. (A barrier added to a non-empty buffer
//!   commutes with commits, because leading barriers vanish.)
//!
//! Waiting is decided when the search gets there: if an edge at a transient point waits for a
//! buffer, or finds no room in one, the state is stored like any other and all threads move from it,
//! so a later commit can let the thread go on. The same holds if no edge is enabled at all.
//! Inside a locked section nothing else may move, so any step is local there; the step that enters a
//! section never is, because it stops all others.
//!
//! **Properties.** A violating state must survive when local steps of thread t are moved before the
//! moves that led to it. Then t may stand further on than it did. So the point it leaves must not
//! occur in `forbid` or `always`, and a point that it enters may occur only where being there makes
//! the formula of a `forbid` true rather than false (positively). Locals that such formulas mention
//! are not local. `finally` speaks of states without successors, and persistent sets keep those all.
//! Assertions depend on the thread's own locals only.
//!
//! **No step is put off for ever.** The graph of transient points has no cycle: a point that closes
//! one is not transient.
//!
//! **Stores that change nothing.** A location that only one thread ever writes holds, for that
//! thread, the newest store in its buffer or else what memory holds. A buffered store of that same
//! value is skipped: when it would reach memory, the location already holds the value, because
//! nobody else writes it; loads of the thread see the value either way; and a fence waits for all
//! stores before it anyway (`fence(x)` does not, so locations that one waits for are left out). So the
//! machine with the store and the one without reach the same memory, the same locals and the same points.
//! A loop that clears its own flag again and again then no longer fills its buffer without end, and the
//! state space closes. Schedules get the
//! skipped commits back before they are replayed ([`trace`](crate::trace)).
//!
//! **Joint steps** (`wattle_program::joint_step`) are not looked into: programs with such steps are searched without
//! reduction.
//!
//! Shortest counterexamples are not preserved, so `reduction: false` exists; the two are compared
//! on random programs. Differs from SPIN's reduction in using store buffers as the reason why most
//! stores are local, which is why weak memory costs little more than SC on many programs here.

use std::collections::BTreeSet;

use wattle_logic::{Binary, Kind, Sort, Term, Unary};
use wattle_memory::Machine;
use wattle_program::{Mode, Op, Program, PropertyKind, Shape, Source, ThreadId};

use crate::compile::Compiled;

pub(crate) fn reduce(program: &Program, compiled: &mut Compiled) {
    let accesses = Accesses::of(program, compiled);
    compiled.sole_writer = (accesses.writers.iter().zip(&accesses.awaited))
        .zip(&compiled.cells)
        // Two sets of which only their sizes are known need not be equal.
        .map(|((writers, awaited), cell)| writers.len() == 1 && !awaited && cell.sort != Sort::IntSet)
        .collect();
    mark_transient(program, compiled, &accesses);
}

fn mark_transient(program: &Program, compiled: &mut Compiled, accesses: &Accesses) {
    let shape = compiled.shape.clone();
    let observed = Observed::of(program);
    for thread in shape.thread_ids() {
        let process = shape.info(thread).process;
        let cfg = &program.process(process).cfg;
        let mut transient: Vec<bool> = (0..cfg.points.len())
            .map(|point| {
                let info = &cfg.points[point];
                let code = &compiled.threads[thread.0 as usize].points[point];
                let in_section = info.inside == Some(Mode::Locked);
                !info.end
                    && !code.edges.is_empty()
                    && !observed.points.contains(&(process.0, point as u32))
                    && code.edges.iter().all(|number| {
                        let edge = &cfg.edges[*number as usize];
                        // Entering an atomic section stops all others, and one that is locked stops its
                        // own buffer too.
                        let to = cfg.point(edge.to).inside;
                        let goes_in = match info.inside {
                            None => to.is_some(),
                            Some(Mode::Locked) => false,
                            Some(_) => to == Some(Mode::Locked),
                        };
                        let ends = cfg.point(edge.to).end && observed.ends.contains(&process.0);
                        let hides = ends || observed.against.contains(&(process.0, edge.to.0));
                        let acts = edge.ops.iter().all(|op| {
                            sets_no_observed(op, process.0, &observed)
                                && (in_section || accesses.is_local(op, edge.mode, thread, compiled))
                        });
                        !goes_in && !hides && acts
                    })
            })
            .collect();
        break_cycles(&mut transient, |point| {
            let code = &compiled.threads[thread.0 as usize];
            code.points[point].edges.iter().map(|edge| code.edges[*edge as usize].to as usize).collect()
        });
        for (point, transient) in compiled.threads[thread.0 as usize].points.iter_mut().zip(transient) {
            point.transient = transient;
        }
    }
}

/// Un-mark points until the marked ones have no cycle among them.
fn break_cycles(marked: &mut [bool], successors: impl Fn(usize) -> Vec<usize>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Colour {
        New,
        Open,
        Done,
    }
    let mut colours = vec![Colour::New; marked.len()];
    for start in 0..marked.len() {
        if !marked[start] || colours[start] != Colour::New {
            continue;
        }
        let mut stack = vec![(start, successors(start))];
        colours[start] = Colour::Open;
        while let Some((point, rest)) = stack.last_mut() {
            match rest.pop() {
                None => {
                    colours[*point] = Colour::Done;
                    stack.pop();
                }
                Some(next) if !marked[next] => {}
                Some(next) => match colours[next] {
                    Colour::New => {
                        colours[next] = Colour::Open;
                        stack.push((next, successors(next)));
                    }
                    Colour::Open => marked[next] = false,
                    Colour::Done => {}
                },
            }
        }
    }
}

/// What `forbid` and `always` see.
#[derive(Default)]
struct Observed {
    /// Points that occur in a formula.
    points: BTreeSet<(u32, u32)>,
    /// Points that occur where being there may hide a violation.
    against: BTreeSet<(u32, u32)>,
    /// Processes whose ending may hide a violation.
    ends: BTreeSet<u32>,
    locals: BTreeSet<(u32, u32)>,
    /// Is memory mentioned at all?
    memory: bool,
}

impl Observed {
    fn of(program: &Program) -> Observed {
        let mut observed = Observed::default();
        for property in &program.properties {
            match property.kind {
                PropertyKind::Forbid => observed.see(&property.formula, Some(true)),
                PropertyKind::Always => observed.see(&property.formula, Some(false)),
                PropertyKind::Finally => {}
            }
        }
        observed
    }

    /// `positive`: can the subformula violate the property only by being true (`Some(true)`), only by being
    /// false (`Some(false)`), or by both (`None`)?
    fn see(&mut self, term: &Term, positive: Option<bool>) {
        match term.kind() {
            Kind::Unary(Unary::Not, operand) => self.see(operand, positive.map(|positive| !positive)),
            Kind::Binary(Binary::And | Binary::Or, left, right) => {
                self.see(left, positive);
                self.see(right, positive);
            }
            Kind::Binary(Binary::Implies, left, right) => {
                self.see(left, positive.map(|positive| !positive));
                self.see(right, positive);
            }
            Kind::Quantified { body, .. } => self.see(body, positive),
            Kind::At { process, copy, point } => {
                self.points.insert((*process, *point));
                if positive != Some(true) {
                    self.against.insert((*process, *point));
                }
                self.see(copy, None);
            }
            Kind::Ended { process, copy } => {
                if positive != Some(true) {
                    self.ends.insert(*process);
                }
                self.see(copy, None);
            }
            Kind::LocalOf { process, copy, local } => {
                self.locals.insert((*process, *local));
                self.see(copy, None);
            }
            Kind::Content(address) => {
                self.memory = true;
                self.see(address, None);
            }
            _ => term.children().into_iter().for_each(|child| self.see(child, None)),
        }
    }
}

fn sets_no_observed(op: &Op, process: u32, observed: &Observed) -> bool {
    op.sets().is_none_or(|local| !observed.locals.contains(&(process, local)))
}

/// Who may read and write each location. Remote operations happen at any time, so they count as a
/// further thread.
struct Accesses {
    readers: Vec<BTreeSet<u32>>,
    writers: Vec<BTreeSet<u32>>,
    /// Does some `fence(x)` wait for the location?
    awaited: Vec<bool>,
    memory_is_observed: bool,
}

const NETWORK: u32 = u32::MAX;

impl Accesses {
    fn of(program: &Program, compiled: &Compiled) -> Accesses {
        let locations = compiled.shape.locations.len();
        let mut accesses = Accesses {
            readers: vec![BTreeSet::new(); locations],
            writers: vec![BTreeSet::new(); locations],
            awaited: vec![false; locations],
            memory_is_observed: Observed::of(program).memory,
        };
        for thread in compiled.shape.thread_ids() {
            let cfg = &program.process(compiled.shape.info(thread).process).cfg;
            for edge in &cfg.edges {
                for op in &edge.ops {
                    accesses.note(op, thread, compiled);
                }
            }
        }
        accesses
    }

    fn note(&mut self, op: &Op, thread: ThreadId, compiled: &Compiled) {
        let reach = |term: &Term| reachable(term, thread, &compiled.shape);
        let mut read = |term: &Term, who: u32| {
            reach(term).into_iter().for_each(|at| self.readers[at as usize].extend([who]));
        };
        match op {
            Op::Load { address, .. } | Op::LoadExclusive { address, .. } => read(address, thread.0),
            Op::Put { source: Source::Location(source), .. } => read(source, NETWORK),
            Op::Get { remote, .. } | Op::RemoteAtomic { remote, .. } => read(remote, NETWORK),
            _ => {}
        }
        if let Op::Fence(fence) = op {
            let locations = fence.location.iter().flat_map(reach);
            locations.for_each(|at| self.awaited[at as usize] = true);
        }
        let mut write = |term: &Term, who: u32| {
            reach(term).into_iter().for_each(|at| self.writers[at as usize].extend([who]));
        };
        match op {
            Op::Store { address, .. } | Op::StoreConditional { address, .. } => write(address, thread.0),
            Op::Put { remote, .. } => write(remote, NETWORK),
            Op::Get { into, .. } => write(into, NETWORK),
            Op::RemoteAtomic { into, remote, .. } => {
                write(remote, NETWORK);
                into.iter().for_each(|into| write(into, NETWORK));
            }
            _ => {}
        }
    }

    fn is_local(&self, op: &Op, mode: Mode, thread: ThreadId, compiled: &Compiled) -> bool {
        let only_me = |sets: &[BTreeSet<u32>], term: &Term| {
            reachable(term, thread, &compiled.shape)
                .into_iter()
                .all(|at| sets[at as usize].iter().all(|who| *who == thread.0))
        };
        match op {
            Op::Assign { .. }
            | Op::Havoc { .. }
            | Op::Forget { .. }
            | Op::Assume { .. }
            | Op::Assert { .. } => true,
            Op::Fence(_) | Op::Flush { .. } => true,
            Op::Load { address, .. } => only_me(&self.writers, address),
            Op::Store { address, .. } => {
                (compiled.buffers_stores && mode != Mode::Locked)
                    || (!self.memory_is_observed
                        && only_me(&self.writers, address)
                        && only_me(&self.readers, address))
            }
            Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } => {
                compiled.kind != (Machine::Sc { atomic_copy: true })
            }
            _ => false,
        }
    }
}

/// The locations that an address term may evaluate to. Only what is fixed by the text counts, not what
/// the ranges of locals would rule out: the checker of certificates must be able to follow.
fn reachable(term: &Term, thread: ThreadId, shape: &Shape) -> Vec<u32> {
    match (shape.fixed_location(term, shape.info(thread).copy), term.kind()) {
        (Some(location), _) => vec![location],
        (None, Kind::Address { variable, .. }) => shape.locations_of(*variable).collect(),
        (None, _) => (0..shape.locations.len() as u32).collect(),
    }
}

/// The most stores or remote operations that a thread can have pending, if the program itself
/// bounds it: the longest run of such operations without a wait in between.
pub(crate) fn pending_bound(program: &Program, machine: Machine) -> Option<usize> {
    if matches!(machine, Machine::Sc { .. }) {
        return Some(1); // a thread waits for each remote operation
    }
    let buffered = |address: &Term| match address.kind() {
        Kind::Address { variable, .. } => !program.variables[*variable as usize].unbuffered,
        _ => true,
    };
    let mut worst = 0;
    for process in &program.processes {
        let cfg = &process.cfg;
        // The most pending at each point, growing; a cycle that grows has no bound.
        let mut most = vec![None::<usize>; cfg.points.len()];
        most[cfg.entry.0 as usize] = Some(0);
        let limit = 64;
        let mut changed = true;
        while changed {
            changed = false;
            for edge in &cfg.edges {
                let Some(mut pending) = most[edge.from.0 as usize] else { continue };
                for op in &edge.ops {
                    match op {
                        Op::Store { .. } if machine.buffers_stores() && edge.mode != Mode::Locked => {
                            pending += 1
                        }
                        Op::Together { stores } if machine.buffers_stores() && edge.mode != Mode::Locked => {
                            pending += usize::from(stores.iter().any(|store| buffered(&store.address)));
                        }
                        Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } => pending += 1,
                        Op::Fence(fence)
                            if fence.location.is_none()
                                && fence.orders.contains(wattle_program::Orders::WR)
                                && machine.buffers_stores() =>
                        {
                            pending = 0;
                        }
                        _ => {}
                    }
                    worst = worst.max(pending);
                }
                if edge.mode == Mode::Locked && machine.buffers_stores() {
                    pending = 0;
                }
                if worst > limit {
                    return None;
                }
                let to = &mut most[edge.to.0 as usize];
                if to.is_none_or(|old| old < pending) {
                    *to = Some(pending);
                    changed = true;
                }
            }
        }
    }
    Some(worst)
}
