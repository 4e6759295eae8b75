//! One edge in one round of its loops: what it does, and when.
//!
//! Operations run in order on a copy of the state. Each may add a condition without which the step is
//! not taken (a guard, an assumption, a range) or has no result (a division by zero). As long as these
//! speak of earlier steps only, they are simply part of the step's guard. A condition on what the step
//! itself reads is another matter, for the read happens only if the step does: there the step *begins*
//! by free choice, and it is required that whatever begins is not refused. A step that begins and then
//! has no result is half done: its events up to there happen, and it is not taken. Such executions
//! have a fault and count for nothing else.

use wattle_engine::Unsupported;
use wattle_logic::{Fault, Kind, Sort, Symbol, Term};
use wattle_program::step::{MOST_CHOICES, domain};
use wattle_program::symbolic::{Expr, MOST_READS};
use wattle_program::{Choice, Edge, EdgeId, Mode, Op, Orders, Range, Tags};

use super::guard;
use super::state::{Known, Reads, Reservation, State};
use super::term::Terms;
use super::thread::Unroller;
use crate::unroll::structure::{
    Access, Definition, Dependency, Event, EventId, Failure, ReadModifyWrite, Step,
};

/// Why a step is not taken at all.
pub(super) enum Halt {
    Impossible,
    Unsupported(Unsupported),
}

impl From<Unsupported> for Halt {
    fn from(what: Unsupported) -> Halt {
        Halt::Unsupported(what)
    }
}

/// A condition that speaks of what its own step reads, or that comes after such a one.
enum Inner {
    Holds(Expr),
    Defined { condition: Expr, fault: Fault, op: Option<usize> },
}

/// An event of the step, and what it depends on.
struct Made {
    event: EventId,
    /// How many conditions of kind `Inner::Defined` come before it.
    level: usize,
    /// It happens only if this holds too.
    extra: Option<Expr>,
    address: Reads,
    data: Reads,
    control: Reads,
    pick: Reads,
    pick_address: Reads,
    pick_data: Reads,
}

struct Run {
    state: State,
    outer: Expr,
    inner: Vec<Inner>,
    level: usize,
    /// The step's own reads, as in `Arena::reads`.
    own: u128,
    made: Vec<Made>,
    asserted: Vec<(usize, Expr)>,
    faults: Vec<Failure>,
    choices: Vec<u32>,
    defined: Vec<(u32, Expr)>,
    pairs: Vec<ReadModifyWrite>,
}

impl Unroller<'_, '_> {
    /// The state after an edge, if it can be taken at all from `state` where `base` holds. `free`: there
    /// is another choice anyway, so what begins need not be chosen once more.
    pub fn edge(
        &mut self,
        state: &State,
        base: Expr,
        id: EdgeId,
        free: bool,
    ) -> Result<Option<State>, Unsupported> {
        let edge = self.process.cfg.edge(id);
        let start = self.structure.events.len();
        let step = self.structure.steps.len() as u32;
        let never = self.structure.arena.constant(0);
        self.structure.steps.push(Step { thread: self.thread, edge: id, taken: never, choices: vec![] });
        let mut run = Run {
            state: state.clone(),
            outer: base,
            inner: Vec::new(),
            level: 0,
            own: 0,
            made: Vec::new(),
            asserted: Vec::new(),
            faults: Vec::new(),
            choices: Vec::new(),
            defined: Vec::new(),
            pairs: Vec::new(),
        };
        match self.operations(&mut run, edge, step) {
            Ok(()) => Ok(Some(self.finish(run, step, free))),
            Err(Halt::Impossible) => {
                self.structure.events.truncate(start);
                self.structure.before.truncate(start);
                if run.faults.is_empty() {
                    self.structure.steps.pop();
                }
                self.structure.faults.extend(run.faults);
                Ok(None)
            }
            Err(Halt::Unsupported(what)) => Err(what),
        }
    }

    fn finish(&mut self, run: Run, step: u32, free: bool) -> State {
        let structure = &mut *self.structure;
        let mut begun = run.outer;
        let refuses = run.inner.iter().any(|inner| matches!(inner, Inner::Holds(_)));
        if refuses && !free {
            let choice = structure.flag();
            begun = guard::and(&mut structure.arena, begun, choice);
        }
        let mut guards = vec![begun];
        let mut taken = begun;
        structure.faults.extend(run.faults);
        for inner in &run.inner {
            match *inner {
                Inner::Holds(condition) => {
                    let holds = guard::implies(&mut structure.arena, taken, condition);
                    structure.requirements.push(holds);
                }
                Inner::Defined { condition, fault, op } => {
                    let not = guard::not(&mut structure.arena, condition);
                    let when = guard::and(&mut structure.arena, taken, not);
                    let half = !run.made.is_empty();
                    structure.faults.push(Failure { step, op, when, fault: Some(fault), half });
                    taken = guard::and(&mut structure.arena, taken, condition);
                    guards.push(taken);
                }
            }
        }
        for (op, condition) in run.asserted {
            let not = guard::not(&mut structure.arena, condition);
            let when = guard::and(&mut structure.arena, taken, not);
            structure.assertions.push(Failure { step, op: Some(op), when, fault: None, half: false });
        }
        let mut state = run.state;
        for made in run.made {
            let mut happens = guards[made.level];
            if let Some(extra) = made.extra {
                happens = guard::and(&mut structure.arena, happens, extra);
            }
            structure.events[made.event as usize].guard = happens;
            let lists = [
                (&mut structure.address, made.address),
                (&mut structure.data, made.data),
                (&mut structure.control, made.control),
                (&mut structure.pick, made.pick),
                (&mut structure.pick_address, made.pick_address),
                (&mut structure.pick_data, made.pick_data),
            ];
            for (list, reads) in lists {
                let to = made.event;
                list.extend(reads.list().iter().map(|(from, when)| Dependency {
                    from: *from,
                    to,
                    when: *when,
                }));
            }
            state.passed(made.event - self.first);
        }
        structure.read_modify_write.extend(run.pairs);
        let definitions = run.defined.into_iter().map(|(local, value)| Definition { step, local, value });
        structure.definitions.extend(definitions);
        structure.steps[step as usize].taken = taken;
        structure.steps[step as usize].choices = run.choices;
        state.reached = taken;
        state
    }

    fn operations(&mut self, run: &mut Run, edge: &Edge, step: u32) -> Result<(), Halt> {
        if !edge.guard.is_true() {
            let condition = self.defined(run, &edge.guard, None, step)?;
            self.decide(run, &condition);
            self.require(run, condition.expr)?;
        }
        let locked = edge.mode == Mode::Locked;
        let mut read: Option<usize> = None;
        // What a comparison inside the instruction looked at.
        let mut compared = Reads::default();
        for (number, op) in edge.ops.iter().enumerate() {
            let at = Some(number);
            match op {
                Op::Load { into, address, tags } | Op::LoadExclusive { into, address, tags } => {
                    let address = self.defined(run, address, at, step)?;
                    let event = self.event(run, step, Access::Read, &address, tags.clone(), locked);
                    read = Some(run.made.len() - 1);
                    let at = self.structure.arena.value(address.expr);
                    self.structure.events[event as usize].holds = self.contents.bounds(at);
                    run.own |= 1 << (event % MOST_READS);
                    let arena = &mut self.structure.arena;
                    let data =
                        if self.options.wanted.any() { Reads::one(arena, event) } else { Reads::default() };
                    let value = Known { expr: arena.read(event), data, pick: Reads::default() };
                    self.loaded(run, *into, value, address.expr)?;
                    if matches!(op, Op::LoadExclusive { .. }) {
                        let arena = &mut self.structure.arena;
                        let reads = Reads::one(arena, event);
                        let holds = arena.constant(1);
                        run.state.reservation = Some(Reservation { holds, address: address.expr, reads });
                    }
                }
                Op::Store { address, value: term, tags } => {
                    let address = self.defined(run, address, at, step)?;
                    let mut value = self.defined(run, term, at, step)?;
                    value.pick = value.pick.union(&mut self.structure.arena, &compared);
                    let written = self.stored(run, address.expr, value.expr, term)?;
                    let read = read.filter(|_| locked);
                    if let Some(read) = read
                        && self.structure.events[run.made[read].event as usize].address != address.expr
                    {
                        return Err(refuse("an atomic step on several locations under axioms", edge).into());
                    }
                    match read {
                        Some(read) if self.updates => {
                            self.update(run, read, &value, written, tags);
                        }
                        pair => {
                            let event = self.write(run, step, &address, &value, written, tags, locked);
                            if let Some(read) = pair {
                                let when = self.structure.arena.constant(1);
                                let read = run.made[read].event;
                                let pair = ReadModifyWrite { read, write: event, when, exclusive: false };
                                run.pairs.push(pair);
                            }
                        }
                    }
                }
                Op::StoreConditional { success, address, value: term, tags } => {
                    let address = self.defined(run, address, at, step)?;
                    let value = self.defined(run, term, at, step)?;
                    let written = self.stored(run, address.expr, value.expr, term)?;
                    let succeeds = self.succeeds(run, address.expr);
                    let mut told = Known::free(succeeds);
                    if self.structure.arena.value(succeeds) != Some(0) {
                        let event = self.write(run, step, &address, &value, written, tags, locked);
                        let reserved = run.state.reservation.take();
                        let reads = reserved.map(|known| known.reads).unwrap_or_default();
                        let pairs = reads.list().iter().map(|(read, when)| ReadModifyWrite {
                            read: *read,
                            write: event,
                            when: *when,
                            exclusive: true,
                        });
                        run.pairs.extend(pairs);
                        if let Some(made) = run.made.last_mut() {
                            made.extra = Some(succeeds);
                        }
                        if self.tells && self.options.wanted.any() {
                            let arena = &mut self.structure.arena;
                            told.data = Reads::one(arena, event).when(arena, succeeds);
                        }
                    }
                    run.state.reservation = None;
                    self.set(run, *success, told, None)?;
                }
                Op::Assign { local, value: term } => {
                    let value = self.defined(run, term, at, step)?;
                    let range = self.range_of(term);
                    self.set(run, *local, value, range)?;
                }
                Op::Havoc { local, among } => {
                    let (low, high) = self.choices(run, *local, among, at, step)?;
                    let input = self.structure.input(low, high);
                    run.choices.push(input);
                    let value = Known::free(self.structure.arena.cell(input));
                    self.set(run, *local, value, Some(Range { low, high }))?;
                }
                Op::Forget { local } => {
                    let zero = self.process.locals[*local as usize].sort.zero().code().unwrap_or(0);
                    run.state.locals[*local as usize] = Known::free(self.structure.arena.constant(zero));
                }
                // A comparison inside an instruction picks what the instruction writes; it is no branch.
                Op::Assume { condition } if self.selects && locked => {
                    let condition = self.defined(run, condition, at, step)?;
                    let arena = &mut self.structure.arena;
                    let reads = condition.data.union(arena, &condition.pick);
                    compared = compared.union(arena, &reads);
                    self.require(run, condition.expr)?;
                }
                Op::Assume { condition } => {
                    let condition = self.defined(run, condition, at, step)?;
                    self.decide(run, &condition);
                    self.require(run, condition.expr)?;
                }
                Op::Assert { condition, .. } => {
                    let condition = self.defined(run, condition, at, step)?;
                    run.asserted.push((number, condition.expr));
                }
                Op::Fence(fence) => {
                    if fence.location.is_some() {
                        return Err(refuse("a fence for one location", edge).into());
                    }
                    let nowhere = Known::free(self.structure.arena.constant(0));
                    let tags = Tags::from([fence.tag.clone()]);
                    let event = self.event(run, step, Access::Fence, &nowhere, tags, locked);
                    self.structure.events[event as usize].orders = fence.orders;
                }
                Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } | Op::Flush { .. } => {
                    return Err(refuse("remote operations under axioms", edge).into());
                }
                Op::Spawn { .. } | Op::Join { .. } => return Err(refuse("spawn and join", edge).into()),
                Op::Unsupported { what, span } => {
                    self.structure.unsupported.push((run.outer, what.clone(), *span));
                    return Err(Halt::Impossible);
                }
            }
        }
        Ok(())
    }

    /// The value of a term; without one the step has no result.
    fn defined(&mut self, run: &mut Run, term: &Term, op: Option<usize>, step: u32) -> Result<Known, Halt> {
        let mut terms = Terms {
            arena: &mut self.structure.arena,
            shape: self.shape,
            copy: self.copy,
            locals: &run.state.locals,
            selects: self.selects,
            defined: Vec::new(),
        };
        let known = terms.value(term)?;
        for (condition, fault) in terms.defined {
            if self.is_inner(run, condition) {
                run.inner.push(Inner::Defined { condition, fault, op });
                run.level += 1;
                continue;
            }
            let arena = &mut self.structure.arena;
            let not = guard::not(arena, condition);
            let when = guard::and(arena, run.outer, not);
            if arena.value(when) != Some(0) {
                run.faults.push(Failure { step, op, when, fault: Some(fault), half: false });
            }
            self.narrow(run, condition)?;
        }
        Ok(known)
    }

    fn is_inner(&self, run: &Run, condition: Expr) -> bool {
        !run.inner.is_empty() || self.structure.arena.reads(condition) & run.own != 0
    }

    fn narrow(&mut self, run: &mut Run, condition: Expr) -> Result<(), Halt> {
        run.outer = guard::and(&mut self.structure.arena, run.outer, condition);
        if self.structure.arena.value(run.outer) == Some(0) { Err(Halt::Impossible) } else { Ok(()) }
    }

    /// The step is not taken unless this holds.
    fn require(&mut self, run: &mut Run, condition: Expr) -> Result<(), Halt> {
        match self.structure.arena.value(condition) {
            Some(0) if run.inner.is_empty() => Err(Halt::Impossible),
            Some(1) => Ok(()),
            _ if self.is_inner(run, condition) => {
                run.inner.push(Inner::Holds(condition));
                Ok(())
            }
            _ => self.narrow(run, condition),
        }
    }

    /// Everything later depends on a guard or an assumption.
    fn decide(&mut self, run: &mut Run, condition: &Known) {
        let arena = &mut self.structure.arena;
        run.state.control = run.state.control.union(arena, &condition.data);
        run.state.control_pick = run.state.control_pick.union(arena, &condition.pick);
    }

    fn event(
        &mut self,
        run: &mut Run,
        step: u32,
        access: Access,
        address: &Known,
        tags: Tags,
        locked: bool,
    ) -> EventId {
        let structure = &mut *self.structure;
        let wanted = self.options.wanted;
        let event = structure.events.len() as EventId;
        let never = structure.arena.constant(0);
        structure.events.push(Event {
            access,
            thread: Some(self.thread),
            step,
            guard: never,
            address: address.expr,
            written: None,
            tags,
            locked,
            orders: Orders::NONE,
            holds: None,
        });
        structure.before.push(behind(&run.state, self.first));
        let keep = |wanted: bool, reads: &Reads| if wanted { reads.clone() } else { Reads::default() };
        let pick = run.state.control_pick.union(&mut structure.arena, &address.pick);
        run.made.push(Made {
            event,
            level: run.level,
            extra: None,
            address: keep(wanted.address, &address.data),
            data: Reads::default(),
            control: keep(wanted.control, &run.state.control),
            pick: keep(wanted.pick, &pick),
            pick_address: keep(wanted.pick, &address.pick),
            pick_data: Reads::default(),
        });
        event
    }

    #[allow(clippy::too_many_arguments)]
    fn write(
        &mut self,
        run: &mut Run,
        step: u32,
        address: &Known,
        value: &Known,
        written: Expr,
        tags: &Tags,
        locked: bool,
    ) -> EventId {
        let event = self.event(run, step, Access::Write, address, tags.clone(), locked);
        self.structure.events[event as usize].written = Some(written);
        let number = run.made.len() - 1;
        self.writes(run, number, value);
        event
    }

    /// The two halves of a read-modify-write are one event (C11).
    fn update(&mut self, run: &mut Run, read: usize, value: &Known, written: Expr, tags: &Tags) {
        let event = run.made[read].event;
        let info = &mut self.structure.events[event as usize];
        info.access = Access::Update;
        info.written = Some(written);
        info.tags.extend(tags.iter().cloned());
        let wanted = self.options.wanted;
        let arena = &mut self.structure.arena;
        let made = &mut run.made[read];
        if wanted.control {
            made.control = made.control.union(arena, &run.state.control.without(event));
        }
        if wanted.pick {
            made.pick = made.pick.union(arena, &run.state.control_pick.without(event));
        }
        let value =
            Known { expr: value.expr, data: value.data.without(event), pick: value.pick.without(event) };
        self.writes(run, read, &value);
    }

    fn writes(&mut self, run: &mut Run, number: usize, value: &Known) {
        let wanted = self.options.wanted;
        let arena = &mut self.structure.arena;
        let made = &mut run.made[number];
        if wanted.data {
            made.data = made.data.union(arena, &value.data);
        }
        if wanted.pick {
            made.pick = made.pick.union(arena, &value.pick);
            made.pick_data = made.pick_data.union(arena, &value.pick);
        }
    }

    /// A store-conditional may fail for no reason; it succeeds only where there is a reservation.
    fn succeeds(&mut self, run: &Run, address: Expr) -> Expr {
        let Some(reserved) = &run.state.reservation else { return self.structure.arena.constant(0) };
        let choice = self.structure.flag();
        let arena = &mut self.structure.arena;
        let same = arena.binary(wattle_logic::Binary::Equal, Sort::Bool, address, reserved.address);
        let possible = guard::and(arena, reserved.holds, same);
        guard::and(arena, possible, choice)
    }

    fn loaded(&mut self, run: &mut Run, local: u32, value: Known, address: Expr) -> Result<(), Halt> {
        let (sort, range) = self.contents.at(self.structure.arena.value(address));
        let info = &self.process.locals[local as usize];
        if sort == Some(info.sort) {
            return self.bounded(run, local, value, range);
        }
        self.set(run, local, value, range.filter(|_| !matches!(info.sort, Sort::Bits { .. })))
    }

    /// `range`: where the value is known to be.
    fn set(&mut self, run: &mut Run, local: u32, value: Known, range: Option<Range>) -> Result<(), Halt> {
        let sort = self.process.locals[local as usize].sort;
        let expr = self.structure.arena.wrap(sort, value.expr);
        let range = range.filter(|_| expr == value.expr);
        self.bounded(run, local, Known { expr, ..value }, range)
    }

    fn bounded(&mut self, run: &mut Run, local: u32, value: Known, known: Option<Range>) -> Result<(), Halt> {
        self.fits(run, value.expr, self.process.locals[local as usize].range, known)?;
        run.defined.push((local, value.expr));
        run.state.locals[local as usize] = value;
        Ok(())
    }

    fn fits(
        &mut self,
        run: &mut Run,
        value: Expr,
        range: Option<Range>,
        known: Option<Range>,
    ) -> Result<(), Halt> {
        match (range, known) {
            (None, _) => Ok(()),
            (Some(range), Some(known)) if range.low <= known.low && known.high <= range.high => Ok(()),
            (Some(range), _) => {
                let inside = self.structure.arena.between(value, range.low, range.high);
                self.require(run, inside)
            }
        }
    }

    /// A value as a location holds it.
    fn stored(&mut self, run: &mut Run, address: Expr, value: Expr, term: &Term) -> Result<Expr, Halt> {
        let all = &self.program.variables;
        let variable = match self.structure.arena.value(address) {
            Some(location) => {
                let location = usize::try_from(location).ok().and_then(|at| self.shape.locations.get(at));
                location.map(|location| &all[location.variable as usize])
            }
            None => all.first().filter(|first| {
                all.iter().all(|variable| (variable.sort, variable.range) == (first.sort, first.range))
            }),
        };
        let Some(variable) = variable else {
            let what = "an address that is computed, among locations of different sorts";
            return Err(Unsupported::new(what).into());
        };
        let wrapped = self.structure.arena.wrap(variable.sort, value);
        let known = self.range_of(term).filter(|_| wrapped == value);
        self.fits(run, wrapped, variable.range, known)?;
        Ok(wrapped)
    }

    /// Where the value of a local is known to be.
    fn range_of(&self, term: &Term) -> Option<Range> {
        match term.kind() {
            Kind::Symbol(Symbol::Local(local)) => self.trusted[*local as usize],
            _ => None,
        }
    }

    fn choices(
        &mut self,
        run: &mut Run,
        local: u32,
        among: &Choice,
        op: Option<usize>,
        step: u32,
    ) -> Result<(i64, i64), Halt> {
        let info = &self.process.locals[local as usize];
        let (low, high) = match among {
            Choice::Any => domain(self.program, info.sort, info.range)
                .ok_or_else(|| Unsupported::new("a choice among more than 65,536 values"))?,
            Choice::Between(low, high) => {
                let low = self.defined(run, low, op, step)?.expr;
                let high = self.defined(run, high, op, step)?.expr;
                match (self.structure.arena.value(low), self.structure.arena.value(high)) {
                    (Some(low), Some(high)) => (low, high),
                    _ => return Err(Unsupported::new("a choice between values that are read").into()),
                }
            }
            Choice::Member(_) => return Err(Unsupported::new("a choice from a set").into()),
        };
        if high.saturating_sub(low) >= MOST_CHOICES {
            return Err(Unsupported::new("a choice among more than 65,536 values").into());
        }
        if low > high { Err(Halt::Impossible) } else { Ok((low, high)) }
    }
}

fn behind(state: &State, first: EventId) -> Vec<EventId> {
    let mut events = Vec::new();
    for (number, word) in state.behind.iter().enumerate() {
        let mut word = *word;
        while word != 0 {
            events.push(first + number as u32 * 64 + word.trailing_zeros());
            word &= word - 1;
        }
    }
    events
}

pub(super) fn refuse(what: &str, edge: &Edge) -> Unsupported {
    Unsupported { what: what.into(), span: Some(edge.origin.0) }
}
