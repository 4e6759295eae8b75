//! ARM (32 bits).

use super::{Assembly, Column, Request};

pub struct Arm;

impl Assembly for Arm {
    fn register(&self, number: usize) -> String {
        format!("R{number}")
    }

    fn load(&self, column: &mut Column, request: &Request<'_>) -> String {
        let offset = request.address.map(|source| zero(self, column, source));
        let (register, address) = (column.fresh(self), column.address(self, request.location));
        column.line(match offset {
            Some(offset) => format!("LDR {register},[{offset},{address}]"),
            None => format!("LDR {register},[{address}]"),
        });
        register
    }

    fn store(&self, column: &mut Column, request: &Request<'_>) {
        let offset = request.address.map(|source| zero(self, column, source));
        let value = match request.data {
            Some(source) => {
                let value = zero(self, column, source);
                column.line(format!("ADD {value},{value},#{}", request.value));
                value
            }
            None => {
                let value = column.fresh(self);
                column.line(format!("MOV {value},#{}", request.value));
                value
            }
        };
        let address = column.address(self, request.location);
        column.line(match offset {
            Some(offset) => format!("STR {value},[{offset},{address}]"),
            None => format!("STR {value},[{address}]"),
        });
    }

    fn branch(&self, column: &mut Column, register: &str) {
        let label = column.label();
        column.line(format!("CMP {register},{register}"));
        column.line(format!("BNE {label}"));
        column.line(format!("{label}:"));
    }
}

/// A register that is 0 and depends on another.
fn zero(assembly: &Arm, column: &mut Column, source: &str) -> String {
    let register = column.fresh(assembly);
    column.line(format!("EOR {register},{source},{source}"));
    register
}
