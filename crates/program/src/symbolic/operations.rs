//! What an edge does: which events its operations make, with which tags and dependencies.
//!
//! [`run`] goes through the operations of an edge, as `step` does on concrete states, but on
//! expressions over what reads return. It is the one definition for engines by axioms. It stands here,
//! beside the expressions that it computes, because it needs nothing but programs and terms, and because
//! the judge of executions uses nothing of this module: `memory/src/events.rs` derives events and
//! dependencies from concrete steps for itself, so that the two can find each other's mistakes.
//!
//! What vocabularies say differently is in [`Conventions`]. What engines do differently is in
//! [`Domain`]: one runs each path alone, forks at choices and collects constraints; another runs all
//! paths at once and works with guards. The rules are these:
//!
//! * A load starts dependencies: its local depends on the load and on nothing before it.
//! * An address and a stored value depend on the sources of their terms (*address*, *data*).
//! * A guard or an assumption is a branch: all later events of the thread depend on it (*control*).
//! * Assertions, fences and choices start no dependency, and a choice ends those of its local.
//! * The store of a locked step that has read is the second half of a read-modify-write; a
//!   store-conditional that succeeds is the second half of the last load-exclusive, and succeeds only if
//!   that was of the same address. Either way the reservation is gone.

use wattle_logic::{Binary, Kind, Sort, Term};
use wattle_source::Span;

use super::{Arena, Conventions, Expr, Known, Sources};
use crate::step::{self, MOST_CHOICES};
use crate::{Choice, Edge, Fence, Local, Mode, Name, Op, Process, Program, Range, Tags, Variable};

/// What a thread carries from step to step.
#[derive(Clone, Debug)]
pub struct Carried<S> {
    pub locals: Vec<Known<S>>,
    /// The sources of what decided that the thread is here, plainly and by selections.
    pub control: S,
    pub control_pick: S,
}

impl<S: Sources> Carried<S> {
    pub fn new(locals: Vec<Known<S>>) -> Carried<S> {
        Carried { locals, control: S::default(), control_pick: S::default() }
    }
}

/// What an event depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses<S> {
    pub address: S,
    pub data: S,
    pub control: S,
    /// What decided selections on the way to the event, to its address, to its value.
    pub pick: S,
    pub pick_address: S,
    pub pick_data: S,
}

impl<S: Sources> Uses<S> {
    pub fn join(&mut self, arena: &mut Arena<'_>, other: &Uses<S>) {
        self.address = self.address.union(arena, &other.address);
        self.data = self.data.union(arena, &other.data);
        self.control = self.control.union(arena, &other.control);
        self.pick = self.pick.union(arena, &other.pick);
        self.pick_address = self.pick_address.union(arena, &other.pick_address);
        self.pick_data = self.pick_data.union(arena, &other.pick_data);
    }
}

/// An event that an operation makes.
#[derive(Clone, Debug)]
pub struct Made<'p, E, S> {
    pub does: Does<'p, E>,
    /// Of no meaning for fences.
    pub address: Expr,
    pub uses: Uses<S>,
}

#[derive(Clone, Copy, Debug)]
pub enum Does<'p, E> {
    Read { tags: &'p Tags },
    Write { tags: &'p Tags, value: Expr, half: Half<E> },
    Fence(&'p Fence),
}

/// Which read-modify-write a write is the second half of.
#[derive(Clone, Copy, Debug)]
pub enum Half<E> {
    None,
    /// That of this read, in the same instruction.
    Instruction(E),
    /// That of the load-exclusive that [`Domain::reserve`] was told of last. The write happens only if
    /// it succeeds.
    Exclusive {
        succeeds: Expr,
    },
}

/// How an engine runs a step. The step begins with what its thread carries; conditions are required one
/// after the other, and whatever follows one may rely on it.
pub trait Domain<'p, 's> {
    type Sources: Sources;
    type Event: Copy;
    /// Why a step is not taken.
    type Halt;

    fn arena(&mut self) -> &mut Arena<'s>;
    fn carried(&mut self) -> &mut Carried<Self::Sources>;

    /// The step is one that axioms cannot judge.
    fn refuse(&self, what: &str, span: Option<Span>) -> Self::Halt;
    /// The thread is at something that wattle does not handle.
    fn unsupported(&mut self, what: &Name, span: Span) -> Self::Halt;

    /// The value of a term of operation `op` (`None`: the guard), which is required to have one.
    fn defined(&mut self, term: &Term, op: Option<usize>) -> Result<Known<Self::Sources>, Self::Halt>;
    /// The step is taken only if this holds.
    fn require(&mut self, condition: Expr) -> Result<(), Self::Halt>;
    /// The same for the guard of the edge.
    fn guard(&mut self, condition: Expr) -> Result<(), Self::Halt> {
        self.require(condition)
    }
    /// An assertion, which is judged and does not stop the thread.
    fn assert(&mut self, op: usize, condition: Expr);

    fn event(&mut self, made: Made<'p, Self::Event, Self::Sources>) -> Result<Self::Event, Self::Halt>;
    /// A read becomes a read-modify-write that is one event.
    fn update(&mut self, read: Self::Event, tags: &'p Tags, value: Expr, uses: &Uses<Self::Sources>);
    fn address(&self, event: Self::Event) -> Expr;
    /// What a read returns, as this local holds it, and where that is known to be.
    fn read(&mut self, event: Self::Event, into: &Local) -> (Expr, Option<Range>);
    /// The set of this event alone, where a condition holds.
    fn source(&mut self, event: Self::Event, when: Option<Expr>) -> Result<Self::Sources, Self::Halt>;

    /// A load-exclusive reserves an address.
    fn reserve(&mut self, read: Self::Event, address: Expr);
    /// Whether a store-conditional to this address succeeds. It may fail for no reason.
    fn succeeds(&mut self, address: Expr) -> Result<Expr, Self::Halt>;
    /// There is no reservation any more.
    fn release(&mut self);

    /// Where this does not hold, the thread is at something that wattle does not handle.
    fn demand(&mut self, condition: Expr, what: &str, span: Span) -> Result<(), Self::Halt> {
        match self.arena().value(condition) {
            Some(value) if value != 0 => Ok(()),
            _ => Err(self.refuse(what, Some(span))),
        }
    }

    /// Is the step part of an atomic section, whose events are one node of the order and in an order among themselves?
    fn orders_its_events(&self) -> bool {
        false
    }

    /// Does it run through the values of a choice one by one?
    fn lists_choices(&self) -> bool {
        true
    }

    /// A free choice, which is not possible if there is nothing to choose from.
    fn choose(&mut self, low: i64, high: i64) -> Result<Expr, Self::Halt>;
    /// Where the value of a term is known to be.
    fn range_of(&self, _term: &Term) -> Option<Range> {
        None
    }
    /// A local has been given a value.
    fn assigned(&mut self, _local: u32, _value: Expr) {}
}

/// The program that an edge is part of.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'p> {
    pub program: &'p Program,
    pub process: &'p Process,
    pub conventions: Conventions,
}

/// Run an edge.
pub fn run<'p, 's, D: Domain<'p, 's>>(
    surroundings: Surroundings<'p>,
    edge: &'p Edge,
    domain: &mut D,
) -> Result<(), D::Halt> {
    let locked = edge.mode == Mode::Locked;
    let mut run = Run {
        domain,
        surroundings,
        edge,
        locked,
        read: None,
        written: false,
        compared: D::Sources::default(),
    };
    if !edge.guard.is_true() {
        let condition = run.domain.defined(&edge.guard, None)?;
        run.decide(&condition);
        run.domain.guard(condition.expr)?;
    }
    edge.ops.iter().enumerate().try_for_each(|(number, op)| run.operation(number, op))
}

/// The variable that an address is in, where the text says so: one that is computed from an index stays inside.
fn variable_at(address: &Term) -> Option<u32> {
    match address.kind() {
        Kind::Address { variable, .. } => Some(*variable),
        _ => None,
    }
}

/// An edge whose first operations have run.
struct Run<'r, 'p, 's, D: Domain<'p, 's>> {
    domain: &'r mut D,
    surroundings: Surroundings<'p>,
    edge: &'p Edge,
    locked: bool,
    /// The last read of the step.
    read: Option<D::Event>,
    /// Is there a store before?
    written: bool,
    /// What a comparison inside the instruction looked at.
    compared: D::Sources,
}

type Value<'p, 's, D> = Known<<D as Domain<'p, 's>>::Sources>;

impl<'p, 's, D: Domain<'p, 's>> Run<'_, 'p, 's, D> {
    fn operation(&mut self, number: usize, op: &'p Op) -> Result<(), D::Halt> {
        let at = Some(number);
        match op {
            Op::Load { into, address, tags } => {
                self.load(*into, address, tags, at)?;
            }
            Op::LoadExclusive { into, address, tags } => {
                let (read, address) = self.load(*into, address, tags, at)?;
                self.domain.reserve(read, address);
            }
            Op::Store { address, value, tags } => self.store(address, value, tags, at)?,
            Op::StoreConditional { success, address, value, tags } => {
                let told = self.store_conditional(address, value, tags, at)?;
                self.set(*success, told, None)?;
            }
            Op::Together { .. } => {
                return Err(self.refuse("stores that become visible together, under axioms"));
            }
            Op::Assign { local, value: term } => {
                let value = self.domain.defined(term, at)?;
                let range = self.domain.range_of(term);
                self.set(*local, value, range)?;
            }
            Op::Havoc { local, among } => {
                let (low, high) = self.choices(*local, among, at)?;
                let value = self.domain.choose(low, high)?;
                self.set(*local, Known::free(value), Some(Range { low, high }))?;
            }
            Op::Forget { local } => {
                let zero = self.local(*local).sort.zero().code().unwrap_or(0);
                let zero = self.domain.arena().constant(zero);
                self.domain.carried().locals[*local as usize] = Known::free(zero);
            }
            Op::Assume { condition } => {
                let condition = self.domain.defined(condition, at)?;
                if self.surroundings.conventions.selects && self.locked {
                    let looked_at = condition.all(self.domain.arena());
                    self.compared = self.compared.union(self.domain.arena(), &looked_at);
                } else {
                    self.decide(&condition);
                }
                self.domain.require(condition.expr)?;
            }
            Op::Assert { condition, .. } => {
                let condition = self.domain.defined(condition, at)?;
                self.domain.assert(number, condition.expr);
            }
            Op::Fence(Fence { location: Some(_), .. }) => {
                return Err(self.refuse("a fence for one location"));
            }
            Op::Fence(fence) => {
                let address = Known::free(self.domain.arena().constant(0));
                let uses = self.uses(&address);
                let does = Does::Fence(fence);
                self.domain.event(Made { does, address: address.expr, uses })?;
            }
            Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } | Op::Flush { .. } => {
                return Err(self.refuse("remote operations under axioms"));
            }
            Op::Spawn { .. } | Op::Join { .. } => return Err(self.refuse("spawn and join")),
            // The edge leads to where nothing leads away.
            Op::Cut { .. } => {}
            Op::Unsupported { what, span } => return Err(self.domain.unsupported(what, *span)),
        }
        Ok(())
    }

    /// The event, and its address.
    fn load(
        &mut self,
        into: u32,
        address: &Term,
        tags: &'p Tags,
        op: Option<usize>,
    ) -> Result<(D::Event, Expr), D::Halt> {
        let place = variable_at(address);
        let address = self.domain.defined(address, op)?;
        self.sized(address.expr, place, self.local(into).sort)?;
        let (does, uses) = (Does::Read { tags }, self.uses(&address));
        let read = self.domain.event(Made { does, address: address.expr, uses })?;
        self.read = Some(read);
        let data = self.domain.source(read, None)?;
        let (expr, range) = self.domain.read(read, self.local(into));
        self.give(into, Known { expr, data, pick: D::Sources::default() }, range)?;
        Ok((read, address.expr))
    }

    fn store(
        &mut self,
        address: &Term,
        term: &Term,
        tags: &'p Tags,
        op: Option<usize>,
    ) -> Result<(), D::Halt> {
        let place = variable_at(address);
        let address = self.domain.defined(address, op)?;
        let mut value = self.domain.defined(term, op)?;
        value.pick = value.pick.union(self.domain.arena(), &self.compared);
        let stored = self.stored((address.expr, place), value.expr, term)?;
        let mut read = self.read.filter(|_| self.locked);
        let elsewhere = read.is_some_and(|read| self.domain.address(read) != address.expr);
        if elsewhere || (self.locked && self.written) {
            // What a locked step does to a second location, or after its write, is said by no event but those of a section.
            if !self.domain.orders_its_events() {
                return Err(self.refuse("an atomic step on several locations under axioms"));
            }
            read = None;
        }
        self.written = true;
        match read {
            Some(read) if self.surroundings.conventions.updates => {
                self.update(read, &value, tags, stored)?;
            }
            read => {
                let half = read.map_or(Half::None, Half::Instruction);
                self.write(&address, &value, tags, stored, half)?;
            }
        }
        Ok(())
    }

    /// What the thread is told: 1 if the store happened, 0 otherwise.
    fn store_conditional(
        &mut self,
        address: &Term,
        term: &Term,
        tags: &'p Tags,
        op: Option<usize>,
    ) -> Result<Value<'p, 's, D>, D::Halt> {
        let place = variable_at(address);
        let address = self.domain.defined(address, op)?;
        let value = self.domain.defined(term, op)?;
        let stored = self.stored((address.expr, place), value.expr, term)?;
        let succeeds = self.domain.succeeds(address.expr)?;
        let mut told = Known::free(succeeds);
        if self.domain.arena().value(succeeds) != Some(0) {
            let event = self.write(&address, &value, tags, stored, Half::Exclusive { succeeds })?;
            if self.surroundings.conventions.tells {
                told.data = self.domain.source(event, Some(succeeds))?;
            }
        }
        self.domain.release();
        Ok(told)
    }

    fn write(
        &mut self,
        address: &Value<'p, 's, D>,
        value: &Value<'p, 's, D>,
        tags: &'p Tags,
        stored: Expr,
        half: Half<D::Event>,
    ) -> Result<D::Event, D::Halt> {
        let mut uses = self.uses(address);
        uses.pick = uses.pick.union(self.domain.arena(), &value.pick);
        uses.data = value.data.clone();
        uses.pick_data = value.pick.clone();
        let does = Does::Write { tags, value: stored, half };
        self.domain.event(Made { does, address: address.expr, uses })
    }

    /// The second half of an event that reads and writes, which does not depend on itself.
    fn update(
        &mut self,
        read: D::Event,
        value: &Value<'p, 's, D>,
        tags: &'p Tags,
        stored: Expr,
    ) -> Result<(), D::Halt> {
        let own = self.domain.source(read, None)?;
        let carried = self.domain.carried();
        let (control, control_pick) = (carried.control.without(&own), carried.control_pick.without(&own));
        let pick_data = value.pick.without(&own);
        let uses = Uses {
            control,
            data: value.data.without(&own),
            pick: control_pick.union(self.domain.arena(), &pick_data),
            pick_data,
            ..Uses::default()
        };
        self.domain.update(read, tags, stored, &uses);
        Ok(())
    }

    /// What an event depends on whatever it writes.
    fn uses(&mut self, address: &Value<'p, 's, D>) -> Uses<D::Sources> {
        let carried = self.domain.carried();
        let (control, control_pick) = (carried.control.clone(), carried.control_pick.clone());
        Uses {
            address: address.data.clone(),
            data: D::Sources::default(),
            control,
            pick: control_pick.union(self.domain.arena(), &address.pick),
            pick_address: address.pick.clone(),
            pick_data: D::Sources::default(),
        }
    }

    /// Everything later depends on a guard or an assumption.
    fn decide(&mut self, condition: &Value<'p, 's, D>) {
        let carried = self.domain.carried();
        let (control, control_pick) = (carried.control.clone(), carried.control_pick.clone());
        let control = control.union(self.domain.arena(), &condition.data);
        let control_pick = control_pick.union(self.domain.arena(), &condition.pick);
        let carried = self.domain.carried();
        (carried.control, carried.control_pick) = (control, control_pick);
    }

    /// Give a local a value. `range`: where that is known to be.
    fn set(&mut self, local: u32, value: Value<'p, 's, D>, range: Option<Range>) -> Result<(), D::Halt> {
        let sort = self.local(local).sort;
        let expr = self.domain.arena().wrap(sort, value.expr);
        let range = range.filter(|_| expr == value.expr);
        self.give(local, Known { expr, ..value }, range)
    }

    /// The same for a value of the local's sort.
    fn give(&mut self, local: u32, value: Value<'p, 's, D>, range: Option<Range>) -> Result<(), D::Halt> {
        self.fit(value.expr, self.local(local).range, range)?;
        self.domain.assigned(local, value.expr);
        self.domain.carried().locals[local as usize] = value;
        Ok(())
    }

    /// A value as a location holds it, at an address in this variable if that is known.
    fn stored(
        &mut self,
        (address, place): (Expr, Option<u32>),
        value: Expr,
        term: &Term,
    ) -> Result<Expr, D::Halt> {
        let written = self.read.is_some_and(|read| self.domain.address(read) == address);
        if !written {
            self.sized(address, place, term.sort())?;
        }
        let (sort, range) = match (self.content(address, place), term.sort()) {
            (Some(content), _) => content,
            // Sizes agree, and locations of one object have no ranges.
            (None, sort @ Sort::Bits { .. }) if self.has_places() => (sort, None),
            _ => {
                let what = "an address that is computed, among locations of different sorts";
                return Err(self.domain.refuse(what, None));
            }
        };
        let stored = self.domain.arena().wrap(sort, value);
        let known = self.domain.range_of(term).filter(|_| stored == value);
        self.fit(stored, range, known)?;
        Ok(stored)
    }

    /// Do variables lie in objects with others, so that an address can be taken for that of another type?
    fn has_places(&self) -> bool {
        self.surroundings.program.variables.iter().any(|variable| variable.place.is_some())
    }

    /// An access to an address that is computed must be as wide as what lies there.
    fn sized(&mut self, address: Expr, place: Option<u32>, sort: Sort) -> Result<(), D::Halt> {
        if !self.has_places() {
            return Ok(());
        }
        let program = self.surroundings.program;
        if let Some(location) = self.domain.arena().value(address) {
            let locations = &self.domain.arena().shape().locations;
            let found = usize::try_from(location).ok().and_then(|location| locations.get(location));
            let variable = found.and_then(|found| program.variables.get(found.variable as usize));
            if variable.is_none_or(|variable| step::fits_size(variable, sort)) {
                return Ok(());
            }
            let never = self.domain.arena().constant(0);
            return self.domain.demand(never, step::ANOTHER_SIZE, self.edge.origin.0);
        }
        let known = place.and_then(|place| program.variables.get(place as usize));
        if known.is_some_and(|variable| variable.place.is_none() || step::fits_size(variable, sort)) {
            return Ok(());
        }
        let variables = &self.surroundings.program.variables;
        let shape = self.domain.arena().shape();
        // Runs of locations that fit.
        let mut runs: Vec<(u32, u32)> = Vec::new();
        let mut misfits = false;
        for (number, variable) in variables.iter().enumerate() {
            let locations = shape.locations_of(number as u32);
            if !step::fits_size(variable, sort) {
                misfits = true;
                continue;
            }
            match runs.last_mut() {
                Some((_, end)) if *end == locations.start => *end = locations.end,
                _ => runs.push((locations.start, locations.end)),
            }
        }
        if !misfits {
            return Ok(());
        }
        let mut fits = self.domain.arena().constant(0);
        for (start, end) in runs.into_iter().filter(|(start, end)| start < end) {
            let arena = self.domain.arena();
            let inside = arena.between(address, i64::from(start), i64::from(end) - 1);
            fits = arena.binary(Binary::Or, Sort::Bool, fits, inside);
        }
        self.domain.demand(fits, step::ANOTHER_SIZE, self.edge.origin.0)
    }

    /// The sort and range of the location at an address, if all that it may be have the same.
    fn content(&mut self, address: Expr, place: Option<u32>) -> Option<(Sort, Option<Range>)> {
        let content = |variable: &Variable| (variable.sort, variable.range);
        let variables = &self.surroundings.program.variables;
        if let Some(place) = place {
            return variables.get(place as usize).map(content);
        }
        let arena = self.domain.arena();
        if let Some(location) = arena.value(address) {
            let location = arena.shape().locations.get(usize::try_from(location).ok()?)?;
            return Some(content(&variables[location.variable as usize]));
        }
        let first = content(variables.first()?);
        variables.iter().all(|variable| content(variable) == first).then_some(first)
    }

    /// A value outside its range stops the step. `known`: where it surely is.
    fn fit(&mut self, value: Expr, range: Option<Range>, known: Option<Range>) -> Result<(), D::Halt> {
        match (range, known) {
            (None, _) => Ok(()),
            (Some(range), Some(known)) if range.low <= known.low && known.high <= range.high => Ok(()),
            (Some(range), _) => {
                let inside = self.domain.arena().between(value, range.low, range.high);
                self.domain.require(inside)
            }
        }
    }

    /// The least and the greatest value that a choice may give a local.
    fn choices(&mut self, local: u32, among: &Choice, op: Option<usize>) -> Result<(i64, i64), D::Halt> {
        const TOO_MANY: &str = "a choice among more than 65,536 values";
        let info = self.local(local);
        let (low, high) = match among {
            Choice::Any => {
                let few = step::domain(self.surroundings.program, info.sort, info.range);
                let wide =
                    || step::wide_domain(info.sort, info.range).filter(|_| !self.domain.lists_choices());
                few.or_else(wide).ok_or_else(|| self.domain.refuse(TOO_MANY, None))?
            }
            Choice::Between(low, high) => {
                let low = self.domain.defined(low, op)?.expr;
                let high = self.domain.defined(high, op)?.expr;
                let arena = self.domain.arena();
                match (arena.value(low), arena.value(high)) {
                    (Some(low), Some(high)) => (low, high),
                    _ => return Err(self.domain.refuse("a choice between values that are read", None)),
                }
            }
            Choice::Member(_) => return Err(self.domain.refuse("a choice from a set", None)),
        };
        match self.domain.lists_choices() && high.saturating_sub(low) >= MOST_CHOICES {
            true => Err(self.domain.refuse(TOO_MANY, None)),
            false => Ok((low, high)),
        }
    }

    fn local(&self, local: u32) -> &'p Local {
        &self.surroundings.process.locals[local as usize]
    }

    fn refuse(&self, what: &str) -> D::Halt {
        self.domain.refuse(what, Some(self.edge.origin.0))
    }
}
