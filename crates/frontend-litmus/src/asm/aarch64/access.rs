//! Loads, stores, read-modify-writes and barriers.

use wattle_logic::{Binary, Sort, Term, Unary};
use wattle_program::{Mode, Name, Orders, Tags};

use super::super::{Body, Register};
use super::operand::{Named, Place, binary, same, signed, unsigned, widened};
use crate::lex::Read;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Acquire {
    No,
    Yes,
    /// `LDAPR`: later stores need not wait for it.
    ProcessorConsistent,
}

fn tags(of: &[(&str, bool)]) -> Tags {
    of.iter().filter(|(_, has)| *has).map(|(tag, _)| Name::from(*tag)).collect()
}

/// How many bits an access has: those of its register, unless the mnemonic says fewer.
fn width(named: Named, at_most: u32) -> u32 {
    if at_most < 32 { at_most } else { named.width }
}

/// Whether the local of a register holds exactly as many bits as a load of this width leaves in it, so that
/// nothing has to be cut off.
fn fits(i: &Body<'_, '_>, to: Named, width: u32) -> bool {
    to.register == Register::Zero || width == 64 || (width == 32 && i.is_narrow(to.register))
}

/// After a load into `to`: cut off the bits beyond the width of the access.
fn trim(i: &mut Body<'_, '_>, to: Named, width: u32) {
    if !fits(i, to, width) {
        let value = unsigned(i.value(to.register), width);
        i.set(to.register, value);
    }
}

fn update(i: &mut Body<'_, '_>, place: Place) {
    if let Some((base, moved)) = place.update {
        i.set(base, moved);
    }
}

pub(crate) fn load(i: &mut Body<'_, '_>, at_most: u32, acquire: Acquire) -> Read<()> {
    let to = i.named()?;
    let place = i.place()?;
    let tags = match acquire {
        Acquire::No => Tags::new(),
        Acquire::Yes => tags(&[("A", true)]),
        Acquire::ProcessorConsistent => tags(&[("Q", true)]),
    };
    i.bits = width(to, at_most) as u8;
    i.load(to.register, place.address.clone(), tags);
    trim(i, to, width(to, at_most));
    update(i, place);
    Ok(())
}

pub(crate) fn load_signed(i: &mut Body<'_, '_>, bits: u32) -> Read<()> {
    let to = i.named()?;
    let place = i.place()?;
    i.bits = bits as u8;
    i.load(to.register, place.address.clone(), Tags::new());
    if to.register != Register::Zero {
        let value = signed(widened(i.value(to.register)), bits);
        i.put(to, value);
    }
    update(i, place);
    Ok(())
}

/// What a store of so many bits writes.
fn stored(i: &Body<'_, '_>, from: Named, width: u32) -> Term {
    let value = i.read(from);
    if width < 32 { unsigned(value, width) } else { value }
}

pub(crate) fn store(i: &mut Body<'_, '_>, at_most: u32, release: bool) -> Read<()> {
    let from = i.named()?;
    let place = i.place()?;
    i.bits = width(from, at_most) as u8;
    let value = stored(i, from, width(from, at_most));
    i.store(place.address.clone(), value, tags(&[("L", release)]));
    update(i, place);
    Ok(())
}

/// `LDP` and `STP`: two accesses of one instruction, in no order.
pub(crate) fn pair(i: &mut Body<'_, '_>, loads: bool) -> Read<()> {
    let (first, second) = (i.named()?, i.named()?);
    let place = i.place()?;
    i.bits = first.width as u8;
    let step = i64::from(first.width / 8);
    let next = i.further(&place.address, step);
    if loads {
        // The second address must not see what the first load wrote.
        let scratch = Named { register: i.hidden("$first"), width: first.width };
        i.load(scratch.register, place.address.clone(), Tags::new());
        i.load(second.register, next, Tags::new());
        trim(i, second, second.width);
        let value = i.read(scratch);
        i.put(first, value);
    } else {
        let (one, other) = (i.read(first), i.read(second));
        i.store(place.address.clone(), one, Tags::new());
        i.store(next, other, Tags::new());
    }
    update(i, place);
    Ok(())
}

pub(crate) fn load_exclusive(i: &mut Body<'_, '_>, at_most: u32, acquire: bool) -> Read<()> {
    let to = i.named()?;
    let address = i.base()?;
    i.bits = width(to, at_most) as u8;
    i.load_exclusive(to.register, address, tags(&[("A", acquire), ("X", true)]));
    trim(i, to, width(to, at_most));
    Ok(())
}

pub(crate) fn store_exclusive(i: &mut Body<'_, '_>, at_most: u32, release: bool) -> Read<()> {
    let (status, from) = (i.named()?, i.named()?);
    let address = i.base()?;
    i.bits = width(from, at_most) as u8;
    let value = stored(i, from, width(from, at_most));
    let success = i.hidden("$success");
    i.store_conditional(success, address, value, tags(&[("L", release), ("X", true)]));
    let failed = binary(Binary::BitXor, i.value(success), Term::int(1));
    i.put(status, failed);
    Ok(())
}

/// The size that the mnemonic of a read-modify-write says.
fn atomic_width(i: &Body<'_, '_>, named: Named) -> u32 {
    match i.mnemonic.as_bytes().last() {
        Some(b'b' | b'B') => 8,
        Some(b'h' | b'H') => 16,
        _ => named.width,
    }
}

/// The tags of the read and of the write.
fn atomic_tags(i: &Body<'_, '_>, returns: bool) -> (Tags, Tags) {
    let suffix = i.suffix;
    let read = match returns {
        true => tags(&[("A", suffix.acquire), ("X", true)]),
        false => tags(&[("NoRet", true)]),
    };
    (read, tags(&[("L", suffix.release), ("X", true)]))
}

/// The local that holds what a read-modify-write found.
fn found(i: &mut Body<'_, '_>, width: u32) -> Register {
    let name = if width == 64 { "$old" } else { "$old.w" };
    let register = i.hidden(name);
    if let (Register::Local(local), true) = (register, width < 64) {
        i.names.threads[i.thread].set_sort(local, Sort::Bits { width: 32, signed: true });
    }
    register
}

fn read_modify_write(
    i: &mut Body<'_, '_>,
    to: Named,
    (address, width): (Term, u32),
    new: impl FnOnce(Term) -> Term,
) {
    let (read, write) = atomic_tags(i, to.register != Register::Zero);
    i.bits = width as u8;
    let old = found(i, width);
    i.load(old, address.clone(), read);
    let value = if width < 32 { unsigned(i.value(old), width) } else { i.value(old) };
    let new = new(value.clone());
    i.store(address, if width < 32 { unsigned(new, width) } else { new }, write);
    i.put(to, value);
    i.mode = Mode::Locked;
}

/// `SWP W0,W1,[X2]`: `W0` goes to memory, the old value to `W1`.
pub(crate) fn swap(i: &mut Body<'_, '_>) -> Read<()> {
    let (from, to) = (i.named()?, i.named()?);
    let address = i.base()?;
    let width = atomic_width(i, from);
    let new = i.read(from);
    read_modify_write(i, to, (address, width), |_| new);
    Ok(())
}

/// `LDADD W0,W1,[X2]`, `STADD W0,[X2]` and relatives.
pub(crate) fn fetch(i: &mut Body<'_, '_>) -> Read<()> {
    let from = i.named()?;
    let discards = i.mnemonic.starts_with(['s', 'S']);
    let to = if discards { Named { register: Register::Zero, width: from.width } } else { i.named()? };
    let address = i.base()?;
    let width = atomic_width(i, from);
    let operand = i.read(from);
    let mut kind = [0; 3];
    for (small, byte) in kind.iter_mut().zip(i.mnemonic.bytes().skip(2)) {
        *small = byte.to_ascii_lowercase();
    }
    // `SMAX` and `SMIN`, `UMAX` and `UMIN` differ in the fourth letter.
    let least = matches!(i.mnemonic.as_bytes().get(4), Some(b'i' | b'I'));
    read_modify_write(i, to, (address, width), |old| match &kind {
        b"add" => binary(Binary::Add, old, operand),
        b"clr" => binary(Binary::BitAnd, old, Term::unary(Unary::Complement, operand)),
        b"eor" => binary(Binary::BitXor, old, operand),
        b"set" => binary(Binary::BitOr, old, operand),
        _ => extreme(old, operand, width, kind[0] == b's', least),
    });
    Ok(())
}

/// The smaller or the greater of two values.
fn extreme(old: Term, operand: Term, width: u32, with_sign: bool, least: bool) -> Term {
    let form = |term: Term| match (with_sign, width) {
        (true, _) => signed(term, width),
        (false, 64) => binary(Binary::BitXor, term, Term::int(i64::MIN)),
        (false, _) => unsigned(term, width),
    };
    let order = if least { Binary::Less } else { Binary::Greater };
    let taken = binary(order, form(old.clone()), form(operand.clone()));
    // Both operands are data, whichever is taken: a computation, not a selection.
    let nothing = binary(Binary::BitAnd, operand.clone(), Term::int(0));
    binary(Binary::Add, Term::if_then_else(taken, widened(old), operand), nothing)
}

/// `CAS W0,W1,[X2]`: if memory holds `W0`, it becomes `W1`; `W0` becomes the old value.
pub(crate) fn compare_and_swap(i: &mut Body<'_, '_>) -> Read<()> {
    let (expected, from) = (i.named()?, i.named()?);
    let address = i.base()?;
    let width = atomic_width(i, from);
    i.bits = width as u8;
    let returns = expected.register != Register::Zero;
    let (read, write) = atomic_tags(i, returns);
    let failed_read = match returns {
        true => tags(&[("A", i.suffix.acquire)]),
        false => read.clone(),
    };
    let new = stored(i, from, width);
    let old = found(i, width);
    let value = if width < 32 { unsigned(i.value(old), width) } else { i.value(old) };
    let equal = same(value.clone(), i.read(expected), width);
    i.ways(5, |i, way| {
        i.mode = Mode::Locked;
        let writes = match way {
            0 | 1 => Some(&new),
            // What was found is written back.
            4 => Some(&value),
            _ => None,
        };
        i.load(old, address.clone(), if writes.is_some() { read.clone() } else { failed_read.clone() });
        i.assume(if way < 2 { equal.clone() } else { equal.negated() });
        if let Some(written) = writes {
            i.store(address.clone(), written.clone(), write.clone());
        }
        match way {
            // The register keeps what it held, and what that depended on; the comparison picks it.
            0 => {
                let kept = widened(i.read(expected));
                let picked = Term::if_then_else(equal.clone(), kept, Term::int(0));
                i.put(expected, picked);
            }
            1 | 2 | 4 => i.put(expected, value.clone()),
            // As 2, but the comparison picks the value.
            _ => {
                let picked = Term::if_then_else(equal.negated(), widened(value.clone()), Term::int(0));
                i.put(expected, picked);
            }
        }
    });
    Ok(())
}

/// `DMB ISH`
pub(crate) fn barrier(i: &mut Body<'_, '_>, synchronises: bool) -> Read<()> {
    const OPTIONS: [(&str, &str, &str, Orders); 9] = [
        ("sy", "DMB.SY", "DSB.SY", Orders::ALL),
        ("ld", "DMB.LD", "DSB.LD", LOAD),
        ("st", "DMB.ST", "DSB.ST", Orders::WW),
        ("ish", "DMB.ISH", "DSB.ISH", Orders::ALL),
        ("ishld", "DMB.ISHLD", "DSB.ISHLD", LOAD),
        ("ishst", "DMB.ISHST", "DSB.ISHST", Orders::WW),
        ("osh", "DMB.OSH", "DSB.OSH", Orders::ALL),
        ("oshld", "DMB.OSHLD", "DSB.OSHLD", LOAD),
        ("oshst", "DMB.OSHST", "DSB.OSHST", Orders::WW),
    ];
    const LOAD: Orders = Orders(Orders::RR.0 | Orders::RW.0);
    i.operand()?;
    let before = i.cursor;
    let word = i.cursor.word().unwrap_or("");
    if ["nsh", "nshld", "nshst"].iter().any(|name| word.eq_ignore_ascii_case(name)) {
        return Err(i.unsupported("a barrier for one processor alone (`NSH`)"));
    }
    let Some((_, dmb, dsb, orders)) = OPTIONS.iter().find(|(name, ..)| word.eq_ignore_ascii_case(name))
    else {
        i.cursor = before;
        return Err(i.cursor.expected("`SY`, `LD`, `ST`, `ISH` or another option of barriers"));
    };
    i.fence(if synchronises { dsb } else { dmb }, *orders, true);
    Ok(())
}
