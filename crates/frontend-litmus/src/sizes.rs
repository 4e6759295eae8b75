//! A check that every access touches whole locations, and that all accesses of a location have one size.
//!
//! Here a location is one cell, and an access reads or writes all of it. A test in which accesses of
//! different sizes meet (a word and a byte of it, half of what the test declares) needs a model of
//! bytes, and without one its answer would be wrong. So each access has a size in bits, noted when its
//! instruction is read, and a test is refused unless every location has one size: that of its declared
//! type, that of an address where it may hold one, and that of all its accesses. Numbers that the
//! initial state puts there and that the condition asks for must fit as well. One thing is let through:
//! a location that a single access of the whole test touches may be declared larger. That access meets
//! no other, and what is beyond it stays 0.
//!
//! An access whose address is computed may be one to any location whose address flows there. That is
//! followed without regard to order or values: through registers, and through locations that hold
//! addresses. So a test may be refused that is harmless, and none is let through that is not.

use wattle_logic::{Binary, Kind, Sort, Symbol, Term, Value};
use wattle_program::{Init, Op};
use wattle_source::Span;

use super::asm::bytes;
use super::names::{Given, Names, Type};
use super::unsupported;

/// The bits of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressSize {
    Word,
    Double,
    /// The architecture has programs of both kinds.
    Either,
}

/// How many bits the operation with this number, of the edge with this number, accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sized {
    pub edge: usize,
    pub op: usize,
    pub bits: u8,
}

/// A number that the condition compares a location with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compared {
    pub variable: u32,
    pub number: i64,
    pub span: Span,
}

/// For each variable, whether its address is there: [`WHOLE`], or a place inside a cell, [`PART`], or
/// both.
type Set = Vec<u8>;
const WHOLE: u8 = 1;
const PART: u8 = 2;

pub(crate) fn check(names: &mut Names<'_>, addresses: AddressSize) {
    // C has types in place of sizes; and a test that is refused already is not refused twice.
    if names.threads.iter().all(|thread| thread.sizes.is_empty()) || !names.problems.is_empty() {
        return;
    }
    let flow = Flow::follow(names);
    let mut found = vec![None; names.variables.len()];
    let mut refused = Vec::new();
    let mut refuse =
        |span: Span, what: String| refused.push(*unsupported(span, &format!("mixed sizes: {what}")));
    for (variable, size) in found.iter_mut().enumerate() {
        *size = declared(names, variable, addresses, &flow);
    }
    let mut accesses = vec![0; names.variables.len()];
    for (number, thread) in names.threads.iter().enumerate() {
        for Sized { edge, op, .. } in &thread.sizes {
            let address = address_of(&thread.cfg.edges[*edge].ops[*op]);
            let targets = address.map(|address| flow.targets(number, address)).unwrap_or_default();
            some(&targets).for_each(|(variable, _)| accesses[variable] += 1);
        }
    }
    for (number, thread) in names.threads.iter().enumerate() {
        for Sized { edge, op, bits } in &thread.sizes {
            let edge = &thread.cfg.edges[*edge];
            let Some(address) = address_of(&edge.ops[*op]) else { continue };
            for (variable, may) in some(&flow.targets(number, address)) {
                let name = &names.variables[variable].name;
                if may & PART != 0 {
                    refuse(edge.origin.0, format!("an access to a part of `{name}`"));
                }
                match &found[variable] {
                    Some((size, _)) if size > bits && accesses[variable] == 1 && !names.wide => {
                        found[variable] = Some((*bits, "its only access".to_owned()));
                    }
                    Some((size, why)) if size != bits => {
                        let what = format!("an access of {bits} bits to `{name}`, which has {size} ({why})");
                        refuse(edge.origin.0, what);
                    }
                    Some(_) => {}
                    None => found[variable] = Some((*bits, "another access".to_owned())),
                }
            }
        }
    }
    for (variable, info) in names.variables.iter().enumerate() {
        let Some((bits, _)) = &found[variable] else { continue };
        let Init::Values(values) = &info.init else { continue };
        let numbers = values.iter().filter_map(|value| value.as_value().and_then(Value::as_int));
        if let Some(number) = numbers.into_iter().find(|number| !fits(*number, *bits)) {
            refuse(info.span, format!("`{}` has {bits} bits and starts with {number}", info.name));
        }
    }
    for Compared { variable, number, span } in &names.compared {
        if let Some((bits, _)) = &found[*variable as usize]
            && !fits(*number, *bits)
        {
            let name = &names.variables[*variable as usize].name;
            refuse(*span, format!("`{name}` has {bits} bits and is compared with {number}"));
        }
    }
    for (variable, kind, span) in &names.printed {
        if let Some((bits, why)) = &found[*variable as usize]
            && let Some(size) = size_of(*kind, addresses)
            && size != *bits
        {
            let name = &names.variables[*variable as usize].name;
            refuse(*span, format!("`{name}` is printed with {size} bits and has {bits} ({why})"));
        }
    }
    names.problems.extend(refused);
}

fn fits(number: i64, bits: u8) -> bool {
    bits >= 64 || (-(1i64 << (bits - 1))..1i64 << bits).contains(&number)
}

/// The bits that a type says, where it says any.
fn size_of(kind: Type<'_>, addresses: AddressSize) -> Option<u8> {
    let as_address = match addresses {
        AddressSize::Word => Some(32),
        AddressSize::Double => Some(64),
        AddressSize::Either => None,
    };
    match kind.word {
        _ if kind.pointer => as_address,
        "" => None,
        "long" | "intptr_t" | "uintptr_t" => as_address,
        _ => match kind.sort() {
            Sort::Bits { width, .. } => Some(width),
            _ => Some(64),
        },
    }
}

/// The size of a location before anything accesses it, and why it is so.
fn declared(names: &Names<'_>, variable: usize, addresses: AddressSize, flow: &Flow) -> Option<(u8, String)> {
    let kind = names.types[variable];
    if let Some(bits) = size_of(kind, addresses) {
        return Some((bits, if kind.pointer { "a pointer".into() } else { format!("`{}`", kind.word) }));
    }
    let holds_address = some(&flow.memory[variable]).next().is_some();
    (holds_address && addresses == AddressSize::Double).then(|| (64, "it may hold an address".to_owned()))
}

fn address_of(op: &Op) -> Option<&Term> {
    match op {
        Op::Load { address, .. }
        | Op::Store { address, .. }
        | Op::LoadExclusive { address, .. }
        | Op::StoreConditional { address, .. } => Some(address),
        _ => None,
    }
}

/// Which variables' addresses may be where.
struct Flow {
    /// By thread and local.
    locals: Vec<Vec<Set>>,
    memory: Vec<Set>,
    /// The bytes from one element of each variable to the next.
    cells: Vec<i64>,
}

impl Flow {
    fn follow(names: &Names<'_>) -> Flow {
        let none = vec![0; names.variables.len()];
        let mut flow = Flow {
            cells: names.variables.iter().map(|variable| bytes(variable.sort)).collect(),
            locals: names.threads.iter().map(|thread| vec![none.clone(); thread.locals.len()]).collect(),
            memory: vec![none; names.variables.len()],
        };
        for (thread, info) in names.threads.iter().enumerate() {
            for (local, start) in info.start.iter().enumerate() {
                if let Some(Given::Address(variable, _)) = start {
                    flow.locals[thread][local][*variable as usize] = WHOLE;
                }
            }
        }
        for (variable, info) in names.variables.iter().enumerate() {
            if let Init::Values(values) = &info.init {
                let values: Vec<Set> = values.iter().map(|value| flow.of(0, value)).collect();
                for value in &values {
                    join(&mut flow.memory[variable], value);
                }
            }
        }
        while flow.step(names) {}
        flow
    }

    /// One round through all operations; whether anything changed.
    fn step(&mut self, names: &Names<'_>) -> bool {
        let mut changed = false;
        for (thread, info) in names.threads.iter().enumerate() {
            for op in info.cfg.edges.iter().flat_map(|edge| &edge.ops) {
                match op {
                    Op::Load { into, address, .. } | Op::LoadExclusive { into, address, .. } => {
                        for (variable, _) in some(&self.targets(thread, address)) {
                            let held = self.memory[variable].clone();
                            changed |= join(&mut self.locals[thread][*into as usize], &held);
                        }
                    }
                    Op::Store { address, value, .. } | Op::StoreConditional { address, value, .. } => {
                        let value = self.of(thread, value);
                        for (variable, _) in some(&self.targets(thread, address)) {
                            changed |= join(&mut self.memory[variable], &value);
                        }
                    }
                    Op::Assign { local, value } => {
                        let value = self.of(thread, value);
                        changed |= join(&mut self.locals[thread][*local as usize], &value);
                    }
                    _ => {}
                }
            }
        }
        changed
    }

    /// The locations that an access to this address may touch.
    fn targets(&self, thread: usize, address: &Term) -> Set {
        match address.kind() {
            Kind::Address { variable, .. } => {
                let mut set = vec![0; self.memory.len()];
                set[*variable as usize] = WHOLE;
                set
            }
            _ => self.of(thread, address),
        }
    }

    /// The variables whose addresses may be in a value.
    fn of(&self, thread: usize, term: &Term) -> Set {
        let mut set = vec![0; self.memory.len()];
        self.collect(thread, term, &mut set);
        set
    }

    fn collect(&self, thread: usize, term: &Term, set: &mut Set) {
        match term.kind() {
            Kind::Symbol(Symbol::Local(local)) => {
                if let Some(held) = self.locals.get(thread).and_then(|locals| locals.get(*local as usize)) {
                    join(set, held);
                }
            }
            Kind::Address { variable, .. } => set[*variable as usize] |= WHOLE,
            Kind::Binary(Binary::Add | Binary::Subtract, base, by) if is_number(by) => {
                let by = by.as_value().and_then(Value::as_int).unwrap_or(0);
                let mut held = self.of(thread, base);
                for (held, cell) in held.iter_mut().zip(&self.cells) {
                    if *held != 0 && by % cell != 0 {
                        // Two such steps may lead to the next element.
                        *held = if *held & PART != 0 { WHOLE | PART } else { PART };
                    }
                }
                join(set, &held);
            }
            _ => term.children().into_iter().for_each(|child| self.collect(thread, child, set)),
        }
    }
}

/// The variables in a set.
fn some(set: &Set) -> impl Iterator<Item = (usize, u8)> + '_ {
    set.iter().copied().enumerate().filter(|(_, may)| *may != 0)
}

fn join(into: &mut Set, from: &Set) -> bool {
    let mut changed = false;
    for (into, from) in into.iter_mut().zip(from) {
        changed |= *from & !*into != 0;
        *into |= *from;
    }
    changed
}

fn is_number(term: &Term) -> bool {
    term.as_value().and_then(Value::as_int).is_some()
}
