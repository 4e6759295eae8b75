//! Terms compiled for one thread: leaves are bit fields, `me` and constant addresses are numbers.
//!
//! Values are the codes of `wattle_logic::Value::code`, or the numbers of sets ([`sets`](crate::sets)). The
//! meaning is that of `Term::evaluate`, written a second time on purpose: counterexamples are replayed with
//! the other one.

use std::sync::Arc;

use wattle_logic::{Binary, Fault, Kind, Quantifier, Sort, Symbol, Term, Unary, Value};
use wattle_program::{ProcessId, Program, Shape, ThreadId};

use crate::buffer::{Codec, newest};
use crate::choices::Choices;
use crate::layout::Field;
use crate::machine::Buffer;
use crate::sets::{ANY, Sets};

#[derive(Clone, Debug)]
pub(crate) enum Expression {
    Constant(i64),
    Field(Field),
    /// Is the raw content of a field this? The commonest test of all.
    FieldIs(Field, u64),
    /// Several such tests at once: do these bits of a word have these values?
    WordIs {
        word: u32,
        mask: u64,
        value: u64,
    },
    /// A field compared with a constant or another field.
    FieldCompare(Binary, Field, i64),
    FieldsCompare(Binary, Field, Field),
    /// A field plus a constant, as an unbounded integer.
    FieldPlus(Field, i64),
    /// One of several; none of them can fault.
    Any(Vec<Expression>),
    Not(Box<Expression>),
    Negate(Box<Expression>, Sort),
    Complement(Box<Expression>, Sort),
    Arithmetic(Binary, Sort, Box<(Expression, Expression)>),
    Compare(Binary, Box<(Expression, Expression)>),
    And(Box<(Expression, Expression)>),
    Or(Box<(Expression, Expression)>),
    If(Box<(Expression, Expression, Expression)>),
    /// The location of an element: the first location, then (index, length) of each dimension.
    Element(u32, Vec<(Expression, u32)>),
    /// The machine integer that stands for a location; the table has that of each.
    Number(Box<Expression>, Arc<[i64]>),
    /// The location that a machine integer stands for.
    Pointer(Box<Expression>, Arc<[(i64, u32)]>),
    /// What memory holds at a location.
    Content(Box<Expression>),
    /// What a thread would load from a location.
    Seen(u32, Box<Expression>),
    /// A set and an element: the set with that element.
    Insert(Box<(Expression, Expression)>),
    /// An element and a set.
    Member(Box<(Expression, Expression)>),
    /// Are two sets equal?
    SameSet(Box<(Expression, Expression)>),
    Fault(Fault),
}

/// What evaluation needs beside the state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The field of each location.
    pub memory: &'a [Field],
    /// The store buffer of each thread, and how its entries are written.
    pub buffers: &'a [Buffer],
    pub codec: Option<&'a Codec>,
    pub sets: &'a Sets,
    /// Answers what is not known of a set.
    pub choices: &'a Choices,
}

/// Where everything lives in a packed state.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    /// The point of each thread.
    pub points: Vec<Field>,
    /// By thread, then local.
    pub locals: Vec<Vec<Field>>,
    /// By location.
    pub memory: Vec<Field>,
}

/// What a term is compiled for: a thread, or (without one) a property of whole states.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub program: &'a Program,
    pub shape: &'a Shape,
    pub fields: &'a Fields,
    pub sets: &'a Sets,
    /// Do stores wait in buffers?
    pub buffers_stores: bool,
    pub thread: Option<ThreadId>,
}

impl Scope<'_> {
    pub(crate) fn compile(&self, term: &Term) -> Expression {
        self.term(term, &mut Vec::new())
    }

    /// With values for bound variables.
    pub(crate) fn compile_for(&self, term: &Term, bound: &[(u32, i64)]) -> Expression {
        self.term(term, &mut bound.to_vec())
    }

    fn term(&self, term: &Term, bound: &mut Vec<(u32, i64)>) -> Expression {
        use Expression as E;
        let compiled = match term.kind() {
            Kind::Value(Value::Set(set)) => E::Constant(self.sets.number(set)),
            Kind::Value(value) => value.code().map_or(E::Fault(Fault::Meaningless), E::Constant),
            Kind::Symbol(Symbol::Local(local)) => match self.thread {
                Some(thread) => E::Field(self.fields.locals[thread.0 as usize][*local as usize]),
                None => E::Fault(Fault::Meaningless),
            },
            Kind::Symbol(Symbol::Me) => match self.thread {
                Some(thread) => E::Constant(i64::from(self.shape.info(thread).copy)),
                None => E::Fault(Fault::Meaningless),
            },
            Kind::Symbol(Symbol::Copies(process)) => E::Constant(i64::from(self.copies(*process))),
            Kind::Symbol(Symbol::Bound(name)) => {
                let found = bound.iter().rev().find(|(other, _)| other == name);
                found.map_or(E::Fault(Fault::Meaningless), |(_, copy)| E::Constant(*copy))
            }
            Kind::Unary(operator, operand) => {
                let operand = Box::new(self.term(operand, bound));
                match operator {
                    Unary::Not => E::Not(operand),
                    Unary::Negate => E::Negate(operand, term.sort()),
                    Unary::Complement => E::Complement(operand, term.sort()),
                }
            }
            Kind::Binary(operator, left, right) => {
                let pair = Box::new((self.term(left, bound), self.term(right, bound)));
                binary(*operator, left.sort(), term.sort(), pair)
            }
            Kind::If(condition, then, otherwise) => E::If(Box::new((
                self.term(condition, bound),
                self.term(then, bound),
                self.term(otherwise, bound),
            ))),
            Kind::Address { variable, indices } => {
                let extents = self.shape.extents(*variable);
                let parts =
                    indices.iter().zip(extents).map(|(index, extent)| (self.term(index, bound), *extent));
                E::Element(self.shape.locations_of(*variable).start, parts.collect())
            }
            Kind::Number(address) => E::Number(Box::new(self.term(address, bound)), self.numbers()),
            Kind::Pointer(number) => E::Pointer(Box::new(self.term(number, bound)), self.by_number()),
            Kind::Content(address) => E::Content(Box::new(self.term(address, bound))),
            Kind::Seen { process, copy, address } => {
                let location = self.term(address, bound);
                match self.buffers_stores {
                    true => self.of_thread(*process, copy, bound, |thread| {
                        E::Seen(thread.0, Box::new(location.clone()))
                    }),
                    // Which copy it is does not matter, but it must be one.
                    false => self.of_thread(*process, copy, bound, |_| {
                        self.fold(E::Content(Box::new(location.clone())))
                    }),
                }
            }
            Kind::At { process, copy, point } => self.of_thread(*process, copy, bound, |thread| {
                E::FieldIs(self.fields.points[thread.0 as usize], u64::from(*point))
            }),
            Kind::Ended { process, copy } => self.of_thread(*process, copy, bound, |thread| {
                let cfg = &self.program.processes[*process as usize].cfg;
                let ends = cfg.points.iter().enumerate().filter(|(_, info)| info.end);
                let field = self.fields.points[thread.0 as usize];
                ends.map(|(point, _)| E::FieldIs(field, point as u64))
                    .reduce(|a, b| E::Or(Box::new((a, b))))
                    .unwrap_or(E::Constant(0))
            }),
            Kind::LocalOf { process, copy, local } => self.of_thread(*process, copy, bound, |thread| {
                E::Field(self.fields.locals[thread.0 as usize][*local as usize])
            }),
            Kind::Element(_) => E::Fault(Fault::Meaningless),
            Kind::Quantified { quantifier, bound: name, process, body } => {
                let mut parts = Vec::new();
                for copy in 0..i64::from(self.copies(*process)) {
                    bound.push((*name, copy));
                    parts.push(self.term(body, bound));
                    bound.pop();
                }
                let none = E::Constant(i64::from(*quantifier == Quantifier::Forall));
                let join = |a, b| match quantifier {
                    Quantifier::Forall => self.fold(E::And(Box::new((a, b)))),
                    Quantifier::Exists => self.fold(E::Or(Box::new((a, b)))),
                };
                parts.into_iter().reduce(join).unwrap_or(none)
            }
        };
        self.fold(compiled)
    }

    fn numbers(&self) -> Arc<[i64]> {
        let locations = 0..self.shape.locations.len() as u32;
        locations.filter_map(|location| self.shape.number(location).ok()).collect()
    }

    /// The locations that have a number, by it. (Fields of the elements of an array take turns, so this is another order
    /// than that of locations.)
    fn by_number(&self) -> Arc<[(i64, u32)]> {
        let locations = 0..self.shape.locations.len() as u32;
        let numbered = locations.filter_map(|location| Some((self.shape.number(location).ok()?, location)));
        let mut pairs: Vec<(i64, u32)> = numbered.collect();
        pairs.sort_unstable();
        pairs.into()
    }

    fn copies(&self, process: u32) -> u32 {
        self.shape.copies_of(ProcessId(process))
    }

    /// Properties name threads by constants, or by variables that quantifiers have replaced. A copy
    /// that depends on the state becomes a choice among all copies.
    fn of_thread(
        &self,
        process: u32,
        copy: &Term,
        bound: &mut Vec<(u32, i64)>,
        make: impl Fn(ThreadId) -> Expression,
    ) -> Expression {
        use Expression as E;
        let copy = self.term(copy, bound);
        if let E::Constant(copy) = copy {
            return self.shape.checked_thread(process, copy).map_or_else(E::Fault, make);
        }
        let mut result = E::Fault(Fault::OutOfBounds);
        for number in 0..self.copies(process) {
            let test = E::Compare(Binary::Equal, Box::new((copy.clone(), E::Constant(i64::from(number)))));
            let thread = self.shape.thread(ProcessId(process), number);
            result = E::If(Box::new((test, make(thread), result)));
        }
        result
    }

    /// Constants are computed now, and common shapes become nodes of their own. A fault stays where
    /// it is: it happens only if it is reached.
    fn fold(&self, expression: Expression) -> Expression {
        use Expression as E;
        match expression {
            E::Compare(operator, pair) => match (operator, *pair) {
                (Binary::Equal, (E::Field(field), E::Constant(value)))
                | (Binary::Equal, (E::Constant(value), E::Field(field))) => {
                    let raw = value.wrapping_sub(field.low) as u64;
                    if value < field.low || raw > field.mask {
                        E::Constant(0)
                    } else {
                        E::FieldIs(field, raw)
                    }
                }
                (operator, (E::Field(field), E::Constant(value))) => E::FieldCompare(operator, field, value),
                (operator, (E::Field(left), E::Field(right))) => E::FieldsCompare(operator, left, right),
                (operator, pair) => self.constant(E::Compare(operator, Box::new(pair))),
            },
            E::Arithmetic(Binary::Add, Sort::Int, pair) => match *pair {
                (E::Field(field), E::Constant(value)) => E::FieldPlus(field, value),
                pair => self.constant(E::Arithmetic(Binary::Add, Sort::Int, Box::new(pair))),
            },
            E::And(pair) => match *pair {
                (E::Constant(0), other) | (other, E::Constant(0)) if !other.may_fault() => E::Constant(0),
                (E::Constant(1), other) | (other, E::Constant(1)) => other,
                (a, b) => match (a.as_bits(), b.as_bits()) {
                    (Some((word, m, v)), Some((other, n, w))) if word == other => {
                        match v & n == w & m {
                            true => E::WordIs { word, mask: m | n, value: v | w },
                            false => E::Constant(0), // the same field cannot be both
                        }
                    }
                    _ => E::And(Box::new((a, b))),
                },
            },
            E::Or(pair) => match *pair {
                (E::Constant(1), other) | (other, E::Constant(1)) if !other.may_fault() => E::Constant(1),
                (E::Constant(0), other) | (other, E::Constant(0)) => other,
                (a, b) if !a.may_fault() && !b.may_fault() => {
                    let mut parts = Vec::new();
                    for part in [a, b] {
                        match part {
                            E::Any(inner) => parts.extend(inner),
                            part => parts.push(part),
                        }
                    }
                    // Quantifiers over pairs say everything twice.
                    let mut bits: Vec<(u32, u64, u64)> = Vec::new();
                    parts.retain(|part| match part.as_bits() {
                        Some(seen) if bits.contains(&seen) => false,
                        Some(new) => {
                            bits.push(new);
                            true
                        }
                        None => true,
                    });
                    E::Any(parts)
                }
                pair => E::Or(Box::new(pair)),
            },
            E::Content(location) => match *location {
                E::Constant(location) if (location as usize) < self.fields.memory.len() => {
                    E::Field(self.fields.memory[location as usize])
                }
                location => E::Content(Box::new(location)),
            },
            E::If(parts) => match *parts {
                (E::Constant(0), _, otherwise) => otherwise,
                (E::Constant(_), then, _) => then,
                parts => E::If(Box::new(parts)),
            },
            other => self.constant(other),
        }
    }

    fn constant(&self, expression: Expression) -> Expression {
        match expression.is_constant() {
            true => {
                let (sets, choices) = (self.sets, &Choices::default());
                let context = Context { memory: &[], buffers: &[], codec: None, sets, choices };
                expression.evaluate(&[], &context).map_or(expression, Expression::Constant)
            }
            false => expression,
        }
    }
}

impl Expression {
    /// The bits of one word that this tests for equality.
    fn as_bits(&self) -> Option<(u32, u64, u64)> {
        match self {
            Expression::FieldIs(field, raw) if field.mask != 0 => {
                Some((field.word, field.mask << field.shift, raw << field.shift))
            }
            Expression::WordIs { word, mask, value } => Some((*word, *mask, *value)),
            _ => None,
        }
    }

    fn may_fault(&self) -> bool {
        use Expression as E;
        match self {
            E::Constant(_)
            | E::Field(_)
            | E::FieldIs(..)
            | E::WordIs { .. }
            | E::FieldCompare(..)
            | E::FieldsCompare(..)
            | E::Any(_) => false,
            E::Seen(_, location) => !matches!(**location, E::Constant(_)),
            E::Not(operand) | E::Complement(operand, _) => operand.may_fault(),
            E::Compare(_, pair) | E::And(pair) | E::Or(pair) => pair.0.may_fault() || pair.1.may_fault(),
            E::If(parts) => parts.0.may_fault() || parts.1.may_fault() || parts.2.may_fault(),
            _ => true,
        }
    }

    /// Does it read nothing?
    fn is_constant(&self) -> bool {
        use Expression as E;
        match self {
            E::Constant(_) => true,
            E::Field(_)
            | E::FieldIs(..)
            | E::WordIs { .. }
            | E::FieldCompare(..)
            | E::FieldsCompare(..)
            | E::FieldPlus(..)
            | E::Any(_)
            | E::Content(_)
            | E::Seen(..)
            | E::Insert(_)
            | E::Member(_)
            | E::SameSet(_)
            | E::Fault(_) => false,
            E::Not(a) | E::Negate(a, _) | E::Complement(a, _) => a.is_constant(),
            E::Number(a, _) | E::Pointer(a, _) => a.is_constant(),
            E::Arithmetic(_, _, pair) | E::Compare(_, pair) | E::And(pair) | E::Or(pair) => {
                pair.0.is_constant() && pair.1.is_constant()
            }
            E::If(parts) => parts.0.is_constant() && parts.1.is_constant() && parts.2.is_constant(),
            E::Element(_, parts) => parts.iter().all(|(index, _)| index.is_constant()),
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        matches!(self, Expression::Constant(value) if *value != 0)
    }

    pub(crate) fn is_false(&self) -> bool {
        matches!(self, Expression::Constant(0))
    }

    pub(crate) fn evaluate(&self, words: &[u64], context: &Context<'_>) -> Result<i64, Fault> {
        use Expression as E;
        Ok(match self {
            E::Constant(value) => *value,
            E::Field(field) => field.get(words),
            E::FieldIs(field, raw) => i64::from(field.raw(words) == *raw),
            E::Not(operand) => i64::from(operand.evaluate(words, context)? == 0),
            E::Negate(operand, sort) => {
                let value = operand.evaluate(words, context)?;
                in_sort(*sort, value.checked_neg(), value.wrapping_neg())?
            }
            E::Complement(operand, sort) => sort.wrap(!operand.evaluate(words, context)?),
            E::Arithmetic(operator, sort, pair) => {
                let left = pair.0.evaluate(words, context)?;
                let right = pair.1.evaluate(words, context)?;
                arithmetic(*operator, *sort, left, right)?
            }
            E::WordIs { word, mask, value } => i64::from(words[*word as usize] & mask == *value),
            E::FieldCompare(operator, field, value) => {
                i64::from(compare(*operator, field.get(words), *value))
            }
            E::FieldsCompare(operator, left, right) => {
                i64::from(compare(*operator, left.get(words), right.get(words)))
            }
            E::FieldPlus(field, value) => field.get(words).checked_add(*value).ok_or(Fault::Overflow)?,
            E::Any(parts) => {
                for part in parts {
                    if part.evaluate(words, context)? != 0 {
                        return Ok(1);
                    }
                }
                0
            }
            E::Compare(operator, pair) => {
                let left = pair.0.evaluate(words, context)?;
                let right = pair.1.evaluate(words, context)?;
                i64::from(compare(*operator, left, right))
            }
            // Both sides, as in the language: a fault on the right is a fault.
            E::And(pair) => pair.0.evaluate(words, context)? & pair.1.evaluate(words, context)?,
            E::Or(pair) => pair.0.evaluate(words, context)? | pair.1.evaluate(words, context)?,
            E::If(parts) => match parts.0.evaluate(words, context)? {
                0 => parts.2.evaluate(words, context)?,
                _ => parts.1.evaluate(words, context)?,
            },
            E::Element(first, parts) => {
                let mut flat = 0;
                for (index, extent) in parts {
                    match u32::try_from(index.evaluate(words, context)?) {
                        Ok(index) if index < *extent => flat = flat * extent + index,
                        _ => return Err(Fault::OutOfBounds),
                    }
                }
                i64::from(first + flat)
            }
            E::Number(location, numbers) => {
                let location = location.evaluate(words, context)?;
                let number = usize::try_from(location).ok().and_then(|location| numbers.get(location));
                *number.ok_or(Fault::OutOfBounds)?
            }
            E::Pointer(number, numbers) => {
                let number = number.evaluate(words, context)?;
                let at = numbers.binary_search_by_key(&number, |(number, _)| *number);
                i64::from(numbers[at.map_err(|_| Fault::OutOfBounds)?].1)
            }
            E::Content(location) => {
                let location = location.evaluate(words, context)?;
                let field = usize::try_from(location).ok().and_then(|location| context.memory.get(location));
                field.ok_or(Fault::OutOfBounds)?.get(words)
            }
            E::Seen(thread, location) => {
                let location = location.evaluate(words, context)?;
                let at = usize::try_from(location).map_err(|_| Fault::OutOfBounds)?;
                let memory = context.memory.get(at).ok_or(Fault::OutOfBounds)?;
                let buffer = context.buffers.get(*thread as usize).zip(context.codec);
                let (buffer, codec) = buffer.ok_or(Fault::Meaningless)?;
                newest(buffer, codec, location as u32, words).unwrap_or_else(|| memory.get(words))
            }
            E::Insert(pair) => {
                let set = pair.0.evaluate(words, context)?;
                context.sets.insert(set, pair.1.evaluate(words, context)?)
            }
            E::Member(pair) => {
                let element = pair.0.evaluate(words, context)?;
                let set = pair.1.evaluate(words, context)?;
                i64::from(match context.sets.elements(set) {
                    Some(elements) => elements.binary_search(&element).is_ok(),
                    None => context.choices.doubt(),
                })
            }
            E::SameSet(pair) => {
                let left = pair.0.evaluate(words, context)?;
                let right = pair.1.evaluate(words, context)?;
                i64::from(left == right && (left != ANY || context.choices.doubt()))
            }
            E::Fault(fault) => return Err(*fault),
        })
    }
}

/// An operator on operands of sort `from`, with a result of sort `to`.
fn binary(operator: Binary, from: Sort, to: Sort, pair: Box<(Expression, Expression)>) -> Expression {
    use Expression as E;
    match operator {
        Binary::And => E::And(pair),
        Binary::Or => E::Or(pair),
        Binary::Implies => E::Or(Box::new((E::Not(Box::new(pair.0)), pair.1))),
        Binary::Equal if from == Sort::IntSet => E::SameSet(pair),
        Binary::NotEqual if from == Sort::IntSet => E::Not(Box::new(E::SameSet(pair))),
        _ if operator.is_comparison() => E::Compare(operator, pair),
        Binary::Insert => E::Insert(pair),
        Binary::Member => E::Member(pair),
        _ => E::Arithmetic(operator, to, pair),
    }
}

#[inline]
fn compare(operator: Binary, left: i64, right: i64) -> bool {
    match operator {
        Binary::Equal => left == right,
        Binary::NotEqual => left != right,
        Binary::Less => left < right,
        Binary::LessEqual => left <= right,
        Binary::Greater => left > right,
        _ => left >= right,
    }
}

fn arithmetic(operator: Binary, sort: Sort, a: i64, b: i64) -> Result<i64, Fault> {
    match operator {
        Binary::Add => in_sort(sort, a.checked_add(b), a.wrapping_add(b)),
        Binary::Subtract => in_sort(sort, a.checked_sub(b), a.wrapping_sub(b)),
        Binary::Multiply => in_sort(sort, a.checked_mul(b), a.wrapping_mul(b)),
        Binary::Divide | Binary::Remainder if b == 0 => Err(Fault::DivisionByZero),
        Binary::Divide => in_sort(sort, a.checked_div(b), a.wrapping_div(b)),
        Binary::Remainder => Ok(sort.wrap(a.wrapping_rem(b))),
        Binary::BitAnd => Ok(sort.wrap(a & b)),
        Binary::BitOr => Ok(sort.wrap(a | b)),
        Binary::BitXor => Ok(sort.wrap(a ^ b)),
        Binary::ShiftLeft => {
            let shift = u32::try_from(b).ok().filter(|shift| *shift < 63).ok_or(Fault::Overflow)?;
            in_sort(sort, a.checked_mul(1 << shift), a.wrapping_shl(shift))
        }
        Binary::ShiftRight => Ok(sort.wrap(a >> u32::try_from(b).map_err(|_| Fault::Overflow)?.min(63))),
        Binary::Offset => {
            let moved = a.checked_add(b).ok_or(Fault::OutOfBounds)?;
            u32::try_from(moved).map(i64::from).map_err(|_| Fault::OutOfBounds)
        }
        _ => Err(Fault::Meaningless),
    }
}

fn in_sort(sort: Sort, exact: Option<i64>, wrapped: i64) -> Result<i64, Fault> {
    match sort {
        Sort::Bits { .. } => Ok(sort.wrap(wrapped)),
        _ => exact.ok_or(Fault::Overflow),
    }
}
