//! Arithmetic, flags, selections and branches.

use wattle_logic::{Binary, Term, Unary};

use super::super::{Body, Register, Test};
use super::operand::{Named, Shift, binary, literal, shift, signed, unsigned, widened, word};
use crate::lex::Read;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sum {
    Add,
    Subtract,
}

/// What a selection does to the operand that it takes if its condition fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Select {
    Copy,
    Increment,
    Invert,
    Negate,
}

impl Sum {
    fn operator(self) -> Binary {
        match self {
            Sum::Add => Binary::Add,
            Sum::Subtract => Binary::Subtract,
        }
    }
}

pub(crate) fn sum(i: &mut Body<'_, '_>, sum: Sum, flags: bool) -> Read<()> {
    let (to, left) = (i.named()?, i.named()?);
    let right = i.flexible(to.width)?;
    add(i, Some(to), left, right, sum, flags);
    Ok(())
}

pub(crate) fn compare(i: &mut Body<'_, '_>, sum: Sum) -> Read<()> {
    let left = i.named()?;
    let right = i.flexible(left.width)?;
    add(i, None, left, right, sum, true);
    Ok(())
}

fn add(i: &mut Body<'_, '_>, to: Option<Named>, left: Named, right: Term, sum: Sum, flags: bool) {
    let width = left.width;
    let left = match width {
        64 => widened(i.read(left)),
        _ => i.read(left),
    };
    if flags {
        let value = binary(sum.operator(), signed(left.clone(), width), signed(right.clone(), width));
        i.set_flags(value, width, Some((sum, left.clone(), right.clone())));
    }
    if let Some(to) = to {
        let value = binary(sum.operator(), left, right);
        i.put(to, value);
    }
}

pub(crate) fn logical(i: &mut Body<'_, '_>, operator: Binary, inverted: bool, flags: bool) -> Read<()> {
    let (to, left) = (i.named()?, i.named()?);
    let right = i.flexible(to.width)?;
    let right = if inverted { Term::unary(Unary::Complement, right) } else { right };
    let value = binary(operator, i.read(left), right);
    if flags {
        i.set_flags(value.clone(), to.width, None);
    }
    i.put(to, value);
    Ok(())
}

pub(crate) fn test(i: &mut Body<'_, '_>) -> Read<()> {
    let left = i.named()?;
    let right = i.flexible(left.width)?;
    let value = binary(Binary::BitAnd, i.read(left), right);
    i.set_flags(value, left.width, None);
    Ok(())
}

pub(crate) fn product(i: &mut Body<'_, '_>, operator: Option<Binary>) -> Read<()> {
    let (to, left, right) = (i.named()?, i.named()?, i.named()?);
    let mut value = binary(Binary::Multiply, i.read(left), i.read(right));
    if let Some(operator) = operator {
        let start = i.named()?;
        value = binary(operator, i.read(start), value);
    }
    i.put(to, value);
    Ok(())
}

/// `MOV`, and `MVN` and `NEG` with what they do.
pub(crate) fn copy(i: &mut Body<'_, '_>, change: impl Fn(Term) -> Term) -> Read<()> {
    let to = i.named()?;
    let value = i.flexible(to.width)?;
    i.put(to, change(value));
    Ok(())
}

/// `ABS W0,W1`. A computation and no selection: nothing is picked by the sign.
pub(crate) fn absolute(i: &mut Body<'_, '_>) -> Read<()> {
    let (to, from) = (i.named()?, i.named()?);
    if from.width != to.width {
        return Err(i.cursor.expected("two registers of one width"));
    }
    let value = signed(i.read(from), from.width);
    // All ones if the value is negative, and else nothing.
    let sign = shift(value.clone(), Shift::Arithmetic, from.width - 1, from.width);
    let turned = binary(Binary::BitXor, value, sign.clone());
    i.put(to, binary(Binary::Subtract, turned, sign));
    Ok(())
}

/// `#1, LSL #16`: a number of 16 bits in its place, and the place.
pub(crate) fn halfword(i: &mut Body<'_, '_>) -> Read<(i64, u32)> {
    let value = i.immediate()?;
    let by = match i.modifier()? {
        None => 0,
        Some(super::operand::Modifier::Shift(Shift::Left, by @ (0 | 16 | 32 | 48))) => by,
        Some(_) => return Err(i.cursor.expected("`LSL` by 0, 16, 32 or 48")),
    };
    Ok((value << by, by))
}

pub(crate) fn shifted(i: &mut Body<'_, '_>, how: Shift) -> Read<()> {
    let (to, from) = (i.named()?, i.named()?);
    i.operand()?;
    if i.at_register() {
        return Err(i.unsupported("a shift by a register"));
    }
    let by = i.bare_immediate()?;
    let Some(by) = u32::try_from(by).ok().filter(|by| *by < to.width) else {
        return Err(i.cursor.expected("a shorter shift"));
    };
    let value = shift(i.read(from), how, by, to.width);
    i.put(to, value);
    Ok(())
}

pub(crate) fn extended(i: &mut Body<'_, '_>, from: u32, sign: bool) -> Read<()> {
    let (to, value) = (i.named()?, i.named()?);
    let value = i.read(value);
    let value = if sign { signed(value, from) } else { unsigned(value, from) };
    i.put(to, value);
    Ok(())
}

/// Bits `first` to `last`, moved down; or, if `last` is below `first`, bits 0 to `last`, moved up so
/// that bit 0 is where rotation to the right by `first` puts it.
pub(crate) fn bit_field(i: &mut Body<'_, '_>, sign: bool, ends: impl Fn(i64, i64) -> (i64, i64)) -> Read<()> {
    let (to, from) = (i.named()?, i.named()?);
    let (first, second) = (i.immediate()?, i.immediate()?);
    let (first, last) = ends(first, second);
    let inside = |bit: i64| u32::try_from(bit).ok().filter(|bit| *bit < to.width);
    let (Some(first), Some(last)) = (inside(first), inside(last)) else {
        return Err(i.cursor.expected("bits of the register"));
    };
    let value = i.read(from);
    let (moved, bits, up) = match last >= first {
        true => (shift(value, Shift::Right, first, to.width), last - first + 1, 0),
        false => (value, last + 1, to.width - first),
    };
    let field = if sign { signed(moved, bits) } else { unsigned(moved, bits) };
    let value = shift(field, Shift::Left, up, 64);
    i.put(to, value);
    Ok(())
}

/// Turn the bytes of each part of so many bits round; of the whole register if nothing is said.
pub(crate) fn reverse(i: &mut Body<'_, '_>, part: Option<u32>) -> Read<()> {
    let (to, from) = (i.named()?, i.named()?);
    let part = part.unwrap_or(to.width);
    let value = i.read(from);
    let mut turned = word(0);
    for byte in 0..to.width / 8 {
        let (group, inside) = (byte * 8 / part * part, byte * 8 % part);
        let moved = shift(value.clone(), Shift::Right, byte * 8, to.width);
        let moved = shift(unsigned(moved, 8), Shift::Left, group + part - 8 - inside, 64);
        turned = binary(Binary::BitOr, turned, moved);
    }
    i.put(to, turned);
    Ok(())
}

// Flags and what they decide.

const NEGATIVE: &str = "$N";
const ZERO: &str = "$Z";
const CARRY: &str = "$C";
const OVERFLOW: &str = "$V";

impl Body<'_, '_> {
    /// Set the flags for a value that was computed, from a sum or not.
    pub(super) fn set_flags(&mut self, value: Term, width: u32, sum: Option<(Sum, Term, Term)>) {
        let value = signed(value, width);
        let below_zero = |term: Term| binary(Binary::Less, term, Term::int(0));
        let (carry, overflow) = match sum {
            None => (Term::bool(false), Term::bool(false)),
            Some((sum, left, right)) => {
                let xor = |left: Term, right: Term| binary(Binary::BitXor, left, right);
                let (a, b) = (signed(left.clone(), width), signed(right.clone(), width));
                let differs = match sum {
                    Sum::Subtract => xor(a.clone(), b),
                    Sum::Add => xor(b, value.clone()),
                };
                let overflow = below_zero(binary(Binary::BitAnd, differs, xor(a, value.clone())));
                // Unsigned order is signed order with the highest bits turned over.
                let turned = |term: Term| match width {
                    64 => xor(word(i64::MIN), term),
                    _ => unsigned(term, width),
                };
                let carry = match sum {
                    Sum::Subtract => binary(Binary::GreaterEqual, turned(left), turned(right)),
                    Sum::Add => binary(Binary::Less, turned(value.clone()), turned(left)),
                };
                (carry, overflow)
            }
        };
        let zero = value.clone().equals(Term::int(0));
        for (name, term) in
            [(NEGATIVE, below_zero(value)), (ZERO, zero), (CARRY, carry), (OVERFLOW, overflow)]
        {
            let flag = Register::Local(self.names.hidden_truth(self.thread, name));
            self.set(flag, term);
        }
    }

    fn flag_is(&mut self, name: &'static str) -> Term {
        let local = self.names.hidden_truth(self.thread, name);
        self.names.threads[self.thread].term(local)
    }

    fn condition(&mut self, condition: Condition) -> Term {
        let flag = match condition.question {
            Question::Zero => self.flag_is(ZERO),
            Question::Carry => self.flag_is(CARRY),
            Question::Negative => self.flag_is(NEGATIVE),
            Question::Overflow => self.flag_is(OVERFLOW),
            Question::Higher => self.flag_is(CARRY).and(self.flag_is(ZERO).negated()),
            Question::AtLeast => self.flag_is(NEGATIVE).equals(self.flag_is(OVERFLOW)),
            Question::Greater => {
                let at_least = self.flag_is(NEGATIVE).equals(self.flag_is(OVERFLOW));
                at_least.and(self.flag_is(ZERO).negated())
            }
        };
        if condition.negated { flag.negated() } else { flag }
    }

    fn condition_operand(&mut self) -> Read<Condition> {
        self.operand()?;
        let before = self.cursor;
        match self.cursor.word().and_then(condition_code) {
            Some(condition) => Ok(condition),
            None => {
                self.cursor = before;
                Err(self.cursor.expected("a condition, such as `EQ`"))
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Zero,
    Carry,
    Negative,
    Overflow,
    Higher,
    AtLeast,
    Greater,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    question: Question,
    negated: bool,
}

pub(crate) fn condition_code(name: &str) -> Option<Condition> {
    const CODES: [(&str, Question, bool); 16] = [
        ("eq", Question::Zero, false),
        ("ne", Question::Zero, true),
        ("cs", Question::Carry, false),
        ("hs", Question::Carry, false),
        ("cc", Question::Carry, true),
        ("lo", Question::Carry, true),
        ("mi", Question::Negative, false),
        ("pl", Question::Negative, true),
        ("vs", Question::Overflow, false),
        ("vc", Question::Overflow, true),
        ("hi", Question::Higher, false),
        ("ls", Question::Higher, true),
        ("ge", Question::AtLeast, false),
        ("lt", Question::AtLeast, true),
        ("gt", Question::Greater, false),
        ("le", Question::Greater, true),
    ];
    let found = CODES.iter().find(|(code, ..)| name.eq_ignore_ascii_case(code))?;
    Some(Condition { question: found.1, negated: found.2 })
}

fn changed(term: Term, how: Select) -> Term {
    match how {
        Select::Copy => term,
        Select::Increment => binary(Binary::Add, term, Term::int(1)),
        Select::Invert => Term::unary(Unary::Complement, term),
        Select::Negate => binary(Binary::Subtract, Term::int(0), term),
    }
}

/// `CSEL X0,X1,X2,EQ`
pub(crate) fn select(i: &mut Body<'_, '_>, how: Select) -> Read<()> {
    let (to, then, otherwise) = (i.named()?, i.named()?, i.named()?);
    let condition = i.condition_operand()?;
    let condition = i.condition(condition);
    let (then, otherwise) = (i.read(then), changed(i.read(otherwise), how));
    choose(i, to, condition, then, otherwise);
    Ok(())
}

/// `CINC X0,X1,EQ`: changed if the condition holds.
pub(crate) fn select_one(i: &mut Body<'_, '_>, how: Select) -> Read<()> {
    let (to, from) = (i.named()?, i.named()?);
    let condition = i.condition_operand()?;
    let condition = i.condition(condition);
    let from = i.read(from);
    choose(i, to, condition, changed(from.clone(), how), from);
    Ok(())
}

/// `CSET X0,EQ`
pub(crate) fn select_constant(i: &mut Body<'_, '_>, value: i64) -> Read<()> {
    let to = i.named()?;
    let condition = i.condition_operand()?;
    let condition = i.condition(condition);
    choose(i, to, condition, Term::int(value), Term::int(0));
    Ok(())
}

fn choose(i: &mut Body<'_, '_>, to: Named, condition: Term, then: Term, otherwise: Term) {
    // The sort of a selection is that of its first branch, which may be a literal's.
    let then = if literal(&then).is_some() { then } else { widened(then) };
    i.put(to, Term::if_then_else(condition, then, otherwise));
}

// Branches.

pub(crate) fn conditional_branch(i: &mut Body<'_, '_>) -> Read<()> {
    let code = i.mnemonic.get(1..).unwrap_or("").trim_start_matches('.');
    let Some(condition) = condition_code(code) else {
        return Err(i.cursor.expected("a branch with a condition, such as `B.EQ`"));
    };
    let label = i.label()?;
    let holds = i.condition(condition);
    let fails = i.condition(Condition { negated: !condition.negated, ..condition });
    i.branch_if(holds, fails, label);
    Ok(())
}

pub(crate) fn branch_on_zero(i: &mut Body<'_, '_>, operator: Binary) -> Read<()> {
    let named = i.named()?;
    let label = i.label()?;
    let value = i.read(named);
    let zero = i.int(0);
    i.branch(Test::signed(operator), (value, zero), label);
    Ok(())
}

pub(crate) fn branch_on_bit(i: &mut Body<'_, '_>, operator: Binary) -> Read<()> {
    let named = i.named()?;
    let bit = i.immediate()?;
    if !(0..i64::from(named.width)).contains(&bit) {
        return Err(i.cursor.expected("a bit of the register"));
    }
    let label = i.label()?;
    let value = unsigned(shift(i.read(named), Shift::Right, bit as u32, named.width), 1);
    let zero = i.int(0);
    i.branch(Test::signed(operator), (value, zero), label);
    Ok(())
}
