//! Power.
//!
//! `cr0` to `cr7` are what was compared last: an unsigned comparison keeps values whose signed order
//! is the unsigned one of its operands, so that branches need not know. As base of an indexed access,
//! and in `addi`, `r0` is the number 0.

use wattle_logic::{Binary, Term, Unary};
use wattle_program::{Orders, Tags, Vocabulary};

use super::{Architecture, Body, Flags, Lower, Register, Suffix, Test, tagged};
use crate::Language;
use crate::lex::Read;
use crate::names::word;
use crate::sizes::AddressSize;

pub(crate) const LANGUAGE: Language = Language {
    name: "PPC",
    vocabulary: Vocabulary::Ppc,
    canonical,
    wraps: true,
    addresses: AddressSize::Either,
    program: |cursor, names| super::program(cursor, names, &ARCHITECTURE),
};

static ARCHITECTURE: Architecture =
    Architecture { instructions: INSTRUCTIONS, split, zero: None, narrow: false, word: 32, parts: false };

const REGISTERS: [&str; 32] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
    "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30",
    "r31",
];

fn canonical(name: &str) -> Option<&str> {
    let number: usize = name.strip_prefix(['r', 'R'])?.parse().ok()?;
    REGISTERS.get(number).copied()
}

const FLAGS: [Flags; 8] = [
    Flags { left: "$cr0.left", right: "$cr0.right" },
    Flags { left: "$cr1.left", right: "$cr1.right" },
    Flags { left: "$cr2.left", right: "$cr2.right" },
    Flags { left: "$cr3.left", right: "$cr3.right" },
    Flags { left: "$cr4.left", right: "$cr4.right" },
    Flags { left: "$cr5.left", right: "$cr5.right" },
    Flags { left: "$cr6.left", right: "$cr6.right" },
    Flags { left: "$cr7.left", right: "$cr7.right" },
];

/// A dot at the end compares the result with 0.
fn split(mnemonic: &str) -> (&str, Suffix) {
    match mnemonic.strip_suffix('.') {
        Some(base) => (base, Suffix { compares: true, ..Suffix::default() }),
        None => (mnemonic, Suffix::default()),
    }
}

const LWSYNC: Orders = Orders(Orders::RR.0 | Orders::RW.0 | Orders::WW.0);

static INSTRUCTIONS: &[(&str, Lower)] = &[
    ("add", |i| three(i, Binary::Add)),
    ("addi", |i| add_immediate(i, 0)),
    ("addis", |i| add_immediate(i, 16)),
    ("and", |i| three(i, Binary::BitAnd)),
    ("andc", |i| {
        let (to, left, right) = (i.register()?, i.register()?, i.register()?);
        let (left, right) = (i.value(left), i.value(right));
        let right = i.operate_on(Unary::Complement, right);
        result(i, to, Term::binary(Binary::BitAnd, left, right))
    }),
    ("andi", |i| immediate(i, Binary::BitAnd, 0)),
    ("andis", |i| immediate(i, Binary::BitAnd, 16)),
    ("b", |i| {
        let label = i.label()?;
        i.jump(label);
        Ok(())
    }),
    ("beq", |i| branch(i, Binary::Equal)),
    ("bge", |i| branch(i, Binary::GreaterEqual)),
    ("bgt", |i| branch(i, Binary::Greater)),
    ("ble", |i| branch(i, Binary::LessEqual)),
    ("blt", |i| branch(i, Binary::Less)),
    ("bne", |i| branch(i, Binary::NotEqual)),
    ("bng", |i| branch(i, Binary::LessEqual)),
    ("bnl", |i| branch(i, Binary::GreaterEqual)),
    ("clrldi", |i| {
        let (to, from, count) = (i.register()?, i.register()?, i.immediate()?);
        if !(0..64).contains(&count) {
            return Err(i.malformed("it clears 0 to 63 bits"));
        }
        let kept = (u64::MAX >> count) as i64;
        let value = Term::binary(Binary::BitAnd, i.value(from), Term::int(kept));
        result(i, to, value)
    }),
    ("cmpd", |i| compare(i, false, |_, value| value)),
    ("cmpdi", |i| compare(i, true, |_, value| value)),
    ("cmpld", |i| compare(i, false, |_, value| Term::binary(Binary::BitXor, value, Term::int(i64::MIN)))),
    ("cmpldi", |i| compare(i, true, |_, value| Term::binary(Binary::BitXor, value, Term::int(i64::MIN)))),
    ("cmplw", |i| compare(i, false, |wide, value| if wide { word(value, false) } else { value })),
    ("cmplwi", |i| compare(i, true, |wide, value| if wide { word(value, false) } else { value })),
    ("cmpw", |i| compare(i, false, |wide, value| if wide { word(value, true) } else { value })),
    ("cmpwi", |i| compare(i, true, |wide, value| if wide { word(value, true) } else { value })),
    ("dcbf", |i| {
        // Caches are no part of the memory models.
        let _ = (i.register()?, i.register()?);
        Ok(())
    }),
    ("eieio", |i| fence(i, "EIEIO", Orders::WW, false)),
    ("extsw", |i| {
        let (to, from) = (i.register()?, i.register()?);
        let value = i.value(from);
        let value = if i.names.wide { word(value, true) } else { value };
        result(i, to, value)
    }),
    ("hwsync", |i| fence(i, "SYNC", Orders::ALL, true)),
    ("isync", |i| fence(i, "ISYNC", Orders::NONE, false)),
    ("lbz", |i| load(i, BYTE, Offset)),
    ("lbzx", |i| load(i, BYTE, Indexed)),
    ("ld", |i| load(i, DOUBLE, Offset)),
    ("ldarx", |i| load_exclusive(i, DOUBLE)),
    ("ldu", |i| load(i, DOUBLE, Update)),
    ("ldx", |i| load(i, DOUBLE, Indexed)),
    ("lha", |i| load(i, HALF, Offset)),
    ("lhz", |i| load(i, HALF, Offset)),
    ("lhzx", |i| load(i, HALF, Indexed)),
    ("li", |i| {
        let (to, value) = (i.register()?, i.immediate()?);
        result(i, to, Term::int(value))
    }),
    ("lis", |i| {
        let (to, value) = (i.register()?, i.immediate()?);
        i.names.leaves = true;
        result(i, to, Term::int(value.wrapping_shl(16)))
    }),
    ("lwa", |i| load(i, SIGNED_WORD, Offset)),
    ("lwarx", |i| load_exclusive(i, WORD)),
    ("lwax", |i| load(i, SIGNED_WORD, Indexed)),
    ("lwsync", |i| fence(i, "LWSYNC", LWSYNC, true)),
    ("lwz", |i| load(i, WORD, Offset)),
    ("lwzu", |i| load(i, WORD, Update)),
    ("lwzx", |i| load(i, WORD, Indexed)),
    ("mr", |i| {
        let (to, from) = (i.register()?, i.register()?);
        let value = i.value(from);
        result(i, to, value)
    }),
    ("mulld", |i| three(i, Binary::Multiply)),
    ("mulli", |i| immediate(i, Binary::Multiply, 0)),
    ("mullw", |i| three(i, Binary::Multiply)),
    ("nand", |i| complement(i, Binary::BitAnd)),
    ("neg", |i| one(i, Unary::Negate)),
    ("nop", |_| Ok(())),
    ("nor", |i| complement(i, Binary::BitOr)),
    ("not", |i| one(i, Unary::Complement)),
    ("or", |i| three(i, Binary::BitOr)),
    ("ori", |i| immediate(i, Binary::BitOr, 0)),
    ("oris", |i| immediate(i, Binary::BitOr, 16)),
    ("rlwimi", |i| {
        rotate(i, |i, to, rotated, mask| {
            let kept = Term::binary(Binary::BitAnd, i.value(to), Term::int(!mask));
            Term::binary(Binary::BitOr, Term::binary(Binary::BitAnd, rotated, Term::int(mask)), kept)
        })
    }),
    ("rlwinm", |i| rotate(i, |_, _, rotated, mask| Term::binary(Binary::BitAnd, rotated, Term::int(mask)))),
    ("slwi", |i| {
        let (to, from, by) = (i.register()?, i.register()?, i.immediate()?);
        let rotated = rotated(i, from, by)?;
        let mask = (i64::from(u32::MAX) << by) & i64::from(u32::MAX);
        result(i, to, Term::binary(Binary::BitAnd, rotated, Term::int(mask)))
    }),
    ("srawi", |i| {
        let (to, from, by) = (i.register()?, i.register()?, i.immediate()?);
        let value = i.value(from);
        let value = if i.names.wide { word(value, true) } else { value };
        let by = i.int(by.clamp(0, 31));
        result(i, to, Term::binary(Binary::ShiftRight, value, by))
    }),
    ("srwi", |i| {
        let (to, from, by) = (i.register()?, i.register()?, i.immediate()?);
        let rotated = rotated(i, from, (32 - by) % 32)?;
        result(i, to, Term::binary(Binary::BitAnd, rotated, Term::int(i64::from(u32::MAX) >> by)))
    }),
    ("stb", |i| store(i, BYTE, Offset)),
    ("stbx", |i| store(i, BYTE, Indexed)),
    ("std", |i| store(i, DOUBLE, Offset)),
    ("stdcx", |i| store_conditional(i, DOUBLE)),
    ("stdu", |i| store(i, DOUBLE, Update)),
    ("stdx", |i| store(i, DOUBLE, Indexed)),
    ("sth", |i| store(i, HALF, Offset)),
    ("sthx", |i| store(i, HALF, Indexed)),
    ("stw", |i| store(i, WORD, Offset)),
    ("stwcx", |i| store_conditional(i, WORD)),
    ("stwu", |i| store(i, WORD, Update)),
    ("stwx", |i| store(i, WORD, Indexed)),
    ("sub", |i| three(i, Binary::Subtract)),
    ("subf", |i| {
        let (to, right, left) = (i.register()?, i.register()?, i.register()?);
        let (left, right) = (i.value(left), i.value(right));
        let value = i.operate(Binary::Subtract, left, right);
        result(i, to, value)
    }),
    ("subi", |i| immediate(i, Binary::Subtract, 0)),
    ("sync", |i| fence(i, "SYNC", Orders::ALL, true)),
    ("xor", |i| three(i, Binary::BitXor)),
    ("xori", |i| immediate(i, Binary::BitXor, 0)),
    ("xoris", |i| immediate(i, Binary::BitXor, 16)),
];

/// How wide an access is, and whether what is loaded has a sign.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Width(u8, bool);

const BYTE: Width = Width(8, false);
const HALF: Width = Width(16, false);
const WORD: Width = Width(32, false);
const SIGNED_WORD: Width = Width(32, true);
const DOUBLE: Width = Width(64, false);

/// How an access is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `4(r1)`
    Offset,
    /// The same, and `r1` becomes the address.
    Update,
    /// `r1,r2`
    Indexed,
}

use Form::{Indexed, Offset, Update};

/// Set the result, and compare it with 0 if the mnemonic ends with a dot.
fn result(i: &mut Body<'_, '_>, to: Register, value: Term) -> Read<()> {
    i.set(to, value);
    if i.suffix.compares {
        let (value, zero) = (i.value(to), i.int(0));
        i.compare(FLAGS[0], value, zero);
    }
    Ok(())
}

fn one(i: &mut Body<'_, '_>, operator: Unary) -> Read<()> {
    let (to, from) = (i.register()?, i.register()?);
    let value = i.value(from);
    let value = i.operate_on(operator, value);
    result(i, to, value)
}

fn three(i: &mut Body<'_, '_>, operator: Binary) -> Read<()> {
    let (to, left, right) = (i.register()?, i.register()?, i.register()?);
    let (left, right) = (i.value(left), i.value(right));
    let value = i.operate(operator, left, right);
    result(i, to, value)
}

fn complement(i: &mut Body<'_, '_>, operator: Binary) -> Read<()> {
    let (to, left, right) = (i.register()?, i.register()?, i.register()?);
    let value = Term::binary(operator, i.value(left), i.value(right));
    let value = i.operate_on(Unary::Complement, value);
    result(i, to, value)
}

fn immediate(i: &mut Body<'_, '_>, operator: Binary, shift: u32) -> Read<()> {
    let (to, left, right) = (i.register()?, i.register()?, i.immediate()?);
    i.names.leaves |= shift > 0;
    let left = i.value(left);
    let value = i.operate(operator, left, Term::int(right.wrapping_shl(shift)));
    result(i, to, value)
}

fn add_immediate(i: &mut Body<'_, '_>, shift: u32) -> Read<()> {
    let (to, left, right) = (i.register()?, base(i)?, i.immediate()?);
    i.names.leaves |= shift > 0;
    let right = Term::int(right.wrapping_shl(shift));
    let value = if left == Register::Zero { right } else { Term::binary(Binary::Add, i.value(left), right) };
    result(i, to, value)
}

/// A register, in a place where `r0` means 0.
fn base(i: &mut Body<'_, '_>) -> Read<Register> {
    i.operand()?;
    let mut ahead = i.cursor;
    if ahead.number() == Some(0) || ahead.word().and_then(canonical) == Some("r0") {
        i.cursor = ahead;
        return Ok(Register::Zero);
    }
    i.bare_register()
}

/// The lower 32 bits of a register, rotated to the left.
fn rotated(i: &mut Body<'_, '_>, from: Register, by: i64) -> Read<Term> {
    if !(0..32).contains(&by) {
        return Err(i.malformed("it shifts by 0 to 31 bits"));
    }
    i.names.leaves = true;
    let low = || Term::int(i64::from(u32::MAX));
    let value = Term::binary(Binary::BitAnd, i.value(from), low());
    let left = Term::binary(Binary::ShiftLeft, value.clone(), Term::int(by));
    let right = Term::binary(Binary::ShiftRight, value, Term::int(32 - by));
    Ok(Term::binary(Binary::BitAnd, Term::binary(Binary::BitOr, left, right), low()))
}

/// Rotate a word; what becomes of it under the mask from bit to bit is up to the instruction. Bits
/// count from the highest.
fn rotate(i: &mut Body<'_, '_>, under: fn(&Body<'_, '_>, Register, Term, i64) -> Term) -> Read<()> {
    let (to, from, by) = (i.register()?, i.register()?, i.immediate()?);
    let (first, last) = (i.immediate()?, i.immediate()?);
    if !(0..32).contains(&first) || !(0..32).contains(&last) {
        return Err(i.malformed("bits have the numbers 0 to 31"));
    }
    let (from_first, to_last) = (u32::MAX >> first, u32::MAX << (31 - last));
    let mask = if first <= last { from_first & to_last } else { from_first | to_last };
    let rotated = rotated(i, from, by)?;
    let value = under(i, to, rotated, i64::from(mask));
    result(i, to, value)
}

/// The condition register of a comparison or branch: `cr0` if none is named.
fn flags(i: &mut Body<'_, '_>) -> Read<Flags> {
    let before = i.cursor;
    let number = i.cursor.word().and_then(|word| word.strip_prefix("cr")?.parse::<usize>().ok());
    match number.and_then(|number| FLAGS.get(number)) {
        Some(flags) => {
            i.operand()?;
            Ok(*flags)
        }
        None => {
            i.cursor = before;
            Ok(FLAGS[0])
        }
    }
}

fn compare(i: &mut Body<'_, '_>, with_number: bool, kept: fn(bool, Term) -> Term) -> Read<()> {
    let flags = flags(i)?;
    let left = i.register()?;
    let right = match with_number {
        true => i.immediate().map(|number| i.int(number))?,
        false => i.register().map(|register| i.value(register))?,
    };
    let (left, wide) = (i.value(left), i.names.wide);
    i.compare(flags, kept(wide, left), kept(wide, right));
    Ok(())
}

fn branch(i: &mut Body<'_, '_>, operator: Binary) -> Read<()> {
    let flags = flags(i)?;
    let label = i.label()?;
    i.branch_on(flags, Test::signed(operator), label);
    Ok(())
}

fn fence(i: &mut Body<'_, '_>, tag: &str, orders: Orders, cumulative: bool) -> Read<()> {
    i.fence(tag, orders, cumulative);
    Ok(())
}

/// The address of an access as a number of bytes, and as the place of an access.
fn address(i: &mut Body<'_, '_>, form: Form) -> Read<(Term, Option<(Register, Term)>)> {
    match form {
        Indexed => {
            let (base, index) = (base(i)?, i.register()?);
            if base == Register::Zero {
                return Ok((i.at(index, 0), None));
            }
            let index = i.value(index);
            Ok((i.at_sum(base, index), None))
        }
        Offset | Update => {
            let (offset, base) = i.offset_and_base()?;
            let sum = |i: &Body<'_, '_>| Term::binary(Binary::Add, i.value(base), Term::int(offset));
            let update = (form == Update).then(|| (base, sum(i)));
            Ok((i.at(base, offset), update))
        }
    }
}

fn load(i: &mut Body<'_, '_>, Width(width, signed): Width, form: Form) -> Read<()> {
    let to = i.register()?;
    let (address, update) = address(i, form)?;
    i.bits = width;
    i.load(to, address, Tags::new());
    if width == 32 {
        i.extend(to, signed);
    }
    if let Some((base, address)) = update {
        if base == to {
            return Err(i.malformed("it loads into its own base"));
        }
        i.set(base, address);
    }
    Ok(())
}

fn store(i: &mut Body<'_, '_>, Width(width, _): Width, form: Form) -> Read<()> {
    let from = i.register()?;
    let (address, update) = address(i, form)?;
    let value = i.value(from);
    i.bits = width;
    i.store(address, value, Tags::new());
    if let Some((base, address)) = update {
        i.set(base, address);
    }
    Ok(())
}

fn load_exclusive(i: &mut Body<'_, '_>, Width(width, signed): Width) -> Read<()> {
    let to = i.register()?;
    let (address, _) = address(i, Indexed)?;
    i.bits = width;
    i.load_exclusive(to, address, tagged("X"));
    if width == 32 {
        i.extend(to, signed);
    }
    Ok(())
}

fn store_conditional(i: &mut Body<'_, '_>, Width(width, _): Width) -> Read<()> {
    i.bits = width;
    let from = i.register()?;
    let (address, _) = address(i, Indexed)?;
    let (value, success) = (i.value(from), i.hidden("$success"));
    i.store_conditional(success, address, value, tagged("X"));
    let (success, one) = (i.value(success), i.int(1));
    i.compare(FLAGS[0], success, one);
    Ok(())
}
