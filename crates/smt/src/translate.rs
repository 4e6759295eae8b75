//! Terms of wattle as terms of Z3: booleans and linear integers.
//!
//! A variable is a leaf, and two leaves are one variable exactly if they are equal as written. That is
//! right only where different texts cannot mean one thing, so memory is spoken of by constant addresses
//! alone: `x[i]` beside `x[0]` is refused rather than taken for two variables. Enumerations are
//! integers from 0 that can only be compared for equality; how many values one has is not known here,
//! and whoever knows may assert it.
//!
//! Wattle's integers have 64 bits and a fault beyond, Z3's have no end. Where no fault occurs the two
//! agree, and a fault makes wattle say *unknown* wherever it computes.
//!
//! Division rounds towards zero here, and downwards in SMT-LIB (for a positive divisor). With a
//! constant `k`, `a / k` is `a div |k|` where that is exact or `a >= 0`, and one more otherwise, negated if
//! `k < 0`; the remainder is what is missing to `a`.

use std::collections::HashMap;

use wattle_logic::{Binary, Kind, Sort, Term, Unary, Value};

use crate::api::Ast;
use crate::context::Context;
use crate::{Stop, Unsupported};

#[derive(Debug)]
pub(crate) struct Translation {
    bool_sort: Ast,
    int_sort: Ast,
    pub truth: Ast,
    pub falsity: Ast,
    minus_one: Ast,
    terms: HashMap<Term, Ast>,
    variables: usize,
    /// What is true of new variables, for the solver to take.
    pub facts: Vec<Ast>,
}

/// Why a term could not be translated.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    Unsupported(Unsupported),
    Stop(Stop),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stop(stop)
    }
}

/// What a sort is to the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theory {
    Bool,
    Int,
    /// Integers without arithmetic.
    Enum(u32),
}

pub(crate) fn theory(sort: Sort) -> Result<Theory, Unsupported> {
    match sort {
        Sort::Bool => Ok(Theory::Bool),
        Sort::Int => Ok(Theory::Int),
        Sort::Enum(number) => Ok(Theory::Enum(number)),
        Sort::Bits { .. } | Sort::Address | Sort::Process | Sort::IntSet => refuse(format!("sort `{sort}`")),
    }
}

pub(crate) fn refuse<T>(what: impl Into<String>) -> Result<T, Unsupported> {
    Err(Unsupported(what.into()))
}

impl Translation {
    pub fn new(context: &Context) -> Result<Translation, Stop> {
        let int_sort = context.int_sort()?;
        Ok(Translation {
            bool_sort: context.bool_sort()?,
            int_sort,
            truth: context.truth(true)?,
            falsity: context.truth(false)?,
            minus_one: context.number(-1, int_sort)?,
            terms: HashMap::new(),
            variables: 0,
            facts: Vec::new(),
        })
    }

    /// A boolean variable that no term mentions.
    pub fn fresh(&mut self, context: &Context) -> Result<Ast, Stop> {
        self.variables += 1;
        context.variable(&format!("a{}", self.variables), self.bool_sort)
    }

    pub fn term(&mut self, context: &Context, term: &Term) -> Result<Ast, Failure> {
        if let Some(known) = self.terms.get(term) {
            return Ok(*known);
        }
        let made = self.make(context, term)?;
        self.terms.insert(term.clone(), made);
        Ok(made)
    }

    fn make(&mut self, context: &Context, term: &Term) -> Result<Ast, Failure> {
        let shape = shape(term).map_err(Failure::Unsupported)?;
        let mut of = |part: &Term| self.term(context, part);
        Ok(match shape {
            Shape::Bool(value) => context.truth(value)?,
            Shape::Int(value) => context.number(value, self.int_sort)?,
            Shape::Symbol(_, value) => context.number(i64::from(value), self.int_sort)?,
            Shape::Variable(sort) => {
                self.variables += 1;
                let of_z3 = if sort == Theory::Bool { self.bool_sort } else { self.int_sort };
                let variable = context.variable(&format!("v{}", self.variables), of_z3)?;
                if let Theory::Enum(_) = sort {
                    let zero = context.number(0, self.int_sort)?;
                    self.facts.push(context.at_most(zero, variable)?);
                }
                variable
            }
            Shape::Not(a) => {
                let a = of(a)?;
                context.not(a)?
            }
            Shape::Negate(a) => {
                let a = of(a)?;
                context.multiply(&[self.minus_one, a])?
            }
            Shape::Complement(a) => {
                let a = of(a)?;
                let negated = context.multiply(&[self.minus_one, a])?;
                context.add(&[self.minus_one, negated])?
            }
            Shape::If(condition, then, otherwise) => {
                let (condition, then, otherwise) = (of(condition)?, of(then)?, of(otherwise)?);
                context.select(condition, then, otherwise)?
            }
            Shape::Binary(operator, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                self.binary(context, operator, a, b)?
            }
            Shape::Divide(a, by) => {
                let a = of(a)?;
                self.quotient(context, a, by)?
            }
            Shape::Remainder(a, by) => {
                let a = of(a)?;
                let quotient = self.quotient(context, a, by)?;
                let by = context.number(by, self.int_sort)?;
                let rest = context.multiply(&[self.minus_one, by, quotient])?;
                context.add(&[a, rest])?
            }
        })
    }

    fn binary(&self, context: &Context, operator: Operator, a: Ast, b: Ast) -> Result<Ast, Stop> {
        match operator {
            Operator::And => context.and(&[a, b]),
            Operator::Or => context.or(&[a, b]),
            Operator::Implies => context.or(&[context.not(a)?, b]),
            Operator::Equal => context.equal(a, b),
            Operator::NotEqual => context.not(context.equal(a, b)?),
            Operator::LessEqual => context.at_most(a, b),
            Operator::Less => context.not(context.at_most(b, a)?),
            Operator::GreaterEqual => context.at_most(b, a),
            Operator::Greater => context.not(context.at_most(a, b)?),
            Operator::Add => context.add(&[a, b]),
            Operator::Subtract => context.add(&[a, context.multiply(&[self.minus_one, b])?]),
            Operator::Multiply => context.multiply(&[a, b]),
        }
    }

    /// Towards zero.
    fn quotient(&self, context: &Context, a: Ast, by: i64) -> Result<Ast, Stop> {
        let zero = context.number(0, self.int_sort)?;
        // `shape` has refused the one number without an absolute value.
        let size = context.number(by.saturating_abs(), self.int_sort)?;
        let minus = |a: Ast| context.multiply(&[self.minus_one, a]);
        let down = context.divide(a, size)?;
        let exact = context.equal(context.multiply(&[size, down])?, a)?;
        let up = context.add(&[down, context.number(1, self.int_sort)?])?;
        let quotient = context.select(context.or(&[context.at_most(zero, a)?, exact])?, down, up)?;
        if by < 0 { minus(quotient) } else { Ok(quotient) }
    }
}

/// A node, when it is one that the solver understands and its parts have the right sorts.
pub(crate) enum Shape<'a> {
    Bool(bool),
    Int(i64),
    /// Of an enumeration.
    Symbol(u32, u32),
    Variable(Theory),
    Not(&'a Term),
    Negate(&'a Term),
    /// All bits the other way round, which is `-1 - a`.
    Complement(&'a Term),
    Binary(Operator, &'a Term, &'a Term),
    If(&'a Term, &'a Term, &'a Term),
    /// By a constant that has an absolute value.
    Divide(&'a Term, i64),
    Remainder(&'a Term, i64),
}

/// Of two booleans, or two integers; equality also of two values of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    And,
    Or,
    Implies,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    /// One side is a constant.
    Multiply,
}

/// Look at one node; its parts are checked for their sorts only.
pub(crate) fn shape(term: &Term) -> Result<Shape<'_>, Unsupported> {
    let sort = theory(term.sort())?;
    match term.kind() {
        Kind::Value(value) => match (sort, value) {
            (Theory::Bool, Value::Bool(value)) => Ok(Shape::Bool(*value)),
            (Theory::Int, Value::Int(value)) => Ok(Shape::Int(*value)),
            (Theory::Enum(of), Value::Symbol(value)) => Ok(Shape::Symbol(of, *value)),
            _ => refuse(format!("the value {value} of sort `{}`", term.sort())),
        },
        Kind::Symbol(_) => Ok(Shape::Variable(sort)),
        Kind::Content(_) | Kind::LocalOf { .. } if is_cell(term) => Ok(Shape::Variable(sort)),
        Kind::Content(_) => refuse("memory at an address that is not constant"),
        Kind::LocalOf { .. } => refuse("a local of a process that is not constant"),
        Kind::Unary(Unary::Not, a) if sort == Theory::Bool => Ok(Shape::Not(a)),
        Kind::Unary(Unary::Negate, a) if sort == Theory::Int => Ok(Shape::Negate(a)),
        Kind::Unary(Unary::Complement, a) if sort == Theory::Int => Ok(Shape::Complement(a)),
        Kind::Unary(operator, _) => refuse(format!("{operator:?} of sort `{}`", term.sort())),
        Kind::If(condition, then, otherwise) => {
            match (theory(condition.sort())?, theory(otherwise.sort())?) {
                (Theory::Bool, other) if other == sort => Ok(Shape::If(condition, then, otherwise)),
                _ => refuse("a choice between sorts"),
            }
        }
        // Of one set: which elements of it are equal is not known here, so fewer facts follow than are true.
        Kind::Binary(Binary::Member, _, set) | Kind::Element(set) if is_cell(set) => {
            Ok(Shape::Variable(sort))
        }
        Kind::Element(_) => refuse("an element of what is not a cell"),
        Kind::Binary(operator, a, b) => binary(*operator, a, b),
        Kind::Address { .. } | Kind::Number(_) | Kind::Pointer(_) => refuse("an address"),
        Kind::Seen { .. } => refuse("what a copy would load now"),
        Kind::At { .. } | Kind::Ended { .. } => refuse("where a process stands"),
        Kind::Quantified { .. } => refuse("a quantifier"),
    }
}

fn binary<'a>(operator: Binary, a: &'a Term, b: &'a Term) -> Result<Shape<'a>, Unsupported> {
    let sorts = (theory(a.sort())?, theory(b.sort())?);
    let integers = sorts == (Theory::Int, Theory::Int);
    let shape = |wanted: Operator, fits: bool| match fits {
        true => Ok(Shape::Binary(wanted, a, b)),
        false => refuse(format!("{operator:?} of sorts `{}` and `{}`", a.sort(), b.sort())),
    };
    let booleans = sorts == (Theory::Bool, Theory::Bool);
    match operator {
        Binary::And => shape(Operator::And, booleans),
        Binary::Or => shape(Operator::Or, booleans),
        Binary::Implies => shape(Operator::Implies, booleans),
        Binary::Equal => shape(Operator::Equal, sorts.0 == sorts.1),
        Binary::NotEqual => shape(Operator::NotEqual, sorts.0 == sorts.1),
        Binary::Less => shape(Operator::Less, integers),
        Binary::LessEqual => shape(Operator::LessEqual, integers),
        Binary::Greater => shape(Operator::Greater, integers),
        Binary::GreaterEqual => shape(Operator::GreaterEqual, integers),
        Binary::Add => shape(Operator::Add, integers),
        Binary::Subtract => shape(Operator::Subtract, integers),
        Binary::Multiply if integers && constant(a).is_none() && constant(b).is_none() => {
            refuse("a product of two variables")
        }
        Binary::Multiply => shape(Operator::Multiply, integers),
        Binary::Divide | Binary::Remainder if integers => match constant(b) {
            None | Some(0) => refuse("division by what is not a constant other than 0"),
            Some(i64::MIN) => refuse("division by the smallest integer"),
            Some(by) if operator == Binary::Divide => Ok(Shape::Divide(a, by)),
            Some(by) => Ok(Shape::Remainder(a, by)),
        },
        _ => refuse(format!("{operator:?} of sorts `{}` and `{}`", a.sort(), b.sort())),
    }
}

/// A local or a location that is fixed.
fn is_cell(term: &Term) -> bool {
    match term.kind() {
        Kind::LocalOf { copy, .. } => is_constant(copy),
        Kind::Content(address) => match address.kind() {
            Kind::Address { indices, .. } => indices.iter().all(is_constant),
            _ => false,
        },
        _ => false,
    }
}

fn is_constant(term: &Term) -> bool {
    matches!(term.kind(), Kind::Value(_))
}

/// A literal integer, perhaps with a sign.
fn constant(term: &Term) -> Option<i64> {
    match term.kind() {
        Kind::Value(value) => value.as_int(),
        Kind::Unary(Unary::Negate, inner) => constant(inner)?.checked_neg(),
        _ => None,
    }
}
