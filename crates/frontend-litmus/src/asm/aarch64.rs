//! 64-bit ARM.
//!
//! **Registers.** A register is a local of 64 bits. `W1` is its lower half, and writing it clears the
//! upper half. Most threads name a register only as `W`; there the local has 32 bits, which saves all
//! masks: [`prepare`] looks for the others before the first instruction is read.
//!
//! **Flags** are four hidden truth values, each a term over what was compared, so that a branch depends
//! on all of it.
//!
//! **Selections** (`CSEL` and relatives) are `if` inside a term. What is selected is a data dependency;
//! the condition is only a *pick* dependency, which orders towards writes and no further.
//!
//! **Read-modify-writes.** One that throws its old value away (`STADD`, or a result in `XZR`) reads
//! without acquiring, whatever its name says: its read is in `NoRet`. `CAS` has five ways, because the
//! architecture leaves open where the register's new value comes from when the comparison succeeds
//! (from memory, or it stays), and, when it fails, whether the comparison decides it and whether what
//! was found is written back: each is an edge, and herd7 counts the executions of each too. The comparison inside is no branch: later instructions
//! do not depend on it.
//!
//! **Store exclusive** says 0 for success. Nothing depends on its status.

mod access;
mod compute;
mod operand;

use wattle_logic::{Binary, Term, Unary};
use wattle_program::{Orders, Vocabulary};

use super::table::find_cells;
use super::{Architecture, Lower, Suffix};
use crate::Language;
use crate::lex::{Cursor, Read};
use crate::names::Names;
use crate::sizes::AddressSize;
use access::{
    Acquire, barrier, compare_and_swap, fetch, load, load_exclusive, load_signed, pair, store,
    store_exclusive, swap,
};
use compute::{
    Select, Sum, absolute, bit_field, branch_on_bit, branch_on_zero, compare, condition_code,
    conditional_branch, copy, extended, halfword, logical, product, reverse, select, select_constant,
    select_one, shifted, sum, test,
};
use operand::{Shift, binary};

pub(crate) const LANGUAGE: Language = Language {
    name: "AArch64",
    vocabulary: Vocabulary::Aarch64,
    canonical,
    wraps: false,
    addresses: AddressSize::Double,
    program: |cursor, names| {
        prepare(*cursor, names)?;
        super::program(cursor, names, &ARCHITECTURE)
    },
};

static ARCHITECTURE: Architecture = Architecture {
    instructions: INSTRUCTIONS,
    split,
    zero: Some("XZR"),
    narrow: false,
    word: 0,
    parts: true,
};

const REGISTERS: [&str; 31] = [
    "X0", "X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8", "X9", "X10", "X11", "X12", "X13", "X14", "X15",
    "X16", "X17", "X18", "X19", "X20", "X21", "X22", "X23", "X24", "X25", "X26", "X27", "X28", "X29", "X30",
];

fn canonical(name: &str) -> Option<&str> {
    if name.eq_ignore_ascii_case("sp") || name.eq_ignore_ascii_case("wsp") {
        return Some("SP");
    }
    let number = name.strip_prefix(['X', 'x', 'W', 'w'])?;
    if number.eq_ignore_ascii_case("zr") {
        return Some("XZR");
    }
    REGISTERS.get(number.parse::<usize>().ok()?).copied()
}

/// Note the registers that each thread names in full.
fn prepare<'a>(mut cursor: Cursor<'a>, names: &mut Names<'a>) -> Read<()> {
    let table = find_cells(&mut cursor, names)?;
    let columns = table.threads.len();
    names.whole = vec![0; columns];
    for (position, (start, end)) in table.cells.iter().enumerate() {
        let bytes = &cursor.text.as_bytes()[*start..*end];
        for (at, byte) in bytes.iter().enumerate() {
            let begins = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
            let digit = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
            if !(matches!(byte, b'X' | b'x') && begins && digit) {
                continue;
            }
            let digits = bytes[at + 1..].iter().take(2).take_while(|byte| byte.is_ascii_digit());
            let number = digits.fold(0u32, |number, digit| number * 10 + u32::from(digit - b'0'));
            names.whole[position % columns] |= 1u32.checked_shl(number).unwrap_or(0);
        }
    }
    Ok(())
}

/// The stems of read-modify-writes, which have endings for acquire, release and size.
const ATOMICS: [&str; 18] = [
    "cas", "ldadd", "ldclr", "ldeor", "ldset", "ldsmax", "ldsmin", "ldumax", "ldumin", "stadd", "stclr",
    "steor", "stset", "stsmax", "stsmin", "stumax", "stumin", "swp",
];

fn split(mnemonic: &str) -> (&str, Suffix) {
    if mnemonic.starts_with("b.") || (mnemonic.len() == 3 && condition_code(&mnemonic[1..]).is_some()) {
        return ("b.", Suffix::default());
    }
    let sized = mnemonic.strip_suffix(['b', 'h']).unwrap_or(mnemonic);
    for (ending, acquire, release) in
        [("al", true, true), ("a", true, false), ("l", false, true), ("", false, false)]
    {
        if let Some(stem) = sized.strip_suffix(ending)
            && ATOMICS.contains(&stem)
        {
            return (stem, Suffix { acquire, release, ..Suffix::default() });
        }
    }
    (mnemonic, Suffix::default())
}

static INSTRUCTIONS: &[(&str, Lower)] = &[
    ("abs", absolute),
    ("add", |i| sum(i, Sum::Add, false)),
    ("adds", |i| sum(i, Sum::Add, true)),
    ("adr", |i| Err(i.unsupported("an address in the code"))),
    ("adrp", |i| Err(i.unsupported("an address in the code"))),
    ("and", |i| logical(i, Binary::BitAnd, false, false)),
    ("ands", |i| logical(i, Binary::BitAnd, false, true)),
    ("asr", |i| shifted(i, Shift::Arithmetic)),
    ("at", |i| Err(i.unsupported("address translation"))),
    ("b", |i| {
        let label = i.label()?;
        i.jump(label);
        Ok(())
    }),
    ("b.", conditional_branch),
    ("bic", |i| logical(i, Binary::BitAnd, true, false)),
    ("bics", |i| logical(i, Binary::BitAnd, true, true)),
    ("bl", |i| Err(i.unsupported("a call"))),
    ("blr", |i| Err(i.unsupported("a call"))),
    ("br", |i| Err(i.unsupported("a jump to a register"))),
    ("cas", compare_and_swap),
    ("casp", |i| Err(i.unsupported("an atomic access of a pair"))),
    ("caspa", |i| Err(i.unsupported("an atomic access of a pair"))),
    ("caspal", |i| Err(i.unsupported("an atomic access of a pair"))),
    ("caspl", |i| Err(i.unsupported("an atomic access of a pair"))),
    ("cbnz", |i| branch_on_zero(i, Binary::NotEqual)),
    ("cbz", |i| branch_on_zero(i, Binary::Equal)),
    ("cinc", |i| select_one(i, Select::Increment)),
    ("cinv", |i| select_one(i, Select::Invert)),
    ("cmn", |i| compare(i, Sum::Add)),
    ("cmp", |i| compare(i, Sum::Subtract)),
    ("cneg", |i| select_one(i, Select::Negate)),
    ("csel", |i| select(i, Select::Copy)),
    ("cset", |i| select_constant(i, 1)),
    ("csetm", |i| select_constant(i, -1)),
    ("csinc", |i| select(i, Select::Increment)),
    ("csinv", |i| select(i, Select::Invert)),
    ("csneg", |i| select(i, Select::Negate)),
    ("dc", |i| Err(i.unsupported("cache maintenance"))),
    ("dmb", |i| barrier(i, false)),
    ("dsb", |i| barrier(i, true)),
    ("eon", |i| logical(i, Binary::BitXor, true, false)),
    ("eor", |i| logical(i, Binary::BitXor, false, false)),
    ("eret", |i| Err(i.unsupported("an exception"))),
    ("ic", |i| Err(i.unsupported("cache maintenance"))),
    ("isb", |i| {
        if i.more() {
            i.operand()?;
            i.cursor.word();
        }
        i.fence("ISB", Orders::NONE, false);
        Ok(())
    }),
    ("ldadd", fetch),
    ("ldapr", |i| load(i, 32, Acquire::ProcessorConsistent)),
    ("ldaprb", |i| load(i, 8, Acquire::ProcessorConsistent)),
    ("ldaprh", |i| load(i, 16, Acquire::ProcessorConsistent)),
    ("ldapur", |i| load(i, 32, Acquire::ProcessorConsistent)),
    ("ldar", |i| load(i, 32, Acquire::Yes)),
    ("ldarb", |i| load(i, 8, Acquire::Yes)),
    ("ldarh", |i| load(i, 16, Acquire::Yes)),
    ("ldaxp", |i| Err(i.unsupported("an exclusive access of a pair"))),
    ("ldaxr", |i| load_exclusive(i, 32, true)),
    ("ldaxrb", |i| load_exclusive(i, 8, true)),
    ("ldaxrh", |i| load_exclusive(i, 16, true)),
    ("ldclr", fetch),
    ("ldeor", fetch),
    ("ldg", |i| Err(i.unsupported("memory tagging"))),
    ("ldnp", |i| pair(i, true)),
    ("ldp", |i| pair(i, true)),
    ("ldr", |i| load(i, 32, Acquire::No)),
    ("ldrb", |i| load(i, 8, Acquire::No)),
    ("ldrh", |i| load(i, 16, Acquire::No)),
    ("ldrsb", |i| load_signed(i, 8)),
    ("ldrsh", |i| load_signed(i, 16)),
    ("ldrsw", |i| load_signed(i, 32)),
    ("ldset", fetch),
    ("ldsmax", fetch),
    ("ldsmin", fetch),
    ("ldumax", fetch),
    ("ldumin", fetch),
    ("ldur", |i| load(i, 32, Acquire::No)),
    ("ldurb", |i| load(i, 8, Acquire::No)),
    ("ldurh", |i| load(i, 16, Acquire::No)),
    ("ldxp", |i| Err(i.unsupported("an exclusive access of a pair"))),
    ("ldxr", |i| load_exclusive(i, 32, false)),
    ("ldxrb", |i| load_exclusive(i, 8, false)),
    ("ldxrh", |i| load_exclusive(i, 16, false)),
    ("lsl", |i| shifted(i, Shift::Left)),
    ("lsr", |i| shifted(i, Shift::Right)),
    ("madd", |i| product(i, Some(Binary::Add))),
    ("mov", |i| copy(i, |value| value)),
    ("movk", |i| {
        let to = i.named()?;
        let (value, shift) = halfword(i)?;
        let old = i.read(to);
        let kept = binary(Binary::BitAnd, old, Term::int(!(0xffff << shift)));
        i.put(to, binary(Binary::BitOr, kept, Term::int(value)));
        Ok(())
    }),
    ("movn", |i| {
        let to = i.named()?;
        let (value, _) = halfword(i)?;
        i.put(to, Term::int(!value));
        Ok(())
    }),
    ("movz", |i| {
        let to = i.named()?;
        let (value, _) = halfword(i)?;
        i.put(to, Term::int(value));
        Ok(())
    }),
    ("mrs", |i| Err(i.unsupported("a system register"))),
    ("msr", |i| Err(i.unsupported("a system register"))),
    ("msub", |i| product(i, Some(Binary::Subtract))),
    ("mul", |i| product(i, None)),
    ("mvn", |i| copy(i, |value| Term::unary(Unary::Complement, value))),
    ("neg", |i| copy(i, |value| binary(Binary::Subtract, Term::int(0), value))),
    ("nop", |_| Ok(())),
    ("orn", |i| logical(i, Binary::BitOr, true, false)),
    ("orr", |i| logical(i, Binary::BitOr, false, false)),
    ("ret", |i| Err(i.unsupported("a return"))),
    ("rev", |i| reverse(i, None)),
    ("rev16", |i| reverse(i, Some(16))),
    ("rev32", |i| reverse(i, Some(32))),
    ("rev64", |i| reverse(i, Some(64))),
    ("ror", |i| shifted(i, Shift::Rotate)),
    ("sbfm", |i| bit_field(i, true, |first, last| (first, last))),
    ("sbfx", |i| bit_field(i, true, |first, length| (first, first + length - 1))),
    ("stadd", fetch),
    ("stclr", fetch),
    ("steor", fetch),
    ("stg", |i| Err(i.unsupported("memory tagging"))),
    ("stlr", |i| store(i, 32, true)),
    ("stlrb", |i| store(i, 8, true)),
    ("stlrh", |i| store(i, 16, true)),
    ("stlur", |i| store(i, 32, true)),
    ("stlxp", |i| Err(i.unsupported("an exclusive access of a pair"))),
    ("stlxr", |i| store_exclusive(i, 32, true)),
    ("stlxrb", |i| store_exclusive(i, 8, true)),
    ("stlxrh", |i| store_exclusive(i, 16, true)),
    ("stnp", |i| pair(i, false)),
    ("stp", |i| pair(i, false)),
    ("str", |i| store(i, 32, false)),
    ("strb", |i| store(i, 8, false)),
    ("strh", |i| store(i, 16, false)),
    ("stset", fetch),
    ("stsmax", fetch),
    ("stsmin", fetch),
    ("stumax", fetch),
    ("stumin", fetch),
    ("stur", |i| store(i, 32, false)),
    ("sturb", |i| store(i, 8, false)),
    ("sturh", |i| store(i, 16, false)),
    ("stxp", |i| Err(i.unsupported("an exclusive access of a pair"))),
    ("stxr", |i| store_exclusive(i, 32, false)),
    ("stxrb", |i| store_exclusive(i, 8, false)),
    ("stxrh", |i| store_exclusive(i, 16, false)),
    ("sub", |i| sum(i, Sum::Subtract, false)),
    ("subs", |i| sum(i, Sum::Subtract, true)),
    ("svc", |i| Err(i.unsupported("an exception"))),
    ("swp", swap),
    ("sxtb", |i| extended(i, 8, true)),
    ("sxth", |i| extended(i, 16, true)),
    ("sxtw", |i| extended(i, 32, true)),
    ("tbnz", |i| branch_on_bit(i, Binary::NotEqual)),
    ("tbz", |i| branch_on_bit(i, Binary::Equal)),
    ("tlbi", |i| Err(i.unsupported("a change of translations"))),
    ("tst", test),
    ("ubfm", |i| bit_field(i, false, |first, last| (first, last))),
    ("ubfx", |i| bit_field(i, false, |first, length| (first, first + length - 1))),
    ("uxtb", |i| extended(i, 8, false)),
    ("uxth", |i| extended(i, 16, false)),
    ("uxtw", |i| extended(i, 32, false)),
];
