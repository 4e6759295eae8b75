//! Sorts and their values.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    Bool,
    /// Unbounded integers. Wattle computes with 64 bits and answers *unknown* beyond.
    Int,
    /// Machine integers that wrap round.
    Bits {
        width: u8,
        signed: bool,
    },
    /// The enumeration with this number in its program.
    Enum(u32),
    /// Addresses of memory locations.
    Address,
    /// Names of the copies of a process (parameterised systems), in the order of their numbers. A program whose
    /// variables have this sort has one process that may have copies, and means that one.
    Process,
    /// Finite sets of integers (the RMA reduction).
    IntSet,
}

impl Sort {
    /// What a register or a pointer holds.
    pub const WORD: Sort = Sort::Bits { width: 64, signed: true };

    /// Integers of either kind.
    pub fn is_integer(self) -> bool {
        matches!(self, Sort::Int | Sort::Bits { .. })
    }

    /// The value that a variable of this sort has when nothing else is said.
    pub fn zero(self) -> Value {
        match self {
            Sort::Bool => Value::Bool(false),
            Sort::Int | Sort::Bits { .. } => Value::Int(0),
            Sort::Enum(_) => Value::Symbol(0),
            Sort::Address => Value::Address(0),
            Sort::Process => Value::Process(0),
            Sort::IntSet => Value::Set(Arc::default()),
        }
    }

    /// The value with this code (see [`Value::code`]); `None` for sorts without codes.
    pub fn decode(self, code: i64) -> Option<Value> {
        Some(match self {
            Sort::Bool => Value::Bool(code != 0),
            Sort::Int | Sort::Bits { .. } => Value::Int(code),
            Sort::Enum(_) => Value::Symbol(u32::try_from(code).ok()?),
            Sort::Address => Value::Address(u32::try_from(code).ok()?),
            Sort::Process => Value::Process(u32::try_from(code).ok()?),
            Sort::IntSet => return None,
        })
    }

    /// Bring an integer into the range of this sort.
    pub fn wrap(self, value: i64) -> i64 {
        match self {
            Sort::Bits { width, signed } if width < 64 => {
                let shift = 64 - u32::from(width);
                let shifted = (value as u64) << shift;
                if signed { (shifted as i64) >> shift } else { (shifted >> shift) as i64 }
            }
            _ => value,
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => write!(f, "bool"),
            Sort::Int => write!(f, "int"),
            Sort::Bits { width, signed } => write!(f, "{}{width}", if *signed { "i" } else { "u" }),
            Sort::Enum(number) => write!(f, "enum{number}"),
            Sort::Address => write!(f, "address"),
            Sort::Process => write!(f, "process"),
            Sort::IntSet => write!(f, "intset"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    Bool(bool),
    /// Of sort `Int` or `Bits` (then already in range).
    Int(i64),
    /// The constructor with this number in its enumeration.
    Symbol(u32),
    /// The memory location with this number.
    Address(u32),
    Process(u32),
    Set(Arc<BTreeSet<i64>>),
}

impl Value {
    /// One integer that stands for the value among those of its sort: what packed states store.
    pub fn code(&self) -> Option<i64> {
        Some(match self {
            Value::Bool(value) => i64::from(*value),
            Value::Int(value) => *value,
            Value::Symbol(value) | Value::Address(value) | Value::Process(value) => i64::from(*value),
            Value::Set(_) => return None,
        })
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Symbol(value) => write!(f, "'{value}"),
            Value::Address(value) => write!(f, "&{value}"),
            Value::Process(value) => write!(f, "#{value}"),
            Value::Set(set) => {
                let items: Vec<String> = set.iter().map(i64::to_string).collect();
                write!(f, "{{{}}}", items.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_integers_wrap() {
        let signed = Sort::Bits { width: 8, signed: true };
        let unsigned = Sort::Bits { width: 8, signed: false };
        assert_eq!(signed.wrap(128), -128);
        assert_eq!(unsigned.wrap(-1), 255);
        assert_eq!(Sort::Int.wrap(1 << 40), 1 << 40);
    }
}
