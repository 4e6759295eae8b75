//! Registers of two widths, second operands, addresses.

use wattle_logic::{Binary, Sort, Term, Value};

use super::super::{Body, Register};
use crate::lex::Read;
use crate::names::Given;

/// A register under one of its two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub register: Register,
    /// In bits.
    pub width: u32,
}

/// A way to move bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    Left,
    Right,
    Arithmetic,
    Rotate,
}

/// An address, and what the base register becomes.
pub(crate) struct Place {
    pub address: Term,
    pub update: Option<(Register, Term)>,
}

pub(crate) fn binary(operator: Binary, left: Term, right: Term) -> Term {
    Term::binary(operator, left, right)
}

pub(crate) fn word(value: i64) -> Term {
    Term::value(Value::Int(value), Sort::WORD)
}

/// The literal that a term is.
pub(crate) fn literal(term: &Term) -> Option<i64> {
    term.as_value().and_then(Value::as_int)
}

/// The lowest bits, as a number that is not negative (but for all 64).
pub(crate) fn unsigned(term: Term, width: u32) -> Term {
    if width >= 64 {
        return term;
    }
    let mask = ((1u64 << width) - 1) as i64;
    match literal(&term) {
        Some(value) => Term::int(value & mask),
        None => binary(Binary::BitAnd, word(mask), term),
    }
}

/// The lowest bits, as a number with a sign.
pub(crate) fn signed(term: Term, width: u32) -> Term {
    if width >= 64 || term.sort() == (Sort::Bits { width: width as u8, signed: true }) {
        return term;
    }
    let up = i64::from(64 - width);
    match literal(&term) {
        Some(value) => Term::int(value << up >> up),
        None => {
            let wide = binary(Binary::BitOr, word(0), term);
            let high = binary(Binary::ShiftLeft, wide, Term::int(up));
            binary(Binary::ShiftRight, high, Term::int(up))
        }
    }
}

/// The condition that two values agree in their lowest `width` bits.
pub(crate) fn same(left: Term, right: Term, width: u32) -> Term {
    let direct = |term: &Term| match literal(term) {
        Some(value) => i32::try_from(value).is_ok(),
        None => term.sort() == (Sort::Bits { width: 32, signed: true }),
    };
    if width >= 64 || (width == 32 && direct(&left) && direct(&right)) {
        return left.equals(right);
    }
    unsigned(left, width).equals(unsigned(right, width))
}

pub(crate) fn shift(term: Term, how: Shift, by: u32, width: u32) -> Term {
    if by == 0 {
        return term;
    }
    let by_term = Term::int(i64::from(by));
    match how {
        // One shift goes up to 62 places.
        Shift::Left if by == 63 => shift(shift(term, Shift::Left, 62, width), Shift::Left, 1, width),
        Shift::Left => {
            let wide = if width >= 64 { binary(Binary::BitOr, word(0), term) } else { term };
            binary(Binary::ShiftLeft, wide, by_term)
        }
        Shift::Right if width < 64 => binary(Binary::ShiftRight, unsigned(term, width), by_term),
        Shift::Right => unsigned(binary(Binary::ShiftRight, term, by_term), 64 - by),
        Shift::Arithmetic => binary(Binary::ShiftRight, signed(term, width), by_term),
        Shift::Rotate => {
            let low = shift(term.clone(), Shift::Right, by, width);
            let high = shift(unsigned(term, by), Shift::Left, width - by, 64);
            binary(Binary::BitOr, binary(Binary::BitOr, word(0), low), high)
        }
    }
}

impl Body<'_, '_> {
    /// An operand that is a register.
    pub(super) fn named(&mut self) -> Read<Named> {
        self.operand()?;
        self.bare_named()
    }

    pub(super) fn bare_named(&mut self) -> Read<Named> {
        self.cursor.blank();
        // `W%a` is the lower half of the symbolic register `%a`, which bare or as `X%a` is all of it.
        if self.cursor.ahead(1) == b'%' && matches!(self.cursor.peek(), b'X' | b'x' | b'W' | b'w') {
            let width = if matches!(self.cursor.peek(), b'W' | b'w') { 32 } else { 64 };
            self.cursor.at += 1;
            return Ok(Named { register: self.bare_register()?, width });
        }
        let mut ahead = self.cursor;
        let name = ahead.word().unwrap_or("");
        let vector = name.starts_with(['V', 'v', 'Q', 'q', 'D', 'd', 'S', 's', 'Z', 'z', 'B', 'b', 'H', 'h']);
        if vector && name.as_bytes().get(1).is_some_and(u8::is_ascii_digit) {
            return Err(self.unsupported("a vector register"));
        }
        let register = self.bare_register()?;
        let width = if name.starts_with(['W', 'w']) { 32 } else { 64 };
        // A symbolic register stands for an `X` register, and the stack pointer is one.
        let numbered = name.len() > 1 && name.as_bytes()[1].is_ascii_digit();
        if let (Register::Local(local), true) = (register, numbered) {
            self.narrow(local);
        }
        Ok(Named { register, width })
    }

    /// A register that the thread names only as `W` needs no more than 32 bits.
    fn narrow(&mut self, local: u32) {
        let whole = self.names.whole.get(self.thread).copied().unwrap_or(u32::MAX);
        let thread = &mut self.names.threads[self.thread];
        if thread.locals[local as usize].sort != Sort::WORD {
            return;
        }
        let number: u32 = thread.locals[local as usize].name[1..].parse().unwrap_or(0);
        let declared = thread.types[local as usize].sort();
        let starts_small = match thread.start[local as usize] {
            None => true,
            Some(Given::Number(value)) => i32::try_from(value).is_ok() || u32::try_from(value).is_ok(),
            Some(_) => false,
        };
        if whole >> number & 1 == 0 && declared != Sort::WORD && starts_small {
            let unsigned = declared == (Sort::Bits { width: 32, signed: false });
            thread.set_sort(local, Sort::Bits { width: 32, signed: !unsigned });
        }
    }

    /// Does this register have a local of 32 bits?
    pub(super) fn is_narrow(&self, register: Register) -> bool {
        match register {
            Register::Local(local) => {
                self.names.threads[self.thread].locals[local as usize].sort != Sort::WORD
            }
            Register::Zero => false,
        }
    }

    pub(super) fn read(&self, named: Named) -> Term {
        let value = self.value(named.register);
        let masks = named.width == 32 && named.register != Register::Zero && !self.is_narrow(named.register);
        if masks { unsigned(value, 32) } else { value }
    }

    /// Write a register. The half that the name does not cover is cleared.
    pub(super) fn put(&mut self, named: Named, value: Term) {
        let masks = named.width == 32 && !self.is_narrow(named.register);
        let value = if masks { unsigned(value, 32) } else { value };
        self.set(named.register, value);
    }

    /// A register or a number, perhaps shifted or extended: the last operand of most instructions.
    pub(super) fn flexible(&mut self, width: u32) -> Read<Term> {
        self.operand()?;
        self.cursor.blank();
        if !self.at_register() {
            let value = self.bare_immediate()?;
            let moved = match self.modifier()? {
                Some(Modifier::Shift(Shift::Left, by)) => value.wrapping_shl(by),
                Some(_) => return Err(self.cursor.expected("`LSL`")),
                None => value,
            };
            return Ok(self.int(moved));
        }
        let named = self.bare_named()?;
        let value = self.read(named);
        Ok(match self.modifier()? {
            None => value,
            Some(Modifier::Shift(how, by)) if by < named.width => shift(value, how, by, named.width),
            Some(Modifier::Shift(..)) => return Err(self.cursor.expected("a shorter shift")),
            Some(modifier @ Modifier::Extend { .. }) => extend(value, &modifier, width),
        })
    }

    /// `, LSL #2` and the like, if that follows.
    pub(super) fn modifier(&mut self) -> Read<Option<Modifier>> {
        if !self.more() {
            return Ok(None);
        }
        self.operand()?;
        let Some(name) = self.cursor.word() else { return Err(self.cursor.expected("a shift")) };
        let mut small = [0; 4];
        let small = match small.get_mut(..name.len()) {
            Some(small) => {
                small.copy_from_slice(name.as_bytes());
                small.make_ascii_lowercase();
                std::str::from_utf8(small).unwrap_or("")
            }
            None => "",
        };
        let how = match small {
            "lsl" => Ok(Shift::Left),
            "lsr" => Ok(Shift::Right),
            "asr" => Ok(Shift::Arithmetic),
            "ror" => Ok(Shift::Rotate),
            "sxtb" => Err((8, true)),
            "sxth" => Err((16, true)),
            "sxtw" => Err((32, true)),
            "sxtx" => Err((64, true)),
            "uxtb" => Err((8, false)),
            "uxth" => Err((16, false)),
            "uxtw" => Err((32, false)),
            "uxtx" => Err((64, false)),
            _ => return Err(self.cursor.expected("`LSL`, `SXTW` or another way to move bits")),
        };
        self.cursor.blank();
        let number = matches!(self.cursor.peek(), b'#') || self.cursor.peek().is_ascii_digit();
        let by = if number || how.is_ok() { self.bare_immediate()? } else { 0 };
        let Some(by) = u32::try_from(by).ok().filter(|by| *by < 64) else {
            return Err(self.cursor.expected("a shift by 0 to 63 places"));
        };
        Ok(Some(match how {
            Ok(how) => Modifier::Shift(how, by),
            Err((from, signed)) => Modifier::Extend { from, signed, by },
        }))
    }

    /// `[X1]`: the address that a register holds.
    pub(super) fn base(&mut self) -> Read<Term> {
        let place = self.place()?;
        match place.update {
            None => Ok(place.address),
            Some(_) => Err(self.cursor.expected("no update of the base register")),
        }
    }

    /// `[X1]`, `[X1,#8]`, `[X1,#8]!`, `[X1],#8`, `[X1,X2]`, `[X1,W2,SXTW #2]`
    pub(super) fn place(&mut self) -> Read<Place> {
        self.operand()?;
        self.cursor.expect(b'[')?;
        let base = self.bare_named()?;
        if base.width != 64 {
            return Err(self.cursor.expected("an `X` register as the base"));
        }
        let base = base.register;
        if self.cursor.eat(b']') {
            let address = self.at(base, 0);
            if !self.more() {
                return Ok(Place { address, update: None });
            }
            self.operand()?;
            if self.at_register() {
                return Err(self.unsupported("an update of the base by a register"));
            }
            let by = self.bare_immediate()?;
            let moved = binary(Binary::Add, self.value(base), Term::int(by));
            return Ok(Place { address, update: Some((base, moved)) });
        }
        self.cursor.expect(b',')?;
        self.cursor.blank();
        if self.at_register() {
            let index = self.bare_named()?;
            let value = self.read(index);
            let value = match self.modifier()? {
                None if index.width == 64 => value,
                Some(Modifier::Shift(Shift::Left, by)) if index.width == 64 => {
                    shift(value, Shift::Left, by, 64)
                }
                Some(modifier @ Modifier::Extend { from: 32 | 64, .. }) => extend(value, &modifier, 64),
                _ => return Err(self.cursor.expected("`LSL`, `SXTW` or `UXTW`")),
            };
            self.cursor.expect(b']')?;
            return Ok(Place { address: self.at_sum(base, value), update: None });
        }
        let by = self.bare_immediate()?;
        self.cursor.expect(b']')?;
        let address = self.at(base, by);
        let updates = self.cursor.eat(b'!');
        let update = updates.then(|| (base, binary(Binary::Add, self.value(base), Term::int(by))));
        Ok(Place { address, update })
    }
}

/// What may follow a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Modifier {
    Shift(Shift, u32),
    /// The lowest `from` bits, shifted to the left.
    Extend {
        from: u32,
        signed: bool,
        by: u32,
    },
}

fn extend(term: Term, modifier: &Modifier, width: u32) -> Term {
    let Modifier::Extend { from, signed: sign, by } = *modifier else { return term };
    let value = if sign { signed(term, from) } else { unsigned(term, from) };
    if by == 0 { value } else { shift(value, Shift::Left, by, width) }
}

/// The same value, computed with in 64 bits.
pub(crate) fn widened(term: Term) -> Term {
    match term.sort() {
        Sort::Bits { width: 64, .. } | Sort::Int => term,
        _ => binary(Binary::BitOr, word(0), term),
    }
}
