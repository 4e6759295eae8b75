//! ARM, 32 bits.
//!
//! A condition at the end of a mnemonic makes an instruction between registers keep the old value if
//! it does not hold. Conditional accesses to memory are not supported: they would put control
//! dependencies on themselves only, which no edge of a program can say.

use wattle_logic::{Binary, Term, Unary};
use wattle_program::{Orders, Tags, Vocabulary};

use super::{Architecture, Body, Flags, Lower, Register, Suffix, Test, tagged};
use crate::Language;
use crate::lex::Read;
use crate::sizes::AddressSize;

pub(crate) const LANGUAGE: Language = Language {
    name: "ARM",
    vocabulary: Vocabulary::Arm,
    canonical,
    wraps: true,
    addresses: AddressSize::Word,
    program: |cursor, names| super::program(cursor, names, &ARCHITECTURE),
};

static ARCHITECTURE: Architecture =
    Architecture { instructions: INSTRUCTIONS, split, zero: None, narrow: true, word: 32, parts: false };

const REGISTERS: [&str; 16] =
    ["R0", "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"];

const ALIASES: [(&str, &str); 6] =
    [("FP", "R11"), ("IP", "R12"), ("SP", "R13"), ("LR", "R14"), ("SL", "R10"), ("SB", "R9")];

fn canonical(name: &str) -> Option<&str> {
    let number = name.strip_prefix(['R', 'r']).and_then(|digits| digits.parse::<usize>().ok());
    if let Some(number) = number {
        return REGISTERS.get(number).copied();
    }
    ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map(|(_, register)| *register)
}

const FLAGS: Flags = Flags { left: "$flags.left", right: "$flags.right" };

/// An `s` compares the result with 0, and two letters at the end are a condition.
fn split(mnemonic: &str) -> (&str, Suffix) {
    let known = |base: &str| INSTRUCTIONS.binary_search_by(|(name, _)| (*name).cmp(base)).is_ok();
    let mut suffix = Suffix::default();
    let mut base = mnemonic;
    if let Some(at) = base.len().checked_sub(2).filter(|at| base.is_char_boundary(*at))
        && let Some(condition) = condition(&base[at..])
    {
        let rest = &base[..at];
        if known(rest) || rest.strip_suffix('s').is_some_and(known) {
            suffix.condition = condition;
            base = rest;
        }
    }
    if let Some(rest) = base.strip_suffix('s').filter(|rest| !known(base) && known(rest)) {
        suffix.compares = true;
        base = rest;
    }
    (base, suffix)
}

/// `al` is a condition that always holds.
fn condition(name: &str) -> Option<Option<Test>> {
    Some(Some(match name {
        "al" => return Some(None),
        "eq" => Test::signed(Binary::Equal),
        "ne" => Test::signed(Binary::NotEqual),
        "lt" | "mi" => Test::signed(Binary::Less),
        "ge" | "pl" => Test::signed(Binary::GreaterEqual),
        "le" => Test::signed(Binary::LessEqual),
        "gt" => Test::signed(Binary::Greater),
        "lo" | "cc" => Test::unsigned(Binary::Less),
        "hs" | "cs" => Test::unsigned(Binary::GreaterEqual),
        "ls" => Test::unsigned(Binary::LessEqual),
        "hi" => Test::unsigned(Binary::Greater),
        _ => return None,
    }))
}

static INSTRUCTIONS: &[(&str, Lower)] = &[
    ("add", |i| three(i, Binary::Add)),
    ("and", |i| three(i, Binary::BitAnd)),
    ("b", |i| {
        let label = i.label()?;
        match i.suffix.condition {
            Some(test) => i.branch_on(FLAGS, test, label),
            None => i.jump(label),
        }
        Ok(())
    }),
    ("bic", |i| {
        let (to, left, right) = three_operands(i)?;
        let right = i.operate_on(Unary::Complement, right);
        result(i, to, Term::binary(Binary::BitAnd, left, right))
    }),
    ("bx", |i| {
        if i.suffix.condition.is_some() {
            return Err(i.unsupported("a conditional jump to a register"));
        }
        let target = i.register()?;
        i.jump_to(target);
        Ok(())
    }),
    ("cbnz", |i| branch_on_zero(i, Binary::NotEqual)),
    ("cbz", |i| branch_on_zero(i, Binary::Equal)),
    ("cmn", |i| {
        let (left, right) = (i.register()?, second(i)?);
        let (left, right) = (i.value(left), i.operate_on(Unary::Negate, right));
        compare(i, left, right)
    }),
    ("cmp", |i| {
        let (left, right) = (i.register()?, second(i)?);
        let left = i.value(left);
        compare(i, left, right)
    }),
    ("dmb", |i| barrier(i, "DMB")),
    ("dsb", |i| barrier(i, "DSB")),
    ("eor", |i| three(i, Binary::BitXor)),
    ("isb", |i| {
        if i.more() {
            let _ = i.label()?;
        }
        i.fence("ISB", Orders::NONE, false);
        Ok(())
    }),
    ("lda", |i| load(i, "A")),
    ("ldaex", |i| load_exclusive(i, &["A", "X"])),
    ("ldm", |i| load_several(i, 0)),
    ("ldmia", |i| load_several(i, 0)),
    ("ldmib", |i| load_several(i, 4)),
    ("ldr", |i| load(i, "")),
    ("ldrb", |i| of_bits(i, 8, |i| load(i, ""))),
    ("ldrd", load_two),
    ("ldrex", |i| load_exclusive(i, &["X"])),
    ("ldrh", |i| of_bits(i, 16, |i| load(i, ""))),
    ("lsl", |i| three(i, Binary::ShiftLeft)),
    ("mov", |i| {
        let (to, value) = (i.register()?, second(i)?);
        result(i, to, value)
    }),
    ("movt", |i| {
        let (to, value) = (i.register()?, i.immediate()?);
        i.names.leaves |= value != 0;
        let low = Term::binary(Binary::BitAnd, i.value(to), Term::int(0xffff));
        result(i, to, Term::binary(Binary::BitOr, low, Term::int(value << 16)))
    }),
    ("movw", |i| {
        let (to, value) = (i.register()?, second(i)?);
        result(i, to, value)
    }),
    ("mul", |i| three(i, Binary::Multiply)),
    ("mvn", |i| {
        let (to, value) = (i.register()?, second(i)?);
        let value = i.operate_on(Unary::Complement, value);
        result(i, to, value)
    }),
    ("nop", |_| Ok(())),
    ("orr", |i| three(i, Binary::BitOr)),
    ("rsb", |i| {
        let (to, left, right) = three_operands(i)?;
        let value = i.operate(Binary::Subtract, right, left);
        result(i, to, value)
    }),
    ("stl", |i| store(i, "L")),
    ("stlex", |i| store_conditional(i, &["L", "X"])),
    ("str", |i| store(i, "")),
    ("strb", |i| of_bits(i, 8, |i| store(i, ""))),
    ("strex", |i| store_conditional(i, &["X"])),
    ("strh", |i| of_bits(i, 16, |i| store(i, ""))),
    ("sub", |i| {
        let (to, left, right) = three_operands(i)?;
        if i.suffix.compares {
            unconditional(i, "comparison")?;
            i.compare(FLAGS, left.clone(), right.clone());
            i.suffix.compares = false;
        }
        let value = i.operate(Binary::Subtract, left, right);
        result(i, to, value)
    }),
    ("teq", |i| {
        let (left, right) = (i.register()?, second(i)?);
        let both = Term::binary(Binary::BitXor, i.value(left), right);
        let zero = i.int(0);
        compare(i, both, zero)
    }),
    ("tst", |i| {
        let (left, right) = (i.register()?, second(i)?);
        let both = Term::binary(Binary::BitAnd, i.value(left), right);
        let zero = i.int(0);
        compare(i, both, zero)
    }),
];

fn of_bits(i: &mut Body<'_, '_>, bits: u8, access: Lower) -> Read<()> {
    i.bits = bits;
    access(i)
}

fn unconditional(i: &Body<'_, '_>, what: &str) -> Read<()> {
    match i.suffix.condition {
        Some(_) => Err(i.unsupported(&format!("a conditional {what}"))),
        None => Ok(()),
    }
}

fn result(i: &mut Body<'_, '_>, to: Register, value: Term) -> Read<()> {
    let value = match i.suffix.condition {
        Some(test) => Term::if_then_else(i.flag(FLAGS, test), value, i.value(to)),
        None => value,
    };
    i.set(to, value);
    if i.suffix.compares {
        unconditional(i, "comparison")?;
        let (value, zero) = (i.value(to), i.int(0));
        i.compare(FLAGS, value, zero);
    }
    Ok(())
}

fn compare(i: &mut Body<'_, '_>, left: Term, right: Term) -> Read<()> {
    unconditional(i, "comparison")?;
    i.compare(FLAGS, left, right);
    Ok(())
}

/// The last operand: a number, a register, or a register that is shifted.
fn second(i: &mut Body<'_, '_>) -> Read<Term> {
    i.operand()?;
    bare_second(i)
}

fn bare_second(i: &mut Body<'_, '_>) -> Read<Term> {
    if !i.at_register() {
        return i.bare_immediate().map(|number| i.int(number));
    }
    let register = i.bare_register()?;
    let value = i.value(register);
    if !i.more() {
        return Ok(value);
    }
    i.cursor.expect(b',')?;
    if !i.cursor.eat_word("lsl") {
        return Err(i.unsupported("a shift other than `lsl`"));
    }
    let by = i.bare_immediate()?;
    Ok(i.operate(Binary::ShiftLeft, value, Term::int(by)))
}

/// `ADD R1,R2,R3`, or `ADD R1,R2` for `ADD R1,R1,R2`.
fn three_operands(i: &mut Body<'_, '_>) -> Read<(Register, Term, Term)> {
    let to = i.register()?;
    let before = i.cursor;
    i.operand()?;
    if i.at_register() {
        let left = i.bare_register()?;
        if i.more() {
            return Ok((to, i.value(left), second(i)?));
        }
    }
    i.cursor = before;
    Ok((to, i.value(to), second(i)?))
}

fn three(i: &mut Body<'_, '_>, operator: Binary) -> Read<()> {
    let (to, left, right) = three_operands(i)?;
    let value = i.operate(operator, left, right);
    result(i, to, value)
}

fn branch_on_zero(i: &mut Body<'_, '_>, operator: Binary) -> Read<()> {
    let (register, label) = (i.register()?, i.label()?);
    let values = (i.value(register), i.int(0));
    i.branch(Test::signed(operator), values, label);
    Ok(())
}

/// The whole system is meant if nothing is said. All processors of a test share one inner domain, so
/// inner, outer and whole system are the same barrier.
fn barrier(i: &mut Body<'_, '_>, name: &str) -> Read<()> {
    let option = if i.more() { i.label()?.0.to_ascii_uppercase() } else { "SY".into() };
    let (tag, orders) = match option.as_str() {
        "SY" | "ISH" | "OSH" => (name.to_owned(), Orders::ALL),
        "ST" | "ISHST" | "OSHST" => (format!("{name}.ST"), Orders::WW),
        "NSH" | "NSHST" | "NSHLD" => return Err(i.unsupported("a barrier for one processor alone (`NSH`)")),
        "LD" | "ISHLD" | "OSHLD" => return Err(i.unsupported("a barrier for loads alone (`LD`)")),
        _ => return Err(i.malformed("there is no such kind of barrier")),
    };
    i.fence(&tag, orders, false);
    Ok(())
}

/// `[R1]`, `[R1,#4]`, `[R1,R2]`, `[R1,R2,LSL #2]`, `[R1,#4]!` and `[R1],#4`: the address, and what
/// becomes of the base.
fn address(i: &mut Body<'_, '_>) -> Read<(Term, Option<(Register, Term)>)> {
    unconditional(i, "access to memory")?;
    i.operand()?;
    i.cursor.expect(b'[')?;
    let base = i.bare_register()?;
    let mut sum = None;
    if i.cursor.eat(b',') {
        let by = bare_second(i)?;
        sum = Some(Term::binary(Binary::Add, i.value(base), by));
    }
    i.cursor.expect(b']')?;
    let address = match &sum {
        Some(sum) => Term::pointer(sum.clone()),
        None => i.at(base, 0),
    };
    if i.cursor.eat(b'!') {
        let new = sum.unwrap_or_else(|| i.value(base));
        return Ok((address, Some((base, new))));
    }
    if i.more() && sum.is_none() {
        let by = second(i)?;
        let new = Term::binary(Binary::Add, i.value(base), by);
        return Ok((address, Some((base, new))));
    }
    Ok((address, None))
}

fn load(i: &mut Body<'_, '_>, tag: &str) -> Read<()> {
    let to = i.register()?;
    let (address, update) = address(i)?;
    if let Some((base, new)) = update {
        if base == to {
            return Err(i.malformed("it loads into its own base"));
        }
        i.load(to, address, tagged(tag));
        i.set(base, new);
        return Ok(());
    }
    i.load(to, address, tagged(tag));
    Ok(())
}

fn store(i: &mut Body<'_, '_>, tag: &str) -> Read<()> {
    let from = i.register()?;
    let (address, update) = address(i)?;
    let value = i.value(from);
    i.store(address, value, tagged(tag));
    if let Some((base, new)) = update {
        i.set(base, new);
    }
    Ok(())
}

fn all(tags: &[&str]) -> Tags {
    tags.iter().map(|tag| (*tag).into()).collect()
}

fn load_exclusive(i: &mut Body<'_, '_>, tags: &[&str]) -> Read<()> {
    let to = i.register()?;
    let (address, _) = address(i)?;
    i.load_exclusive(to, address, all(tags));
    i.extend(to, true);
    Ok(())
}

/// The register becomes 0 if the store happens.
fn store_conditional(i: &mut Body<'_, '_>, tags: &[&str]) -> Read<()> {
    let (to, from) = (i.register()?, i.register()?);
    let (address, _) = address(i)?;
    let (value, success) = (i.value(from), i.hidden("$success"));
    i.store_conditional(success, address, value, all(tags));
    let failure = Term::binary(Binary::Subtract, Term::int(1), i.value(success));
    i.set(to, failure);
    Ok(())
}

/// `LDRD R0,R1,[R2]`: one step that loads two words side by side.
fn load_two(i: &mut Body<'_, '_>) -> Read<()> {
    let (first, second) = (i.register()?, i.register()?);
    let (address, update) = address(i)?;
    // The second address must not see what the first load wrote.
    let (scratch, next) = (i.hidden("$first"), i.further(&address, 4));
    i.load(scratch, address, Tags::new());
    i.load(second, next, Tags::new());
    let value = i.value(scratch);
    i.set(first, value);
    if let Some((base, new)) = update {
        if base == first || base == second {
            return Err(i.malformed("it loads into its own base"));
        }
        i.set(base, new);
    }
    Ok(())
}

/// `LDM R0,{R1,R2}`: one step that loads words side by side.
fn load_several(i: &mut Body<'_, '_>, first: i64) -> Read<()> {
    unconditional(i, "access to memory")?;
    let base = i.register()?;
    if i.cursor.eat(b'!') {
        return Err(i.unsupported("`ldm` with update"));
    }
    i.operand()?;
    i.cursor.expect(b'{')?;
    let mut offset = first;
    loop {
        let to = i.bare_register()?;
        if to == base {
            return Err(i.unsupported("`ldm` into its own base"));
        }
        let address = i.at(base, offset);
        i.load(to, address, Tags::new());
        offset += 4;
        if !i.cursor.eat(b',') {
            return i.cursor.expect(b'}');
        }
    }
}
