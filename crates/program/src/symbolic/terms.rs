//! The value of a term, and what it depends on.
//!
//! A dependency is the way from a *source* (an event that tells its thread something) through locals to
//! a term: the sources behind the free locals of the term *as written*, even where the value turns out
//! not to depend on them (`r ^ r` is 0, and a dependency on `r`).
//!
//! This is shared by the engines that run threads symbolically. They differ in how they hold sets of
//! sources ([`Sources`]), in what they do about operators without a result, and in whether a selection
//! forks the path or joins both sides; that is what [`Terms`] leaves open.

use wattle_logic::{Binary, Kind, Sort, Symbol, Term};

use super::{Arena, Expr, Need, Reads};
use crate::ProcessId;

/// A set of events that something depends on.
pub trait Sources: Clone + Default {
    fn union(&self, arena: &mut Arena<'_>, other: &Self) -> Self;
    fn without(&self, other: &Self) -> Self;
}

impl Sources for Reads {
    fn union(&self, _: &mut Arena<'_>, other: &Reads) -> Reads {
        self | other
    }

    fn without(&self, other: &Reads) -> Reads {
        self & !other
    }
}

/// A value and what it depends on: through its operands, and through the conditions of selections
/// where these are dependencies of their own ([`Conventions::selects`](super::Conventions)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known<S> {
    pub expr: Expr,
    pub data: S,
    pub pick: S,
}

impl<S: Sources> Known<S> {
    /// A value that depends on nothing.
    pub fn free(expr: Expr) -> Known<S> {
        Known { expr, data: S::default(), pick: S::default() }
    }

    /// A value that is computed from two others.
    pub(crate) fn of_both(arena: &mut Arena<'_>, expr: Expr, left: &Known<S>, right: &Known<S>) -> Known<S> {
        let data = left.data.union(arena, &right.data);
        Known { expr, data, pick: left.pick.union(arena, &right.pick) }
    }

    /// Everything that it depends on.
    pub fn all(&self, arena: &mut Arena<'_>) -> S {
        self.data.union(arena, &self.pick)
    }
}

/// What a term may speak of, and what is open about its value.
pub trait Terms<'s> {
    type Sources: Sources;
    /// Why there is no value.
    type Halt;

    fn arena(&mut self) -> &mut Arena<'s>;
    fn local(&self, local: u32) -> Option<Known<Self::Sources>>;
    /// Which copy of its process the thread is.
    fn copy(&self) -> u32;
    /// Are selections dependencies of their own?
    fn selects(&self) -> bool;
    /// The term is one that engines cannot handle.
    fn refuse(&self, what: &str) -> Self::Halt;

    /// An operator has no result unless what it needs holds.
    fn need(&mut self, _need: impl FnOnce(&mut Arena<'s>) -> Option<Need>) {}

    /// Both sides of a selection.
    #[allow(clippy::type_complexity)]
    fn sides(
        &mut self,
        _condition: Expr,
        then: &Term,
        otherwise: &Term,
    ) -> Result<(Known<Self::Sources>, Known<Self::Sources>), Self::Halt> {
        Ok((self.value(then)?, self.value(otherwise)?))
    }

    /// The side that a condition selects, without what it depends on through the condition.
    fn select(
        &mut self,
        condition: Expr,
        then: &Term,
        otherwise: &Term,
    ) -> Result<Known<Self::Sources>, Self::Halt>;

    fn value(&mut self, term: &Term) -> Result<Known<Self::Sources>, Self::Halt> {
        match term.kind() {
            Kind::Value(value) => {
                let code = value.code().ok_or_else(|| self.refuse("a set of integers"))?;
                Ok(Known::free(self.arena().constant(code)))
            }
            Kind::Symbol(Symbol::Local(local)) => self.local(*local).ok_or_else(|| self.refuse(MEANINGLESS)),
            Kind::Symbol(Symbol::Me) => {
                let copy = i64::from(self.copy());
                Ok(Known::free(self.arena().constant(copy)))
            }
            Kind::Symbol(Symbol::Copies(process)) => {
                let copies = self.arena().shape().copies_of(ProcessId(*process));
                Ok(Known::free(self.arena().constant(i64::from(copies))))
            }
            Kind::Unary(operator, operand) => {
                let operand = self.value(operand)?;
                Ok(Known { expr: self.arena().unary(*operator, term.sort(), operand.expr), ..operand })
            }
            Kind::Binary(Binary::Insert | Binary::Member, ..) => Err(self.refuse("a set of integers")),
            Kind::Binary(operator, left, right) => {
                let left = self.value(left)?;
                let right = self.value(right)?;
                self.need(|arena| arena.needs_of_binary(*operator, left.expr, right.expr));
                let expr = self.arena().binary(*operator, term.sort(), left.expr, right.expr);
                Ok(Known::of_both(self.arena(), expr, &left, &right))
            }
            Kind::If(condition, then, otherwise) => self.selection(condition, then, otherwise),
            Kind::Address { variable, indices } => self.address(*variable, indices),
            Kind::Number(address) => {
                let address = self.value(address)?;
                self.need(|arena| arena.needs_of_number(address.expr));
                Ok(Known { expr: self.arena().number(address.expr), ..address })
            }
            Kind::Pointer(number) => {
                let number = self.value(number)?;
                self.need(|arena| arena.needs_of_pointer(number.expr));
                Ok(Known { expr: self.arena().pointer(number.expr), ..number })
            }
            Kind::Symbol(Symbol::Bound(_))
            | Kind::Content(_)
            | Kind::Seen { .. }
            | Kind::At { .. }
            | Kind::Ended { .. }
            | Kind::LocalOf { .. }
            | Kind::Element(_)
            | Kind::Quantified { .. } => Err(self.refuse(MEANINGLESS)),
        }
    }

    fn selection(
        &mut self,
        condition: &Term,
        then: &Term,
        otherwise: &Term,
    ) -> Result<Known<Self::Sources>, Self::Halt> {
        let condition = self.value(condition)?;
        if self.selects() {
            let selected = self.select(condition.expr, then, otherwise)?;
            let deciding = condition.all(self.arena());
            return Ok(Known { pick: selected.pick.union(self.arena(), &deciding), ..selected });
        }
        let (then, otherwise) = self.sides(condition.expr, then, otherwise)?;
        let expr = self.arena().choice(condition.expr, then.expr, otherwise.expr);
        let sides = Known::of_both(self.arena(), expr, &then, &otherwise);
        Ok(Known::of_both(self.arena(), expr, &condition, &sides))
    }

    fn address(&mut self, variable: u32, indices: &[Term]) -> Result<Known<Self::Sources>, Self::Halt> {
        let shape = self.arena().shape();
        let extents = shape.extents(variable);
        if indices.len() != extents.len() {
            return Err(self.refuse(MEANINGLESS));
        }
        let mut place = Known::free(self.arena().constant(0));
        for (index, length) in indices.iter().zip(extents) {
            let index = self.value(index)?;
            self.need(|arena| arena.needs_of_element(index.expr, *length));
            let expr = self.arena().element(place.expr, index.expr, *length);
            place = Known::of_both(self.arena(), expr, &place, &index);
        }
        let first = self.arena().constant(i64::from(shape.locations_of(variable).start));
        Ok(Known { expr: self.arena().binary(Binary::Add, Sort::WORD, first, place.expr), ..place })
    }
}

const MEANINGLESS: &str = "a term without meaning in a thread";
