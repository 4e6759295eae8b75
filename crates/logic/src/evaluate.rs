//! Evaluation: the value of a term in an environment, or why it has none.

use std::fmt;
use std::sync::Arc;

use crate::{Binary, Kind, Quantifier, Sort, Symbol, Term, Unary, Value};

/// Why a term has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    DivisionByZero,
    OutOfBounds,
    /// An address inside of a location: of a part of it, which no access here has the size of. This is a limit of wattle and never
    /// a violation.
    Inside,
    /// An unbounded integer left 64 bits. This is a limit of wattle and never a violation.
    Overflow,
    /// The term speaks of something that this environment does not have.
    Meaningless,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::DivisionByZero => "division by zero",
            Fault::OutOfBounds => "index out of bounds",
            Fault::Inside => "an address inside of a location",
            Fault::Overflow => "an integer left 64 bits",
            Fault::Meaningless => "a term without meaning here",
        })
    }
}

/// What the leaves of a term stand for. Everything but `locate` has a default that refuses.
pub trait Environment {
    /// The number of the location that an address term names.
    fn locate(&self, variable: u32, indices: &[i64]) -> Result<u32, Fault>;
    /// The machine integer that stands for a location, and back.
    fn number(&self, _location: u32) -> Result<i64, Fault> {
        Err(Fault::Meaningless)
    }
    fn pointer(&self, _number: i64) -> Result<u32, Fault> {
        Err(Fault::Meaningless)
    }
    fn local(&self, _local: u32) -> Result<Value, Fault> {
        Err(Fault::Meaningless)
    }
    fn me(&self) -> Result<i64, Fault> {
        Err(Fault::Meaningless)
    }
    fn copies(&self, _process: u32) -> Result<i64, Fault> {
        Err(Fault::Meaningless)
    }
    fn content(&self, _location: u32) -> Result<Value, Fault> {
        Err(Fault::Meaningless)
    }
    /// What a copy would load from a location now.
    fn seen(&self, _process: u32, _copy: i64, _location: u32) -> Result<Value, Fault> {
        Err(Fault::Meaningless)
    }
    fn at(&self, _process: u32, _copy: i64, _point: u32) -> Result<bool, Fault> {
        Err(Fault::Meaningless)
    }
    fn ended(&self, _process: u32, _copy: i64) -> Result<bool, Fault> {
        Err(Fault::Meaningless)
    }
    fn local_of(&self, _process: u32, _copy: i64, _local: u32) -> Result<Value, Fault> {
        Err(Fault::Meaningless)
    }
}

impl Term {
    pub fn evaluate(&self, environment: &dyn Environment) -> Result<Value, Fault> {
        evaluate(self, environment, &mut Vec::new())
    }

    /// With values for variables that a quantifier around the term binds.
    pub fn evaluate_bound(
        &self,
        environment: &dyn Environment,
        bound: &[(u32, i64)],
    ) -> Result<Value, Fault> {
        evaluate(self, environment, &mut bound.to_vec())
    }

    pub fn evaluate_bool(&self, environment: &dyn Environment) -> Result<bool, Fault> {
        self.evaluate(environment)?.as_bool().ok_or(Fault::Meaningless)
    }
}

fn evaluate(term: &Term, env: &dyn Environment, bound: &mut Vec<(u32, i64)>) -> Result<Value, Fault> {
    let integer = |term: &Term, bound: &mut Vec<(u32, i64)>| match evaluate(term, env, bound)? {
        Value::Int(value) => Ok(value),
        Value::Process(copy) => Ok(i64::from(copy)),
        _ => Err(Fault::Meaningless),
    };
    // The number of a copy, as an integer or as the name of that copy.
    let number = |number: i64| match term.sort() {
        Sort::Process => u32::try_from(number).map(Value::Process).map_err(|_| Fault::OutOfBounds),
        _ => Ok(Value::Int(number)),
    };
    Ok(match term.kind() {
        Kind::Value(value) => value.clone(),
        Kind::Symbol(Symbol::Local(local)) => env.local(*local)?,
        Kind::Symbol(Symbol::Me) => number(env.me()?)?,
        Kind::Symbol(Symbol::Copies(process)) => number(env.copies(*process)?)?,
        Kind::Symbol(Symbol::Bound(name)) => {
            let found = bound.iter().rev().find(|(other, _)| other == name);
            number(found.ok_or(Fault::Meaningless)?.1)?
        }
        Kind::Unary(operator, operand) => {
            apply_unary(*operator, &evaluate(operand, env, bound)?, term.sort())?
        }
        // Both operands are always evaluated: a read in a condition is a read.
        Kind::Binary(operator, left, right) => {
            let left = evaluate(left, env, bound)?;
            let right = evaluate(right, env, bound)?;
            apply_binary(*operator, &left, &right, term.sort())?
        }
        Kind::If(condition, then, otherwise) => {
            match evaluate(condition, env, bound)?.as_bool().ok_or(Fault::Meaningless)? {
                true => evaluate(then, env, bound)?,
                false => evaluate(otherwise, env, bound)?,
            }
        }
        Kind::Address { variable, indices } => {
            let indices: Result<Vec<i64>, Fault> =
                indices.iter().map(|index| integer(index, bound)).collect();
            Value::Address(env.locate(*variable, &indices?)?)
        }
        Kind::Number(address) => match evaluate(address, env, bound)? {
            Value::Address(location) => Value::Int(env.number(location)?),
            _ => return Err(Fault::Meaningless),
        },
        Kind::Pointer(number) => Value::Address(env.pointer(integer(number, bound)?)?),
        Kind::Content(address) => match evaluate(address, env, bound)? {
            Value::Address(location) => env.content(location)?,
            _ => return Err(Fault::Meaningless),
        },
        Kind::Seen { process, copy, address } => match evaluate(address, env, bound)? {
            Value::Address(location) => env.seen(*process, integer(copy, bound)?, location)?,
            _ => return Err(Fault::Meaningless),
        },
        Kind::At { process, copy, point } => Value::Bool(env.at(*process, integer(copy, bound)?, *point)?),
        Kind::Ended { process, copy } => Value::Bool(env.ended(*process, integer(copy, bound)?)?),
        Kind::LocalOf { process, copy, local } => env.local_of(*process, integer(copy, bound)?, *local)?,
        Kind::Element(_) => return Err(Fault::Meaningless),
        Kind::Quantified { quantifier, bound: name, process, body } => {
            let wanted = *quantifier == Quantifier::Exists;
            let mut result = !wanted;
            for copy in 0..env.copies(*process)? {
                bound.push((*name, copy));
                let value = evaluate(body, env, bound);
                bound.pop();
                if value?.as_bool().ok_or(Fault::Meaningless)? == wanted {
                    result = wanted;
                    break;
                }
            }
            Value::Bool(result)
        }
    })
}

pub fn apply_unary(operator: Unary, operand: &Value, sort: Sort) -> Result<Value, Fault> {
    Ok(match (operator, operand) {
        (Unary::Not, Value::Bool(value)) => Value::Bool(!value),
        (Unary::Negate, Value::Int(value)) => {
            Value::Int(in_sort(sort, value.checked_neg(), value.wrapping_neg())?)
        }
        (Unary::Complement, Value::Int(value)) => Value::Int(sort.wrap(!value)),
        _ => return Err(Fault::Meaningless),
    })
}

/// `sort` is the sort of the result; machine integers wrap by it.
pub fn apply_binary(operator: Binary, left: &Value, right: &Value, sort: Sort) -> Result<Value, Fault> {
    use Binary::*;
    match operator {
        Equal => return Ok(Value::Bool(left == right)),
        NotEqual => return Ok(Value::Bool(left != right)),
        _ => {}
    }
    Ok(match (left, right) {
        (Value::Int(a), Value::Int(b)) => {
            let (a, b) = (*a, *b);
            Value::Int(match operator {
                Less => return Ok(Value::Bool(a < b)),
                LessEqual => return Ok(Value::Bool(a <= b)),
                Greater => return Ok(Value::Bool(a > b)),
                GreaterEqual => return Ok(Value::Bool(a >= b)),
                Add => in_sort(sort, a.checked_add(b), a.wrapping_add(b))?,
                Subtract => in_sort(sort, a.checked_sub(b), a.wrapping_sub(b))?,
                Multiply => in_sort(sort, a.checked_mul(b), a.wrapping_mul(b))?,
                Divide | Remainder if b == 0 => return Err(Fault::DivisionByZero),
                Divide => in_sort(sort, a.checked_div(b), a.wrapping_div(b))?,
                Remainder => sort.wrap(a.wrapping_rem(b)),
                // A literal beside a machine integer need not be in its range.
                BitAnd => sort.wrap(a & b),
                BitOr => sort.wrap(a | b),
                BitXor => sort.wrap(a ^ b),
                ShiftLeft => {
                    let shift = u32::try_from(b).ok().filter(|shift| *shift < 63).ok_or(Fault::Overflow)?;
                    in_sort(sort, a.checked_mul(1 << shift), a.wrapping_shl(shift))?
                }
                ShiftRight => {
                    let shift = u32::try_from(b).map_err(|_| Fault::Overflow)?;
                    sort.wrap(a >> shift.min(63))
                }
                _ => return Err(Fault::Meaningless),
            })
        }
        (Value::Process(a), Value::Process(b)) => Value::Bool(match operator {
            Less => a < b,
            LessEqual => a <= b,
            Greater => a > b,
            GreaterEqual => a >= b,
            _ => return Err(Fault::Meaningless),
        }),
        (Value::Bool(a), Value::Bool(b)) => Value::Bool(match operator {
            And => *a && *b,
            Or => *a || *b,
            Implies => !*a || *b,
            _ => return Err(Fault::Meaningless),
        }),
        (Value::Address(base), Value::Int(offset)) if operator == Offset => {
            let moved = i64::from(*base).checked_add(*offset).ok_or(Fault::OutOfBounds)?;
            Value::Address(u32::try_from(moved).map_err(|_| Fault::OutOfBounds)?)
        }
        (Value::Set(set), Value::Int(element)) if operator == Insert => {
            let mut set = set.as_ref().clone();
            set.insert(*element);
            Value::Set(Arc::new(set))
        }
        (Value::Int(element), Value::Set(set)) if operator == Member => Value::Bool(set.contains(element)),
        _ => return Err(Fault::Meaningless),
    })
}

fn in_sort(sort: Sort, exact: Option<i64>, wrapped: i64) -> Result<i64, Fault> {
    match sort {
        Sort::Bits { .. } => Ok(sort.wrap(wrapped)),
        _ => exact.ok_or(Fault::Overflow),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Environment for Nothing {
        fn locate(&self, variable: u32, _: &[i64]) -> Result<u32, Fault> {
            Ok(variable)
        }
        fn copies(&self, _: u32) -> Result<i64, Fault> {
            Ok(3)
        }
    }

    fn int(operator: Binary, a: i64, b: i64) -> Result<Value, Fault> {
        Term::binary(operator, Term::int(a), Term::int(b)).evaluate(&Nothing)
    }

    #[test]
    fn division_is_as_in_c() {
        assert_eq!(int(Binary::Divide, -7, 2), Ok(Value::Int(-3)));
        assert_eq!(int(Binary::Remainder, -7, 2), Ok(Value::Int(-1)));
        assert_eq!(int(Binary::Divide, 1, 0), Err(Fault::DivisionByZero));
    }

    #[test]
    fn unbounded_integers_fault_where_machine_integers_wrap() {
        assert_eq!(int(Binary::Add, i64::MAX, 1), Err(Fault::Overflow));
        let byte = Sort::Bits { width: 8, signed: false };
        let sum = Term::binary(Binary::Add, Term::value(Value::Int(255), byte), Term::int(1));
        assert_eq!(sum.evaluate(&Nothing), Ok(Value::Int(0)));
        let all_bits = Term::binary(Binary::BitOr, Term::int(-1), Term::value(Value::Int(0), byte));
        assert_eq!(all_bits.evaluate(&Nothing), Ok(Value::Int(255)));
    }

    #[test]
    fn quantifiers_range_over_copies() {
        let two = Term::bound(0).equals(Term::int(2));
        let exists = Term::quantified(Quantifier::Exists, 0, 0, two.clone());
        let forall = Term::quantified(Quantifier::Forall, 0, 0, two);
        assert_eq!(exists.evaluate(&Nothing), Ok(Value::Bool(true)));
        assert_eq!(forall.evaluate(&Nothing), Ok(Value::Bool(false)));
    }
}
