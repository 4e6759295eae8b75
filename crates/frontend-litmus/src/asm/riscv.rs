//! RISC-V.
//!
//! `x0` is 0 and swallows what is written to it. Loads and stores may carry `.aq` and `.rl`, which
//! the architecture has on atomic instructions only; tests use them as if it had.

use wattle_logic::{Binary, Term, Unary};
use wattle_program::{Orders, Tags, Vocabulary};

use super::{Architecture, Body, Lower, Register, Suffix, Test};
use crate::Language;
use crate::lex::Read;
use crate::names::word;
use crate::sizes::AddressSize;

pub(crate) const LANGUAGE: Language = Language {
    name: "RISCV",
    vocabulary: Vocabulary::Riscv,
    canonical,
    wraps: true,
    addresses: AddressSize::Double,
    program: |cursor, names| super::program(cursor, names, &ARCHITECTURE),
};

static ARCHITECTURE: Architecture = Architecture {
    instructions: INSTRUCTIONS,
    split,
    zero: Some("x0"),
    narrow: false,
    word: 32,
    parts: false,
};

/// By number, with the names of the calling convention.
const REGISTERS: [(&str, &str); 32] = [
    ("x0", "zero"),
    ("x1", "ra"),
    ("x2", "sp"),
    ("x3", "gp"),
    ("x4", "tp"),
    ("x5", "t0"),
    ("x6", "t1"),
    ("x7", "t2"),
    ("x8", "s0"),
    ("x9", "s1"),
    ("x10", "a0"),
    ("x11", "a1"),
    ("x12", "a2"),
    ("x13", "a3"),
    ("x14", "a4"),
    ("x15", "a5"),
    ("x16", "a6"),
    ("x17", "a7"),
    ("x18", "s2"),
    ("x19", "s3"),
    ("x20", "s4"),
    ("x21", "s5"),
    ("x22", "s6"),
    ("x23", "s7"),
    ("x24", "s8"),
    ("x25", "s9"),
    ("x26", "s10"),
    ("x27", "s11"),
    ("x28", "t3"),
    ("x29", "t4"),
    ("x30", "t5"),
    ("x31", "t6"),
];

fn canonical(name: &str) -> Option<&str> {
    if let Some(number) = name.strip_prefix('x').and_then(|digits| digits.parse::<usize>().ok()) {
        return REGISTERS.get(number).map(|(register, _)| *register);
    }
    let name = if name == "fp" { "s0" } else { name };
    REGISTERS.iter().find(|(_, other)| *other == name).map(|(register, _)| *register)
}

/// `.aq`, `.rl`, `.aqrl` and `.aq.rl` at the end.
fn split(mnemonic: &str) -> (&str, Suffix) {
    let mut suffix = Suffix::default();
    let mut base = mnemonic;
    loop {
        if let Some(rest) = base.strip_suffix(".aqrl") {
            (suffix.acquire, suffix.release, base) = (true, true, rest);
        } else if let Some(rest) = base.strip_suffix(".aq") {
            (suffix.acquire, base) = (true, rest);
        } else if let Some(rest) = base.strip_suffix(".rl") {
            (suffix.release, base) = (true, rest);
        } else {
            return (base, suffix);
        }
    }
}

static INSTRUCTIONS: &[(&str, Lower)] = &[
    ("add", |i| three(i, Binary::Add, false)),
    ("addi", |i| immediate(i, Binary::Add, false)),
    ("addiw", |i| immediate(i, Binary::Add, true)),
    ("addw", |i| three(i, Binary::Add, true)),
    ("amoadd.d", |i| atomic(i, |_, old, new| Term::binary(Binary::Add, old, new))),
    ("amoadd.w", |i| atomic(i, |_, old, new| Term::binary(Binary::Add, old, new))),
    ("amoand.d", |i| atomic(i, |_, old, new| Term::binary(Binary::BitAnd, old, new))),
    ("amoand.w", |i| atomic(i, |_, old, new| Term::binary(Binary::BitAnd, old, new))),
    ("amomax.d", |i| atomic(i, |_, old, new| choose(Test::signed(Binary::Less), old, new))),
    ("amomax.w", |i| atomic(i, |_, old, new| choose(Test::signed(Binary::Less), old, new))),
    ("amomaxu.d", |i| atomic(i, |_, old, new| choose(Test::unsigned(Binary::Less), old, new))),
    ("amomaxu.w", |i| atomic(i, |_, old, new| choose(Test::unsigned(Binary::Less), old, new))),
    ("amomin.d", |i| atomic(i, |_, old, new| choose(Test::signed(Binary::Greater), old, new))),
    ("amomin.w", |i| atomic(i, |_, old, new| choose(Test::signed(Binary::Greater), old, new))),
    ("amominu.d", |i| atomic(i, |_, old, new| choose(Test::unsigned(Binary::Greater), old, new))),
    ("amominu.w", |i| atomic(i, |_, old, new| choose(Test::unsigned(Binary::Greater), old, new))),
    ("amoor.d", |i| atomic(i, |_, old, new| Term::binary(Binary::BitOr, old, new))),
    ("amoor.w", |i| atomic(i, |_, old, new| Term::binary(Binary::BitOr, old, new))),
    ("amoswap.d", |i| atomic(i, |_, _, new| new)),
    ("amoswap.w", |i| atomic(i, |_, _, new| new)),
    ("amoxor.d", |i| atomic(i, |_, old, new| Term::binary(Binary::BitXor, old, new))),
    ("amoxor.w", |i| atomic(i, |_, old, new| Term::binary(Binary::BitXor, old, new))),
    ("and", |i| three(i, Binary::BitAnd, false)),
    ("andi", |i| immediate(i, Binary::BitAnd, false)),
    ("beq", |i| branch(i, Test::signed(Binary::Equal))),
    ("beqz", |i| branch_on_zero(i, Binary::Equal)),
    ("bge", |i| branch(i, Test::signed(Binary::GreaterEqual))),
    ("bgeu", |i| branch(i, Test::unsigned(Binary::GreaterEqual))),
    ("bgez", |i| branch_on_zero(i, Binary::GreaterEqual)),
    ("bgt", |i| branch(i, Test::signed(Binary::Greater))),
    ("bgtu", |i| branch(i, Test::unsigned(Binary::Greater))),
    ("bgtz", |i| branch_on_zero(i, Binary::Greater)),
    ("ble", |i| branch(i, Test::signed(Binary::LessEqual))),
    ("bleu", |i| branch(i, Test::unsigned(Binary::LessEqual))),
    ("blez", |i| branch_on_zero(i, Binary::LessEqual)),
    ("blt", |i| branch(i, Test::signed(Binary::Less))),
    ("bltu", |i| branch(i, Test::unsigned(Binary::Less))),
    ("bltz", |i| branch_on_zero(i, Binary::Less)),
    ("bne", |i| branch(i, Test::signed(Binary::NotEqual))),
    ("bnez", |i| branch_on_zero(i, Binary::NotEqual)),
    ("fence", fence),
    ("fence.i", |i| {
        i.fence("Fence.i", Orders::NONE, false);
        Ok(())
    }),
    ("fence.tso", |i| {
        i.fence("Fence.tso", Orders(Orders::RR.0 | Orders::RW.0 | Orders::WW.0), false);
        Ok(())
    }),
    ("j", |i| {
        let label = i.label()?;
        i.jump(label);
        Ok(())
    }),
    ("lb", |i| load(i, 8, true)),
    ("lbu", |i| load(i, 8, false)),
    ("ld", |i| load(i, 64, true)),
    ("lh", |i| load(i, 16, true)),
    ("lhu", |i| load(i, 16, false)),
    ("li", |i| {
        let (to, value) = (i.register()?, i.immediate()?);
        i.set(to, Term::int(value));
        Ok(())
    }),
    ("lr.d", load_reserved),
    ("lr.w", load_reserved),
    ("lui", |i| {
        let (to, value) = (i.register()?, i.immediate()?);
        i.names.leaves = true;
        i.set(to, Term::int(i64::from((value << 12) as i32)));
        Ok(())
    }),
    ("lw", |i| load(i, 32, true)),
    ("lwu", |i| load(i, 32, false)),
    ("mul", |i| three(i, Binary::Multiply, false)),
    ("mv", |i| {
        let (to, from) = (i.register()?, i.register()?);
        let value = i.value(from);
        i.set(to, value);
        Ok(())
    }),
    ("neg", |i| one(i, Unary::Negate)),
    ("nop", |_| Ok(())),
    ("not", |i| one(i, Unary::Complement)),
    ("or", |i| three(i, Binary::BitOr, false)),
    ("ori", |i| immediate(i, Binary::BitOr, false)),
    ("sb", |i| store(i, 8)),
    ("sc.d", store_conditional),
    ("sc.w", store_conditional),
    ("sd", |i| store(i, 64)),
    ("seqz", |i| {
        let (to, from) = (i.register()?, i.register()?);
        let (value, zero) = (i.value(from), i.int(0));
        set_if(i, to, Test::signed(Binary::Equal), value, zero)
    }),
    ("sext.w", |i| {
        let (to, from) = (i.register()?, i.register()?);
        let value = i.value(from);
        i.set(to, value);
        i.extend(to, true);
        Ok(())
    }),
    ("sh", |i| store(i, 16)),
    ("sll", |i| three(i, Binary::ShiftLeft, false)),
    ("slli", |i| shift(i, Binary::ShiftLeft)),
    ("slt", |i| compare(i, Test::signed(Binary::Less))),
    ("slti", |i| compare_with_number(i, Test::signed(Binary::Less))),
    ("sltiu", |i| compare_with_number(i, Test::unsigned(Binary::Less))),
    ("sltu", |i| compare(i, Test::unsigned(Binary::Less))),
    ("snez", |i| {
        let (to, from) = (i.register()?, i.register()?);
        let (value, zero) = (i.value(from), i.int(0));
        set_if(i, to, Test::signed(Binary::NotEqual), value, zero)
    }),
    ("sra", |i| three(i, Binary::ShiftRight, false)),
    ("srai", |i| shift(i, Binary::ShiftRight)),
    ("srli", |i| {
        let (to, from, by) = (i.register()?, i.register()?, i.immediate()?);
        if !(1..64).contains(&by) {
            return Err(i.malformed("it shifts by 1 to 63 bits"));
        }
        let shifted = Term::binary(Binary::ShiftRight, i.value(from), Term::int(by));
        i.set(to, Term::binary(Binary::BitAnd, shifted, Term::int((u64::MAX >> by) as i64)));
        Ok(())
    }),
    ("sub", |i| three(i, Binary::Subtract, false)),
    ("subw", |i| three(i, Binary::Subtract, true)),
    ("sw", |i| store(i, 32)),
    ("xor", |i| three(i, Binary::BitXor, false)),
    ("xori", |i| immediate(i, Binary::BitXor, false)),
];

/// `set` of a result of 64 bits, or of 32 with a sign.
fn result(i: &mut Body<'_, '_>, to: Register, value: Term, narrow: bool) -> Read<()> {
    let value = if narrow && i.names.wide { word(value, true) } else { value };
    i.set(to, value);
    Ok(())
}

fn one(i: &mut Body<'_, '_>, operator: Unary) -> Read<()> {
    let (to, from) = (i.register()?, i.register()?);
    let value = i.value(from);
    let value = i.operate_on(operator, value);
    result(i, to, value, false)
}

fn three(i: &mut Body<'_, '_>, operator: Binary, narrow: bool) -> Read<()> {
    let (to, left, right) = (i.register()?, i.register()?, i.register()?);
    let (left, right) = (i.value(left), i.value(right));
    let value = i.operate(operator, left, right);
    result(i, to, value, narrow)
}

fn immediate(i: &mut Body<'_, '_>, operator: Binary, narrow: bool) -> Read<()> {
    let (to, left, right) = (i.register()?, i.register()?, i.immediate()?);
    let value = match left {
        // How tests write a number into a register.
        Register::Zero if matches!(operator, Binary::Add | Binary::BitOr | Binary::BitXor) => {
            Term::int(right)
        }
        _ => Term::binary(operator, i.value(left), Term::int(right)),
    };
    result(i, to, value, narrow)
}

fn shift(i: &mut Body<'_, '_>, operator: Binary) -> Read<()> {
    let (to, from, by) = (i.register()?, i.register()?, i.immediate()?);
    if !(0..64).contains(&by) {
        return Err(i.malformed("it shifts by 0 to 63 bits"));
    }
    let value = i.value(from);
    let value = i.operate(operator, value, Term::int(by));
    result(i, to, value, false)
}

fn set_if(i: &mut Body<'_, '_>, to: Register, test: Test, left: Term, right: Term) -> Read<()> {
    let value = Term::if_then_else(test.term(left, right), i.int(1), i.int(0));
    result(i, to, value, false)
}

fn compare(i: &mut Body<'_, '_>, test: Test) -> Read<()> {
    let (to, left, right) = (i.register()?, i.register()?, i.register()?);
    let (left, right) = (i.value(left), i.value(right));
    set_if(i, to, test, left, right)
}

fn compare_with_number(i: &mut Body<'_, '_>, test: Test) -> Read<()> {
    let (to, left, right) = (i.register()?, i.register()?, i.immediate()?);
    let (left, right) = (i.value(left), i.int(right));
    set_if(i, to, test, left, right)
}

fn branch(i: &mut Body<'_, '_>, test: Test) -> Read<()> {
    let (left, right, label) = (i.register()?, i.register()?, i.label()?);
    let values = (i.value(left), i.value(right));
    i.branch(test, values, label);
    Ok(())
}

fn branch_on_zero(i: &mut Body<'_, '_>, operator: Binary) -> Read<()> {
    let (left, label) = (i.register()?, i.label()?);
    let values = (i.value(left), i.int(0));
    i.branch(Test::signed(operator), values, label);
    Ok(())
}

/// The marks of an access: what its ending says of it, and others.
fn tags(acquire: bool, release: bool, others: &[&str]) -> Tags {
    let order = match (acquire, release) {
        (true, true) => Some("AcqRel"),
        (true, false) => Some("Acq"),
        (false, true) => Some("Rel"),
        (false, false) => None,
    };
    order.iter().chain(others).map(|tag| (*tag).into()).collect()
}

fn own_tags(i: &Body<'_, '_>, others: &[&str]) -> Tags {
    tags(i.suffix.acquire, i.suffix.release, others)
}

fn load(i: &mut Body<'_, '_>, width: u8, signed: bool) -> Read<()> {
    let (to, (offset, base)) = (i.register()?, i.offset_and_base()?);
    let (address, tags) = (i.at(base, offset), own_tags(i, &[]));
    i.bits = width;
    i.load(to, address, tags);
    if width == 32 {
        i.extend(to, signed);
    }
    Ok(())
}

fn store(i: &mut Body<'_, '_>, width: u8) -> Read<()> {
    let (from, (offset, base)) = (i.register()?, i.offset_and_base()?);
    let (address, value, tags) = (i.at(base, offset), i.value(from), own_tags(i, &[]));
    i.bits = width;
    i.store(address, value, tags);
    Ok(())
}

fn load_reserved(i: &mut Body<'_, '_>) -> Read<()> {
    let (to, (offset, base)) = (i.register()?, i.offset_and_base()?);
    let (address, tags) = (i.at(base, offset), own_tags(i, &["X"]));
    i.bits = atomic_bits(i);
    i.load_exclusive(to, address, tags);
    if i.bits == 32 {
        i.extend(to, true);
    }
    Ok(())
}

/// The register becomes 0 if the store happens.
fn store_conditional(i: &mut Body<'_, '_>) -> Read<()> {
    let (to, from, (offset, base)) = (i.register()?, i.register()?, i.offset_and_base()?);
    let (address, value, tags) = (i.at(base, offset), i.value(from), own_tags(i, &["X"]));
    let success = i.hidden("$success");
    i.bits = atomic_bits(i);
    i.store_conditional(success, address, value, tags);
    let failure = Term::binary(Binary::Subtract, Term::int(1), i.value(success));
    i.set(to, failure);
    Ok(())
}

/// An atomic operation acquires with its read and releases with its write.
fn atomic(i: &mut Body<'_, '_>, new: fn(&mut Body<'_, '_>, Term, Term) -> Term) -> Read<()> {
    let (to, from, (offset, base)) = (i.register()?, i.register()?, i.offset_and_base()?);
    let (address, operand) = (i.at(base, offset), i.value(from));
    let Suffix { acquire, release, .. } = i.suffix;
    i.bits = atomic_bits(i);
    let others = ["AMO", "X"];
    let read = tags(acquire, acquire && release, &others);
    let write = tags(acquire && release, release, &others);
    i.atomic(Some(to), &address, (read, write), |i, old| new(i, old, operand));
    if i.bits == 32 {
        i.extend(to, true);
    }
    Ok(())
}

/// `.w` or `.d` behind the name of an atomic instruction.
fn atomic_bits(i: &Body<'_, '_>) -> u8 {
    if i.mnemonic.to_ascii_lowercase().contains(".d") { 64 } else { 32 }
}

/// The new value if the old one compares with it so, or else the old one.
fn choose(test: Test, old: Term, new: Term) -> Term {
    Term::if_then_else(test.term(old.clone(), new.clone()), new, old)
}

/// `fence r,rw`. Devices are no part of the memory model, so `iorw` is `rw`.
fn fence(i: &mut Body<'_, '_>) -> Read<()> {
    if !i.more() {
        i.fence("Fence.rw.rw", Orders::ALL, false);
        return Ok(());
    }
    let (before, after) = (accesses(i)?, accesses(i)?);
    let mut orders = Orders::NONE;
    let sides = |(reads, writes): (bool, bool)| [reads, writes];
    for (first, order) in sides(before).into_iter().zip([[Orders::RR, Orders::RW], [Orders::WR, Orders::WW]])
    {
        for (second, order) in sides(after).into_iter().zip(order) {
            if first && second {
                orders = orders.union(order);
            }
        }
    }
    let name = |accesses| match accesses {
        (true, true) => "rw",
        (true, false) => "r",
        _ => "w",
    };
    i.fence(&format!("Fence.{}.{}", name(before), name(after)), orders, false);
    Ok(())
}

fn accesses(i: &mut Body<'_, '_>) -> Read<(bool, bool)> {
    let (kinds, _) = i.label()?;
    if kinds.is_empty() || kinds.bytes().any(|kind| !b"iorw".contains(&kind)) {
        return Err(i.malformed("it orders `r`, `w` or `rw`"));
    }
    let has = |kind: char| kinds.contains(kind);
    if !has('r') && !has('w') {
        return Err(i.unsupported("a fence for devices only"));
    }
    Ok((has('r'), has('w')))
}
