//! From a thread to its paths: symbolic execution of the control-flow graph.
//!
//! A guard that folds to a constant is decided at once; the others fork, as do `havoc`, the success
//! of a store-conditional and, where selections are dependencies of their own (AArch64), the
//! condition of an `if` inside a term. The common litmus test has one path a thread.
//!
//! A run of one edge is a function of the choices made in it. [`Chooser`] replays the edge until all
//! combinations are done, so that nothing else here knows about forks.
//!
//! *Dependencies* are the reads behind the free locals of the terms as written (`program::step`).
//! *Loops*: a path comes back to a point at most `unwind` times and is then cut.
//! *Assumptions* that cannot hold stop their thread. Where a property judges executions with stopped
//! threads, a path may stop before every step that might not be possible. It is not asked whether the
//! step really is impossible: the thread may as well have waited, so the same states are reached.

use wattle_engine::{Reason, Spent, Unsupported, Work};
use wattle_logic::{Binary, Kind, Sort, Symbol, Term, Value};
use wattle_program::step::{MOST_CHOICES, domain};
use wattle_program::{
    Choice, Edge, EdgeId, Mode, Op, Orders, Point, Process, Program, Range, Shape, Tags, ThreadId, Vocabulary,
};

use crate::path::{Access, Asserted, Constraint, End, Faulted, Pair, Path, PathEvent};
use wattle_program::symbolic::{Arena, Expr, MOST_READS, Reads};

/// Which paths are wanted beside those that end and those that are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Those that stop before a step that may not be possible, or in a fault.
    pub stopped: bool,
    /// Those that stand at any point.
    pub standing: bool,
}

/// A thread with more paths than this is too much.
const MOST_PATHS: usize = 1 << 14;

#[derive(Clone, Debug)]
struct State<'a> {
    point: Point,
    locals: Vec<Known>,
    control: Reads,
    control_pick: Reads,
    reads: u32,
    events: Vec<PathEvent<'a>>,
    constraints: Vec<Constraint>,
    asserts: Vec<Asserted>,
    steps: Vec<(EdgeId, Vec<i64>)>,
    detours: Vec<(u32, Expr)>,
    visits: Vec<u32>,
    /// The last load-exclusive: its event and address.
    reservation: Option<(u32, Expr)>,
}

/// A value and what it depends on.
#[derive(Clone, Copy, Debug)]
struct Known {
    expr: Expr,
    data: Reads,
    pick: Reads,
}

impl Known {
    fn free(expr: Expr) -> Known {
        Known { expr, data: 0, pick: 0 }
    }
}

/// Why an edge is not taken.
enum Halt {
    /// A guard, an assumption or a range cannot hold.
    Disabled,
    Faulted {
        op: Option<usize>,
        why: Faulted,
    },
    Unsupported(Unsupported),
}

impl From<Unsupported> for Halt {
    fn from(what: Unsupported) -> Halt {
        Halt::Unsupported(what)
    }
}

/// All combinations of choices, one run after the other.
#[derive(Default)]
struct Chooser {
    taken: Vec<(u32, u32)>,
    at: usize,
}

impl Chooser {
    fn choose(&mut self, among: u32) -> u32 {
        if self.at == self.taken.len() {
            self.taken.push((0, among));
        }
        self.at += 1;
        self.taken[self.at - 1].0
    }

    /// Is there another combination?
    fn next(&mut self) -> bool {
        self.at = 0;
        while let Some((chosen, among)) = self.taken.pop() {
            if chosen + 1 < among {
                self.taken.push((chosen + 1, among));
                return true;
            }
        }
        false
    }
}

/// What a step of a path costs, and how many are taken between two looks at the budget.
const STEP: Work = Work::nanoseconds(500);
const LOOK_AFTER: u64 = 1 << 10;

/// The paths of a thread that starts with these locals.
#[allow(clippy::too_many_arguments)]
pub(crate) fn unfold<'a>(
    program: &'a Program,
    shape: &Shape,
    arena: &mut Arena<'_>,
    thread: ThreadId,
    locals: &[Value],
    unwind: u32,
    wanted: Wanted,
    budget: &wattle_engine::Run,
) -> Result<Vec<Path<'a>>, Reason> {
    let info = shape.info(thread);
    let process = program.process(info.process);
    let too_much = || {
        let what = "a thread with too many paths".into();
        Reason::Unsupported(Unsupported { what, span: Some(process.span) })
    };
    let mut locals_known = Vec::with_capacity(locals.len());
    for value in locals {
        let set = || Reason::Unsupported(Unsupported::new("a local that holds a set"));
        let code = value.code().ok_or_else(set)?;
        locals_known.push(Known::free(arena.constant(code)));
    }
    let mut run = Run {
        program,
        shape,
        process,
        copy: info.copy,
        arena,
        wanted,
        selects: program.vocabulary == Vocabulary::Aarch64,
        updates: program.vocabulary == Vocabulary::C11,
        chooser: Chooser::default(),
    };
    let start = State {
        point: process.cfg.entry,
        locals: locals_known,
        control: 0,
        control_pick: 0,
        reads: 0,
        events: Vec::new(),
        constraints: Vec::new(),
        asserts: Vec::new(),
        steps: Vec::new(),
        detours: Vec::new(),
        visits: vec![0; process.cfg.points.len()],
        reservation: None,
    };
    let mut paths = Vec::new();
    let mut open = vec![start];
    let mut steps = 0;
    while let Some(mut state) = open.pop() {
        loop {
            steps += 1 + state.events.len() as u64 / 8;
            if steps >= LOOK_AFTER {
                let spent = Spent { memory: budget.resident().unwrap_or(0), states: 0 };
                budget.poll(STEP * std::mem::take(&mut steps), spent)?;
            }
            if paths.len() + open.len() > MOST_PATHS {
                return Err(too_much());
            }
            let point = process.cfg.point(state.point);
            if point.end {
                paths.push(path(state, End::Ended));
                break;
            }
            if point.inside.is_some() {
                let span = Some(point.origin.0);
                let what = "an atomic section of several steps".into();
                return Err(Reason::Unsupported(Unsupported { what, span }));
            }
            let visits = &mut state.visits[state.point.0 as usize];
            *visits += 1;
            if *visits > unwind.saturating_add(1) {
                paths.push(path(state, End::Cut));
                break;
            }
            let leaving: Vec<EdgeId> = process.cfg.leaving(state.point).collect();
            let leaving = merge(process, &leaving);
            let waits = wanted.standing || (wanted.stopped && !sure(program, process, &leaving));
            if waits {
                paths.push(path(state.clone(), End::Standing));
            }
            if let [only] = leaving[..]
                && !run.forks(process.cfg.edge(only))
            {
                run.chooser = Chooser::default();
                match run.edge(&mut state, only) {
                    Ok(()) => continue,
                    Err(Halt::Disabled) => {}
                    Err(Halt::Faulted { op, why }) => {
                        paths.push(path(state, End::Faulted { edge: only, op, why }));
                    }
                    Err(Halt::Unsupported(what)) => return Err(Reason::Unsupported(what)),
                }
                break;
            }
            // Last in, first out: what the text says first is done first.
            let first = open.len();
            for edge in leaving {
                run.chooser = Chooser::default();
                loop {
                    let mut next = state.clone();
                    match run.edge(&mut next, edge) {
                        Ok(()) => open.push(next),
                        Err(Halt::Disabled) => {}
                        Err(Halt::Faulted { op, why }) => {
                            paths.push(path(next, End::Faulted { edge, op, why }));
                        }
                        Err(Halt::Unsupported(what)) => return Err(Reason::Unsupported(what)),
                    }
                    if !run.chooser.next() {
                        break;
                    }
                    if open.len() > MOST_PATHS {
                        return Err(too_much());
                    }
                }
            }
            open[first..].reverse();
            break;
        }
    }
    Ok(paths)
}

fn path<'a>(state: State<'a>, end: End) -> Path<'a> {
    Path {
        events: state.events,
        reads: state.reads,
        constraints: state.constraints,
        asserts: state.asserts,
        locals: state.locals.iter().map(|local| local.expr).collect(),
        steps: state.steps,
        detours: state.detours,
        point: state.point,
        end,
    }
}

/// A branch both of whose sides go to the same place does nothing but depend: one side is enough.
/// (Which of the two was taken is found again when an execution is shown, see `witness`.)
fn merge(process: &Process, leaving: &[EdgeId]) -> Vec<EdgeId> {
    match *leaving {
        [first, second] if is_detour(process, first, second) => vec![first],
        _ => leaving.to_vec(),
    }
}

/// Do two edges without operations lead from a branch to one point?
pub(crate) fn is_detour(process: &Process, first: EdgeId, second: EdgeId) -> bool {
    let (first, second) = (process.cfg.edge(first), process.cfg.edge(second));
    first.ops.is_empty()
        && second.ops.is_empty()
        && first.to == second.to
        && first.mode == second.mode
        && first.guard.is_opposite(&second.guard)
}

/// Can a thread always leave a point by one of these edges? Not where an assumption may be false, a
/// value may leave its range, or there may be nothing to choose.
fn sure(program: &Program, process: &Process, leaving: &[EdgeId]) -> bool {
    let unconditional = |edge: &Edge| {
        edge.ops.iter().all(|op| match op {
            Op::Assume { .. } | Op::Havoc { .. } => false,
            Op::Store { .. } | Op::StoreConditional { .. } => {
                program.variables.iter().all(|variable| variable.range.is_none())
            }
            _ => true,
        }) && process.locals.iter().all(|local| local.range.is_none())
    };
    let edges: Vec<&Edge> = leaving.iter().map(|edge| process.cfg.edge(*edge)).collect();
    if !edges.iter().all(|edge| unconditional(edge)) {
        return false;
    }
    edges.iter().any(|edge| edge.guard.is_true())
        || edges.iter().any(|a| edges.iter().any(|b| a.guard.is_opposite(&b.guard)))
}

struct Run<'a, 'b, 'c> {
    program: &'a Program,
    shape: &'b Shape,
    process: &'a Process,
    copy: u32,
    arena: &'b mut Arena<'c>,
    wanted: Wanted,
    /// Are selections forks, with dependencies of their own?
    selects: bool,
    /// Are the two halves of a read-modify-write one event?
    updates: bool,
    chooser: Chooser,
}

impl<'a> Run<'a, '_, '_> {
    /// May a run of this edge ask for choices?
    fn forks(&self, edge: &Edge) -> bool {
        let choice = |op: &Op| matches!(op, Op::Havoc { .. } | Op::StoreConditional { .. });
        self.selects || self.wanted.stopped || edge.ops.iter().any(choice)
    }

    fn edge(&mut self, state: &mut State<'a>, id: EdgeId) -> Result<(), Halt> {
        let edge = self.process.cfg.edge(id);
        let choices = self.operations(state, edge, id)?;
        state.steps.push((id, choices));
        state.point = edge.to;
        Ok(())
    }

    fn operations(&mut self, state: &mut State<'a>, edge: &'a Edge, id: EdgeId) -> Result<Vec<i64>, Halt> {
        let mut choices = Vec::new();
        if !edge.guard.is_true() {
            let leaving: Vec<EdgeId> = self.process.cfg.leaving(edge.from).collect();
            let detour = matches!(leaving[..], [a, b] if is_detour(self.process, a, b));
            self.decide(state, &edge.guard, None, detour)?;
        }
        let mut locked_read = None;
        let mut written = false;
        // What a comparison inside the instruction looked at.
        let mut compared: Reads = 0;
        let instruction = state.steps.len() as u32;
        let locked = edge.mode == Mode::Locked;
        for (number, op) in edge.ops.iter().enumerate() {
            let at = Some(number);
            let blank = |state: &State<'a>, access, address: Known| PathEvent {
                access,
                edge: id,
                instruction,
                locked,
                orders: Orders::NONE,
                tags: [None, None],
                fence: None,
                address: address.expr,
                value: address.expr,
                read: 0,
                addr: address.data,
                data: 0,
                ctrl: state.control,
                pick: state.control_pick | address.pick,
                pick_addr: address.pick,
                pick_data: 0,
                pair: None,
            };
            match op {
                Op::Load { into, address, tags } | Op::LoadExclusive { into, address, tags } => {
                    let address = self.defined(state, address, at)?;
                    if state.reads >= MOST_READS {
                        return Err(Unsupported::new("a path with more than 128 reads").into());
                    }
                    let read = state.reads;
                    state.reads += 1;
                    let number = state.events.len() as u32;
                    let event = blank(state, Access::Read, address);
                    state.events.push(PathEvent { tags: [Some(tags), None], read, ..event });
                    let value = Known { expr: self.arena.read(read), data: 1 << read, pick: 0 };
                    self.set(state, *into, value)?;
                    locked_read = Some(number);
                    if matches!(op, Op::LoadExclusive { .. }) {
                        state.reservation = Some((number, address.expr));
                    }
                }
                Op::Store { address, value, tags } => {
                    let address = self.defined(state, address, at)?;
                    let mut value = self.defined(state, value, at)?;
                    value.pick |= compared;
                    let stored = self.stored(state, address.expr, value.expr)?;
                    let pair = locked_read.filter(|_| locked);
                    // What a locked step reads after its own write is no choice.
                    if written && locked {
                        return Err(several(edge).into());
                    }
                    written = true;
                    if let Some(read) = pair
                        && state.events[read as usize].address != address.expr
                    {
                        return Err(several(edge).into());
                    }
                    if let (Some(read), true) = (pair, self.updates) {
                        let event = &mut state.events[read as usize];
                        let own: Reads = 1 << event.read;
                        event.access = Access::Update;
                        event.tags[1] = Some(tags);
                        event.value = stored;
                        event.data |= value.data & !own;
                        event.pick |= (value.pick | state.control_pick) & !own;
                        event.pick_data |= value.pick & !own;
                        event.ctrl |= state.control & !own;
                        continue;
                    }
                    let event = blank(state, Access::Write, address);
                    state.events.push(PathEvent {
                        tags: [Some(tags), None],
                        value: stored,
                        data: value.data,
                        pick: event.pick | value.pick,
                        pick_data: value.pick,
                        pair: pair.map(Pair::Instruction),
                        ..event
                    });
                }
                Op::StoreConditional { success, address, value, tags } => {
                    let address = self.defined(state, address, at)?;
                    let value = self.defined(state, value, at)?;
                    let reservation = state.reservation.take();
                    let succeeds = match reservation {
                        Some((read, reserved)) if self.chooser.choose(2) == 0 => {
                            let same = self.arena.binary(Binary::Equal, Sort::Bool, address.expr, reserved);
                            self.require(state, same)?;
                            Some(read)
                        }
                        _ => None,
                    };
                    if let Some(read) = succeeds {
                        let stored = self.stored(state, address.expr, value.expr)?;
                        let event = blank(state, Access::Write, address);
                        state.events.push(PathEvent {
                            tags: [Some(tags), None],
                            value: stored,
                            data: value.data,
                            pick: event.pick | value.pick,
                            pick_data: value.pick,
                            pair: Some(Pair::Exclusive(read)),
                            ..event
                        });
                    }
                    let result = self.arena.constant(i64::from(succeeds.is_some()));
                    self.set(state, *success, Known::free(result))?;
                }
                Op::Assign { local, value } => {
                    let value = self.defined(state, value, at)?;
                    self.set(state, *local, value)?;
                }
                Op::Havoc { local, among } => {
                    let code = self.pick(state, *local, among, at)?;
                    choices.push(code);
                    let value = self.arena.constant(code);
                    self.set(state, *local, Known::free(value))?;
                }
                Op::Forget { local } => {
                    let zero = self.process.locals[*local as usize].sort.zero().code().unwrap_or(0);
                    state.locals[*local as usize] = Known::free(self.arena.constant(zero));
                }
                // A comparison inside an instruction picks what the instruction writes; it is no
                // branch (AArch64).
                Op::Assume { condition } if self.selects && locked => {
                    let condition = self.defined(state, condition, at)?;
                    compared |= condition.data | condition.pick;
                    self.require(state, condition.expr)?;
                }
                Op::Assume { condition } => self.decide(state, condition, at, false)?,
                Op::Assert { condition, .. } => {
                    let condition = self.defined(state, condition, at)?.expr;
                    state.asserts.push(Asserted { edge: id, op: number, condition });
                }
                Op::Fence(fence) => {
                    if let Some(location) = &fence.location {
                        let span = Some(edge.origin.0);
                        let _ = location;
                        return Err(Unsupported { what: "a fence for one location".into(), span }.into());
                    }
                    let nowhere = Known::free(self.arena.constant(0));
                    let event = blank(state, Access::Fence, nowhere);
                    let (orders, fence) = (fence.orders, Some(&fence.tag));
                    state.events.push(PathEvent { orders, fence, ..event });
                }
                Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } | Op::Flush { .. } => {
                    let span = Some(edge.origin.0);
                    return Err(Unsupported { what: "remote operations".into(), span }.into());
                }
                Op::Spawn { .. } | Op::Join { .. } => {
                    let span = Some(edge.origin.0);
                    return Err(Unsupported { what: "spawn and join".into(), span }.into());
                }
                Op::Unsupported { what, span } => {
                    return Err(Unsupported { what: what.to_string(), span: Some(*span) }.into());
                }
            }
        }
        Ok(choices)
    }

    /// A guard or assumption: everything later depends on it. `detour`: either way will do.
    fn decide(
        &mut self,
        state: &mut State<'a>,
        condition: &Term,
        op: Option<usize>,
        detour: bool,
    ) -> Result<(), Halt> {
        let condition = self.defined(state, condition, op)?;
        state.control |= condition.data;
        state.control_pick |= condition.pick;
        if detour {
            state.detours.push((state.steps.len() as u32, condition.expr));
            return Ok(());
        }
        self.require(state, condition.expr)
    }

    fn require(&mut self, state: &mut State<'a>, condition: Expr) -> Result<(), Halt> {
        match self.arena.value(condition) {
            Some(0) => Err(Halt::Disabled),
            Some(_) => Ok(()),
            None => {
                state.constraints.push(Constraint::Is(condition, true));
                Ok(())
            }
        }
    }

    fn set(&mut self, state: &mut State<'a>, local: u32, value: Known) -> Result<(), Halt> {
        let info = &self.process.locals[local as usize];
        let expr = self.fit(state, value.expr, info.sort, info.range)?;
        state.locals[local as usize] = Known { expr, ..value };
        Ok(())
    }

    fn fit(
        &mut self,
        state: &mut State<'a>,
        value: Expr,
        sort: Sort,
        range: Option<Range>,
    ) -> Result<Expr, Halt> {
        let value = self.arena.wrap(sort, value);
        if let Some(range) = range {
            let inside = self.arena.between(value, range.low, range.high);
            self.require(state, inside)?;
        }
        Ok(value)
    }

    /// A value as a location holds it.
    fn stored(&mut self, state: &mut State<'a>, address: Expr, value: Expr) -> Result<Expr, Halt> {
        let all = &self.program.variables;
        if let Some(location) = self.arena.value(address) {
            let variable = &all[self.shape.locations[location as usize].variable as usize];
            return self.fit(state, value, variable.sort, variable.range);
        }
        let Some(first) = all.first() else { return Ok(value) };
        if all.iter().all(|variable| (variable.sort, variable.range) == (first.sort, first.range)) {
            return self.fit(state, value, first.sort, first.range);
        }
        Err(Unsupported::new("an address that is computed, among locations of different sorts").into())
    }

    fn pick(
        &mut self,
        state: &mut State<'a>,
        local: u32,
        among: &Choice,
        op: Option<usize>,
    ) -> Result<i64, Halt> {
        let info = &self.process.locals[local as usize];
        let (low, high) = match among {
            Choice::Any => domain(self.program, info.sort, info.range)
                .ok_or_else(|| Unsupported::new("a choice among more than 65,536 values"))?,
            Choice::Between(low, high) => {
                let low = self.defined(state, low, op)?.expr;
                let high = self.defined(state, high, op)?.expr;
                match (self.arena.value(low), self.arena.value(high)) {
                    (Some(low), Some(high)) => (low, high),
                    _ => return Err(Unsupported::new("a choice between values that are read").into()),
                }
            }
            Choice::Member(_) => return Err(Unsupported::new("a choice from a set").into()),
        };
        if high.saturating_sub(low) >= MOST_CHOICES {
            return Err(Unsupported::new("a choice among more than 65,536 values").into());
        }
        if low > high {
            return Err(Halt::Disabled);
        }
        Ok(low + i64::from(self.chooser.choose((high - low + 1) as u32)))
    }

    /// The value of a term; where it may have none, the path goes on only if it has one.
    fn defined(&mut self, state: &mut State<'a>, term: &Term, op: Option<usize>) -> Result<Known, Halt> {
        let known = self.value(state, term)?;
        if self.arena.is_total(known.expr) {
            return Ok(known);
        }
        if self.arena.reads(known.expr) == 0 {
            return match self.arena.evaluate(known.expr, &[], &[]) {
                Ok(value) => Ok(Known { expr: self.arena.constant(value), ..known }),
                Err(fault) => Err(Halt::Faulted { op, why: Faulted::Certain(fault) }),
            };
        }
        if self.wanted.stopped && self.chooser.choose(2) == 1 {
            state.constraints.push(Constraint::Faults(known.expr));
            return Err(Halt::Faulted { op, why: Faulted::Possible(known.expr) });
        }
        state.constraints.push(Constraint::Defined(known.expr));
        Ok(known)
    }

    fn value(&mut self, state: &mut State<'a>, term: &Term) -> Result<Known, Halt> {
        let meaningless = || Unsupported::new("a term without meaning in a thread");
        Ok(match term.kind() {
            Kind::Value(value) => {
                let code = value.code().ok_or_else(|| Unsupported::new("a set of integers"))?;
                Known::free(self.arena.constant(code))
            }
            Kind::Symbol(Symbol::Local(local)) => {
                *state.locals.get(*local as usize).ok_or_else(meaningless)?
            }
            Kind::Symbol(Symbol::Me) => Known::free(self.arena.constant(i64::from(self.copy))),
            Kind::Symbol(Symbol::Copies(process)) => {
                let copies = self.shape.copies_of(wattle_program::ProcessId(*process));
                Known::free(self.arena.constant(i64::from(copies)))
            }
            Kind::Unary(operator, operand) => {
                let operand = self.value(state, operand)?;
                Known { expr: self.arena.unary(*operator, term.sort(), operand.expr), ..operand }
            }
            Kind::Binary(Binary::Insert | Binary::Member, ..) => {
                return Err(Unsupported::new("a set of integers").into());
            }
            Kind::Binary(operator, left, right) => {
                let left = self.value(state, left)?;
                let right = self.value(state, right)?;
                let expr = self.arena.binary(*operator, term.sort(), left.expr, right.expr);
                Known { expr, data: left.data | right.data, pick: left.pick | right.pick }
            }
            Kind::If(condition, then, otherwise) if self.selects => {
                let condition = self.value(state, condition)?;
                let chosen = match self.arena.value(condition.expr) {
                    Some(value) => value != 0,
                    None => {
                        let chosen = self.chooser.choose(2) == 0;
                        state.constraints.push(Constraint::Is(condition.expr, chosen));
                        chosen
                    }
                };
                let value = self.value(state, if chosen { then } else { otherwise })?;
                // A condition without a value leaves the whole without one.
                let expr = match self.arena.is_total(condition.expr) {
                    true => value.expr,
                    false => self.arena.choice(condition.expr, value.expr, value.expr),
                };
                Known { expr, pick: value.pick | condition.data | condition.pick, ..value }
            }
            Kind::If(condition, then, otherwise) => {
                let condition = self.value(state, condition)?;
                let then = self.value(state, then)?;
                let otherwise = self.value(state, otherwise)?;
                Known {
                    expr: self.arena.choice(condition.expr, then.expr, otherwise.expr),
                    data: condition.data | then.data | otherwise.data,
                    pick: condition.pick | then.pick | otherwise.pick,
                }
            }
            Kind::Address { variable, indices } => {
                let first = i64::from(self.shape.locations_of(*variable).start);
                let mut known = Known::free(self.arena.constant(0));
                if indices.len() != self.shape.extents(*variable).len() {
                    return Err(meaningless().into());
                }
                for (dimension, index) in indices.iter().enumerate() {
                    let index = self.value(state, index)?;
                    let length = self.shape.extents(*variable)[dimension];
                    known = Known {
                        expr: self.arena.element(known.expr, index.expr, length),
                        data: known.data | index.data,
                        pick: known.pick | index.pick,
                    };
                }
                let first = self.arena.constant(first);
                Known { expr: self.arena.binary(Binary::Add, Sort::WORD, first, known.expr), ..known }
            }
            Kind::Number(address) => {
                let address = self.value(state, address)?;
                Known { expr: self.arena.number(address.expr), ..address }
            }
            Kind::Pointer(number) => {
                let number = self.value(state, number)?;
                Known { expr: self.arena.pointer(number.expr), ..number }
            }
            Kind::Symbol(Symbol::Bound(_))
            | Kind::Content(_)
            | Kind::At { .. }
            | Kind::Ended { .. }
            | Kind::LocalOf { .. }
            | Kind::Quantified { .. } => return Err(meaningless().into()),
        })
    }
}

fn several(edge: &Edge) -> Unsupported {
    let span = Some(edge.origin.0);
    Unsupported { what: "an atomic step on several locations under axioms".into(), span }
}

/// The tags of an event, as one set.
pub(crate) fn tags_of(event: &PathEvent<'_>) -> Tags {
    let mut tags: Tags = event.tags.iter().flatten().flat_map(|tags| tags.iter().cloned()).collect();
    tags.extend(event.fence.cloned());
    tags
}
