//! Terms and literals of cubes.
//!
//! A *term* has a value in a state: a cell that is no weak memory (a program counter, a register), or what a read that
//! no write has satisfied yet will return (the paper's `Val`). Processes are numbers: those of a cube are `0..n` and
//! are pairwise distinct; in a transition, its parameters are. A literal relates terms, processes and constants, and
//! there are only as many forms as the decision procedure of [`knowledge`](crate::knowledge) knows.

/// A process of a cube, a parameter of a transition, or a bound variable ([`BOUND`]).
pub(crate) type Process = u8;

use crate::sum::{self, Relation, Sum};

/// No index, or no node.
pub(crate) const NONE: u8 = u8::MAX;
/// In a transition: the node of the event that the transition itself makes.
pub(crate) const HERE: u8 = 254;
/// The first of the variables that a universal guard binds.
pub(crate) const BOUND: Process = 200;

/// A cell of memory: a variable, or an element of an array over processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Cell {
    pub(crate) variable: u16,
    pub(crate) index: [Process; 2],
}

impl Cell {
    pub(crate) fn indices(&self) -> impl Iterator<Item = Process> + use<> {
        self.index.into_iter().filter(|index| *index != NONE)
    }

    pub(crate) fn rename(self, rename: &mut dyn FnMut(Process) -> Process) -> Cell {
        let index = self.index.map(|index| if index == NONE { NONE } else { rename(index) });
        Cell { index, ..self }
    }
}

/// The value of a cell, or what an unsatisfied read of it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term {
    /// The read's node in the graph of events, or `NONE`.
    pub(crate) node: u8,
    /// Who reads, or `NONE`.
    pub(crate) by: Process,
    pub(crate) cell: Cell,
}

impl Term {
    /// The cell itself, no read.
    pub(crate) fn of(cell: Cell) -> Term {
        Term { node: NONE, by: NONE, cell }
    }

    pub(crate) fn read(node: u8, by: Process, cell: Cell) -> Term {
        Term { node, by, cell }
    }

    pub(crate) fn is_read(&self) -> bool {
        self.node != NONE
    }

    pub(crate) fn processes(&self) -> impl Iterator<Item = Process> + use<> {
        self.cell.indices().chain((self.by != NONE).then_some(self.by))
    }
}

/// What can be equal to, or before, something: a process, or a term. Integers have literals of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Operand {
    Process(Process),
    Term(Term),
}

/// An integer term, or zero.
pub(crate) type Number = Option<Term>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Literal {
    /// One of these constructors.
    In(Term, u64),
    Equal(Operand, Operand),
    Differ(Operand, Operand),
    /// In the total order of processes.
    Before(Operand, Operand),
    /// `x - y <= c`.
    AtMost(Number, Number, i64),
    /// `x - y != c`.
    Unequal(Number, Number, i64),
    /// A sum that is no difference.
    Sum(Sum, Relation, i64),
}

/// What an assignment gives to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Value {
    Constructor(u32),
    Process(Process),
    /// The value of a term that is no integer.
    Copy(Term),
    /// A sum and a constant.
    Sum(Sum, i64),
    /// Any value at all.
    Any,
}

impl Value {
    /// What it depends on.
    pub(crate) fn terms(&self) -> impl Iterator<Item = Term> + use<> {
        let (copy, sum) = match *self {
            Value::Copy(term) => (Some(term), None),
            Value::Sum(sum, _) => (None, Some(sum)),
            Value::Constructor(_) | Value::Process(_) | Value::Any => (None, None),
        };
        copy.into_iter().chain(sum.into_iter().flat_map(|sum| sum.terms()))
    }
}

/// A literal after a substitution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    True,
    False,
    Literal(Literal),
}

impl Outcome {
    pub(crate) fn of(holds: bool) -> Outcome {
        if holds { Outcome::True } else { Outcome::False }
    }

    /// As a literal: where none is left, one that is true, or not, of numbers.
    fn literal(self) -> Literal {
        match self {
            Outcome::Literal(literal) => literal,
            Outcome::True => Literal::AtMost(None, None, 0),
            Outcome::False => Literal::AtMost(None, None, -1),
        }
    }
}

/// A renaming of processes and of nodes.
pub(crate) struct Renaming<'a> {
    pub(crate) process: &'a mut dyn FnMut(Process) -> Process,
    pub(crate) node: &'a mut dyn FnMut(u8) -> u8,
}

impl Renaming<'_> {
    pub(crate) fn process(&mut self, process: Process) -> Process {
        if process == NONE { NONE } else { (self.process)(process) }
    }

    pub(crate) fn term(&mut self, term: Term) -> Term {
        Term {
            node: if term.node == NONE { NONE } else { (self.node)(term.node) },
            by: self.process(term.by),
            cell: term.cell.rename(self.process),
        }
    }

    pub(crate) fn operand(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Process(process) => Operand::Process(self.process(process)),
            Operand::Term(term) => Operand::Term(self.term(term)),
        }
    }

    pub(crate) fn literal(&mut self, literal: &Literal) -> Literal {
        let renamed = match *literal {
            Literal::In(term, mask) => Literal::In(self.term(term), mask),
            Literal::Equal(a, b) => Literal::Equal(self.operand(a), self.operand(b)),
            Literal::Differ(a, b) => Literal::Differ(self.operand(a), self.operand(b)),
            Literal::Before(a, b) => Literal::Before(self.operand(a), self.operand(b)),
            Literal::AtMost(x, y, c) => Literal::AtMost(x.map(|x| self.term(x)), y.map(|y| self.term(y)), c),
            Literal::Unequal(x, y, c) => {
                Literal::Unequal(x.map(|x| self.term(x)), y.map(|y| self.term(y)), c)
            }
            // Renaming makes no terms equal but those of instants that are one, where a sum may become a difference.
            Literal::Sum(sum, relation, c) => {
                let sum = sum.mapped(|term| self.term(term));
                match relation {
                    Relation::AtMost => sum::at_most(sum, c).literal(),
                    Relation::Differs => sum::differs(sum, c).literal(),
                }
            }
        };
        renamed.sorted()
    }

    pub(crate) fn value(&mut self, value: &Value) -> Value {
        match *value {
            Value::Process(process) => Value::Process(self.process(process)),
            Value::Copy(term) => Value::Copy(self.term(term)),
            Value::Sum(sum, c) => Value::Sum(sum.mapped(|term| self.term(term)), c),
            Value::Constructor(_) | Value::Any => *value,
        }
    }
}

impl Literal {
    /// Symmetric literals have one form.
    pub(crate) fn sorted(self) -> Literal {
        match self {
            Literal::Equal(a, b) if b < a => Literal::Equal(b, a),
            Literal::Differ(a, b) if b < a => Literal::Differ(b, a),
            Literal::Unequal(x, y, c) if y < x => Literal::Unequal(y, x, -c),
            other => other,
        }
    }

    pub(crate) fn terms(&self) -> impl Iterator<Item = Term> + use<> {
        let (a, b, sum) = match *self {
            Literal::In(term, _) => (Some(term), None, None),
            Literal::Equal(a, b) | Literal::Differ(a, b) | Literal::Before(a, b) => {
                (a.term(), b.term(), None)
            }
            Literal::AtMost(x, y, _) | Literal::Unequal(x, y, _) => (x, y, None),
            Literal::Sum(sum, ..) => (None, None, Some(sum)),
        };
        a.into_iter().chain(b).chain(sum.into_iter().flat_map(|sum| sum.terms()))
    }

    /// Every process that it names, perhaps several times.
    pub(crate) fn processes(&self) -> impl Iterator<Item = Process> + use<> {
        let named = match *self {
            Literal::Equal(a, b) | Literal::Differ(a, b) | Literal::Before(a, b) => {
                [a.process(), b.process()]
            }
            _ => [None, None],
        };
        named.into_iter().flatten().chain(self.terms().flat_map(|term| term.processes()))
    }

    /// With values for some terms. `Any` gives a literal that says nothing (`True`).
    pub(crate) fn substitute(&self, value: &dyn Fn(Term) -> Option<Value>) -> Outcome {
        match *self {
            Literal::In(term, mask) => match value(term) {
                None => Outcome::Literal(*self),
                Some(Value::Constructor(c)) => Outcome::of(mask >> c & 1 == 1),
                Some(Value::Copy(term)) => Outcome::Literal(Literal::In(term, mask)),
                Some(_) => Outcome::True,
            },
            Literal::Equal(a, b) => equal(replaced(a, value), replaced(b, value), true),
            Literal::Differ(a, b) => equal(replaced(a, value), replaced(b, value), false),
            Literal::Before(a, b) => match (replaced(a, value), replaced(b, value)) {
                (Replaced::Operand(a), Replaced::Operand(b)) if a == b => Outcome::False,
                (Replaced::Operand(a), Replaced::Operand(b)) => Outcome::Literal(Literal::Before(a, b)),
                _ => Outcome::True,
            },
            Literal::AtMost(x, y, c) => match (number(x, value), number(y, value)) {
                (Some((x, dx)), Some((y, dy))) => {
                    compared(x, y, Relation::AtMost, c.saturating_sub(dx).saturating_add(dy))
                }
                _ => Outcome::True,
            },
            Literal::Unequal(x, y, c) => match (number(x, value), number(y, value)) {
                (Some((x, dx)), Some((y, dy))) => {
                    compared(x, y, Relation::Differs, c.saturating_sub(dx).saturating_add(dy))
                }
                _ => Outcome::True,
            },
            Literal::Sum(sum, relation, c) => {
                let mut replaced = Some((Sum::default(), c));
                for (factor, term) in sum.parts() {
                    replaced = replaced.and_then(|(sum, c)| {
                        let (part, constant) = number(Some(term), value)?;
                        let constant = constant.checked_mul(factor)?;
                        Some((sum.plus(&part.times(factor)?)?, c.checked_sub(constant)?))
                    });
                }
                match replaced {
                    Some((sum, c)) => compared(sum, Sum::default(), relation, c),
                    None => Outcome::True,
                }
            }
        }
    }
}

impl Operand {
    pub(crate) fn mapped(self, map: impl Fn(Term) -> Term) -> Operand {
        match self {
            Operand::Term(term) => Operand::Term(map(term)),
            Operand::Process(_) => self,
        }
    }

    pub(crate) fn term(self) -> Option<Term> {
        match self {
            Operand::Term(term) => Some(term),
            Operand::Process(_) => None,
        }
    }

    pub(crate) fn process(self) -> Option<Process> {
        match self {
            Operand::Process(process) => Some(process),
            Operand::Term(_) => None,
        }
    }
}

enum Replaced {
    Operand(Operand),
    Constructor(u32),
    Anything,
}

fn replaced(operand: Operand, value: &dyn Fn(Term) -> Option<Value>) -> Replaced {
    let Operand::Term(term) = operand else { return Replaced::Operand(operand) };
    match value(term) {
        None => Replaced::Operand(operand),
        Some(Value::Process(process)) => Replaced::Operand(Operand::Process(process)),
        Some(Value::Copy(term)) => Replaced::Operand(Operand::Term(term)),
        Some(Value::Constructor(c)) => Replaced::Constructor(c),
        Some(Value::Sum(..) | Value::Any) => Replaced::Anything,
    }
}

fn equal(a: Replaced, b: Replaced, positive: bool) -> Outcome {
    match (a, b) {
        (Replaced::Anything, _) | (_, Replaced::Anything) => Outcome::True,
        (Replaced::Constructor(a), Replaced::Constructor(b)) => Outcome::of((a == b) == positive),
        (Replaced::Constructor(c), Replaced::Operand(Operand::Term(term)))
        | (Replaced::Operand(Operand::Term(term)), Replaced::Constructor(c)) => {
            Outcome::Literal(Literal::In(term, if positive { 1 << c } else { !(1 << c) }))
        }
        (Replaced::Operand(a), Replaced::Operand(b)) if a == b => Outcome::of(positive),
        (Replaced::Operand(Operand::Process(_)), Replaced::Operand(Operand::Process(_))) => {
            Outcome::of(!positive)
        }
        (Replaced::Operand(a), Replaced::Operand(b)) => {
            Outcome::Literal(if positive { Literal::Equal(a, b) } else { Literal::Differ(a, b) }.sorted())
        }
        // A process is no constructor: sorts forbid it.
        _ => Outcome::True,
    }
}

fn number(number: Number, value: &dyn Fn(Term) -> Option<Value>) -> Option<(Sum, i64)> {
    match number.and_then(value) {
        None => Some((Sum::of(number), 0)),
        Some(Value::Copy(term)) => Some((Sum::of(Some(term)), 0)),
        Some(Value::Sum(sum, c)) => Some((sum, c)),
        Some(_) => None,
    }
}

/// `x - y` against a constant. What is too wide to be said says nothing, which allows more.
pub(crate) fn compared(x: Sum, y: Sum, relation: Relation, c: i64) -> Outcome {
    if let (Some(x), Some(y)) = (x.number(), y.number()) {
        return match relation {
            Relation::AtMost => at_most(x, y, c),
            Relation::Differs => unequal(x, y, c),
        };
    }
    match (x.minus(&y), relation) {
        (Some(sum), Relation::AtMost) => sum::at_most(sum, c),
        (Some(sum), Relation::Differs) => sum::differs(sum, c),
        (None, _) => Outcome::True,
    }
}

/// `x - y <= c`, decided where that needs no state.
pub(crate) fn at_most(x: Number, y: Number, c: i64) -> Outcome {
    if x == y { Outcome::of(0 <= c) } else { Outcome::Literal(Literal::AtMost(x, y, c)) }
}

pub(crate) fn unequal(x: Number, y: Number, c: i64) -> Outcome {
    if x == y { Outcome::of(c != 0) } else { Outcome::Literal(Literal::Unequal(x, y, c).sorted()) }
}
