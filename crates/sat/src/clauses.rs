//! Literals, and whoever takes clauses over them.

use std::fmt;
use std::ops::Not;

/// A variable or its negation, numbered as in DIMACS. Variable 1 is the constant *true*.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(i32);

impl Lit {
    pub const TRUE: Lit = Lit(1);
    pub const FALSE: Lit = Lit(-1);

    pub fn new(number: i32) -> Lit {
        debug_assert!(number != 0 && number != i32::MIN);
        Lit(number)
    }

    pub fn number(self) -> i32 {
        self.0
    }

    pub fn variable(self) -> u32 {
        self.0.unsigned_abs()
    }

    pub fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// The value, if it is one of the two constants.
    pub fn constant(self) -> Option<bool> {
        match self {
            Lit::TRUE => Some(true),
            Lit::FALSE => Some(false),
            _ => None,
        }
    }
}

impl From<bool> for Lit {
    fn from(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Takes clauses: a solver, or a list in a test.
pub trait Clauses {
    /// A new variable.
    fn fresh(&mut self) -> Lit;
    /// At least one of these holds. Constants may occur.
    fn clause(&mut self, literals: &[Lit]);
}
