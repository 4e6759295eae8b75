//! The value of a term, when it has one, and what it depends on.
//!
//! A local always has a value where its thread is: a step whose term has none is not taken. So only
//! the operators of the term itself are asked.

use wattle_engine::Unsupported;
use wattle_logic::Term;
use wattle_program::symbolic::{Arena, Expr, Need, Sources, Terms};

use super::guard;
use super::state::{Known, Reads};

/// The evaluation of terms on all ways to a point at once.
pub(crate) struct Evaluation<'b, 'a> {
    pub arena: &'b mut Arena<'a>,
    pub copy: u32,
    pub locals: &'b [Known],
    pub selects: bool,
    /// What must hold for the terms so far to have values, and what goes wrong otherwise.
    pub needs: Vec<Need>,
}

impl<'a> Terms<'a> for Evaluation<'_, 'a> {
    type Sources = Reads;
    type Halt = Unsupported;

    fn arena(&mut self) -> &mut Arena<'a> {
        self.arena
    }

    fn local(&self, local: u32) -> Option<Known> {
        self.locals.get(local as usize).cloned()
    }

    fn copy(&self) -> u32 {
        self.copy
    }

    fn selects(&self) -> bool {
        self.selects
    }

    fn refuse(&self, what: &str) -> Unsupported {
        Unsupported::new(what)
    }

    fn need(&mut self, need: impl FnOnce(&mut Arena<'a>) -> Option<Need>) {
        self.needs.extend(need(self.arena));
    }

    /// What a side needs is needed only if it is selected.
    fn sides(
        &mut self,
        condition: Expr,
        then: &Term,
        otherwise: &Term,
    ) -> Result<(Known, Known), Unsupported> {
        let not = guard::not(self.arena, condition);
        Ok((self.side(then, condition)?, self.side(otherwise, not)?))
    }

    fn select(&mut self, condition: Expr, then: &Term, otherwise: &Term) -> Result<Known, Unsupported> {
        let (then, otherwise) = self.sides(condition, then, otherwise)?;
        let arena = &mut *self.arena;
        let expr = arena.choice(condition, then.expr, otherwise.expr);
        let not = guard::not(arena, condition);
        let mut selected = |then: &Reads, otherwise: &Reads| {
            let then = then.when(arena, condition);
            let otherwise = otherwise.when(arena, not);
            then.union(arena, &otherwise)
        };
        let data = selected(&then.data, &otherwise.data);
        let pick = selected(&then.pick, &otherwise.pick);
        Ok(Known { expr, data, pick })
    }
}

impl Evaluation<'_, '_> {
    fn side(&mut self, term: &Term, selected: Expr) -> Result<Known, Unsupported> {
        let before = self.needs.len();
        let known = self.value(term)?;
        for (condition, _) in &mut self.needs[before..] {
            *condition = guard::implies(self.arena, selected, *condition);
        }
        let arena = &*self.arena;
        let mut number = 0;
        self.needs.retain(|(condition, _)| {
            number += 1;
            number <= before || arena.value(*condition) != Some(1)
        });
        Ok(known)
    }
}
