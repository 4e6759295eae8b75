//! Symbolic values: what a thread computes from what it reads.
//!
//! A path of a thread is run before anything is known about what its reads return; its addresses,
//! stored values, guards and final locals are expressions over the reads, numbered along the path.
//! Values are the codes of `Value::code`. Equal expressions are one node, and nodes are folded when
//! they are made: `r ^ r` is 0 whatever `r` is, so that the false dependencies of litmus tests leave
//! constants behind. A fold never drops an operand that may fault.
//!
//! Dependencies are those of the terms as written ([`Terms`]). [`operations`] is what an edge does, for
//! engines that run threads on such values; the judge of executions uses nothing of this module.

mod conventions;
mod defined;
pub mod formula;
pub mod operations;
mod terms;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::Shape;
use wattle_logic::{Binary, Fault, Sort, Unary, Value, apply_binary, apply_unary};

pub use conventions::Conventions;
pub use defined::Need;
pub use terms::{Known, Sources, Terms};

/// The position of a node in its [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(pub u32);

/// The reads of one path, by number modulo [`MOST_READS`].
pub type Reads = u128;

/// From this many reads on, [`Arena::reads`] mixes reads up.
pub const MOST_READS: u32 = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Constant(i64),
    /// What the read with this number on the path returns.
    Read(u32),
    /// A free variable that is no read: a cell of a final state, a choice.
    Cell(u32),
    Unary(Unary, Sort, Expr),
    Binary(Binary, Sort, Expr, Expr),
    If(Expr, Expr, Expr),
    /// An integer as a cell of this sort holds it.
    Wrap(Sort, Expr),
    /// One more index of an array: the location so far, the index, and the length of the dimension.
    Element(Expr, Expr, u32),
    Number(Expr),
    Pointer(Expr),
    /// What memory holds in the end at this location; contents are cells from this number on.
    Content(u32, Expr),
}

/// A fast hash for small keys.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_i64(&mut self, value: i64) {
        self.write_u64(value as u64);
    }
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
}

pub type Table<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

#[derive(Clone, Copy, Debug)]
struct Info {
    node: Node,
    reads: Reads,
    /// Does it have a value whatever the reads return?
    total: bool,
}

pub struct Arena<'a> {
    shape: &'a Shape,
    infos: Vec<Info>,
    table: Table<Node, Expr>,
}

impl std::fmt::Debug for Arena<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Arena").field("nodes", &self.infos.len()).finish_non_exhaustive()
    }
}

impl<'a> Arena<'a> {
    pub fn new(shape: &'a Shape) -> Arena<'a> {
        Arena { shape, infos: Vec::with_capacity(64), table: Table::default() }
    }

    pub fn shape(&self) -> &'a Shape {
        self.shape
    }

    pub fn constant(&mut self, value: i64) -> Expr {
        self.add(Node::Constant(value), 0, true)
    }

    pub fn read(&mut self, number: u32) -> Expr {
        self.add(Node::Read(number), 1 << (number % MOST_READS), true)
    }

    pub fn cell(&mut self, cell: u32) -> Expr {
        self.add(Node::Cell(cell), 0, true)
    }

    pub fn content(&mut self, first: u32, location: Expr) -> Expr {
        let inside = self
            .value(location)
            .and_then(|location| u32::try_from(location).ok())
            .filter(|location| (*location as usize) < self.shape.locations.len());
        match inside {
            Some(location) => self.cell(first + location),
            None => self.composed(Node::Content(first, location), &[location], false),
        }
    }

    pub fn node(&self, expr: Expr) -> Node {
        self.infos[expr.0 as usize].node
    }

    /// How many expressions there are: their numbers are below this.
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// The value that an expression has whatever the reads return.
    pub fn value(&self, expr: Expr) -> Option<i64> {
        match self.infos[expr.0 as usize].node {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The reads that the value really depends on.
    pub fn reads(&self, expr: Expr) -> Reads {
        self.infos[expr.0 as usize].reads
    }

    pub fn is_total(&self, expr: Expr) -> bool {
        self.infos[expr.0 as usize].total
    }

    fn add(&mut self, node: Node, reads: Reads, total: bool) -> Expr {
        if let Some(known) = self.table.get(&node) {
            return *known;
        }
        let expr = Expr(self.infos.len() as u32);
        self.infos.push(Info { node, reads, total });
        self.table.insert(node, expr);
        expr
    }

    /// A node that is total if its operands are and its operator is.
    fn composed(&mut self, node: Node, operands: &[Expr], total: bool) -> Expr {
        let all = operands.iter().all(|operand| self.is_total(*operand));
        let reads = operands.iter().fold(0, |sum, operand| sum | self.reads(*operand));
        self.add(node, reads, total && all)
    }

    pub fn unary(&mut self, operator: Unary, sort: Sort, operand: Expr) -> Expr {
        if let Some(value) = self.value(operand)
            && let Ok(value) = unary(operator, sort, value)
        {
            return self.constant(value);
        }
        if let (Unary::Not, Node::Unary(Unary::Not, _, inner)) =
            (operator, self.infos[operand.0 as usize].node)
        {
            return inner;
        }
        let total = operator != Unary::Negate || sort != Sort::Int;
        self.composed(Node::Unary(operator, sort, operand), &[operand], total)
    }

    pub fn binary(&mut self, operator: Binary, sort: Sort, left: Expr, right: Expr) -> Expr {
        use Binary::*;
        // Two comparisons are enough, so that opposite conditions are seen to be opposite.
        match operator {
            NotEqual => return self.negated(Equal, left, right),
            Greater => return self.binary(Less, sort, right, left),
            GreaterEqual => return self.negated(Less, left, right),
            LessEqual => return self.negated(Less, right, left),
            _ => {}
        }
        let (a, b) = (self.value(left), self.value(right));
        if let (Some(a), Some(b)) = (a, b)
            && let Ok(value) = self.apply(operator, sort, a, b)
        {
            return self.constant(value);
        }
        if left == right && self.is_total(left) {
            match operator {
                BitXor | Subtract | Less => return self.constant(0),
                Equal | Implies => return self.constant(1),
                And | Or => return left,
                _ => {}
            }
        }
        if self.are_opposite(left, right) && self.is_total(left) && self.is_total(right) {
            match operator {
                And => return self.constant(0),
                Or => return self.constant(1),
                _ => {}
            }
        }
        match (operator, a, b) {
            (BitAnd | Multiply, Some(0), _) if self.is_total(right) => return self.constant(0),
            (BitAnd | Multiply, _, Some(0)) if self.is_total(left) => return self.constant(0),
            (Add | BitOr | BitXor, Some(0), _) => return self.wrap(sort, right),
            (Add | Subtract | BitOr | BitXor | ShiftLeft | ShiftRight, _, Some(0)) => {
                return self.wrap(sort, left);
            }
            (And, Some(0), _) if self.is_total(right) => return self.constant(0),
            (And, _, Some(0)) if self.is_total(left) => return self.constant(0),
            (Or, Some(1), _) if self.is_total(right) => return self.constant(1),
            (Or, _, Some(1)) if self.is_total(left) => return self.constant(1),
            (And, Some(1), _) | (Or, Some(0), _) | (Implies, Some(1), _) => return right,
            (And, _, Some(1)) | (Or, _, Some(0)) => return left,
            _ => {}
        }
        let total = match operator {
            Divide | Remainder | ShiftLeft | ShiftRight | Offset | Insert | Member => false,
            Add | Subtract | Multiply => sort != Sort::Int,
            _ => true,
        };
        self.composed(Node::Binary(operator, sort, left, right), &[left, right], total)
    }

    fn negated(&mut self, operator: Binary, left: Expr, right: Expr) -> Expr {
        let inner = self.binary(operator, Sort::Bool, left, right);
        self.unary(Unary::Not, Sort::Bool, inner)
    }

    /// Is one the negation of the other?
    pub fn are_opposite(&self, left: Expr, right: Expr) -> bool {
        let negates = |a, b| matches!(self.node(a), Node::Unary(Unary::Not, _, inner) if inner == b);
        negates(left, right) || negates(right, left)
    }

    pub fn choice(&mut self, condition: Expr, then: Expr, otherwise: Expr) -> Expr {
        if let Node::Unary(Unary::Not, _, inner) = self.node(condition) {
            return self.choice(inner, otherwise, then);
        }
        match self.value(condition) {
            Some(0) => return otherwise,
            Some(_) => return then,
            None => {}
        }
        match (self.value(then), self.value(otherwise)) {
            (Some(1), Some(0)) => return condition,
            (Some(0), Some(1)) => return self.unary(Unary::Not, Sort::Bool, condition),
            _ => {}
        }
        if then == otherwise && self.is_total(condition) {
            return then;
        }
        self.composed(Node::If(condition, then, otherwise), &[condition, then, otherwise], true)
    }

    pub fn wrap(&mut self, sort: Sort, operand: Expr) -> Expr {
        match sort {
            Sort::Bits { width, .. } if width < 64 => match self.value(operand) {
                Some(value) => self.constant(sort.wrap(value)),
                None if self.is_wrapped(operand, sort) => operand,
                None => self.composed(Node::Wrap(sort, operand), &[operand], true),
            },
            _ => operand,
        }
    }

    /// Is the operator one that wraps its result already?
    fn is_wrapped(&self, operand: Expr, sort: Sort) -> bool {
        match self.node(operand) {
            Node::Wrap(other, _) => other == sort,
            Node::Unary(Unary::Negate | Unary::Complement, other, _) => other == sort,
            Node::Binary(operator, other, ..) => {
                let integer = !operator.is_comparison() && !operator.is_logical();
                integer && other == sort && operator != Binary::Offset
            }
            _ => false,
        }
    }

    pub fn element(&mut self, base: Expr, index: Expr, length: u32) -> Expr {
        if let (Some(base), Some(index)) = (self.value(base), self.value(index))
            && let Ok(location) = element(base, index, length)
        {
            return self.constant(location);
        }
        self.composed(Node::Element(base, index, length), &[base, index], false)
    }

    pub fn number(&mut self, location: Expr) -> Expr {
        if let Some(value) = self.value(location)
            && let Ok(number) = number(self.shape, value)
        {
            return self.constant(number);
        }
        self.composed(Node::Number(location), &[location], false)
    }

    pub fn pointer(&mut self, number: Expr) -> Expr {
        if let Some(value) = self.value(number)
            && let Ok(location) = self.shape.pointer(value)
        {
            return self.constant(i64::from(location));
        }
        if let Node::Number(location) = self.infos[number.0 as usize].node {
            return location;
        }
        self.composed(Node::Pointer(number), &[number], false)
    }

    /// `low <= operand <= high`
    pub fn between(&mut self, operand: Expr, low: i64, high: i64) -> Expr {
        let low = self.constant(low);
        let high = self.constant(high);
        let above = self.binary(Binary::LessEqual, Sort::Bool, low, operand);
        let below = self.binary(Binary::LessEqual, Sort::Bool, operand, high);
        self.binary(Binary::And, Sort::Bool, above, below)
    }

    /// The value of an expression, given what the reads returned and the cells of a final state.
    pub fn evaluate(&self, expr: Expr, reads: &[i64], cells: &[i64]) -> Result<i64, Fault> {
        let value = |expr| self.evaluate(expr, reads, cells);
        match self.infos[expr.0 as usize].node {
            Node::Constant(value) => Ok(value),
            Node::Read(number) => Ok(reads[number as usize]),
            Node::Cell(cell) => Ok(cells[cell as usize]),
            Node::Unary(operator, sort, operand) => unary(operator, sort, value(operand)?),
            Node::Binary(operator, sort, left, right) => {
                let left = value(left)?;
                self.apply(operator, sort, left, value(right)?)
            }
            Node::If(condition, then, otherwise) => {
                if value(condition)? != 0 {
                    value(then)
                } else {
                    value(otherwise)
                }
            }
            Node::Wrap(sort, operand) => Ok(sort.wrap(value(operand)?)),
            Node::Element(base, index, length) => {
                let base = value(base)?;
                element(base, value(index)?, length)
            }
            Node::Number(location) => number(self.shape, value(location)?),
            Node::Pointer(number) => self.shape.pointer(value(number)?).map(i64::from),
            Node::Content(first, location) => {
                let location = usize::try_from(value(location)?).map_err(|_| Fault::OutOfBounds)?;
                cells.get(first as usize + location).copied().ok_or(Fault::OutOfBounds)
            }
        }
    }

    /// The value of every expression, by its number. Unlike in [`Arena::evaluate`], a fault in an
    /// operand that does not matter is none: `false && fault` is false. So an expression may be
    /// guarded, in one conjunction, by the condition under which it has a value.
    pub fn evaluate_all(&self, reads: &[i64], cells: &[i64]) -> Vec<Result<i64, Fault>> {
        let mut values: Vec<Result<i64, Fault>> = Vec::with_capacity(self.infos.len());
        for info in &self.infos {
            let of = |expr: Expr| values[expr.0 as usize];
            let get = |from: &[i64], at: u32| from.get(at as usize).copied().ok_or(Fault::Meaningless);
            let value = match info.node {
                Node::Constant(value) => Ok(value),
                Node::Read(number) => get(reads, number),
                Node::Cell(cell) => get(cells, cell),
                Node::Unary(operator, sort, operand) => {
                    of(operand).and_then(|operand| unary(operator, sort, operand))
                }
                Node::Binary(operator, sort, left, right) => match (operator, of(left), of(right)) {
                    (Binary::And, Ok(0), _) | (Binary::And, _, Ok(0)) => Ok(0),
                    (Binary::Or, Ok(1), _) | (Binary::Or, _, Ok(1)) => Ok(1),
                    (Binary::Implies, Ok(0), _) | (Binary::Implies, _, Ok(1)) => Ok(1),
                    (_, left, right) => {
                        left.and_then(|left| right.and_then(|right| self.apply(operator, sort, left, right)))
                    }
                },
                Node::If(condition, then, otherwise) => {
                    of(condition).and_then(|holds| if holds != 0 { of(then) } else { of(otherwise) })
                }
                Node::Wrap(sort, operand) => of(operand).map(|operand| sort.wrap(operand)),
                Node::Element(base, index, length) => {
                    of(base).and_then(|base| of(index).and_then(|index| element(base, index, length)))
                }
                Node::Number(location) => of(location).and_then(|location| number(self.shape, location)),
                Node::Pointer(number) => {
                    of(number).and_then(|number| self.shape.pointer(number).map(i64::from))
                }
                Node::Content(first, location) => of(location).and_then(|location| {
                    let location = u32::try_from(location).map_err(|_| Fault::OutOfBounds)?;
                    cells.get((first + location) as usize).copied().ok_or(Fault::OutOfBounds)
                }),
            };
            values.push(value);
        }
        values
    }

    fn apply(&self, operator: Binary, sort: Sort, a: i64, b: i64) -> Result<i64, Fault> {
        let code = |value: bool| Ok(i64::from(value));
        match operator {
            Binary::Equal => code(a == b),
            Binary::NotEqual => code(a != b),
            Binary::And => code(a != 0 && b != 0),
            Binary::Or => code(a != 0 || b != 0),
            Binary::Implies => code(a == 0 || b != 0),
            Binary::Offset => {
                let moved = a.checked_add(b).ok_or(Fault::OutOfBounds)?;
                let inside = usize::try_from(moved).is_ok_and(|moved| moved < self.shape.locations.len());
                if inside { Ok(moved) } else { Err(Fault::OutOfBounds) }
            }
            _ => {
                let value = apply_binary(operator, &Value::Int(a), &Value::Int(b), sort)?;
                value.code().ok_or(Fault::Meaningless)
            }
        }
    }
}

fn unary(operator: Unary, sort: Sort, operand: i64) -> Result<i64, Fault> {
    match operator {
        Unary::Not => Ok(i64::from(operand == 0)),
        _ => apply_unary(operator, &Value::Int(operand), sort)?.code().ok_or(Fault::Meaningless),
    }
}

fn element(base: i64, index: i64, length: u32) -> Result<i64, Fault> {
    match u32::try_from(index) {
        Ok(index) if index < length => Ok(base * i64::from(length) + i64::from(index)),
        _ => Err(Fault::OutOfBounds),
    }
}

fn number(shape: &Shape, location: i64) -> Result<i64, Fault> {
    shape.number(u32::try_from(location).map_err(|_| Fault::OutOfBounds)?)
}
