//! One step of one path: the operations of an edge on expressions.
//!
//! What an edge does, and what depends on what, is said by `program::symbolic::operations`. Here is what
//! it means for a path: a condition that is not decided becomes a constraint, a choice is one of the
//! [`Chooser`]'s, and dependencies are sets of bits.

use wattle_engine::Unsupported;
use wattle_logic::{Binary, Sort, Term};
use wattle_program::symbolic::operations::{self, Carried, Does, Domain, Half, Made, Surroundings, Uses};
use wattle_program::symbolic::{Arena, Expr, Known, MOST_READS, Reads, Terms};
use wattle_program::{EdgeId, Local, Mode, Name, Orders, Range, Tags};
use wattle_source::Span;

use super::{Chooser, State};
use crate::path::{Access, Asserted, Constraint, Faulted, Pair, PathEvent};

/// Why an edge is not taken.
pub(super) enum Halt {
    /// A guard, an assumption or a range cannot hold.
    Disabled,
    Faulted {
        op: Option<usize>,
        why: Faulted,
    },
    Unsupported(Unsupported),
}

pub(super) struct Step<'r, 'a, 's> {
    pub surroundings: Surroundings<'a>,
    pub copy: u32,
    pub arena: &'r mut Arena<'s>,
    /// Where a term may have no value, a path that stops in the fault is wanted too.
    pub may_fault: bool,
    pub chooser: &'r mut Chooser,
    pub state: &'r mut State<'a>,
    pub edge: EdgeId,
    /// Both sides of the branch lead to the same point, and this path stands for both.
    pub detour: bool,
    /// What the `havoc`s so far chose.
    pub choices: Vec<i64>,
}

impl<'a> Step<'_, 'a, '_> {
    pub(crate) fn run(mut self) -> Result<(), Halt> {
        let edge = self.surroundings.process.cfg.edge(self.edge);
        let result = operations::run(self.surroundings, edge, &mut self);
        // A step without a result is the last of its path: what it did before that has happened.
        if matches!(result, Ok(()) | Err(Halt::Faulted { .. })) {
            self.state.steps.push((self.edge, self.choices));
        }
        result?;
        self.state.point = edge.to;
        Ok(())
    }

    /// Dependencies have a bit for each read and each store-conditional of a path.
    fn room(&self) -> Result<(), Halt> {
        match self.state.reads + self.state.conditionals > MOST_READS {
            true => Err(Halt::Unsupported(Unsupported::new("a path with more than 128 reads"))),
            false => Ok(()),
        }
    }
}

impl<'a, 's> Domain<'a, 's> for Step<'_, 'a, 's> {
    type Sources = Reads;
    /// Its position on the path.
    type Event = u32;
    type Halt = Halt;

    fn arena(&mut self) -> &mut Arena<'s> {
        self.arena
    }

    fn carried(&mut self) -> &mut Carried<Reads> {
        &mut self.state.carried
    }

    fn refuse(&self, what: &str, span: Option<Span>) -> Halt {
        Halt::Unsupported(Unsupported { what: what.into(), span })
    }

    fn unsupported(&mut self, what: &Name, span: Span) -> Halt {
        Halt::Unsupported(Unsupported { what: what.to_string(), span: Some(span) })
    }

    /// Where a term may have no value, the path goes on only if it has one.
    fn defined(&mut self, term: &Term, op: Option<usize>) -> Result<Known<Reads>, Halt> {
        let known = self.value(term)?;
        if self.arena.is_total(known.expr) {
            return Ok(known);
        }
        if self.arena.reads(known.expr) == 0 {
            return match self.arena.evaluate(known.expr, &[], &[]) {
                Ok(value) => Ok(Known { expr: self.arena.constant(value), ..known }),
                Err(fault) => Err(Halt::Faulted { op, why: Faulted::Certain(fault) }),
            };
        }
        if self.may_fault && self.chooser.choose(2) == 1 {
            self.state.constraints.push(Constraint::Faults(known.expr));
            return Err(Halt::Faulted { op, why: Faulted::Possible(known.expr) });
        }
        self.state.constraints.push(Constraint::Defined(known.expr));
        Ok(known)
    }

    fn require(&mut self, condition: Expr) -> Result<(), Halt> {
        match self.arena.value(condition) {
            Some(0) => Err(Halt::Disabled),
            Some(_) => Ok(()),
            None => {
                self.state.constraints.push(Constraint::Is(condition, true));
                Ok(())
            }
        }
    }

    fn guard(&mut self, condition: Expr) -> Result<(), Halt> {
        if self.detour {
            self.state.detours.push((self.state.steps.len() as u32, condition));
            return Ok(());
        }
        self.require(condition)
    }

    fn assert(&mut self, op: usize, condition: Expr) {
        self.state.asserts.push(Asserted { edge: self.edge, op, condition });
    }

    fn event(&mut self, made: Made<'a, u32, Reads>) -> Result<u32, Halt> {
        let mut event = PathEvent {
            access: Access::Fence,
            edge: self.edge,
            instruction: self.state.steps.len() as u32,
            locked: self.surroundings.process.cfg.edge(self.edge).mode == Mode::Locked,
            orders: Orders::NONE,
            tags: [None, None],
            fence: None,
            address: made.address,
            value: made.address,
            read: 0,
            source: None,
            uses: made.uses,
            pair: None,
        };
        match made.does {
            Does::Read { tags } => {
                event.access = Access::Read;
                event.tags[0] = Some(tags);
                event.read = self.state.reads;
                event.source = Some(self.state.reads);
                self.state.reads += 1;
                self.room()?;
            }
            Does::Write { tags, value, half } => {
                event.access = Access::Write;
                event.tags[0] = Some(tags);
                event.value = value;
                event.pair = match half {
                    Half::None => None,
                    Half::Instruction(read) => Some(Pair::Instruction(read)),
                    Half::Exclusive { .. } => self.state.reservation.map(|(read, _)| Pair::Exclusive(read)),
                };
            }
            Does::Fence(fence) => {
                event.orders = fence.orders;
                event.fence = Some(&fence.tag);
            }
        }
        self.state.events.push(event);
        Ok(self.state.events.len() as u32 - 1)
    }

    fn update(&mut self, read: u32, tags: &'a Tags, value: Expr, uses: &Uses<Reads>) {
        let event = &mut self.state.events[read as usize];
        event.access = Access::Update;
        event.tags[1] = Some(tags);
        event.value = value;
        event.uses.join(self.arena, uses);
    }

    fn address(&self, event: u32) -> Expr {
        self.state.events[event as usize].address
    }

    fn read(&mut self, event: u32, into: &Local) -> (Expr, Option<Range>) {
        let read = self.arena.read(self.state.events[event as usize].read);
        (self.arena.wrap(into.sort, read), None)
    }

    /// A read has its bit from the beginning, a store-conditional when something depends on it.
    fn source(&mut self, event: u32, _: Option<Expr>) -> Result<Reads, Halt> {
        if let Some(source) = self.state.events[event as usize].source {
            return Ok(1 << source);
        }
        self.state.conditionals += 1;
        self.room()?;
        let source = MOST_READS - self.state.conditionals;
        self.state.events[event as usize].source = Some(source);
        Ok(1 << source)
    }

    fn reserve(&mut self, read: u32, address: Expr) {
        self.state.reservation = Some((read, address));
    }

    fn succeeds(&mut self, address: Expr) -> Result<Expr, Halt> {
        match self.state.reservation {
            Some((_, reserved)) if self.chooser.choose(2) == 0 => {
                let same = self.arena.binary(Binary::Equal, Sort::Bool, address, reserved);
                self.require(same)?;
                Ok(self.arena.constant(1))
            }
            _ => Ok(self.arena.constant(0)),
        }
    }

    fn release(&mut self) {
        self.state.reservation = None;
    }

    fn choose(&mut self, low: i64, high: i64) -> Result<Expr, Halt> {
        if low > high {
            return Err(Halt::Disabled);
        }
        let code = low + i64::from(self.chooser.choose((high - low + 1) as u32));
        self.choices.push(code);
        Ok(self.arena.constant(code))
    }
}

impl<'s> Terms<'s> for Step<'_, '_, 's> {
    type Sources = Reads;
    type Halt = Halt;

    fn arena(&mut self) -> &mut Arena<'s> {
        self.arena
    }

    fn local(&self, local: u32) -> Option<Known<Reads>> {
        self.state.carried.locals.get(local as usize).copied()
    }

    fn copy(&self) -> u32 {
        self.copy
    }

    fn selects(&self) -> bool {
        self.surroundings.conventions.selects
    }

    fn refuse(&self, what: &str) -> Halt {
        Halt::Unsupported(Unsupported::new(what))
    }

    /// A path goes to one side.
    fn select(&mut self, condition: Expr, then: &Term, otherwise: &Term) -> Result<Known<Reads>, Halt> {
        let chosen = match self.arena.value(condition) {
            Some(value) => value != 0,
            None => {
                let chosen = self.chooser.choose(2) == 0;
                self.state.constraints.push(Constraint::Is(condition, chosen));
                chosen
            }
        };
        let value = self.value(if chosen { then } else { otherwise })?;
        // A condition without a value leaves the whole without one.
        let expr = match self.arena.is_total(condition) {
            true => value.expr,
            false => self.arena.choice(condition, value.expr, value.expr),
        };
        Ok(Known { expr, ..value })
    }
}
