//! AArch64: values in `W` registers, addresses in `X` registers. Acquire and release accesses have no
//! form with an index, so an address dependency goes through an addition there.

use super::super::architecture::Annotation;
use super::{Assembly, Column, Request};

pub struct Aarch64;

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
        let value = match request.data {
            Some(source) => {
                let value = zero(self, column, source);
                column.line(format!("ADD {0},{0},#{1}", word(&value), request.value));
                value
            }
            None => {
                let value = column.fresh(self);
                column.line(format!("MOV {},#{}", word(&value), request.value));
                value
            }
        };
        let place = place(self, column, request, offset);
        column.line(format!("{name} {},{place}", word(&value)));
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
