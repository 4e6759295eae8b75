//! X86, in Intel's order of operands.
//!
//! An exchange with memory is atomic by itself, other instructions that read and write memory only
//! behind `lock`. The flags are the two values of the last comparison; arithmetic compares its result
//! with 0, and a subtraction its operands, so all flags but carry and overflow of additions are exact.

use wattle_logic::{Binary, Term, Unary};
use wattle_program::{Mode, Orders, Tags, Vocabulary};

use super::{Architecture, Body, Flags, Lower, Register, Suffix, Test, tagged};
use crate::Language;
use crate::lex::Read;
use crate::sizes::AddressSize;

pub(crate) const LANGUAGE: Language = Language {
    name: "X86",
    vocabulary: Vocabulary::X86,
    canonical,
    wraps: true,
    addresses: AddressSize::Word,
    program: |cursor, names| super::program(cursor, names, &ARCHITECTURE),
};

static ARCHITECTURE: Architecture =
    Architecture { instructions: INSTRUCTIONS, split, zero: None, narrow: true, word: 32, parts: false };

const REGISTERS: [&str; 8] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "ESP", "EBP"];

fn canonical(name: &str) -> Option<&str> {
    REGISTERS.into_iter().find(|register| register.eq_ignore_ascii_case(name))
}

const FLAGS: Flags = Flags { left: "$flags.left", right: "$flags.right" };

/// `jne`, `cmovb` and `setnz` are `jcc`, `cmovcc` and `setcc` with a condition.
fn split(mnemonic: &str) -> (&str, Suffix) {
    let found = [("cmov", "cmovcc"), ("set", "setcc"), ("j", "jcc")].into_iter().find_map(|(start, base)| {
        let condition = condition(mnemonic.strip_prefix(start)?)?;
        Some((base, Suffix { condition: Some(condition), ..Suffix::default() }))
    });
    found.unwrap_or((mnemonic, Suffix::default()))
}

fn condition(name: &str) -> Option<Test> {
    Some(match name {
        "e" | "z" => Test::signed(Binary::Equal),
        "ne" | "nz" => Test::signed(Binary::NotEqual),
        "l" | "nge" | "s" => Test::signed(Binary::Less),
        "ge" | "nl" | "ns" => Test::signed(Binary::GreaterEqual),
        "le" | "ng" => Test::signed(Binary::LessEqual),
        "g" | "nle" => Test::signed(Binary::Greater),
        "b" | "c" | "nae" => Test::unsigned(Binary::Less),
        "ae" | "nb" | "nc" => Test::unsigned(Binary::GreaterEqual),
        "be" | "na" => Test::unsigned(Binary::LessEqual),
        "a" | "nbe" => Test::unsigned(Binary::Greater),
        _ => return None,
    })
}

static INSTRUCTIONS: &[(&str, Lower)] = &[
    ("add", |i| update(i, Binary::Add)),
    ("and", |i| update(i, Binary::BitAnd)),
    ("cmovcc", |i| {
        let (to, from) = (i.register()?, place(i)?);
        // The operand is read in any case.
        let new = read(i, &from);
        let (test, old) = (test(i), i.value(to));
        i.set(to, Term::if_then_else(test, new, old));
        Ok(())
    }),
    ("cmp", |i| {
        let (left, right) = (place(i)?, place(i)?);
        let (left, right) = (read(i, &left), read(i, &right));
        i.compare(FLAGS, left, right);
        Ok(())
    }),
    ("cmpxchg", compare_and_exchange),
    ("dec", |i| one(i, true, |i, old| i.operate(Binary::Subtract, old, Term::int(1)))),
    ("inc", |i| one(i, true, |i, old| i.operate(Binary::Add, old, Term::int(1)))),
    ("jcc", |i| {
        let (label, test) = (i.label()?, i.suffix.condition.unwrap_or(EQUAL));
        i.branch_on(FLAGS, test, label);
        Ok(())
    }),
    ("jmp", |i| {
        let label = i.label()?;
        i.jump(label);
        Ok(())
    }),
    ("lfence", |i| fence(i, "LFENCE", Orders(Orders::RR.0 | Orders::RW.0))),
    ("lock", lock),
    ("mfence", |i| fence(i, "MFENCE", Orders::ALL)),
    ("mov", |i| {
        let (to, from) = (place(i)?, place(i)?);
        match (to, from) {
            (Place::Register(to), Place::Memory(address)) => i.load(to, address, Tags::new()),
            (Place::Register(to), from) => {
                let value = read(i, &from);
                i.set(to, value);
            }
            (Place::Memory(_), Place::Memory(_)) => return Err(i.malformed("it has two places in memory")),
            (Place::Memory(address), from) => {
                let value = read(i, &from);
                i.store(address, value, Tags::new());
            }
            (Place::Value(_), _) => return Err(i.malformed("it writes to a number")),
        }
        Ok(())
    }),
    ("neg", |i| one(i, true, |i, old| i.operate_on(Unary::Negate, old))),
    ("nop", |_| Ok(())),
    ("not", |i| one(i, false, |i, old| i.operate_on(Unary::Complement, old))),
    ("or", |i| update(i, Binary::BitOr)),
    ("setcc", |i| {
        let (to, test) = (place(i)?, test(i));
        let value = Term::if_then_else(test, i.int(1), i.int(0));
        match to {
            Place::Register(to) => i.set(to, value),
            Place::Memory(address) => {
                i.bits = 8;
                i.store(address, value, Tags::new());
            }
            Place::Value(_) => return Err(i.malformed("it writes to a number")),
        }
        Ok(())
    }),
    ("sfence", |i| fence(i, "SFENCE", Orders::WW)),
    ("sub", |i| update(i, Binary::Subtract)),
    ("test", |i| {
        let (left, right) = (place(i)?, place(i)?);
        let (left, right) = (read(i, &left), read(i, &right));
        let (both, zero) = (Term::binary(Binary::BitAnd, left, right), i.int(0));
        i.compare(FLAGS, both, zero);
        Ok(())
    }),
    ("xadd", exchange_and_add),
    ("xchg", exchange),
    ("xor", |i| update(i, Binary::BitXor)),
];

const EQUAL: Test = Test::signed(Binary::Equal);

/// An operand.
enum Place {
    Register(Register),
    Memory(Term),
    Value(Term),
}

fn place(i: &mut Body<'_, '_>) -> Read<Place> {
    i.operand()?;
    i.cursor.blank();
    let close = match i.cursor.peek() {
        b'[' => b']',
        b'(' => b')',
        _ if i.at_register() => return Ok(Place::Register(i.bare_register()?)),
        _ => {
            let mut ahead = i.cursor;
            let _ = ahead.eat(b'$');
            // `$x` is the address of x.
            return Ok(Place::Value(match ahead.word() {
                Some(_) => {
                    i.cursor.eat(b'$');
                    Term::number(symbol(i)?)
                }
                None => i.bare_immediate().map(|number| i.int(number))?,
            }));
        }
    };
    i.cursor.at += 1;
    let address = if i.at_register() {
        let base = i.bare_register()?;
        i.at(base, 0)
    } else {
        symbol(i)?
    };
    i.cursor.expect(close)?;
    Ok(Place::Memory(address))
}

fn symbol(i: &mut Body<'_, '_>) -> Read<Term> {
    i.cursor.blank();
    let start = i.cursor.at;
    let Some(name) = i.cursor.word() else { return Err(i.cursor.expected("a register or a location")) };
    let variable = i.names.variable(name, i.cursor.span(start));
    Ok(i.names.address(variable, 0))
}

/// What an operand holds; a place in memory is loaded.
fn read(i: &mut Body<'_, '_>, place: &Place) -> Term {
    match place {
        Place::Register(register) => i.value(*register),
        Place::Value(value) => value.clone(),
        Place::Memory(address) => {
            let into = i.hidden("$loaded");
            i.load(into, address.clone(), Tags::new());
            i.value(into)
        }
    }
}

fn test(i: &mut Body<'_, '_>) -> Term {
    let test = i.suffix.condition.unwrap_or(EQUAL);
    i.flag(FLAGS, test)
}

fn fence(i: &mut Body<'_, '_>, tag: &str, orders: Orders) -> Read<()> {
    i.fence(tag, orders, false);
    Ok(())
}

/// The instruction behind `lock` is atomic.
fn lock(i: &mut Body<'_, '_>) -> Read<()> {
    i.cursor.blank();
    let start = i.cursor.at;
    let Some(word) = i.cursor.mnemonic() else { return Err(i.cursor.expected("an instruction")) };
    if word.eq_ignore_ascii_case("lock") {
        return Err(i.cursor.error(start, crate::codes::SYNTAX, "`lock` stands here twice"));
    }
    i.mode = Mode::Locked;
    i.instruction(word, start)?;
    i.mode = Mode::Locked;
    Ok(())
}

/// Read a place, write what comes of the old value, and return the old value as it was.
fn modify<'n, 'a>(
    i: &mut Body<'n, 'a>,
    place: &Place,
    new: impl FnOnce(&mut Body<'n, 'a>, Term) -> Term,
) -> Read<Term> {
    match place {
        Place::Value(_) => Err(i.malformed("it writes to a number")),
        Place::Register(register) => {
            let (old, register) = (i.hidden("$old"), *register);
            let value = i.value(register);
            i.set(old, value);
            let old = i.value(old);
            let new = new(i, old.clone());
            i.set(register, new);
            Ok(old)
        }
        Place::Memory(address) if i.mode == Mode::Locked => {
            i.atomic(None, address, (tagged("X"), tagged("X")), new);
            let old = i.hidden("$old");
            Ok(i.value(old))
        }
        Place::Memory(address) => {
            let old = i.hidden("$old");
            i.load(old, address.clone(), Tags::new());
            i.step();
            let old = i.value(old);
            let new = new(i, old.clone());
            i.store(address.clone(), new, Tags::new());
            Ok(old)
        }
    }
}

fn update(i: &mut Body<'_, '_>, operator: Binary) -> Read<()> {
    let (to, from) = (place(i)?, place(i)?);
    if matches!((&to, &from), (Place::Memory(_), Place::Memory(_))) {
        return Err(i.malformed("it has two places in memory"));
    }
    let right = read(i, &from);
    if let Place::Register(register) = to {
        // The common case, with the term as written: `xor eax,eax`.
        let left = i.value(register);
        let value = i.operate(operator, left.clone(), right.clone());
        if operator == Binary::Subtract {
            i.compare(FLAGS, left, right);
            i.set(register, value);
        } else {
            i.set(register, value);
            let (value, zero) = (i.value(register), i.int(0));
            i.compare(FLAGS, value, zero);
        }
        return Ok(());
    }
    let old = modify(i, &to, |i, old| i.operate(operator, old, right.clone()))?;
    match operator {
        Binary::Subtract => i.compare(FLAGS, old, right),
        _ => {
            let zero = i.int(0);
            i.compare(FLAGS, Term::binary(operator, old, right), zero);
        }
    }
    Ok(())
}

fn one(i: &mut Body<'_, '_>, compares: bool, new: fn(&mut Body<'_, '_>, Term) -> Term) -> Read<()> {
    let to = place(i)?;
    let old = modify(i, &to, new)?;
    if compares {
        let (new, zero) = (new(i, old), i.int(0));
        i.compare(FLAGS, new, zero);
    }
    Ok(())
}

/// The register and the other operand, whichever comes first.
fn register_and_place(i: &mut Body<'_, '_>) -> Read<(Register, Place)> {
    match (place(i)?, place(i)?) {
        (Place::Register(register), other @ Place::Memory(_)) => Ok((register, other)),
        (other, Place::Register(register)) => Ok((register, other)),
        _ => Err(i.malformed("it needs a register")),
    }
}

/// Atomic with memory, `lock` or not.
fn exchange(i: &mut Body<'_, '_>) -> Read<()> {
    let (register, other) = register_and_place(i)?;
    if let Place::Memory(_) = other {
        i.mode = Mode::Locked;
    }
    let new = i.value(register);
    let old = modify(i, &other, |_, _| new)?;
    i.set(register, old);
    Ok(())
}

fn exchange_and_add(i: &mut Body<'_, '_>) -> Read<()> {
    let (register, other) = register_and_place(i)?;
    let added = i.value(register);
    let old = modify(i, &other, |i, old| i.operate(Binary::Add, old, added.clone()))?;
    let zero = i.int(0);
    i.compare(FLAGS, Term::binary(Binary::Add, old.clone(), added), zero);
    i.set(register, old);
    Ok(())
}

/// `cmpxchg [x],r`: if EAX is what x holds then r goes to x, or else x to EAX.
fn compare_and_exchange(i: &mut Body<'_, '_>) -> Read<()> {
    let (to, from) = (place(i)?, i.register()?);
    let Place::Memory(address) = to else {
        return Err(i.unsupported("`cmpxchg` between registers"));
    };
    let accumulator = Register::Local(i.names.local(i.thread, "EAX"));
    let locked = i.mode == Mode::Locked;
    let tags = || if locked { tagged("X") } else { Tags::new() };
    let old = i.hidden("$old");
    let (expected, found, new) = (i.value(accumulator), i.value(old), i.value(from));
    if !locked {
        i.load(old, address.clone(), tags());
        i.step();
    }
    let mode = if locked { Mode::Locked } else { Mode::Plain };
    let begin = |i: &mut Body<'_, '_>, operator| {
        i.mode = mode;
        if locked {
            i.load(old, address.clone(), tags());
        }
        i.assume(Term::binary(operator, found.clone(), expected.clone()));
        i.compare(FLAGS, expected.clone(), found.clone());
    };
    i.either(
        |i| {
            begin(i, Binary::Equal);
            i.store(address.clone(), new.clone(), tags());
        },
        |i| {
            begin(i, Binary::NotEqual);
            i.set(accumulator, found.clone());
        },
    );
    Ok(())
}
