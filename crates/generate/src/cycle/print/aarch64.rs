//! AArch64: values in `W` registers, addresses in `X` registers. Acquire and release accesses have no
//! form with an index, so an address dependency goes through an addition there.

use super::super::architecture::{Annotation, Rmw};
use super::{Assembly, Column, Request, Update, Updated};

pub(super) struct Aarch64;

impl Assembly for Aarch64 {
    /// By its 64-bit name, which is also how conditions name it.
    fn register(&self, number: usize) -> String {
        format!("X{number}")
    }

    fn load(&self, column: &mut Column, request: &Request<'_>) -> String {
        let name = match request.annotation {
            Annotation::Acquire => "LDAR",
            Annotation::AcquirePc => "LDAPR",
            _ => "LDR",
        };
        let offset = request.address.map(|source| zero(self, column, source));
        let register = column.fresh(self);
        let place = place(self, column, request, offset);
        column.line(format!("{name} {},{place}", word(&register)));
        register
    }

    fn store(&self, column: &mut Column, request: &Request<'_>) {
        let name = if request.annotation == Annotation::Release { "STLR" } else { "STR" };
        let offset = request.address.map(|source| zero(self, column, source));
        let value = value(self, column, request, request.value);
        let place = place(self, column, request, offset);
        column.line(format!("{name} {},{place}", word(&value)));
    }

    fn update(&self, column: &mut Column, update: &Update<'_>) -> Updated {
        let Update { request, rmw, marks, read } = update;
        let (acquire, release) = (if marks.acquire { "A" } else { "" }, if marks.release { "L" } else { "" });
        let offset = request.address.map(|source| zero(self, column, source));
        let operand = if *rmw == Rmw::Add { request.value - read } else { request.value };
        let value = value(self, column, request, operand);
        let place = place(self, column, request, offset);
        let old = column.fresh(self);
        let (written, found) = (word(&value), word(&old));
        let mut status = None;
        match rmw {
            Rmw::Exclusive => {
                let register = column.fresh(self);
                column.line(format!("LD{acquire}XR {found},{place}"));
                column.line(format!("ST{release}XR {},{written},{place}", word(&register)));
                status = Some(register);
            }
            Rmw::Swap => column.line(format!("SWP{acquire}{release} {written},{found},{place}")),
            Rmw::Add => column.line(format!("LDADD{acquire}{release} {written},{found},{place}")),
            Rmw::CompareAndSwap => {
                column.line(format!("MOV {found},#{read}"));
                column.line(format!("CAS{acquire}{release} {found},{written},{place}"));
            }
        }
        Updated { old, status }
    }

    fn branch(&self, column: &mut Column, register: &str) {
        let label = column.label();
        column.line(format!("CBNZ {},{label}", word(register)));
        column.line(format!("{label}:"));
    }
}

fn place(assembly: &Aarch64, column: &mut Column, request: &Request<'_>, offset: Option<String>) -> String {
    let address = column.address(assembly, request.location);
    match offset {
        None => format!("[{address}]"),
        Some(offset) if request.annotation == Annotation::Plain => {
            format!("[{address},{},SXTW]", word(&offset))
        }
        Some(offset) => {
            let sum = column.fresh(assembly);
            column.line(format!("ADD {sum},{address},{},SXTW", word(&offset)));
            format!("[{sum}]")
        }
    }
}

/// A register that holds what is to be written, and depends on what it shall.
fn value(assembly: &Aarch64, column: &mut Column, request: &Request<'_>, number: u32) -> String {
    let Some(source) = request.data else {
        let value = column.fresh(assembly);
        column.line(format!("MOV {},#{number}", word(&value)));
        return value;
    };
    let value = zero(assembly, column, source);
    column.line(format!("ADD {0},{0},#{number}", word(&value)));
    value
}

/// The 32-bit name of a register.
fn word(register: &str) -> String {
    register.replacen('X', "W", 1)
}

/// A register that is 0 and depends on another.
fn zero(assembly: &Aarch64, column: &mut Column, source: &str) -> String {
    let register = column.fresh(assembly);
    column.line(format!("EOR {0},{1},{1}", word(&register), word(source)));
    register
}
