//! RISC-V: no indexed access, so an address dependency goes through an addition. `lw.aq` and `sw.rl`
//! are the pseudo-instructions that the RISC-V tests use.

use super::super::architecture::{Annotation, Rmw};
use super::{Assembly, Column, Request, Update, Updated};

pub(super) struct Riscv;

impl Assembly for Riscv {
    /// From `x5` on: the lower ones have special uses.
    fn register(&self, number: usize) -> String {
        format!("x{}", number + 5)
    }

    fn load(&self, column: &mut Column, request: &Request<'_>) -> String {
        let name = if request.annotation == Annotation::Acquire { "lw.aq" } else { "lw" };
        let offset = request.address.map(|source| zero(self, column, source));
        let register = column.fresh(self);
        let address = address(self, column, request, offset);
        column.line(format!("{name} {register},0({address})"));
        register
    }

    fn store(&self, column: &mut Column, request: &Request<'_>) {
        let name = if request.annotation == Annotation::Release { "sw.rl" } else { "sw" };
        let offset = request.address.map(|source| zero(self, column, source));
        let value = value(self, column, request, request.value);
        let address = address(self, column, request, offset);
        column.line(format!("{name} {value},0({address})"));
    }

    fn update(&self, column: &mut Column, update: &Update<'_>) -> Updated {
        let Update { request, rmw, marks, read } = update;
        let (acquire, release) =
            (if marks.acquire { ".aq" } else { "" }, if marks.release { ".rl" } else { "" });
        let offset = request.address.map(|source| zero(self, column, source));
        let operand = if *rmw == Rmw::Add { request.value - read } else { request.value };
        let value = value(self, column, request, operand);
        let address = address(self, column, request, offset);
        let old = column.fresh(self);
        if *rmw == Rmw::Exclusive {
            let status = column.fresh(self);
            column.line(format!("lr.w{acquire} {old},0({address})"));
            column.line(format!("sc.w{release} {status},{value},0({address})"));
            return Updated { old, status: Some(status) };
        }
        let name = if *rmw == Rmw::Add { "amoadd.w" } else { "amoswap.w" };
        column.line(format!("{name}{acquire}{release} {old},{value},({address})"));
        Updated { old, status: None }
    }

    fn branch(&self, column: &mut Column, register: &str) {
        let label = column.label();
        column.line(format!("bne {register},x0,{label}"));
        column.line(format!("{label}:"));
    }
}

fn address(assembly: &Riscv, column: &mut Column, request: &Request<'_>, offset: Option<String>) -> String {
    let address = column.address(assembly, request.location);
    let Some(offset) = offset else { return address };
    let sum = column.fresh(assembly);
    column.line(format!("add {sum},{address},{offset}"));
    sum
}

/// A register that holds what is to be written, and depends on what it shall.
fn value(assembly: &Riscv, column: &mut Column, request: &Request<'_>, number: u32) -> String {
    let Some(source) = request.data else {
        let value = column.fresh(assembly);
        column.line(format!("ori {value},x0,{number}"));
        return value;
    };
    let value = zero(assembly, column, source);
    column.line(format!("ori {value},{value},{number}"));
    value
}

/// A register that is 0 and depends on another.
fn zero(assembly: &Riscv, column: &mut Column, source: &str) -> String {
    let register = column.fresh(assembly);
    column.line(format!("xor {register},{source},{source}"));
    register
}
