//! What one operation makes of facts: by trying all values where they are few, by intervals otherwise.

use wattle_logic::{Binary, Fault, Sort, Unary, Value, apply_binary, apply_unary};
use wattle_program::Shape;
use wattle_program::symbolic::{Expr, Node};

use super::{Fact, Facts};
use crate::unroll::structure::Structure;

/// More pairs of values than this are not tried.
const MOST_TRIES: usize = 256;

impl Facts {
    /// The fact of an expression from those of its operands.
    pub(super) fn evaluate(&self, structure: &Structure<'_>, expr: Expr) -> Fact {
        let shape = structure.arena.shape();
        let of = |expr: Expr| &self.exprs[expr.0 as usize];
        match structure.arena.node(expr) {
            Node::Constant(value) => Fact::one(value),
            // A step that is given up leaves the expressions of its reads behind, unused.
            Node::Read(event) => self.reads.get(event as usize).cloned().unwrap_or_else(Fact::nothing),
            Node::Cell(cell) => self.cell(structure, cell),
            Node::If(condition, then, otherwise) => {
                match (of(condition).may_be(0), of(condition).may_be_true()) {
                    (true, true) => of(then).join(of(otherwise)),
                    (true, false) => of(otherwise).clone(),
                    (false, true) => of(then).clone(),
                    (false, false) => Fact::nothing(),
                }
            }
            Node::Binary(operator, _, left, right) if operator.is_logical() => {
                logical(operator, of(left), of(right))
            }
            Node::Unary(operator, sort, operand) => {
                let operand = of(operand);
                tried(&[operand], |values| unary(operator, sort, values[0]))
                    .unwrap_or_else(|| unary_range(operator, sort, operand))
            }
            Node::Binary(operator, sort, left, right) => {
                let (left, right) = (of(left), of(right));
                tried(&[left, right], |values| binary(shape, operator, sort, values[0], values[1]))
                    .unwrap_or_else(|| binary_range(shape, operator, sort, left, right))
            }
            Node::Wrap(sort, operand) => {
                let operand = of(operand);
                tried(&[operand], |values| Ok(sort.wrap(values[0])))
                    .unwrap_or_else(|| in_sort(sort, operand.bounds().map(wide)))
            }
            Node::Element(base, index, length) => {
                let (base, index) = (of(base), of(index));
                let length = i64::from(length);
                let element = |values: &[i64]| match (0..length).contains(&values[1]) {
                    true => Ok(values[0] * length + values[1]),
                    false => Err(Fault::OutOfBounds),
                };
                tried(&[base, index], element).unwrap_or_else(|| {
                    let last = shape.locations.len() as i64;
                    let (low, high) = base.bounds().unwrap_or((0, last));
                    let (low, high) = (low.clamp(0, last), high.clamp(0, last));
                    let (first, final_) = index.bounds().unwrap_or((0, length - 1));
                    Fact::between(
                        low * length + first.clamp(0, length - 1),
                        high * length + final_.clamp(0, length - 1),
                    )
                })
            }
            Node::Number(location) => {
                let location = of(location);
                let number =
                    |location: i64| shape.number(u32::try_from(location).map_err(|_| Fault::OutOfBounds)?);
                tried(&[location], |values| number(values[0])).unwrap_or_else(|| {
                    let last = shape.locations.len() as i64 - 1;
                    let (low, high) = location.bounds().unwrap_or((0, last));
                    match (number(low.clamp(0, last)), number(high.clamp(0, last))) {
                        (Ok(low), Ok(high)) => Fact::between(low, high),
                        _ => Fact::nothing(),
                    }
                })
            }
            Node::Pointer(number) => tried(&[of(number)], |values| shape.pointer(values[0]).map(i64::from))
                .unwrap_or_else(|| Fact::between(0, shape.locations.len() as i64 - 1)),
            Node::Content(first, location) => {
                let locations = 0..shape.locations.len() as u32;
                let possible = locations.filter(|number| of(location).may_be(i64::from(*number)));
                possible
                    .map(|number| self.cell(structure, first + number))
                    .fold(Fact::nothing(), |all, fact| all.join(&fact))
            }
        }
    }

    fn cell(&self, structure: &Structure<'_>, cell: u32) -> Fact {
        if let Some(content) = self.contents.get(&cell) {
            return content.clone();
        }
        match structure.inputs.get(cell as usize) {
            Some(input) => Fact::between(input.low, input.high),
            None => Fact::Unbounded,
        }
    }
}

fn unary(operator: Unary, sort: Sort, operand: i64) -> Result<i64, Fault> {
    match operator {
        Unary::Not => Ok(i64::from(operand == 0)),
        _ => apply_unary(operator, &Value::Int(operand), sort)?.code().ok_or(Fault::Meaningless),
    }
}

fn binary(shape: &Shape, operator: Binary, sort: Sort, left: i64, right: i64) -> Result<i64, Fault> {
    match operator {
        Binary::Offset => match left.checked_add(right) {
            Some(moved) if (0..shape.locations.len() as i64).contains(&moved) => Ok(moved),
            _ => Err(Fault::OutOfBounds),
        },
        // A shift by an impossible distance has no result; one whose result is too large is too large.
        Binary::ShiftLeft | Binary::ShiftRight
            if !(0..63).contains(&right) && (right < 0 || operator == Binary::ShiftLeft) =>
        {
            Err(Fault::OutOfBounds)
        }
        _ => apply_binary(operator, &Value::Int(left), &Value::Int(right), sort)?
            .code()
            .ok_or(Fault::Meaningless),
    }
}

/// All results of an operation, where its operands have few values.
fn tried(operands: &[&Fact], operation: impl Fn(&[i64]) -> Result<i64, Fault>) -> Option<Fact> {
    let sets: Option<Vec<&[i64]>> = (operands.iter())
        .map(|fact| match fact {
            Fact::Among(values) => Some(&**values),
            _ => None,
        })
        .collect();
    let sets = sets?;
    if sets.iter().any(|set| set.is_empty()) {
        return Some(Fact::nothing());
    }
    if sets.iter().map(|set| set.len()).product::<usize>() > MOST_TRIES {
        return None;
    }
    let mut results = Vec::new();
    let second: &[i64] = sets.get(1).copied().unwrap_or(&[0]);
    for left in sets[0] {
        for right in second {
            match operation(&[*left, *right]) {
                Ok(value) => results.push(value),
                Err(Fault::Overflow | Fault::Meaningless) => return Some(Fact::Unbounded),
                Err(_) => {}
            }
        }
    }
    Some(Fact::among(results))
}

fn logical(operator: Binary, left: &Fact, right: &Fact) -> Fact {
    let (left_false, left_true) = (left.may_be(0), left.may_be_true());
    let (right_false, right_true) = (right.may_be(0), right.may_be_true());
    match operator {
        Binary::And => Fact::truth(left_false || right_false, left_true && right_true),
        Binary::Or => Fact::truth(left_false && right_false, left_true || right_true),
        _ => Fact::truth(left_true && right_false, left_false || right_true),
    }
}

type Interval = (i128, i128);

fn wide((low, high): (i64, i64)) -> Interval {
    (i128::from(low), i128::from(high))
}

/// What is left of an interval in a sort.
fn in_sort(sort: Sort, interval: Option<Interval>) -> Fact {
    let range = match sort {
        Sort::Bits { width, signed } => {
            let width = u32::from(width);
            if width >= 64 {
                wide((i64::MIN, i64::MAX))
            } else if signed {
                (-(1 << (width - 1)), (1 << (width - 1)) - 1)
            } else {
                (0, (1 << width) - 1)
            }
        }
        _ => wide((i64::MIN, i64::MAX)),
    };
    let fits = interval.filter(|(low, high)| range.0 <= *low && *high <= range.1);
    match (fits, sort) {
        (Some((low, high)), _) => Fact::between(low as i64, high as i64),
        (None, Sort::Bits { .. }) => Fact::between(range.0 as i64, range.1 as i64),
        (None, _) => Fact::Unbounded,
    }
}

fn unary_range(operator: Unary, sort: Sort, operand: &Fact) -> Fact {
    let Some((low, high)) = operand.bounds().map(wide) else {
        return match operator {
            Unary::Not => Fact::truth(true, true),
            _ => in_sort(sort, None),
        };
    };
    match operator {
        Unary::Not => Fact::truth(operand.may_be_true(), operand.may_be(0)),
        Unary::Negate => in_sort(sort, Some((-high, -low))),
        Unary::Complement => in_sort(sort, Some((!high, !low))),
    }
}

fn binary_range(shape: &Shape, operator: Binary, sort: Sort, left: &Fact, right: &Fact) -> Fact {
    use Binary::*;
    if left.is_nothing() || right.is_nothing() {
        return Fact::nothing();
    }
    let both = left.bounds().map(wide).zip(right.bounds().map(wide));
    if operator.is_comparison() {
        return both.map_or_else(|| Fact::truth(true, true), |(a, b)| compared(operator, left, right, a, b));
    }
    let Some((a, b)) = both else {
        return match operator {
            Offset => Fact::between(0, shape.locations.len() as i64 - 1),
            _ => in_sort(sort, None),
        };
    };
    let corners = |of: &dyn Fn(i128, i128) -> i128, b: Interval| {
        let all = [of(a.0, b.0), of(a.0, b.1), of(a.1, b.0), of(a.1, b.1)];
        (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
    };
    let largest = |(low, high): Interval| low.abs().max(high.abs());
    let interval = match operator {
        Add => (a.0 + b.0, a.1 + b.1),
        Subtract => (a.0 - b.1, a.1 - b.0),
        Multiply => corners(&|a, b| a * b, b),
        Divide => {
            let most = largest(a);
            let low = if a.0 >= 0 && b.0 >= 0 { 0 } else { -most };
            (low, most)
        }
        Remainder => {
            let most = largest(a).min((largest(b) - 1).max(0));
            (if a.0 < 0 { -most } else { 0 }, if a.1 > 0 { most } else { 0 })
        }
        BitAnd if a.0 >= 0 && b.0 >= 0 => (0, a.1.min(b.1)),
        BitAnd if a.0 >= 0 => (0, a.1),
        BitAnd if b.0 >= 0 => (0, b.1),
        BitAnd | BitOr | BitXor => {
            let bits = |value: i128| 128 - (if value < 0 { !value } else { value }).leading_zeros();
            let width = bits(a.0).max(bits(a.1)).max(bits(b.0)).max(bits(b.1));
            let low = if a.0 >= 0 && b.0 >= 0 { 0 } else { -(1 << width) };
            (low, (1 << width) - 1)
        }
        ShiftLeft => corners(&|a, b| a << b, (b.0.clamp(0, 62), b.1.clamp(0, 62))),
        ShiftRight => corners(&|a, b| a >> b, (b.0.clamp(0, 63), b.1.clamp(0, 63))),
        Offset => {
            let last = shape.locations.len() as i128 - 1;
            ((a.0 + b.0).clamp(0, last), (a.1 + b.1).clamp(0, last))
        }
        _ => return Fact::Unbounded,
    };
    in_sort(sort, Some(interval))
}

fn compared(operator: Binary, left: &Fact, right: &Fact, a: Interval, b: Interval) -> Fact {
    let one_value = a.0 == a.1 && a == b;
    // (may be false, may be true)
    match operator {
        Binary::Equal => Fact::truth(!one_value, left.meets(right)),
        Binary::NotEqual => Fact::truth(left.meets(right), !one_value),
        Binary::Less => Fact::truth(a.1 >= b.0, a.0 < b.1),
        Binary::LessEqual => Fact::truth(a.1 > b.0, a.0 <= b.1),
        Binary::Greater => Fact::truth(a.0 <= b.1, a.1 > b.0),
        _ => Fact::truth(a.0 < b.1, a.1 >= b.0),
    }
}
