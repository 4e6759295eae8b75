//! ARM (32 bits).

use super::{Assembly, Column, Request, Update, Updated};

pub(super) struct Arm;

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
        let value = value(self, column, request);
        let address = column.address(self, request.location);
        column.line(match offset {
            Some(offset) => format!("STR {value},[{offset},{address}]"),
            None => format!("STR {value},[{address}]"),
        });
    }

    /// Exclusives alone, which have no form with an index.
    fn update(&self, column: &mut Column, Update { request, .. }: &Update<'_>) -> Updated {
        let offset = request.address.map(|source| zero(self, column, source));
        let value = value(self, column, request);
        let mut address = column.address(self, request.location);
        if let Some(offset) = offset {
            let sum = column.fresh(self);
            column.line(format!("ADD {sum},{address},{offset}"));
            address = sum;
        }
        let (old, status) = (column.fresh(self), column.fresh(self));
        column.line(format!("LDREX {old},[{address}]"));
        column.line(format!("STREX {status},{value},[{address}]"));
        Updated { old, status: Some(status) }
    }

    fn branch(&self, column: &mut Column, register: &str) {
        let label = column.label();
        column.line(format!("CMP {register},{register}"));
        column.line(format!("BNE {label}"));
        column.line(format!("{label}:"));
    }
}

/// A register that holds what is to be written, and depends on what it shall.
fn value(assembly: &Arm, column: &mut Column, request: &Request<'_>) -> String {
    let Some(source) = request.data else {
        let value = column.fresh(assembly);
        column.line(format!("MOV {value},#{}", request.value));
        return value;
    };
    let value = zero(assembly, column, source);
    column.line(format!("ADD {value},{value},#{}", request.value));
    value
}

/// A register that is 0 and depends on another.
fn zero(assembly: &Arm, column: &mut Column, source: &str) -> String {
    let register = column.fresh(assembly);
    column.line(format!("EOR {register},{source},{source}"));
    register
}
