//! One edge in one round of its loops: what it does, and when.
//!
//! What an edge does, and what depends on what, is said by `program::symbolic::operations`; here it runs
//! on all ways to the edge at once.
//!
//! Operations run in order on a copy of the state. Each may add a condition without which the step is
//! not taken (a guard, an assumption, a range) or has no result (a division by zero). As long as these
//! speak of earlier steps only, they are simply part of the step's guard. A condition on what the step
//! itself reads is another matter, for the read happens only if the step does: there the step *begins*
//! by free choice, and it is required that whatever begins is not refused. A step that begins and then
//! has no result is half done: its events up to there happen, and it is not taken. Such executions
//! have a fault and count for nothing else.

use wattle_engine::Unsupported;
use wattle_logic::{Binary, Fault, Kind, Sort, Symbol, Term};
use wattle_program::Edge;
use wattle_program::symbolic::operations::{self, Carried, Does, Domain, Half, Made, Surroundings, Uses};
use wattle_program::symbolic::{Arena, Expr, MOST_READS, Terms};
use wattle_program::{EdgeId, Local, Mode, Name, Orders, Range, Tags, is_inside, is_section};
use wattle_source::Span;

use super::guard;
use super::state::{Known, Reads, Reservation, State};
use super::structure::{
    Access, Definition, Dependency, Event, EventId, Failure, ReadModifyWrite, Step, Structure,
};
use super::thread::Unroller;

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
    /// `choices`: how many of the step's choices were made before.
    Defined {
        condition: Expr,
        fault: Fault,
        op: Option<usize>,
        choices: usize,
    },
}

/// An event of the step whose guard is not known before the step is done.
struct Pending {
    event: EventId,
    /// How many conditions of kind `Inner::Defined` come before it.
    level: usize,
    /// It happens only if this holds too.
    extra: Option<Expr>,
    uses: Uses<Reads>,
}

struct Run<'u, 'b, 'a> {
    unroller: &'u mut Unroller<'b, 'a>,
    step: u32,
    locked: bool,
    /// It is part of an atomic section, where its events are in program order too.
    in_section: bool,
    state: State,
    /// The step's guard so far.
    outer: Expr,
    inner: Vec<Inner>,
    level: usize,
    /// The step's own reads, as in `Arena::reads`.
    own: u128,
    pending: Vec<Pending>,
    asserted: Vec<(usize, Expr)>,
    faults: Vec<Failure>,
    choices: Vec<u32>,
    defined: Vec<(u32, Expr)>,
    pairs: Vec<ReadModifyWrite>,
}

impl<'b, 'a> Unroller<'b, 'a> {
    /// The state after an edge, if it can be taken at all from `state` where `base` holds. `free`: there
    /// is another choice anyway, so what begins need not be chosen once more.
    pub(crate) fn edge(
        &mut self,
        state: &State,
        base: Expr,
        id: EdgeId,
        free: bool,
    ) -> Result<Option<State>, Unsupported> {
        let cfg = &self.process.cfg;
        let edge = cfg.edge(id);
        let in_section = is_section(edge) || is_inside(cfg, edge.from) || is_inside(cfg, edge.to);
        let start = self.structure.events.len();
        let step = self.structure.steps.len() as u32;
        let never = self.structure.arena.constant(0);
        self.structure.steps.push(Step {
            thread: self.thread,
            edge: id,
            taken: never,
            choices: vec![],
            section: vec![],
        });
        let surroundings =
            Surroundings { program: self.program, process: self.process, conventions: self.conventions };
        let mut run = Run {
            unroller: self,
            step,
            locked: edge.mode == Mode::Locked,
            in_section,
            state: state.clone(),
            outer: base,
            inner: Vec::new(),
            level: 0,
            own: 0,
            pending: Vec::new(),
            asserted: Vec::new(),
            faults: Vec::new(),
            choices: Vec::new(),
            defined: Vec::new(),
            pairs: Vec::new(),
        };
        match operations::run(surroundings, edge, &mut run) {
            Ok(()) => Ok(Some(run.finish(free))),
            Err(Halt::Impossible) => {
                let structure = &mut *run.unroller.structure;
                structure.events.truncate(start);
                structure.before.truncate(start);
                match run.faults.is_empty() {
                    true => _ = structure.steps.pop(),
                    false => structure.steps[step as usize].choices = run.choices,
                }
                structure.faults.extend(run.faults);
                Ok(None)
            }
            Err(Halt::Unsupported(what)) => Err(what),
        }
    }
}

impl Run<'_, '_, '_> {
    /// The state after the step, whose events, conditions and dependencies become part of the structure.
    fn finish(mut self, free: bool) -> State {
        let guards = self.guards(free);
        let taken = guards.last().copied().unwrap_or(self.outer);
        let structure = &mut *self.unroller.structure;
        let choices = self.choices.len();
        for (op, condition) in self.asserted {
            let not = guard::not(&mut structure.arena, condition);
            let when = guard::and(&mut structure.arena, taken, not);
            structure.assertions.push(Failure {
                step: self.step,
                op: Some(op),
                choices,
                when,
                fault: None,
                half: false,
                stored: false,
            });
        }
        let mut state = self.state;
        for pending in self.pending {
            let mut happens = guards[pending.level];
            if let Some(extra) = pending.extra {
                happens = guard::and(&mut structure.arena, happens, extra);
            }
            structure.events[pending.event as usize].guard = happens;
            depend(structure, pending.event, &pending.uses);
            state.passed(pending.event - self.unroller.first);
        }
        structure.read_modify_write.extend(self.pairs);
        let step = self.step;
        let definitions = self.defined.into_iter().map(|(local, value)| Definition { step, local, value });
        structure.definitions.extend(definitions);
        structure.steps[step as usize].taken = taken;
        structure.steps[step as usize].choices = self.choices;
        state.reached = taken;
        state
    }

    /// When the step begins, and when it is still under way after each condition of kind
    /// `Inner::Defined`; the last one says when it is taken.
    fn guards(&mut self, free: bool) -> Vec<Expr> {
        let structure = &mut *self.unroller.structure;
        let mut taken = self.outer;
        let refuses = self.inner.iter().any(|inner| matches!(inner, Inner::Holds(_)));
        if refuses && !free {
            let choice = structure.flag();
            taken = guard::and(&mut structure.arena, taken, choice);
        }
        let mut guards = vec![taken];
        structure.faults.append(&mut self.faults);
        let mut level = 0;
        for inner in &self.inner {
            match *inner {
                Inner::Holds(condition) => {
                    let holds = guard::implies(&mut structure.arena, taken, condition);
                    structure.requirements.push(holds);
                }
                Inner::Defined { condition, fault, op, choices } => {
                    let not = guard::not(&mut structure.arena, condition);
                    let when = guard::and(&mut structure.arena, taken, not);
                    let half = !self.pending.is_empty();
                    let stored = self.pending.iter().any(|one| {
                        let access = structure.events[one.event as usize].access;
                        one.level <= level && matches!(access, Access::Write | Access::Update)
                    });
                    level += 1;
                    let step = self.step;
                    let fault = Some(fault);
                    structure.faults.push(Failure { step, op, choices, when, fault, half, stored });
                    taken = guard::and(&mut structure.arena, taken, condition);
                    guards.push(taken);
                }
            }
        }
        guards
    }

    fn is_inner(&self, condition: Expr) -> bool {
        !self.inner.is_empty() || self.unroller.structure.arena.reads(condition) & self.own != 0
    }

    fn narrow(&mut self, condition: Expr) -> Result<(), Halt> {
        let arena = &mut self.unroller.structure.arena;
        self.outer = guard::and(arena, self.outer, condition);
        if arena.value(self.outer) == Some(0) { Err(Halt::Impossible) } else { Ok(()) }
    }

    /// Without the dependencies that the memory model does not speak of.
    fn wanted(&self, mut uses: Uses<Reads>) -> Uses<Reads> {
        let wanted = self.unroller.options.wanted;
        let drop = |unwanted: bool, reads: &mut Reads| {
            if unwanted {
                *reads = Reads::default();
            }
        };
        drop(!wanted.address, &mut uses.address);
        drop(!wanted.data, &mut uses.data);
        drop(!wanted.control, &mut uses.control);
        drop(!wanted.pick, &mut uses.pick);
        drop(!wanted.pick, &mut uses.pick_address);
        drop(!wanted.pick, &mut uses.pick_data);
        uses
    }
}

impl<'b, 'a> Domain<'b, 'a> for Run<'_, 'b, 'a> {
    type Sources = Reads;
    /// Its position in `pending`.
    type Event = usize;
    type Halt = Halt;

    fn arena(&mut self) -> &mut Arena<'a> {
        &mut self.unroller.structure.arena
    }

    fn carried(&mut self) -> &mut Carried<Reads> {
        &mut self.state.carried
    }

    fn refuse(&self, what: &str, span: Option<Span>) -> Halt {
        Halt::Unsupported(Unsupported { what: what.into(), span })
    }

    fn unsupported(&mut self, what: &Name, span: Span) -> Halt {
        self.unroller.structure.unsupported.push((self.outer, what.clone(), span));
        Halt::Impossible
    }

    fn demand(&mut self, condition: Expr, what: &str, span: Span) -> Result<(), Halt> {
        match self.unroller.structure.arena.value(condition) {
            Some(0) => return Err(self.unsupported(&what.into(), span)),
            Some(_) => return Ok(()),
            None => {}
        }
        if self.is_inner(condition) {
            return Err(self.refuse(what, Some(span)));
        }
        let arena = &mut self.unroller.structure.arena;
        let not = guard::not(arena, condition);
        let when = guard::and(arena, self.outer, not);
        self.unroller.structure.unsupported.push((when, what.into(), span));
        self.narrow(condition)
    }

    fn orders_its_events(&self) -> bool {
        self.in_section
    }

    fn lists_choices(&self) -> bool {
        false
    }

    /// Without a value the step has no result.
    fn defined(&mut self, term: &Term, op: Option<usize>) -> Result<Known, Halt> {
        let mut evaluation = self.unroller.evaluation(&self.state);
        let known = evaluation.value(term)?;
        let choices = self.choices.len();
        for (condition, fault) in evaluation.needs {
            // What the step did before it had no result has happened.
            if self.is_inner(condition) || !self.pending.is_empty() {
                self.inner.push(Inner::Defined { condition, fault, op, choices });
                self.level += 1;
                continue;
            }
            let arena = &mut self.unroller.structure.arena;
            let not = guard::not(arena, condition);
            let when = guard::and(arena, self.outer, not);
            if arena.value(when) != Some(0) {
                let step = self.step;
                let (fault, half, stored) = (Some(fault), false, false);
                self.faults.push(Failure { step, op, choices, when, fault, half, stored });
            }
            self.narrow(condition)?;
        }
        Ok(known)
    }

    fn require(&mut self, condition: Expr) -> Result<(), Halt> {
        match self.unroller.structure.arena.value(condition) {
            Some(0) if self.inner.is_empty() => Err(Halt::Impossible),
            Some(1) => Ok(()),
            _ if self.is_inner(condition) => {
                self.inner.push(Inner::Holds(condition));
                Ok(())
            }
            _ => self.narrow(condition),
        }
    }

    fn assert(&mut self, op: usize, condition: Expr) {
        self.asserted.push((op, condition));
    }

    fn event(&mut self, made: Made<'b, usize, Reads>) -> Result<usize, Halt> {
        let event = self.unroller.structure.events.len() as EventId;
        let guard = self.unroller.structure.arena.constant(0);
        let mut info = Event {
            access: Access::Fence,
            thread: Some(self.unroller.thread),
            step: self.step,
            guard,
            address: made.address,
            written: None,
            tags: Tags::new(),
            locked: self.locked,
            section: vec![],
            orders: Orders::NONE,
            holds: None,
        };
        let mut extra = None;
        match made.does {
            Does::Read { tags } => {
                let location = self.unroller.structure.arena.value(made.address);
                info.access = Access::Read;
                info.tags = tags.clone();
                info.holds = self.unroller.contents.bounds(location);
                self.own |= 1 << (event % MOST_READS);
            }
            Does::Write { tags, value, half } => {
                info.access = Access::Write;
                info.tags = tags.clone();
                info.written = Some(value);
                extra = self.pair(event, half);
            }
            Does::Fence(fence) => {
                info.tags = Tags::from([fence.tag.clone()]);
                info.orders = fence.orders;
            }
        }
        self.unroller.structure.events.push(info);
        let mut before = behind(&self.state, self.unroller.first);
        if self.in_section {
            before.extend(self.pending.iter().map(|pending| pending.event));
        }
        self.unroller.structure.before.push(before);
        let uses = self.wanted(made.uses);
        self.pending.push(Pending { event, level: self.level, extra, uses });
        Ok(self.pending.len() - 1)
    }

    fn update(&mut self, read: usize, tags: &'b Tags, value: Expr, uses: &Uses<Reads>) {
        let uses = self.wanted(uses.clone());
        let pending = &mut self.pending[read];
        let event = &mut self.unroller.structure.events[pending.event as usize];
        event.access = Access::Update;
        event.written = Some(value);
        event.tags.extend(tags.iter().cloned());
        pending.uses.join(&mut self.unroller.structure.arena, &uses);
    }

    fn address(&self, event: usize) -> Expr {
        self.unroller.structure.events[self.pending[event].event as usize].address
    }

    fn read(&mut self, event: usize, into: &Local) -> (Expr, Option<Range>) {
        let address = self.address(event);
        let arena = &mut self.unroller.structure.arena;
        let (sort, range) = self.unroller.contents.at(arena.value(address));
        let read = arena.read(self.pending[event].event);
        if sort == Some(into.sort) {
            return (read, range);
        }
        let expr = arena.wrap(into.sort, read);
        (expr, range.filter(|_| expr == read && !matches!(into.sort, Sort::Bits { .. })))
    }

    fn source(&mut self, event: usize, when: Option<Expr>) -> Result<Reads, Halt> {
        if !self.unroller.options.wanted.any() {
            return Ok(Reads::default());
        }
        let arena = &mut self.unroller.structure.arena;
        let reads = Reads::one(arena, self.pending[event].event);
        Ok(when.map_or(reads.clone(), |when| reads.when(arena, when)))
    }

    fn reserve(&mut self, read: usize, address: Expr) {
        let arena = &mut self.unroller.structure.arena;
        let reads = Reads::one(arena, self.pending[read].event);
        self.state.reservation = Some(Reservation { holds: arena.constant(1), address, reads });
    }

    fn succeeds(&mut self, address: Expr) -> Result<Expr, Halt> {
        let structure = &mut *self.unroller.structure;
        let Some(reserved) = &self.state.reservation else { return Ok(structure.arena.constant(0)) };
        let choice = structure.flag();
        let arena = &mut structure.arena;
        let same = arena.binary(Binary::Equal, Sort::Bool, address, reserved.address);
        let possible = guard::and(arena, reserved.holds, same);
        Ok(guard::and(arena, possible, choice))
    }

    fn release(&mut self) {
        self.state.reservation = None;
    }

    fn choose(&mut self, low: i64, high: i64) -> Result<Expr, Halt> {
        if low > high {
            return Err(Halt::Impossible);
        }
        let input = self.unroller.structure.input(low, high);
        self.choices.push(input);
        Ok(self.unroller.structure.arena.cell(input))
    }

    fn range_of(&self, term: &Term) -> Option<Range> {
        match term.kind() {
            Kind::Symbol(Symbol::Local(local)) => self.unroller.trusted[*local as usize],
            _ => None,
        }
    }

    fn assigned(&mut self, local: u32, value: Expr) {
        self.defined.push((local, value));
    }
}

impl Run<'_, '_, '_> {
    /// Make a write the second half of a read-modify-write. The condition without which it does not
    /// happen.
    fn pair(&mut self, write: EventId, half: Half<usize>) -> Option<Expr> {
        match half {
            Half::None => None,
            Half::Instruction(read) => {
                let when = self.unroller.structure.arena.constant(1);
                let read = self.pending[read].event;
                self.pairs.push(ReadModifyWrite { read, write, when, exclusive: false });
                None
            }
            Half::Exclusive { succeeds } => {
                let reads = self.state.reservation.iter().flat_map(|reserved| reserved.reads.list());
                self.pairs.extend(reads.map(|(read, when)| ReadModifyWrite {
                    read: *read,
                    write,
                    when: *when,
                    exclusive: true,
                }));
                Some(succeeds)
            }
        }
    }
}

fn depend(structure: &mut Structure<'_>, to: EventId, uses: &Uses<Reads>) {
    let lists = [
        (&mut structure.address, &uses.address),
        (&mut structure.data, &uses.data),
        (&mut structure.control, &uses.control),
        (&mut structure.pick, &uses.pick),
        (&mut structure.pick_address, &uses.pick_address),
        (&mut structure.pick_data, &uses.pick_data),
    ];
    for (list, reads) in lists {
        list.extend(reads.list().iter().map(|(from, when)| Dependency { from: *from, to, when: *when }));
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
