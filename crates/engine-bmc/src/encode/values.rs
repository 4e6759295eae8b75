//! From expressions to words and literals.
//!
//! Each expression becomes a word once, operands first and without recursion (unrolled loops make
//! chains of any length). Words are as long as they must be: machine integers wrap at their width, and
//! what has sort `Int` grows exactly, bit by bit, unless a fact (`facts.rs`) says that fewer bits are
//! enough. An integer that may need more than 64 bits is refused, so nothing overflows silently.
//!
//! An operation without a result (a division by zero, an index out of range) gets any value: every
//! use of it is guarded by the condition under which it has one. What is computed from reads that do
//! not happen is of no meaning either.

use wattle_engine::Unsupported;
use wattle_logic::{Binary, Sort, Unary};
use wattle_program::symbolic::{Expr, Node};
use wattle_sat::Lit;

use crate::encode::circuit::{Bitwise, Circuit, Word};
use crate::encode::facts::{Fact, Facts, operands};
use crate::unroll::structure::{EventId, Structure};

/// Values of wattle have this many bits.
const MOST_BITS: usize = 64;

/// What a read returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The value of this expression, where the read happens: it can only read from one write, and that
    /// one is initial or comes earlier in its thread.
    Same(Expr),
    Word(Word),
}

/// What has been computed so far.
#[derive(Debug, Default)]
pub(crate) struct Values {
    words: Vec<Option<Word>>,
    reads: Vec<Option<Source>>,
    cells: Vec<Option<Word>>,
    pub facts: Facts,
    pub refused: Option<Unsupported>,
}

impl Values {
    pub(crate) fn set_read(&mut self, event: EventId, source: Source) {
        put(&mut self.reads, event as usize, source);
    }

    pub(crate) fn set_cell(&mut self, cell: u32, word: Word) {
        put(&mut self.cells, cell as usize, word);
    }

    pub(crate) fn read(&self, event: EventId) -> Option<&Source> {
        self.reads.get(event as usize)?.as_ref()
    }

    /// The word of a free choice.
    pub(crate) fn cell(&self, cell: u32) -> Option<&Word> {
        self.cells.get(cell as usize)?.as_ref()
    }

    fn known(&self, expr: Expr) -> Option<&Word> {
        self.words.get(expr.0 as usize)?.as_ref()
    }
}

fn put<T: Clone>(list: &mut Vec<Option<T>>, at: usize, value: T) {
    if list.len() <= at {
        list.resize(at + 1, None);
    }
    list[at] = Some(value);
}

impl Circuit<'_> {
    /// The literal of a condition.
    pub(crate) fn literal(&mut self, structure: &Structure<'_>, condition: Expr) -> Lit {
        let word = self.word(structure, condition);
        self.nonzero(&word)
    }

    /// What could not be expressed. Literals and words that were made before this is asked mean
    /// nothing if there is something.
    pub(crate) fn accepted(&self) -> Result<(), Unsupported> {
        match &self.values.refused {
            Some(what) => Err(what.clone()),
            None => Ok(()),
        }
    }

    fn refuse(&mut self, what: &str) -> Word {
        self.values.refused.get_or_insert_with(|| Unsupported::new(what));
        Word::constant(0)
    }

    fn refuse_width(&mut self) -> Word {
        match self.values.facts.out_of_thin_air {
            true => self.refuse(
                "values out of thin air, which the model does not forbid, in integers without a range",
            ),
            false => self.refuse("integers of more than 64 bits"),
        }
    }

    /// The word of an expression.
    pub(crate) fn word(&mut self, structure: &Structure<'_>, expr: Expr) -> Word {
        let mut open = vec![expr];
        while let Some(&top) = open.last() {
            if self.values.known(top).is_some() {
                open.pop();
                continue;
            }
            let word = match self.values.facts.of(top) {
                Some(fact) if fact.is_nothing() => Some(Word::constant(0)),
                Some(fact) => fact.value().map(Word::constant),
                None => None,
            };
            let word = word.or_else(|| {
                let before = open.len();
                open.extend(self.needed(structure, top).filter(|part| self.values.known(*part).is_none()));
                (open.len() == before).then(|| self.compute(structure, top))
            });
            if let Some(word) = word {
                put(&mut self.values.words, top.0 as usize, word);
                open.pop();
            }
        }
        self.values.known(expr).cloned().unwrap_or_else(|| Word::constant(0))
    }

    /// What must be a word before an expression can be.
    fn needed(&self, structure: &Structure<'_>, expr: Expr) -> impl Iterator<Item = Expr> + use<> {
        let node = structure.arena.node(expr);
        let same = match node {
            Node::Read(event) => match self.values.reads.get(event as usize) {
                Some(Some(Source::Same(other))) => Some(*other),
                _ => None,
            },
            _ => None,
        };
        operands(node).chain(same)
    }

    fn done(&self, expr: Expr) -> Word {
        self.values.known(expr).cloned().unwrap_or_else(|| Word::constant(0))
    }

    /// The word of an expression whose operands have one.
    fn compute(&mut self, structure: &Structure<'_>, expr: Expr) -> Word {
        let fact = self.values.facts.of(expr).cloned();
        let word = match structure.arena.node(expr) {
            Node::Constant(value) => Word::constant(value),
            Node::Read(event) => match self.values.reads.get(event as usize).cloned().flatten() {
                Some(Source::Word(word)) => word,
                Some(Source::Same(other)) => self.done(other),
                None => self.refuse("a read that no write was found for"),
            },
            Node::Cell(cell) => self.cell(cell),
            Node::Unary(operator, sort, operand) => {
                let operand = self.done(operand);
                match operator {
                    Unary::Not => Word::truth(!self.nonzero(&operand)),
                    Unary::Negate => {
                        let limit = self.limit(sort, fact.as_ref(), operand.len() + 1);
                        wrapped(sort, self.negate(&operand, limit))
                    }
                    Unary::Complement => wrapped(sort, operand.complement()),
                }
            }
            Node::Binary(operator, sort, left, right) => {
                let (left, right) = (self.done(left), self.done(right));
                self.binary(operator, sort, fact.as_ref(), &left, &right)
            }
            Node::If(condition, then, otherwise) => {
                let condition = self.done(condition);
                let condition = self.nonzero(&condition);
                let (then, otherwise) = (self.done(then), self.done(otherwise));
                self.choose(condition, &then, &otherwise)
            }
            Node::Wrap(sort, operand) => wrapped(sort, self.done(operand)),
            Node::Element(base, index, length) => {
                let (base, index) = (self.done(base), self.done(index));
                let start = self.multiply(&base, &Word::constant(i64::from(length)), MOST_BITS);
                self.add(&start, &index, MOST_BITS)
            }
            Node::Number(location) => {
                let shape = structure.arena.shape();
                let number = |location: u32| shape.number(location).ok().map(Word::constant);
                self.by_location(structure, location, number)
            }
            Node::Pointer(number) => {
                let matches = self.pointed(structure, number);
                self.among(&matches)
            }
            Node::Content(first, location) => {
                let cells = self.values.cells.clone();
                let content = |location: u32| cells.get((first + location) as usize).cloned().flatten();
                self.by_location(structure, location, content)
            }
        };
        restricted(word, fact.as_ref())
    }

    fn cell(&mut self, cell: u32) -> Word {
        match self.values.cells.get(cell as usize) {
            Some(Some(word)) => word.clone(),
            _ => self.refuse("a choice that nobody makes"),
        }
    }

    /// How many bits of an exact result are computed: those of its sort, or those that it may need.
    fn limit(&mut self, sort: Sort, fact: Option<&Fact>, exact: usize) -> usize {
        if let Sort::Bits { width, .. } = sort {
            return usize::from(width);
        }
        let known = fact.and_then(Fact::width).map(|(width, signed)| if signed { width } else { width + 1 });
        match known {
            Some(width) => exact.min(width),
            None if exact <= MOST_BITS => exact,
            None => {
                self.refuse_width();
                MOST_BITS
            }
        }
    }

    fn binary(
        &mut self,
        operator: Binary,
        sort: Sort,
        fact: Option<&Fact>,
        left: &Word,
        right: &Word,
    ) -> Word {
        use Binary::*;
        let longer = left.len().max(right.len());
        match operator {
            Add => {
                let limit = self.limit(sort, fact, longer + 1);
                wrapped(sort, self.add(left, right, limit))
            }
            Subtract => {
                let limit = self.limit(sort, fact, longer + 1);
                wrapped(sort, self.subtract(left, right, limit))
            }
            Multiply => {
                let limit = self.limit(sort, fact, left.len() + right.len());
                wrapped(sort, self.multiply(left, right, limit))
            }
            Divide => {
                self.limit(sort, fact, left.len() + 1);
                wrapped(sort, self.divide(left, right).0)
            }
            Remainder => wrapped(sort, self.divide(left, right).1),
            BitAnd => wrapped(sort, self.bitwise(Bitwise::And, left, right)),
            BitOr => wrapped(sort, self.bitwise(Bitwise::Or, left, right)),
            BitXor => wrapped(sort, self.bitwise(Bitwise::Xor, left, right)),
            ShiftLeft => {
                let most = match right.value() {
                    Some(distance) => distance.clamp(0, 62) as usize,
                    None if right.len() <= 6 => (1 << (right.len() - 1)) - 1,
                    None => 62,
                };
                let limit = self.limit(sort, fact, left.len() + most);
                wrapped(sort, self.shift_left(left, right, limit))
            }
            ShiftRight => wrapped(sort, self.shift_right(left, right)),
            Equal => Word::truth(self.equal(left, right)),
            NotEqual => Word::truth(!self.equal(left, right)),
            Less => Word::truth(self.less(left, right)),
            LessEqual => Word::truth(self.at_most(left, right)),
            Greater => Word::truth(self.less(right, left)),
            GreaterEqual => Word::truth(self.at_most(right, left)),
            And | Or | Implies => {
                let (left, right) = (self.nonzero(left), self.nonzero(right));
                Word::truth(match operator {
                    And => self.and(left, right),
                    Or => self.or(left, right),
                    _ => self.or(!left, right),
                })
            }
            Offset => self.add(left, right, usize::MAX),
            Insert | Member => self.refuse("sets of integers"),
        }
    }

    /// The value that belongs to the location that is the value of an expression.
    fn by_location(
        &mut self,
        structure: &Structure<'_>,
        location: Expr,
        value: impl Fn(u32) -> Option<Word>,
    ) -> Word {
        let count = structure.arena.shape().locations.len() as u32;
        let word = self.done(location);
        let mut choices = Vec::new();
        for number in 0..count {
            let possible = self.values.facts.of(location).is_none_or(|fact| fact.may_be(i64::from(number)));
            let here = if possible { self.equals(&word, i64::from(number)) } else { Lit::FALSE };
            if here == Lit::FALSE {
                continue;
            }
            match value(number) {
                Some(value) => choices.push((here, value)),
                None => return self.refuse("the content of a location that nobody asked for"),
            }
        }
        self.among(&choices)
    }

    /// Each location, and the literal that a number stands for it.
    fn pointed(&mut self, structure: &Structure<'_>, number: Expr) -> Vec<(Lit, Word)> {
        let shape = structure.arena.shape();
        let word = self.done(number);
        let mut matches = Vec::new();
        for location in 0..shape.locations.len() as u32 {
            let Ok(value) = shape.number(location) else { continue };
            let possible = self.values.facts.of(number).is_none_or(|fact| fact.may_be(value));
            let here = if possible { self.equals(&word, value) } else { Lit::FALSE };
            if here != Lit::FALSE {
                matches.push((here, Word::constant(i64::from(location))));
            }
        }
        matches
    }

    /// `low <= word <= high`
    pub(crate) fn within(&mut self, word: &Word, low: i64, high: i64) -> Lit {
        let above = self.at_most(&Word::constant(low), word);
        let below = self.at_most(word, &Word::constant(high));
        self.and(above, below)
    }

    /// A word for something of which only a fact is known.
    pub(crate) fn word_within(&mut self, fact: &Fact) -> Word {
        let Some((width, signed)) = fact.width() else {
            return self.refuse_width();
        };
        let mut bits: Vec<Lit> = Vec::with_capacity(width + 1);
        for number in 0..width {
            let bit = |value: i64| value >> number & 1 == 1;
            bits.push(match fact {
                // What all values have in common is no choice.
                Fact::Among(values) if values.iter().all(|value| bit(*value) == bit(values[0])) => {
                    Lit::from(values.first().is_some_and(|value| bit(*value)))
                }
                _ => self.fresh(),
            });
        }
        if !signed {
            bits.push(Lit::FALSE);
        }
        Word::new(bits)
    }
}

/// As a cell of this sort holds it.
fn wrapped(sort: Sort, word: Word) -> Word {
    match sort {
        Sort::Bits { width, signed } => word.low(usize::from(width), signed || width == 64),
        _ => word,
    }
}

/// Without the bits that a fact says are not needed.
fn restricted(word: Word, fact: Option<&Fact>) -> Word {
    match fact.and_then(Fact::width) {
        Some((width, signed)) if width + usize::from(!signed) < word.len() || !signed => {
            word.low(width, signed)
        }
        _ => word,
    }
}

#[cfg(test)]
mod tests;
