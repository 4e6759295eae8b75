//! RISC-V: no indexed access, so an address dependency goes through an addition. `lw.aq` and `sw.rl`
//! are the pseudo-instructions that the RISC-V tests use.

use super::super::architecture::Annotation;
use super::{Assembly, Column, Request};

pub struct Riscv;

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
        let value = match request.data {
            Some(source) => {
                let value = zero(self, column, source);
                column.line(format!("ori {value},{value},{}", request.value));
                value
            }
            None => {
                let value = column.fresh(self);
                column.line(format!("ori {value},x0,{}", request.value));
                value
            }
        };
        let address = address(self, column, request, offset);
        column.line(format!("{name} {value},0({address})"));
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

/// A register that is 0 and depends on another.
fn zero(assembly: &Riscv, column: &mut Column, source: &str) -> String {
    let register = column.fresh(assembly);
    column.line(format!("xor {register},{source},{source}"));
    register
}
