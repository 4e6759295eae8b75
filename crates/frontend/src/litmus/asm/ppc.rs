//! Power.
//!
//! `cr0` to `cr7` are what was compared last. Loads and stores of all sizes access the whole
//! location: see `docs/litmus.md`.

use wattle_logic::{Binary, Term, Unary};
use wattle_program::{Orders, Tags, Vocabulary};

use super::{Architecture, Body, Flags, Lower, Register, Suffix, Test, tagged};
use crate::litmus::Language;
use crate::litmus::lex::Read;

pub const LANGUAGE: Language = Language {
    name: "PPC",
    vocabulary: Vocabulary::Ppc,
    canonical,
    program: |cursor, names| super::program(cursor, names, &ARCHITECTURE),
};

static ARCHITECTURE: Architecture = Architecture { instructions: INSTRUCTIONS, split, zero: None };

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
    ("addi", |i| immediate(i, Binary::Add, 0)),
    ("addis", |i| immediate(i, Binary::Add, 16)),
    ("and", |i| three(i, Binary::BitAnd)),
    ("andi", |i| immediate(i, Binary::BitAnd, 0)),
    ("b", |i| {
        let label = i.label()?;
        i.jump(label);
        Ok(())
    }),
    ("beq", |i| branch(i, Test::signed(Binary::Equal))),
    ("bge", |i| branch(i, Test::signed(Binary::GreaterEqual))),
    ("bgt", |i| branch(i, Test::signed(Binary::Greater))),
    ("ble", |i| branch(i, Test::signed(Binary::LessEqual))),
    ("blt", |i| branch(i, Test::signed(Binary::Less))),
    ("bne", |i| branch(i, Test::signed(Binary::NotEqual))),
    ("cmpd", |i| compare(i, false)),
    ("cmpdi", |i| compare(i, true)),
    ("cmpw", |i| compare(i, false)),
    ("cmpwi", |i| compare(i, true)),
    ("eieio", |i| fence(i, "EIEIO", Orders::WW, false)),
    ("hwsync", |i| fence(i, "SYNC", Orders::ALL, true)),
    ("isync", |i| fence(i, "ISYNC", Orders::NONE, false)),
    ("lbz", |i| load(i, false, false)),
    ("lbzx", |i| load(i, true, false)),
    ("ld", |i| load(i, false, false)),
    ("ldarx", |i| load_exclusive(i)),
    ("ldx", |i| load(i, true, false)),
    ("lhz", |i| load(i, false, false)),
    ("lhzx", |i| load(i, true, false)),
    ("li", |i| {
        let (to, value) = (i.register()?, i.immediate()?);
        result(i, to, Term::int(value))
    }),
    ("lis", |i| {
        let (to, value) = (i.register()?, i.immediate()?);
        result(i, to, Term::int(value.wrapping_shl(16)))
    }),
    ("lwarx", |i| load_exclusive(i)),
    ("lwsync", |i| fence(i, "LWSYNC", LWSYNC, true)),
    ("lwz", |i| load(i, false, false)),
    ("lwzu", |i| load(i, false, true)),
    ("lwzx", |i| load(i, true, false)),
    ("mr", |i| {
        let (to, from) = (i.register()?, i.register()?);
        let value = i.value(from);
        result(i, to, value)
    }),
    ("mulld", |i| three(i, Binary::Multiply)),
    ("mulli", |i| immediate(i, Binary::Multiply, 0)),
    ("mullw", |i| three(i, Binary::Multiply)),
    ("nand", |i| complement(i, Binary::BitAnd)),
    ("neg", |i| {
        let (to, from) = (i.register()?, i.register()?);
        let value = Term::unary(Unary::Negate, i.value(from));
        result(i, to, value)
    }),
    ("nop", |_| Ok(())),
    ("nor", |i| complement(i, Binary::BitOr)),
    ("not", |i| {
        let (to, from) = (i.register()?, i.register()?);
        let value = Term::unary(Unary::Complement, i.value(from));
        result(i, to, value)
    }),
    ("or", |i| three(i, Binary::BitOr)),
    ("ori", |i| immediate(i, Binary::BitOr, 0)),
    ("oris", |i| immediate(i, Binary::BitOr, 16)),
    ("stb", |i| store(i, false, false)),
    ("stbx", |i| store(i, true, false)),
    ("std", |i| store(i, false, false)),
    ("stdcx", |i| store_conditional(i)),
    ("stdx", |i| store(i, true, false)),
    ("sth", |i| store(i, false, false)),
    ("sthx", |i| store(i, true, false)),
    ("stw", |i| store(i, false, false)),
    ("stwcx", |i| store_conditional(i)),
    ("stwu", |i| store(i, false, true)),
    ("stwx", |i| store(i, true, false)),
    ("sub", |i| three(i, Binary::Subtract)),
    ("subf", |i| {
        let (to, right, left) = (i.register()?, i.register()?, i.register()?);
        let value = Term::binary(Binary::Subtract, i.value(left), i.value(right));
        result(i, to, value)
    }),
    ("subi", |i| immediate(i, Binary::Subtract, 0)),
    ("sync", |i| fence(i, "SYNC", Orders::ALL, true)),
    ("xor", |i| three(i, Binary::BitXor)),
    ("xori", |i| immediate(i, Binary::BitXor, 0)),
    ("xoris", |i| immediate(i, Binary::BitXor, 16)),
];

/// Set the result, and compare it with 0 if the mnemonic ends with a dot.
fn result(i: &mut Body<'_, '_>, to: Register, value: Term) -> Read<()> {
    i.set(to, value);
    if i.suffix.compares {
        let (value, zero) = (i.value(to), i.int(0));
        i.compare(FLAGS[0], value, zero);
    }
    Ok(())
}

fn three(i: &mut Body<'_, '_>, operator: Binary) -> Read<()> {
    let (to, left, right) = (i.register()?, i.register()?, i.register()?);
    let value = Term::binary(operator, i.value(left), i.value(right));
    result(i, to, value)
}

fn complement(i: &mut Body<'_, '_>, operator: Binary) -> Read<()> {
    let (to, left, right) = (i.register()?, i.register()?, i.register()?);
    let value = Term::binary(operator, i.value(left), i.value(right));
    result(i, to, Term::unary(Unary::Complement, value))
}

fn immediate(i: &mut Body<'_, '_>, operator: Binary, shift: u32) -> Read<()> {
    let (to, left, right) = (i.register()?, i.register()?, i.immediate()?);
    let value = Term::binary(operator, i.value(left), Term::int(right.wrapping_shl(shift)));
    result(i, to, value)
}

/// The condition register of a comparison or branch: `cr0` if none is named.
fn flags(i: &mut Body<'_, '_>) -> Read<Flags> {
    let before = i.cursor;
    let number = i
        .cursor
        .word()
        .and_then(|word| word.strip_prefix("cr"))
        .and_then(|digits| digits.parse::<usize>().ok());
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

fn compare(i: &mut Body<'_, '_>, with_number: bool) -> Read<()> {
    let flags = flags(i)?;
    let left = i.register()?;
    let right = match with_number {
        true => i.immediate().map(|number| i.int(number))?,
        false => i.register().map(|register| i.value(register))?,
    };
    let left = i.value(left);
    i.compare(flags, left, right);
    Ok(())
}

fn branch(i: &mut Body<'_, '_>, test: Test) -> Read<()> {
    let flags = flags(i)?;
    let label = i.label()?;
    i.branch_on(flags, test, label);
    Ok(())
}

fn fence(i: &mut Body<'_, '_>, tag: &str, orders: Orders, cumulative: bool) -> Read<()> {
    i.fence(tag, orders, cumulative);
    Ok(())
}

/// The address of an access, and the base that an update writes.
fn address(i: &mut Body<'_, '_>, indexed: bool) -> Read<(Term, Register)> {
    if indexed {
        let (base, index) = (i.register()?, i.register()?);
        let index = i.value(index);
        return Ok((i.at_sum(base, index), base));
    }
    let (offset, base) = i.offset_and_base()?;
    Ok((i.at(base, offset), base))
}

fn load(i: &mut Body<'_, '_>, indexed: bool, update: bool) -> Read<()> {
    if update {
        return Err(i.unsupported("a load with update"));
    }
    let to = i.register()?;
    let (address, _) = address(i, indexed)?;
    i.load(to, address, Tags::new());
    Ok(())
}

fn store(i: &mut Body<'_, '_>, indexed: bool, update: bool) -> Read<()> {
    if update {
        return Err(i.unsupported("a store with update"));
    }
    let from = i.register()?;
    let (address, _) = address(i, indexed)?;
    let value = i.value(from);
    i.store(address, value, Tags::new());
    Ok(())
}

fn load_exclusive(i: &mut Body<'_, '_>) -> Read<()> {
    let to = i.register()?;
    let (address, _) = address(i, true)?;
    i.load_exclusive(to, address, tagged("X"));
    Ok(())
}

fn store_conditional(i: &mut Body<'_, '_>) -> Read<()> {
    let from = i.register()?;
    let (address, _) = address(i, true)?;
    let (value, success) = (i.value(from), i.hidden("$success"));
    i.store_conditional(success, address, value, tagged("X"));
    let (success, one) = (i.value(success), i.int(1));
    i.compare(FLAGS[0], success, one);
    Ok(())
}
