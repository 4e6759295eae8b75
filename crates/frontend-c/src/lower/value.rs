//! Values: integers and pointers with their types, conversions, arithmetic.
//!
//! A term's operands are mathematical integers and its result wraps round by its sort, so that a conversion is the
//! addition of a zero of the new type. Signed overflow wraps round, as compilers do with `-fwrapv`. Values of 64 bits
//! without sign are held as signed ones with the same bits: they are compared with their highest bit turned.

use lang_c::ast::BinaryOperator;
use lang_c::span::Span;
use wattle_logic::{Binary, Kind as Node, Sort, Term, Unary, Value as Literal};

use crate::refusal::{Low, refuse};
use crate::types::{DataModel, Kind, Type, Types};

#[derive(Clone, Debug)]
pub(super) struct Value {
    pub term: Term,
    pub of: Type,
}

impl Value {
    pub(super) fn constant(value: i64, of: Type) -> Value {
        let sort = of.sort();
        Value { term: Term::value(Literal::Int(sort.wrap(value)), sort), of }
    }

    pub(super) fn int(value: i64) -> Value {
        Value::constant(value, Type::INT)
    }

    pub(super) fn void() -> Value {
        Value { of: Type::VOID, ..Value::int(0) }
    }

    pub(super) fn new(term: Term, of: &Type) -> Value {
        Value { term, of: of.unqualified() }
    }

    /// The number that the value is, whatever happens.
    pub(super) fn known(&self) -> Option<i64> {
        self.term.as_value().and_then(Literal::as_int)
    }

    pub(super) fn of_truth(condition: Term) -> Value {
        if let Some(Literal::Bool(value)) = condition.as_value() {
            return Value::int(i64::from(*value));
        }
        let (one, zero) = (Value::int(1).term, Value::int(0).term);
        Value { term: Term::if_then_else(condition, one, zero), of: Type::INT }
    }

    /// Is the value not zero?
    pub(super) fn truth(&self) -> Term {
        if let Some(value) = self.known() {
            return Term::bool(value != 0);
        }
        if let Node::If(condition, then, otherwise) = self.term.kind() {
            let number = |term: &Term| term.as_value().and_then(Literal::as_int);
            match (number(then), number(otherwise)) {
                (Some(1), Some(0)) => return condition.clone(),
                (Some(0), Some(1)) => return condition.negated(),
                _ => {}
            }
        }
        let zero = Term::value(Literal::Int(0), self.term.sort());
        Term::binary(Binary::NotEqual, self.term.clone(), zero)
    }

    pub(super) fn convert(self, to: &Type, span: Span) -> Low<Value> {
        let to = to.unqualified();
        if to.kind == Kind::Void {
            return Ok(Value { of: to, ..self });
        }
        if matches!(to.kind, Kind::Float(_)) || matches!(self.of.kind, Kind::Float(_)) {
            return refuse("floating-point arithmetic", span);
        }
        if !to.is_scalar() || !self.of.is_scalar() && self.of.kind != Kind::Void {
            return refuse("a conversion between structs", span);
        }
        if to.kind == Kind::Bool {
            if self.of.kind == Kind::Bool {
                return Ok(self);
            }
            let (one, zero) = (Value::constant(1, to.clone()).term, Value::constant(0, to.clone()).term);
            let condition = self.truth();
            return Ok(match condition.as_value() {
                Some(Literal::Bool(value)) => Value::constant(i64::from(*value), to),
                _ => Value { term: Term::if_then_else(condition, one, zero), of: to },
            });
        }
        Ok(Value { term: in_sort(self.term, to.sort()), of: to })
    }
}

/// The same number in another sort.
pub(super) fn in_sort(term: Term, sort: Sort) -> Term {
    if term.sort() == sort {
        return term;
    }
    if let Some(Literal::Int(value)) = term.as_value() {
        return Term::value(Literal::Int(sort.wrap(*value)), sort);
    }
    // A condition as a number keeps its form.
    if let Node::If(condition, then, otherwise) = term.kind()
        && then.as_value().is_some()
        && otherwise.as_value().is_some()
    {
        let (then, otherwise) = (in_sort(then.clone(), sort), in_sort(otherwise.clone(), sort));
        return Term::if_then_else(condition.clone(), then, otherwise);
    }
    Term::binary(Binary::Add, Term::value(Literal::Int(0), sort), term)
}

/// Small integers are computed with as `int`.
pub(super) fn promoted(of: &Type) -> Type {
    match of.kind {
        Kind::Bool => Type::INT,
        Kind::Integer { bytes, .. } if bytes < 4 => Type::INT,
        Kind::Opaque => Type::INT,
        Kind::Thread => Type::integer(8, false),
        _ => of.unqualified(),
    }
}

/// The type in which two integers meet.
pub(super) fn common(left: &Type, right: &Type) -> Type {
    let (left, right) = (promoted(left), promoted(right));
    match (&left.kind, &right.kind) {
        (Kind::Integer { bytes: a, signed: s }, Kind::Integer { bytes: b, signed: t }) => {
            let bytes = (*a).max(*b);
            // Of two equally large ones the unsigned wins; a larger one wins whatever its sign.
            let signed = match a.cmp(b) {
                std::cmp::Ordering::Equal => *s && *t,
                std::cmp::Ordering::Greater => *s,
                std::cmp::Ordering::Less => *t,
            };
            Type::integer(bytes, signed)
        }
        _ => left,
    }
}

const UNSIGNED_WORD: Sort = Sort::Bits { width: 64, signed: false };

pub(super) struct Arithmetic<'a> {
    pub types: &'a Types,
    pub span: Span,
}

impl Arithmetic<'_> {
    pub(super) fn unary(&self, operator: Unary, operand: Value) -> Low<Value> {
        let of = promoted(&operand.of);
        if !of.is_integer() {
            return refuse("arithmetic on this type", self.span);
        }
        let operand = operand.convert(&of, self.span)?;
        let known = operand.known().map(|value| match operator {
            Unary::Negate => value.wrapping_neg(),
            _ => !value,
        });
        Ok(match known {
            Some(value) => Value::constant(value, of),
            None => Value { term: Term::unary(operator, operand.term), of },
        })
    }

    /// The operators that compute and compare; not `&&`, `||` and assignments.
    pub(super) fn binary(&self, operator: &BinaryOperator, left: Value, right: Value) -> Low<Value> {
        if matches!(left.of.kind, Kind::Float(_)) || matches!(right.of.kind, Kind::Float(_)) {
            return refuse("floating-point arithmetic", self.span);
        }
        if left.of.is_pointer() || right.of.is_pointer() {
            return self.pointers(operator, left, right);
        }
        if !left.of.is_scalar() || !right.of.is_scalar() {
            return refuse("arithmetic on a struct", self.span);
        }
        let shift = matches!(operator, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight);
        let of = if shift { promoted(&left.of) } else { common(&left.of, &right.of) };
        let left = left.convert(&of, self.span)?;
        let right =
            if shift { right.convert(&Type::INT, self.span)? } else { right.convert(&of, self.span)? };
        self.same(operator, left, right)
    }

    /// Operands of one type.
    fn same(&self, operator: &BinaryOperator, left: Value, right: Value) -> Low<Value> {
        let of = left.of.clone();
        let large = of.sort() == UNSIGNED_WORD;
        let operation = match operator {
            BinaryOperator::Multiply => Binary::Multiply,
            BinaryOperator::Divide => Binary::Divide,
            BinaryOperator::Modulo => Binary::Remainder,
            BinaryOperator::Plus => Binary::Add,
            BinaryOperator::Minus => Binary::Subtract,
            BinaryOperator::ShiftLeft => Binary::ShiftLeft,
            BinaryOperator::ShiftRight => Binary::ShiftRight,
            BinaryOperator::Less => Binary::Less,
            BinaryOperator::Greater => Binary::Greater,
            BinaryOperator::LessOrEqual => Binary::LessEqual,
            BinaryOperator::GreaterOrEqual => Binary::GreaterEqual,
            BinaryOperator::Equals => Binary::Equal,
            BinaryOperator::NotEquals => Binary::NotEqual,
            BinaryOperator::BitwiseAnd => Binary::BitAnd,
            BinaryOperator::BitwiseXor => Binary::BitXor,
            BinaryOperator::BitwiseOr => Binary::BitOr,
            _ => return refuse("this operator", self.span),
        };
        if large && matches!(operation, Binary::Divide | Binary::Remainder | Binary::ShiftRight) {
            // As signed numbers these go wrong where the highest bit is set.
            let small = left.known().is_some_and(|value| value >= 0);
            let positive = right.known().is_some_and(|value| value >= 0);
            if !(small && positive) {
                return self.halved(operation, left, right);
            }
        }
        let turned = |value: Value| match large {
            true => {
                let lowest = Term::value(Literal::Int(i64::MIN), Sort::WORD);
                fold(Binary::BitXor, in_sort(value.term, Sort::WORD), lowest)
            }
            false => value.term,
        };
        if operation.is_comparison() {
            let equality = matches!(operation, Binary::Equal | Binary::NotEqual);
            let (left, right) = match equality {
                true => (left.term, right.term),
                false => (turned(left), turned(right)),
            };
            return Ok(Value::of_truth(fold(operation, left, right)));
        }
        Ok(Value { term: fold(operation, left.term, right.term), of })
    }

    /// Division and shifts of 64 bits without sign, by a positive constant that leaves room for a sign.
    fn halved(&self, operation: Binary, left: Value, right: Value) -> Low<Value> {
        let of = left.of.clone();
        match (operation, right.known()) {
            (Binary::ShiftRight, Some(0)) => Ok(left),
            (Binary::ShiftRight, Some(distance)) if (1..64).contains(&distance) => {
                let shifted = fold(Binary::ShiftRight, left.term, right.term);
                let mask = Term::value(Literal::Int(i64::MAX >> (distance - 1)), of.sort());
                Ok(Value { term: fold(Binary::BitAnd, shifted, mask), of })
            }
            (Binary::Divide, Some(by)) if by > 0 && by & (by - 1) == 0 => {
                let distance = Value::int(i64::from(by.trailing_zeros()));
                self.halved(Binary::ShiftRight, left, distance)
            }
            (Binary::Remainder, Some(by)) if by > 0 && by & (by - 1) == 0 => {
                let mask = Term::value(Literal::Int(by - 1), of.sort());
                Ok(Value { term: fold(Binary::BitAnd, left.term, mask), of })
            }
            (Binary::Divide | Binary::Remainder, Some(by)) if (1..1 << 62).contains(&by) => {
                // Half the number has room for a sign. Twice its quotient is the quotient, or one less.
                let number = |value: i64| Term::value(Literal::Int(value), of.sort());
                let half = self.halved(Binary::ShiftRight, left.clone(), Value::int(1))?;
                let less = fold(Binary::Divide, half.term, right.term.clone());
                let less = fold(Binary::Multiply, less, number(2));
                let back = fold(Binary::Multiply, less.clone(), right.term.clone());
                let rest = fold(Binary::Subtract, left.term, back);
                let [rest_signed, by_signed] = [rest.clone(), right.term.clone()]
                    .map(|term| in_sort(term, Sort::Bits { width: 64, signed: true }));
                let one_more = fold(Binary::GreaterEqual, rest_signed, by_signed);
                let term = match operation {
                    Binary::Divide => {
                        let more = fold(Binary::Add, less.clone(), number(1));
                        Term::if_then_else(one_more, more, less)
                    }
                    _ => {
                        let smaller = fold(Binary::Subtract, rest.clone(), right.term);
                        Term::if_then_else(one_more, smaller, rest)
                    }
                };
                Ok(Value { term, of })
            }
            _ => refuse("division of unsigned numbers of 64 bits", self.span),
        }
    }

    fn pointers(&self, operator: &BinaryOperator, left: Value, right: Value) -> Low<Value> {
        use BinaryOperator::*;
        let size = |of: &Type| {
            let target = of.target().map(|target| self.types.size(target));
            match target.flatten() {
                Some(size) => Ok(size as i64),
                None => refuse("arithmetic on a pointer to an incomplete type", self.span),
            }
        };
        let word = |value: Value| in_sort(value.term, Sort::WORD);
        match operator {
            Plus | Minus if left.of.is_pointer() && right.of.is_integer() => {
                let (of, step) = (left.of.clone(), size(&left.of)?);
                let distance = scaled(word(right), step);
                let operation = if *operator == Plus { Binary::Add } else { Binary::Subtract };
                Ok(Value { term: fold(operation, left.term, distance), of })
            }
            Plus if left.of.is_integer() => self.pointers(operator, right, left),
            Minus if right.of.is_pointer() => {
                let step = size(&left.of)?.max(1);
                let distance = fold(Binary::Subtract, left.term, right.term);
                let by = Term::value(Literal::Int(step), Sort::WORD);
                let of = Type::integer(self.types.model.long(), true);
                let term = if step == 1 { distance } else { fold(Binary::Divide, distance, by) };
                Ok(Value { term: in_sort(term, of.sort()), of })
            }
            Less | Greater | LessOrEqual | GreaterOrEqual | Equals | NotEquals => {
                let operation = match operator {
                    Less => Binary::Less,
                    Greater => Binary::Greater,
                    LessOrEqual => Binary::LessEqual,
                    GreaterOrEqual => Binary::GreaterEqual,
                    Equals => Binary::Equal,
                    _ => Binary::NotEqual,
                };
                Ok(Value::of_truth(fold(operation, word(left), word(right))))
            }
            _ => refuse("this operator on pointers", self.span),
        }
    }
}

fn scaled(index: Term, step: i64) -> Term {
    let step_term = Term::value(Literal::Int(step), Sort::WORD);
    if step == 1 { index } else { fold(Binary::Multiply, index, step_term) }
}

/// An offset in bytes from a pointer.
pub(super) fn moved(pointer: Term, bytes: u64) -> Term {
    match bytes {
        0 => pointer,
        _ => fold(Binary::Add, pointer, Term::value(Literal::Int(bytes as i64), Sort::WORD)),
    }
}

/// The term, or its value where both operands are literals. (Nothing else is simplified: what is written is a
/// dependency.)
pub(super) fn fold(operation: Binary, left: Term, right: Term) -> Term {
    let sort = if operation.is_comparison() { Sort::Bool } else { left.sort() };
    if let (Some(a), Some(b)) = (left.as_value(), right.as_value())
        && let Ok(value) = wattle_logic::apply_binary(operation, a, b, sort)
    {
        return Term::value(value, sort);
    }
    Term::binary(operation, left, right)
}

/// A pointer does not fit into 32 bits here: the condition under which a value does not survive the conversion.
pub(super) fn too_large(pointer: &Term) -> Term {
    let bound = |value: i64| Term::value(Literal::Int(value), Sort::WORD);
    let below = Term::binary(Binary::Less, pointer.clone(), bound(-(1 << 31)));
    below.or(Term::binary(Binary::GreaterEqual, pointer.clone(), bound(1 << 32)))
}

/// The type of `sizeof` and of `size_t`.
pub(super) fn size_type(model: DataModel) -> Type {
    Type::integer(model.long(), false)
}
