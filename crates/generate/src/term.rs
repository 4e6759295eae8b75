//! Random terms over the locals of a process. Values stay finite: what an unbounded cell is set to
//! is a remainder wherever it could grow.

use wattle_logic::{Binary, Sort, Term, Unary, Value};
use wattle_program::Dimension;

use crate::declare;
use crate::writer::{Class, Writer, class};

impl Writer<'_> {
    /// A small integer: a literal, a local, `me`.
    pub(crate) fn leaf(&mut self) -> Term {
        let locals = self.locals_of(Class::Integer);
        match self.rng.below(10) {
            0..=4 if !locals.is_empty() => {
                let local = *self.rng.pick(&locals);
                self.local(local)
            }
            5 if self.replicated() => Term::me(),
            6 if self.replicated() => Term::copies(self.process),
            _ => Term::int([0, 1, 1, 2, -1][self.rng.weighted(&[4, 4, 2, 2, 1])]),
        }
    }

    /// An integer whose size is bounded by those of its leaves, more or less.
    pub(crate) fn integer(&mut self) -> Term {
        let left = self.leaf();
        match self.rng.below(20) {
            0..=11 => left,
            12 | 13 => Term::binary(Binary::Add, left, Term::int(1)),
            14 => {
                let operators = [Binary::Add, Binary::Subtract, Binary::Multiply];
                Term::binary(*self.rng.pick(&operators), left, self.leaf())
            }
            15 => {
                let operators = [Binary::BitAnd, Binary::BitOr, Binary::BitXor];
                Term::binary(*self.rng.pick(&operators), left, self.leaf())
            }
            16 => {
                let operators = [Binary::ShiftLeft, Binary::ShiftRight, Binary::Divide, Binary::Remainder];
                let by = Term::int(i64::from(self.rng.between(1, 2)));
                Term::binary(*self.rng.pick(&operators), left, by)
            }
            17 => Term::unary(*self.rng.pick(&[Unary::Negate, Unary::Complement]), left),
            18 => {
                let otherwise = self.leaf();
                match otherwise.sort() == left.sort() {
                    true => Term::if_then_else(self.condition(), left, otherwise),
                    false => left,
                }
            }
            _ if self.rng.chance(self.profile.faults * 10) => {
                let operator = *self.rng.pick(&[Binary::Divide, Binary::Remainder]);
                Term::binary(operator, Term::int(2), left)
            }
            _ => left,
        }
    }

    /// A value for a cell without bounds: compound terms are cut down.
    pub(crate) fn bounded(&mut self) -> Term {
        let term = self.integer();
        if term.children().is_empty() {
            return term;
        }
        Term::binary(Binary::Remainder, term, Term::int(i64::from(self.rng.between(2, 3))))
    }

    /// Something true or false about the locals.
    pub(crate) fn condition(&mut self) -> Term {
        let truths = self.locals_of(Class::Bool);
        let symbols = self.locals_of(Class::Enum);
        let simple = match self.rng.below(10) {
            0..=3 if !truths.is_empty() => {
                let local = *self.rng.pick(&truths);
                self.local(local)
            }
            4..=5 if !symbols.is_empty() => {
                let local = *self.rng.pick(&symbols);
                let symbol = Term::value(Value::Symbol(self.rng.below(3)), Sort::Enum(0));
                self.local(local).equals(symbol)
            }
            _ => {
                let (left, right) = (self.leaf(), Term::int(i64::from(self.rng.below(3))));
                self.compare(left, right)
            }
        };
        match self.rng.below(12) {
            0 => simple.negated(),
            1 => {
                let (left, right) = (self.leaf(), self.integer());
                let other = self.compare(left, right);
                Term::binary(*self.rng.pick(&[Binary::And, Binary::Or, Binary::Implies]), simple, other)
            }
            _ => simple,
        }
    }

    pub(crate) fn compare(&mut self, left: Term, right: Term) -> Term {
        use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let operators = [Equal, Equal, Equal, NotEqual, NotEqual, Less, LessEqual, Greater, GreaterEqual];
        Term::binary(*self.rng.pick(&operators), left, right)
    }

    /// Something about one local, of any class.
    pub(crate) fn test_of(&mut self, local: u32) -> Term {
        let info = &self.locals[local as usize];
        let (sort, range) = (info.sort, info.range);
        let term = self.local(local);
        match class(sort) {
            Class::Bool if self.rng.chance(500) => term,
            Class::Bool => term.negated(),
            Class::Integer => {
                let literal = declare::literal(self.rng, sort, range);
                self.compare(term, literal)
            }
            Class::Enum => term.equals(declare::literal(self.rng, sort, range)),
            Class::Address => {
                let other = self.value_of(Class::Address);
                term.equals(other)
            }
        }
    }

    /// A test that one store of another thread will most likely make true: waits that never end show
    /// nothing but themselves.
    pub(crate) fn hope_for(&mut self, local: u32) -> Term {
        let info = &self.locals[local as usize];
        if class(info.sort) != Class::Integer || self.rng.chance(200) {
            return self.test_of(local);
        }
        let (operator, literal) = *self.rng.pick(&[
            (Binary::NotEqual, 0),
            (Binary::NotEqual, 1),
            (Binary::LessEqual, 1),
            (Binary::GreaterEqual, 1),
            (Binary::Equal, 1),
        ]);
        Term::binary(operator, self.local(local), Term::int(literal))
    }

    pub(crate) fn value_of(&mut self, wanted: Class) -> Term {
        match wanted {
            Class::Integer => self.bounded(),
            Class::Bool if self.rng.chance(500) => Term::bool(self.rng.chance(600)),
            Class::Bool => self.condition(),
            Class::Enum => {
                let known = self.locals_of(Class::Enum);
                if !known.is_empty() && self.rng.chance(400) {
                    let local = *self.rng.pick(&known);
                    return self.local(local);
                }
                Term::value(Value::Symbol(self.rng.below(3)), Sort::Enum(0))
            }
            Class::Address => {
                let local = self.new_local_or_known(Class::Address);
                self.local(local)
            }
        }
    }

    fn new_local_or_known(&mut self, wanted: Class) -> u32 {
        let known = self.locals_of(wanted);
        if known.is_empty() { self.new_local(wanted) } else { *self.rng.pick(&known) }
    }

    /// A value to store into a variable: literals most often, for they tell writers apart.
    pub(crate) fn value_for(&mut self, variable: u32) -> Term {
        let info = &self.world.variables[variable as usize];
        let (sort, range) = (info.sort, info.range);
        if class(sort) == Class::Integer {
            return match self.rng.below(10) {
                0..=5 if range.is_some() => declare::literal(self.rng, sort, range),
                0..=5 => Term::int([1, 2, 0][self.rng.weighted(&[6, 3, 1])]),
                _ if range.is_some() || matches!(sort, Sort::Bits { .. }) => self.integer(),
                _ => self.bounded(),
            };
        }
        self.value_of(class(sort))
    }

    /// What a local may be set to.
    pub(crate) fn value_for_local(&mut self, local: u32) -> Term {
        let info = &self.locals[local as usize];
        match class(info.sort) {
            Class::Integer if info.range.is_some() || matches!(info.sort, Sort::Bits { .. }) => {
                self.integer()
            }
            other => self.value_of(other),
        }
    }

    /// A shared variable and the address of one of its cells.
    pub(crate) fn place(&mut self) -> (u32, Term) {
        let own = self.profile.is_rma() && self.rng.chance(900);
        let mine: Vec<u32> = (0..self.world.variables.len() as u32)
            .filter(|number| {
                let owner = self.world.variables[*number as usize].owner;
                !own || owner.is_none_or(|owner| owner.0 == self.process)
            })
            .collect();
        let variable = *self.rng.pick(&mine);
        // A pointer now and then: the integer it goes to is as good as a named one.
        let pointers = self.locals_of(Class::Address);
        if declare::is_target(self.world, variable) && !pointers.is_empty() && self.rng.chance(500) {
            let local = *self.rng.pick(&pointers);
            return (variable, self.local(local));
        }
        (variable, self.address(variable))
    }

    pub(crate) fn address(&mut self, variable: u32) -> Term {
        let info = &self.world.variables[variable as usize];
        let owner = info.owner.map(|owner| owner.0);
        let dimensions = info.dimensions.clone();
        let indices = dimensions
            .iter()
            .map(|dimension| match (dimension, owner) {
                (Dimension::Copies(of), Some(owner)) if of.0 == owner && owner == self.process => Term::me(),
                _ => self.index(self.world.length(*dimension)),
            })
            .collect();
        Term::address(variable, indices)
    }

    /// An index into `length` elements.
    pub(crate) fn index(&mut self, length: u32) -> Term {
        let safe = |local: &wattle_program::Local| {
            let Some(range) = local.range else { return false };
            range.low >= 0 && range.high < i64::from(length) && !local.hidden
        };
        let locals: Vec<u32> =
            (0..self.locals.len() as u32).filter(|local| safe(&self.locals[*local as usize])).collect();
        match self.rng.below(10) {
            0..=3 if self.replicated() && self.copies() <= length => match self.rng.chance(300) {
                true => Term::binary(Binary::Subtract, Term::int(i64::from(length) - 1), Term::me()),
                false => Term::me(),
            },
            4..=6 if !locals.is_empty() => {
                let local = *self.rng.pick(&locals);
                self.local(local)
            }
            7 if self.rng.chance(self.profile.faults * 10) => self.leaf(),
            8 => Term::if_then_else(self.condition(), Term::int(0), Term::int(i64::from(length) - 1)),
            _ => Term::int(i64::from(self.rng.below(length))),
        }
    }
}
