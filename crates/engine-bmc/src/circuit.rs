//! From expressions to literals: bit-blasting with sharing.

use wattle_program::symbolic::Expr;
use wattle_sat::{Clauses, Lit};

use crate::structure::Structure;

/// Gates and words over a solver.
pub(crate) struct Circuit<'c> {
    pub clauses: &'c mut dyn Clauses,
}

impl Circuit<'_> {
    pub fn and(&mut self, _left: Lit, _right: Lit) -> Lit {
        todo!()
    }

    pub fn or(&mut self, left: Lit, right: Lit) -> Lit {
        !self.and(!left, !right)
    }

    /// The literal of a condition.
    pub fn literal(&mut self, _structure: &Structure<'_>, _condition: Expr) -> Lit {
        todo!()
    }
}
