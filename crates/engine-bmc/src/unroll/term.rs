//! The value of a term, when it has one, and what it depends on.
//!
//! A local always has a value where its thread is: a step whose term has none is not taken. So only
//! the operators of the term itself are asked.

use wattle_engine::Unsupported;
use wattle_logic::{Binary, Kind, Sort, Symbol, Term};
use wattle_program::symbolic::{Arena, Expr, Need};
use wattle_program::{ProcessId, Shape};

use super::guard;
use super::state::{Known, Reads};

/// What the terms of a thread may speak of.
pub(crate) struct Terms<'b, 'a> {
    pub arena: &'b mut Arena<'a>,
    pub shape: &'a Shape,
    pub copy: u32,
    pub locals: &'b [Known],
    /// Is the condition of a selection a dependency of its own kind (AArch64)?
    pub selects: bool,
    /// What must hold for the terms so far to have values, and what goes wrong otherwise.
    pub defined: Vec<Need>,
}

fn meaningless() -> Unsupported {
    Unsupported::new("a term without meaning in a thread")
}

impl Terms<'_, '_> {
    pub fn value(&mut self, term: &Term) -> Result<Known, Unsupported> {
        Ok(match term.kind() {
            Kind::Value(value) => {
                let code = value.code().ok_or_else(|| Unsupported::new("a set of integers"))?;
                Known::free(self.arena.constant(code))
            }
            Kind::Symbol(Symbol::Local(local)) => {
                self.locals.get(*local as usize).ok_or_else(meaningless)?.clone()
            }
            Kind::Symbol(Symbol::Me) => Known::free(self.arena.constant(i64::from(self.copy))),
            Kind::Symbol(Symbol::Copies(process)) => {
                let copies = self.shape.copies_of(ProcessId(*process));
                Known::free(self.arena.constant(i64::from(copies)))
            }
            Kind::Unary(operator, operand) => {
                let operand = self.value(operand)?;
                Known { expr: self.arena.unary(*operator, term.sort(), operand.expr), ..operand }
            }
            Kind::Binary(Binary::Insert | Binary::Member, ..) => {
                return Err(Unsupported::new("a set of integers"));
            }
            Kind::Binary(operator, left, right) => {
                let left = self.value(left)?;
                let right = self.value(right)?;
                let need = self.arena.needs_of_binary(*operator, left.expr, right.expr);
                self.defined.extend(need);
                let expr = self.arena.binary(*operator, term.sort(), left.expr, right.expr);
                self.both(expr, &left, &right)
            }
            Kind::If(condition, then, otherwise) => self.selection(condition, then, otherwise)?,
            Kind::Address { variable, indices } => {
                let extents = self.shape.extents(*variable);
                if indices.len() != extents.len() {
                    return Err(meaningless());
                }
                let mut place = Known::free(self.arena.constant(0));
                for (index, length) in indices.iter().zip(extents) {
                    let index = self.value(index)?;
                    let need = self.arena.needs_of_element(index.expr, *length);
                    self.defined.extend(need);
                    let expr = self.arena.element(place.expr, index.expr, *length);
                    place = self.both(expr, &place, &index);
                }
                let first = self.arena.constant(i64::from(self.shape.locations_of(*variable).start));
                Known { expr: self.arena.binary(Binary::Add, Sort::WORD, first, place.expr), ..place }
            }
            Kind::Number(address) => {
                let address = self.value(address)?;
                let need = self.arena.needs_of_number(address.expr);
                self.defined.extend(need);
                Known { expr: self.arena.number(address.expr), ..address }
            }
            Kind::Pointer(number) => {
                let number = self.value(number)?;
                let need = self.arena.needs_of_pointer(number.expr);
                self.defined.extend(need);
                Known { expr: self.arena.pointer(number.expr), ..number }
            }
            Kind::Symbol(Symbol::Bound(_))
            | Kind::Content(_)
            | Kind::At { .. }
            | Kind::Ended { .. }
            | Kind::LocalOf { .. }
            | Kind::Quantified { .. } => return Err(meaningless()),
        })
    }

    fn both(&mut self, expr: Expr, left: &Known, right: &Known) -> Known {
        let data = left.data.union(self.arena, &right.data);
        Known { expr, data, pick: left.pick.union(self.arena, &right.pick) }
    }

    fn selection(&mut self, condition: &Term, then: &Term, otherwise: &Term) -> Result<Known, Unsupported> {
        let condition = self.value(condition)?;
        let not = guard::not(self.arena, condition.expr);
        let then = self.branch(then, condition.expr)?;
        let otherwise = self.branch(otherwise, not)?;
        let expr = self.arena.choice(condition.expr, then.expr, otherwise.expr);
        if !self.selects {
            let known = self.both(expr, &then, &otherwise);
            return Ok(self.both(expr, &condition, &known));
        }
        let arena = &mut *self.arena;
        let data = chosen(arena, (&then.data, condition.expr), (&otherwise.data, not));
        let pick = chosen(arena, (&then.pick, condition.expr), (&otherwise.pick, not));
        let deciding = condition.data.union(arena, &condition.pick);
        let pick = pick.union(arena, &deciding);
        Ok(Known { expr, data, pick })
    }

    /// One side of a selection: what it needs is needed only if it is selected.
    fn branch(&mut self, term: &Term, selected: Expr) -> Result<Known, Unsupported> {
        let before = self.defined.len();
        let known = self.value(term)?;
        for (condition, _) in &mut self.defined[before..] {
            *condition = guard::implies(self.arena, selected, *condition);
        }
        let arena = &*self.arena;
        let mut number = 0;
        self.defined.retain(|(condition, _)| {
            number += 1;
            number <= before || arena.value(*condition) != Some(1)
        });
        Ok(known)
    }
}

fn chosen(arena: &mut Arena<'_>, then: (&Reads, Expr), otherwise: (&Reads, Expr)) -> Reads {
    let then = then.0.when(arena, then.1);
    let otherwise = otherwise.0.when(arena, otherwise.1);
    then.union(arena, &otherwise)
}
