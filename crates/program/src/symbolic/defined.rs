//! The conditions under which operators have a result.
//!
//! Engines that do not evaluate concretely need the condition under which a node has a value, given that
//! its operands have one. Integers without bounds are taken to be as wide as they need to be, so that the
//! conditions are about faults of the program only; that integers stay within 64 bits is checked where
//! their width is chosen.

use wattle_logic::{Binary, Fault, Sort};

use super::{Arena, Expr};

/// What must hold, and what goes wrong otherwise.
pub type Need = (Expr, Fault);

impl Arena<'_> {
    pub(crate) fn needs_of_binary(&mut self, operator: Binary, left: Expr, right: Expr) -> Option<Need> {
        match operator {
            Binary::Divide | Binary::Remainder => {
                let zero = self.constant(0);
                let some = self.binary(Binary::NotEqual, Sort::Bool, right, zero);
                self.need(some, Fault::DivisionByZero)
            }
            Binary::ShiftLeft => self.within(right, 62, Fault::Overflow),
            Binary::ShiftRight => self.within(right, i64::from(u32::MAX), Fault::Overflow),
            Binary::Offset => {
                let moved = self.binary(Binary::Add, Sort::Int, left, right);
                self.needs_of_number(moved)
            }
            _ => None,
        }
    }

    pub(crate) fn needs_of_element(&mut self, index: Expr, length: u32) -> Option<Need> {
        self.within(index, i64::from(length) - 1, Fault::OutOfBounds)
    }

    /// Is there such a location?
    pub(crate) fn needs_of_number(&mut self, location: Expr) -> Option<Need> {
        self.within(location, self.shape().locations.len() as i64 - 1, Fault::OutOfBounds)
    }

    /// Does a machine integer stand for an address?
    pub(crate) fn needs_of_pointer(&mut self, number: Expr) -> Option<Need> {
        let pointer = self.pointer(number);
        if self.is_total(pointer) {
            return None;
        }
        let mut some = self.constant(0);
        for location in 0..self.shape().locations.len() as u32 {
            let Ok(code) = self.shape().number(location) else { continue };
            let code = self.constant(code);
            let same = self.binary(Binary::Equal, Sort::Bool, number, code);
            some = self.binary(Binary::Or, Sort::Bool, some, same);
        }
        self.need(some, Fault::OutOfBounds)
    }

    fn within(&mut self, operand: Expr, last: i64, fault: Fault) -> Option<Need> {
        let inside = self.between(operand, 0, last);
        self.need(inside, fault)
    }

    fn need(&self, condition: Expr, fault: Fault) -> Option<Need> {
        (self.value(condition) != Some(1)).then_some((condition, fault))
    }
}
